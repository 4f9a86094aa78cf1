# SPDX-License-Identifier: Apache-2.0
"""Group-relative advantages whose groups come from identity, not from the shape of the batch.

One file that needs only torch, so that it can be copied into a training codebase as it is.
"""

from __future__ import annotations

import math
import operator
import warnings
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, repeat
from typing import Any, Literal, Protocol, TypeAlias, TypeGuard, TypeVar, cast, overload

import torch
from torch import Tensor

__all__ = ["normalize_rewards_by_group", "post_process_rewards"]


class Array(Protocol):
    """What is used of a NumPy array; NumPy itself is never imported here."""

    @property
    def dtype(self) -> Any: ...
    @property
    def astype(self) -> Callable[..., Any]: ...
    @property
    def tolist(self) -> Callable[[], Any]: ...


class Sample(Protocol):
    """What is used of a slime or miles sample; `rollout_id` and `get_reward_value` may be absent."""

    @property
    def group_index(self) -> object: ...
    @property
    def reward(self) -> object: ...


ArrayT = TypeVar("ArrayT", bound=Array)
Baseline = Literal["mean", "leave_one_out"]

# (N,) ids that compare by value: int64 on the CPU where all are integers that fit, else a list, None where unset.
Labels: TypeAlias = list[Hashable] | Tensor

# slime's advantage estimators whose rewards are centred per group, and those that are then scaled as well.
_CENTRED = ("grpo", "gspo", "cispo", "reinforce_plus_plus_baseline")
_SCALED = ("grpo", "gspo", "cispo")

_NEVER_NAN = {int, str, bytes, bool, tuple, type(None)}
_INTEGERS = {torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64}
_TYPECODES = {torch.bool: "b", torch.int64: "q", torch.float32: "f", torch.float64: "d"}


@overload
def normalize_rewards_by_group(
    rewards: list[float] | tuple[float, ...],
    group_indices: Iterable[object],
    rollout_ids: Iterable[object] | None = None,
    *,
    normalize_std: bool,
    fallback_group_size: int | None = None,
    eps: float = 1e-6,
    correction: int = 1,
    baseline: Baseline = "mean",
) -> list[float]: ...
@overload
def normalize_rewards_by_group(
    rewards: Tensor,
    group_indices: Iterable[object],
    rollout_ids: Iterable[object] | None = None,
    *,
    normalize_std: bool,
    fallback_group_size: int | None = None,
    eps: float = 1e-6,
    correction: int = 1,
    baseline: Baseline = "mean",
) -> Tensor: ...
@overload
def normalize_rewards_by_group(
    rewards: ArrayT,
    group_indices: Iterable[object],
    rollout_ids: Iterable[object] | None = None,
    *,
    normalize_std: bool,
    fallback_group_size: int | None = None,
    eps: float = 1e-6,
    correction: int = 1,
    baseline: Baseline = "mean",
) -> ArrayT: ...
def normalize_rewards_by_group(
    rewards: object,
    group_indices: Iterable[object],
    rollout_ids: Iterable[object] | None = None,
    *,
    normalize_std: bool,
    fallback_group_size: int | None = None,
    eps: float = 1e-6,
    correction: int = 1,
    baseline: Baseline = "mean",
) -> object:
    """Centre each reward on the mean of its own group and, if asked, divide by that group's std.

    With k attempts of rewards r in a group, an attempt's advantage is `r - mean(r)`, and with `normalize_std`
    `(r - mean(r)) / (std(r) + eps)`: GRPO, DeepSeekMath, arXiv:2402.03300. Centring alone is Dr. GRPO,
    arXiv:2503.20783. `baseline="leave_one_out"` takes the mean of the other k - 1 attempts, which is
    `(r - mean(r)) * k / (k - 1)`: RLOO, arXiv:2402.14740.

    The unit is the attempt: samples of a group that share a rollout id count once and get the same advantage.
    One attempt, and attempts of equal rewards, give exactly 0. No result is NaN; no gradient flows through it.

    Args:
        rewards: (N,) finite rewards, in any unit and any order.
        group_indices: (N,) the identity of each sample's prompt, of any hashable type. Tensors of no axes and
            NumPy scalars count by value, NaN counts as None. None throughout: see `fallback_group_size`.
        rollout_ids: (N,) the identity of each sample's attempt within its group, likewise; a sample whose id is
            None is an attempt of its own, and so is every sample if the argument is None.
        normalize_std: whether to divide by the group's standard deviation.
        fallback_group_size: samples per group where every group index is None; groups are then consecutive.
        eps: added to the standard deviation, in units of reward; not negative.
        correction: 1 for the sample standard deviation (torch's default), 0 for the population's (NumPy's).
        baseline: "mean" of the group, or "leave_one_out".

    Returns:
        (N,) advantages in the order of the rewards, without unit if `normalize_std`, else in units of reward.
        A list for a list or tuple, computed in float32. A tensor for a tensor, on its device: floating types are
        kept (half types are computed in float32 and clamped to their range), others become float32. An array for
        an array: floating types are kept, others become float64.

    Raises:
        ValueError: rewards do not have one axis, or one of them is None or not finite; lengths differ; some but
            not all group indices are None; all are, and `fallback_group_size` is not a positive divisor of N;
            samples of one attempt have different rewards; `eps`, `correction` or `baseline` is none of the above.
        TypeError: rewards are of another type, or an identity is not hashable.

    Warns:
        UserWarning: N > 1 and no two samples share a group.

    """
    formula = _Formula(normalize_std, eps, correction, baseline)
    values, peak = _finite_values(rewards)
    labels = _identities(group_indices, "group_indices", len(values))
    attempt_ids = None if rollout_ids is None else _identities(rollout_ids, "rollout_ids", len(values))
    if not len(values):
        return _like(rewards, values)
    groups = _groups(labels, fallback_group_size)
    attempts = None if attempt_ids is None else _attempts(groups, attempt_ids)
    if attempt_ids is not None and attempts is not None:
        _check_siblings(values, attempts, labels, attempt_ids)
    layout = _layout(groups if attempts is None else groups[attempts.leaders])
    if layout.group_count == len(values) > 1:
        warnings.warn(
            f"each of the {len(values)} samples is alone in its group, so every advantage is 0: "
            "group_indices must identify the prompt, not the sample",
            stacklevel=2,
        )
    return _like(rewards, _advantages(values, peak, attempts, layout, formula))


def post_process_rewards(args: object, samples: Sequence[object]) -> tuple[list[float], list[float]]:
    """Normalise rewards per prompt, as a `--custom-reward-post-process-path` hook of slime and miles.

    Where slime's own step would centre the rewards (`advantage_estimator` is grpo, gspo, cispo or
    reinforce_plus_plus_baseline, and `rewards_normalization` is on), so does this; where that would divide by the
    standard deviation (the first three, and `grpo_std_normalization` is on), so does this. Formula and sources:
    `normalize_rewards_by_group`, with `group_index` as the group and `rollout_id`, if there is one, as the attempt.

    Args:
        args: slime's or miles' arguments. Missing settings are read as their defaults: estimator grpo, both
            normalisations on, no `reward_key`, one sample per prompt. `n_samples_per_prompt` is the group size
            where no sample has a `group_index`.
        samples: N samples, or lists of samples, nested to any depth.

    Returns:
        The (N,) raw rewards and the (N,) rewards to train on, both in the order of the flattened samples; the same
        list twice where nothing is to be normalised.

    Raises:
        ValueError: see `normalize_rewards_by_group`.

    """
    flat = list(_flatten(samples))
    raw_rewards = [_reward(sample, args) for sample in flat]
    estimator = getattr(args, "advantage_estimator", "grpo")
    if estimator not in _CENTRED or not getattr(args, "rewards_normalization", True):
        return raw_rewards, raw_rewards
    rewards = normalize_rewards_by_group(
        raw_rewards,
        [sample.group_index for sample in flat],
        [getattr(sample, "rollout_id", None) for sample in flat],
        normalize_std=estimator in _SCALED and bool(getattr(args, "grpo_std_normalization", True)),
        fallback_group_size=getattr(args, "n_samples_per_prompt", 1),
    )
    return raw_rewards, rewards


def _flatten(samples: Sequence[object]) -> Iterator[Sample]:
    for item in samples:
        if isinstance(item, list):
            yield from _flatten(item)
        else:
            yield cast("Sample", item)


def _reward(sample: Sample, args: object) -> float:
    # slime's get_reward_value reads args.reward_key, so it cannot be asked where that setting is missing.
    if hasattr(args, "reward_key") and hasattr(sample, "get_reward_value"):
        return cast("float", sample.get_reward_value(args))
    key = getattr(args, "reward_key", None)
    return cast("float", cast("dict[str, float]", sample.reward)[key] if key else sample.reward)


@dataclass(frozen=True, slots=True)
class _Formula:
    normalize_std: bool
    eps: float
    correction: int
    baseline: Baseline

    def __post_init__(self) -> None:
        if not self.eps >= 0:
            raise ValueError(f"eps must not be negative, got {self.eps}")
        if self.correction not in (0, 1):
            raise ValueError(f"correction must be 0 or 1, got {self.correction!r}")
        if self.baseline not in ("mean", "leave_one_out"):
            raise ValueError(f"baseline must be 'mean' or 'leave_one_out', got {self.baseline!r}")

    def of_rows(self, rows: Tensor, peak: float) -> Tensor:
        """Give the advantages of groups of one size, (groups, attempts); no reward is further from 0 than `peak`."""
        size = rows.shape[-1]
        if size == 1:
            return torch.zeros_like(rows)
        scale = _overflow_scale(rows, peak)
        if scale is not None:
            rows = rows * scale
        advantages = rows - rows.mean(dim=-1, keepdim=True)
        divisor = scale
        if self.normalize_std:
            eps = self.eps if scale is None else self.eps * scale
            divisor = advantages.std(dim=-1, correction=self.correction, keepdim=True) + eps
        if self.baseline == "leave_one_out":
            advantages = advantages * size / (size - 1)
        # The mean of equal rewards is rounded, and eps may be smaller than what that leaves.
        is_flat = rows.amin(dim=-1, keepdim=True) == rows.amax(dim=-1, keepdim=True)
        if divisor is not None:
            advantages = advantages / divisor
            # Only if eps is 0, for rewards so close that the square of their distance underflows.
            is_flat |= divisor == 0
        return advantages.masked_fill_(is_flat, 0.0)


def _overflow_scale(rows: Tensor, peak: float) -> Tensor | None:
    """Give 1, or a power of two where sum or sum of squares might overflow, (groups, 1); None for 1 throughout."""
    shrink = 2.0**-80 if rows.dtype == torch.float32 else 2.0**-600
    limit = torch.finfo(rows.dtype).max * shrink
    if peak <= limit:
        return None
    peaks = rows.abs().amax(dim=-1, keepdim=True)
    return torch.ones_like(peaks).masked_fill_(peaks > limit, shrink)


def _finite_values(rewards: object) -> tuple[Tensor, float]:
    """Give the rewards, (N,), and the greatest distance of one from 0."""
    values = _values(rewards)
    if values.ndim != 1:
        raise ValueError(f"rewards must have one axis, got shape {tuple(values.shape)}")
    if not len(values):
        return values, 0.0
    low, high = _ends(values)  # one NaN makes both NaN
    if not (math.isfinite(low) and math.isfinite(high)):
        position = int((~torch.isfinite(values)).nonzero()[0])
        raise ValueError(f"rewards must be finite numbers, got {_item(rewards, position)} at position {position}")
    return values, max(-low, high)


def _values(rewards: object) -> Tensor:
    if isinstance(rewards, (list, tuple)):
        return _values_of_list(rewards, torch.float32)
    if isinstance(rewards, Tensor) and not rewards.is_complex():
        dtype = torch.float64 if rewards.dtype == torch.float64 else torch.float32
        # Strides would change the order in which torch adds up a row.
        return rewards.detach().to(dtype).contiguous()
    if _is_real_array(rewards):
        if rewards.dtype.kind == "O":
            return _values_of_list(rewards.tolist(), torch.float64)
        # A copy in native byte order, writable and without negative strides, as torch requires.
        return torch.as_tensor(rewards.astype("float32" if _is_float(rewards, 2, 4) else "float64"), device="cpu")
    raise TypeError(f"rewards must be a list, tuple, tensor or array of real numbers, got {type(rewards).__name__}")


def _values_of_list(rewards: list[Any] | tuple[Any, ...], dtype: torch.dtype) -> Tensor:
    try:
        return _packed(rewards, dtype)
    except (TypeError, OverflowError, RuntimeError):  # the last from a complex tensor
        position = next((position for position, reward in enumerate(rewards) if _is_no_number(reward)), None)
    if position is not None:
        raise TypeError(f"rewards must be real numbers, got {rewards[position]!r} at position {position}")
    return torch.tensor(list(map(_nan_if_unset, rewards)), dtype=dtype, device="cpu")


def _packed(numbers: Iterable[float], dtype: torch.dtype) -> Tensor:
    """Give the same CPU tensor as `torch.tensor`, which takes ten times as long over a list."""
    packed = array(_TYPECODES[dtype], numbers)
    return torch.frombuffer(packed, dtype=dtype) if packed else torch.empty(0, dtype=dtype, device="cpu")


def _is_no_number(reward: object) -> bool:
    """Whether torch would take a reward for a sequence of characters, or drop its imaginary part."""
    return isinstance(reward, (str, bytes, bytearray, complex)) or (isinstance(reward, Tensor) and reward.is_complex())


def _nan_if_unset(reward: Any) -> object:
    """Turn what no float can hold, None or a number beyond them all, into what the check reports."""
    if reward is None:
        return math.nan
    try:
        float(reward)
    except OverflowError:
        return math.nan
    except TypeError:
        pass  # a sequence: more than one axis
    return reward


def _is_real_array(value: object) -> TypeGuard[Array]:
    return hasattr(value, "__array_interface__") and cast("Array", value).dtype.kind in "biufO"


def _is_float(rewards: Array, *sizes: int) -> bool:
    return rewards.dtype.kind == "f" and (not sizes or rewards.dtype.itemsize in sizes)


def _item(rewards: object, position: int) -> object:
    item = cast("Sequence[object]", rewards)[position]
    return item.item() if isinstance(item, Tensor) else item


def _identities(ids: Iterable[object], name: str, length: int) -> Labels:
    if getattr(ids, "ndim", 1) != 1:
        raise ValueError(f"{name} must have one axis, got shape {tuple(cast('Tensor', ids).shape)}")
    labels = _labels(ids)
    if len(labels) != length:
        raise ValueError(f"{name} has {len(labels)} entries for {length} rewards")
    return labels


def _labels(ids: Iterable[object]) -> Labels:
    if isinstance(ids, Tensor) and ids.dtype in _INTEGERS:
        return ids.to("cpu", torch.int64)
    # Tensors, arrays and series have tolist; what it gives are Python values, in one transfer.
    listed = cast("list[object]", ids.tolist() if hasattr(ids, "tolist") else list(ids))
    types = set(map(type, listed))
    if any(hasattr(kind, "tolist") for kind in types):
        listed = _by_value(listed)
        types = set(map(type, listed))
    if types == {int}:
        with suppress(OverflowError):
            return _packed(cast("list[int]", listed), torch.int64)
    if not types <= _NEVER_NAN and any(map(operator.ne, listed, listed)):
        listed = [None if item != item else item for item in listed]  # noqa: PLR0124 - only NaN differs from itself
    return listed


def _by_value(ids: list[object]) -> list[object]:
    """Unwrap tensors, arrays and NumPy scalars; tensors in one transfer, as they may lie on a device."""
    tensors = [item for item in ids if isinstance(item, Tensor)]
    if len({(tensor.dtype, tensor.device, tensor.shape) for tensor in tensors}) == 1:
        unwrapped = iter(torch.stack(tensors).tolist())
        ids = [next(unwrapped) if isinstance(item, Tensor) else item for item in ids]
    return [item.tolist() if hasattr(item, "tolist") else item for item in ids]


def _groups(labels: Labels, fallback_group_size: int | None) -> Tensor:
    """Give for each sample an integer that its group alone has, (N,) on the CPU."""
    unset = 0 if isinstance(labels, Tensor) else labels.count(None)
    if unset == 0:
        return _keys(labels)
    if unset < len(labels):
        position = cast("list[Hashable]", labels).index(None)
        raise ValueError(f"group_indices is None at position {position}, but not throughout: whose group is it?")
    size = fallback_group_size
    if not isinstance(size, int) or size <= 0 or len(labels) % size:
        raise ValueError(
            "every group index is None: fallback_group_size must be a positive divisor of the number of rewards, "
            f"got {size} for {len(labels)} rewards"
        )
    return _positions(len(labels)) // size


def _keys(labels: Labels) -> Tensor:
    """Give equal integers for equal labels, (N,): the labels, or else their numbers from 0 in order of appearance."""
    if isinstance(labels, Tensor):
        return labels
    numbers = dict(zip(dict.fromkeys(labels), count(), strict=False))
    return _packed(map(numbers.__getitem__, labels), torch.int64)


@dataclass(frozen=True, slots=True)
class _Attempts:
    leaders: Tensor  # (attempts,) the position of each one's first sample, in order, on the CPU
    of_samples: Tensor  # (N,) the attempt of each sample, counted from 0


def _attempts(groups: Tensor, attempt_ids: Labels) -> _Attempts | None:
    """Give the attempts, or None if every sample is one by itself."""
    keys = _attempt_keys(attempt_ids)
    if keys is None:
        return None
    # Ids are scoped to their group: whoever shares an id may still be of another group.
    first = _first_positions(_pairs(groups, keys))
    is_leader = first == _positions(len(first))
    if is_leader.all():
        return None
    return _Attempts(is_leader.nonzero().flatten(), (is_leader.cumsum(0) - 1)[first])


def _attempt_keys(attempt_ids: Labels) -> Tensor | None:
    """Give equal integers for equal ids that are set, (N,), or None if none is."""
    if isinstance(attempt_ids, Tensor):
        return attempt_ids
    unset = attempt_ids.count(None)
    if unset == len(attempt_ids):
        return None
    keys = _keys(attempt_ids)
    if unset:
        is_unset = _packed(map(operator.is_, attempt_ids, repeat(None)), torch.bool)
        # Negative, unlike the keys of ids that are set.
        keys = torch.where(is_unset, _positions(len(keys)) - len(keys), keys)
    return keys


def _ends(values: Tensor) -> tuple[float, float]:
    """Give the least and the greatest value: integers of integers."""
    return values.amin().item(), values.amax().item()


def _positions(length: int) -> Tensor:
    return torch.arange(length, dtype=torch.int64, device="cpu")


def _pairs(groups: Tensor, keys: Tensor) -> Tensor:
    """Give equal integers for equal pairs, (N,)."""
    first_group, last_group = map(int, _ends(groups))
    low, high = map(int, _ends(keys))
    width = high - low + 1
    if (last_group - first_group + 1) * width > torch.iinfo(torch.int64).max:
        return _pairs(_first_positions(groups), _first_positions(keys))
    return (groups - first_group) * width + (keys - low)


def _first_positions(keys: Tensor) -> Tensor:
    """Give for each key the position where it occurs first, (N,)."""
    ordered, order = _sorted(keys)
    _, runs, lengths = torch.unique_consecutive(ordered, return_inverse=True, return_counts=True)
    starts: Tensor = lengths.cumsum(0) - lengths
    if order is None:
        return starts.index_select(0, runs)
    return torch.empty_like(order).scatter_(0, order, order[starts].index_select(0, runs))


def _sorted(keys: Tensor) -> tuple[Tensor, Tensor | None]:
    """Give the keys in order, less a constant, and the positions where they were, None if they were in order.

    Equal keys keep their order.
    """
    if (keys[1:] >= keys[:-1]).all():
        return keys, None
    ordered, order = _narrowed(keys).sort(stable=True)
    return ordered, order


def _narrowed(keys: Tensor) -> Tensor:
    """Give the keys, less a constant, in a type as narrow as may be: torch sorts that several times as fast."""
    low, high = map(int, _ends(keys))
    for dtype in (torch.int16, torch.int32):
        if high - low <= torch.iinfo(dtype).max:
            return (keys - low).to(dtype)
    return keys


def _check_siblings(values: Tensor, attempts: _Attempts, labels: Labels, attempt_ids: Labels) -> None:
    first = attempts.leaders[attempts.of_samples]
    is_different = values != values[first.to(values.device)]
    if not is_different.any():
        return
    position = int(is_different.nonzero()[0])
    siblings = (first == first[position]).nonzero().flatten()
    raise ValueError(
        f"the samples of rollout id {_item(attempt_ids, position)!r} in group {_item(labels, position)!r} "
        f"have different rewards: {values[siblings.to(values.device)].tolist()} at positions {siblings.tolist()}; "
        "without rollout ids every sample counts by itself"
    )


@dataclass(frozen=True, slots=True)
class _Layout:
    """How the attempts stand so that groups are rows, and groups of one size are one block.

    Rows of a block have one length, so that torch reduces them as it reduces a reshaped batch, to the bit; the
    number of blocks is at most the square root of 2 N. Attempts of a group stay in order.
    """

    order: Tensor | None  # (attempts,) the attempts in rows, on the CPU; None if they stand so already
    slots: Tensor | None  # (attempts,) where each attempt went
    shapes: tuple[tuple[int, int], ...]  # of each block: groups, attempts per group

    @property
    def group_count(self) -> int:
        return sum(rows for rows, _ in self.shapes)


def _layout(groups: Tensor) -> _Layout:
    ordered, order = _sorted(groups)
    _, runs, sizes = torch.unique_consecutive(ordered, return_inverse=True, return_counts=True)
    smallest, largest = _ends(sizes)
    if smallest == largest:
        return _Layout(order, None if order is None else _inverse(order), ((len(sizes), int(largest)),))
    sorted_sizes, by_size = sizes.sort(stable=True)
    starts = (sorted_sizes.cumsum(0) - sorted_sizes)[_inverse(by_size)]
    moves = starts - (sizes.cumsum(0) - sizes)
    slots = _positions(len(groups)) + moves.index_select(0, runs)
    if order is not None:
        slots = torch.empty_like(order).scatter_(0, order, slots)
    lengths, counts = torch.unique_consecutive(sorted_sizes, return_counts=True)
    return _Layout(_inverse(slots), slots, tuple(zip(counts.tolist(), lengths.tolist(), strict=True)))


def _inverse(order: Tensor) -> Tensor:
    return torch.empty_like(order).scatter_(0, order, _positions(len(order)))


def _advantages(values: Tensor, peak: float, attempts: _Attempts | None, layout: _Layout, formula: _Formula) -> Tensor:
    """Give each sample's advantage, (N,) on the device of the values."""
    if attempts is not None:
        values = values.index_select(0, attempts.leaders.to(values.device))
    if layout.order is not None:
        values = values.index_select(0, layout.order.to(values.device))
    advantages = _of_blocks(values, peak, layout.shapes, formula)
    slots = layout.slots
    if attempts is not None:
        slots = attempts.of_samples if slots is None else slots[attempts.of_samples]
    return advantages if slots is None else advantages.index_select(0, slots.to(values.device))


def _of_blocks(values: Tensor, peak: float, shapes: tuple[tuple[int, int], ...], formula: _Formula) -> Tensor:
    if len(shapes) == 1:
        return formula.of_rows(values.view(shapes[0]), peak).view(-1)
    blocks = torch.split(values, [rows * size for rows, size in shapes])
    return torch.cat(
        [formula.of_rows(block.view(shape), peak).view(-1) for block, shape in zip(blocks, shapes, strict=True)]
    )


def _like(rewards: object, advantages: Tensor) -> object:
    """Give the advantages as the rewards came: list, tensor or array, of the type that the docstring promises."""
    if isinstance(rewards, Tensor):
        return _clamped(advantages, rewards.dtype if rewards.is_floating_point() else torch.float32)
    if _is_real_array(rewards):
        limit = torch.float16 if _is_float(rewards, 2) else advantages.dtype
        return _clamped(advantages, limit).numpy().astype(rewards.dtype if _is_float(rewards) else "float64")
    return _clamped(advantages, torch.float32).tolist()


def _clamped(advantages: Tensor, dtype: torch.dtype) -> Tensor:
    limit = torch.finfo(dtype).max
    return advantages.clamp(-limit, limit).to(dtype)
