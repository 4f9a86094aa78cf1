# SPDX-License-Identifier: Apache-2.0
"""Group-relative advantages whose groups come from identity, not from the shape of the batch.

One file that needs only torch, so that it can be copied into a training codebase as it is.
"""

from __future__ import annotations

import math
import operator
import sys
import warnings
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Literal, Protocol, TypeGuard, TypeVar, cast, overload

import torch
from torch import Tensor

__all__ = ["normalize_rewards_by_group", "post_process_rewards"]


class Array(Protocol):
    """What is used of a NumPy array; NumPy itself is never imported here."""

    @property
    def dtype(self) -> Any: ...
    @property
    def astype(self) -> Callable[..., Any]: ...


class Sample(Protocol):
    """What is used of a slime or miles sample; `rollout_id` and `get_reward_value` may be absent."""

    @property
    def group_index(self) -> object: ...
    @property
    def reward(self) -> object: ...


ArrayT = TypeVar("ArrayT", bound=Array)
Baseline = Literal["mean", "leave_one_out"]

# slime's advantage estimators whose rewards are centred per group, and those that are then scaled as well.
_CENTRED = ("grpo", "gspo", "cispo", "reinforce_plus_plus_baseline")
_SCALED = ("grpo", "gspo", "cispo")

_NEVER_NAN = {int, str, bytes, bool, tuple, type(None)}


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
    values = _finite_values(rewards)
    labels = _identities(group_indices, "group_indices", len(values))
    attempt_ids = None if rollout_ids is None else _identities(rollout_ids, "rollout_ids", len(values))
    groups = _groups(labels, fallback_group_size)
    attempts = _attempts(groups, attempt_ids)
    if attempt_ids is not None:
        _check_siblings(values, attempts, labels, attempt_ids)
    if _is_all_singletons(groups):
        warnings.warn(
            f"each of the {len(values)} samples is alone in its group, so every advantage is 0: "
            "group_indices must identify the prompt, not the sample",
            stacklevel=2,
        )
    return _like(rewards, _advantages(values, groups, attempts, formula))


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

    def of_rows(self, rows: Tensor) -> Tensor:
        """Give the advantages of groups of one size, (groups, attempts)."""
        size = rows.shape[-1]
        if size == 1:
            return torch.zeros_like(rows)
        scale = _overflow_scale(rows)
        scaled = rows * scale
        centred = scaled - scaled.mean(dim=-1, keepdim=True)
        divisor = scale
        if self.normalize_std:
            divisor = centred.std(dim=-1, correction=self.correction, keepdim=True) + self.eps * scale
        if self.baseline == "leave_one_out":
            centred = centred * size / (size - 1)
        # The mean of equal rewards is rounded, and eps may be smaller than what that leaves. The divisor is 0 only
        # if eps is, for rewards so close that the square of their distance underflows.
        is_flat = (rows.amax(dim=-1, keepdim=True) == rows.amin(dim=-1, keepdim=True)) | (divisor == 0)
        return (centred / divisor).masked_fill(is_flat, 0.0)


def _overflow_scale(rows: Tensor) -> Tensor:
    """Give 1 for each row, or a power of two for one whose sum or sum of squares might overflow, (groups, 1)."""
    shrink = 2.0**-80 if rows.dtype == torch.float32 else 2.0**-600
    peak = rows.abs().amax(dim=-1, keepdim=True)
    return torch.ones_like(peak).masked_fill(peak > torch.finfo(rows.dtype).max * shrink, shrink)


def _finite_values(rewards: object) -> Tensor:
    values = _values(rewards)
    if values.ndim != 1:
        raise ValueError(f"rewards must have one axis, got shape {tuple(values.shape)}")
    is_finite = torch.isfinite(values)
    if not is_finite.all():
        position = int((~is_finite).nonzero()[0])
        raise ValueError(f"rewards must be finite numbers, got {_item(rewards, position)} at position {position}")
    return values


def _values(rewards: object) -> Tensor:
    if isinstance(rewards, (list, tuple)):
        return _values_of_list(rewards)
    if isinstance(rewards, Tensor) and not rewards.is_complex():
        return rewards.detach().to(torch.float64 if rewards.dtype == torch.float64 else torch.float32)
    if _is_real_array(rewards):
        # A copy in native byte order, writable and without negative strides, as torch requires.
        dtype = "float32" if _is_float(rewards, 2, 4) else "float64"
        return torch.as_tensor(rewards.astype(dtype), device="cpu")
    raise TypeError(f"rewards must be a list, tuple, tensor or array of real numbers, got {type(rewards).__name__}")


def _values_of_list(rewards: list[Any] | tuple[Any, ...]) -> Tensor:
    try:
        return _packed("f", rewards, torch.float32)
    except (TypeError, OverflowError):
        return torch.tensor(list(map(_nan_if_unset, rewards)), dtype=torch.float32, device="cpu")


def _packed(typecode: str, numbers: Iterable[float], dtype: torch.dtype) -> Tensor:
    """Give the same CPU tensor as `torch.tensor`, which takes ten times as long over a list."""
    packed = array(typecode, numbers)
    return torch.frombuffer(packed, dtype=dtype) if packed else torch.empty(0, dtype=dtype, device="cpu")


def _nan_if_unset(reward: object) -> object:
    """Turn what no float can hold, None or an integer beyond them all, into what the check reports."""
    is_huge = isinstance(reward, int) and abs(reward) > sys.float_info.max
    return math.nan if reward is None or is_huge else reward


def _is_real_array(value: object) -> TypeGuard[Array]:
    return hasattr(value, "__array_interface__") and cast("Array", value).dtype.kind != "c"


def _is_float(rewards: Array, *sizes: int) -> bool:
    return rewards.dtype.kind == "f" and (not sizes or rewards.dtype.itemsize in sizes)


def _item(rewards: object, position: int) -> object:
    item = cast("Sequence[object]", rewards)[position]
    return item.item() if isinstance(item, Tensor) else item


def _identities(ids: Iterable[object], name: str, length: int) -> list[Hashable]:
    """Give ids that compare by value, with None for those that are unset."""
    if getattr(ids, "ndim", 1) != 1:
        raise ValueError(f"{name} must have one axis, got shape {tuple(cast('Tensor', ids).shape)}")
    # Tensors, arrays and series have tolist; what it gives are Python values, in one transfer.
    listed = cast("list[object]", ids.tolist() if hasattr(ids, "tolist") else list(ids))
    if len(listed) != length:
        raise ValueError(f"{name} has {len(listed)} entries for {length} rewards")
    types = set(map(type, listed))
    if any(hasattr(kind, "tolist") for kind in types):
        listed = _by_value(listed)
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


def _groups(labels: list[Hashable], fallback_group_size: int | None) -> Tensor:
    """Give for each sample the position of its group's first sample, (N,) on the CPU."""
    unset = labels.count(None)
    if unset == 0:
        return _first_positions(labels)
    if unset < len(labels):
        position = labels.index(None)
        raise ValueError(f"group_indices is None at position {position}, but not throughout: whose group is it?")
    size = fallback_group_size
    if not isinstance(size, int) or size <= 0 or len(labels) % size:
        raise ValueError(
            "every group index is None: fallback_group_size must be a positive divisor of the number of rewards, "
            f"got {size} for {len(labels)} rewards"
        )
    return _positions(len(labels)) // size * size


def _attempts(groups: Tensor, attempt_ids: list[Hashable] | None) -> Tensor:
    """Give for each sample the position of its attempt's first sample, (N,) on the CPU."""
    own = _positions(len(groups))
    if attempt_ids is None:
        return own
    is_unset = _packed("b", list(map(operator.is_, attempt_ids, repeat(None))), torch.bool)
    first = torch.where(is_unset, own, _first_positions(attempt_ids))
    if torch.equal(first, own):
        return own
    # Ids are scoped to their group: whoever shares an id here may still be of another group.
    return _first_positions((groups * len(groups) + first).tolist())


def _positions(length: int) -> Tensor:
    return torch.arange(length, dtype=torch.int64, device="cpu")


def _first_positions(keys: Sequence[Hashable]) -> Tensor:
    """Give for each key the position where it occurs first."""
    # The last value of a repeated key stays in the dict: read backwards, that is the first.
    first = dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))
    return _packed("q", list(map(first.__getitem__, keys)), torch.int64)


def _check_siblings(values: Tensor, attempts: Tensor, labels: list[Hashable], attempt_ids: list[Hashable]) -> None:
    is_different = values != values[attempts.to(values.device)]
    if not is_different.any():
        return
    position = int(is_different.nonzero()[0])
    siblings = (attempts == attempts[position]).nonzero().flatten()
    raise ValueError(
        f"the samples of rollout id {attempt_ids[position]!r} in group {labels[position]!r} have different rewards: "
        f"{values[siblings.to(values.device)].tolist()} at positions {siblings.tolist()}; "
        "without rollout ids every sample counts by itself"
    )


def _is_all_singletons(groups: Tensor) -> bool:
    return len(groups) > 1 and torch.equal(groups, _positions(len(groups)))


def _advantages(values: Tensor, groups: Tensor, attempts: Tensor, formula: _Formula) -> Tensor:
    """Give each sample's advantage, (N,) on the device of the values."""
    if not len(values):
        return values
    order, shapes = _rows_by_size(groups, attempts)
    blocks = torch.split(values[order.to(values.device)], [rows * size for rows, size in shapes])
    advantages = [formula.of_rows(block.view(shape)).flatten() for block, shape in zip(blocks, shapes, strict=True)]
    slots = torch.empty_like(groups)
    slots[order] = _positions(len(order))
    return torch.cat(advantages)[slots[attempts].to(values.device)]


def _rows_by_size(groups: Tensor, attempts: Tensor) -> tuple[Tensor, list[tuple[int, int]]]:
    """Order the attempts so that groups are rows, and groups of one size are one block.

    Rows of a block have one length, so that torch reduces them as it reduces a reshaped batch, to the bit; the
    number of blocks is at most the square root of 2 N. Groups of a block, and attempts of a group, stay in order.

    Returns:
        The positions of the attempts' first samples, and each block's (groups, attempts per group).

    """
    leaders = (attempts == _positions(len(attempts))).nonzero().flatten()
    group_of_leader = groups[leaders]
    sizes = torch.bincount(group_of_leader, minlength=len(groups))
    order = torch.argsort(sizes[group_of_leader] * len(groups) + group_of_leader, stable=True)
    counts = torch.bincount(sizes[sizes > 0])
    lengths = counts.nonzero().flatten()
    return leaders[order], list(zip(counts[lengths].tolist(), lengths.tolist(), strict=True))


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
