"""What one dump shows: its advantages against those by identity, and where its gradient went."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction

import torch
from torch import Tensor

from grpo_lint.audit.records import Comparison, Dump, DumpAudit, Settings
from grpo_lint.audit.replay import attempts_of, replay

TOLERANCE = 1e-6  # of two advantages that agree, and of one that is zero
_POINTS = 64  # of a dump, for the page


def audit_dump(dump: Dump, settings: Settings) -> DumpAudit:
    """Replay a dump and compare. Raises ValueError as `replay` does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of lone samples, which are counted
        found = replay(dump, settings)
    unit = attempts_of(dump) if settings.per_rollout else list(range(len(dump.groups)))
    reference, collapsed = _per_unit(found.reference, unit), _per_unit(found.collapsed, unit)
    trained = None if found.trained is None else compare(reference, _per_unit(found.trained, unit))
    prompts = _Prompts(dump, unit, collapsed, settings.solved_above)
    return DumpAudit(
        name=dump.name,
        step=dump.step,
        samples=len(reference),
        is_fallback=found.layout.is_fallback,
        has_signal=len(set(dump.rewards)) > 1,
        collapsed=compare(reference, collapsed),
        trained=trained,
        group_sizes=tuple(sorted(Counter(prompts.sizes.values()).items())),
        unsolved_prompts=len(prompts.unsolved),
        unsolved_prompts_with_gradient=sum(prompts.moved[prompt] for prompt in prompts.unsolved),
        gradient=_exact_sum(prompts.gradients),
        unsolved_gradient=_exact_sum(
            gradient
            for group, gradient in zip(prompts.groups, prompts.gradients, strict=True)
            if group in prompts.unsolved
        ),
        points=_points(reference, collapsed),
    )


def compare(reference: Tensor, other: Tensor) -> Comparison:
    """Count how (N,) advantages differ from those by identity, both float64.

    NaN agrees with nothing, has a wrong sign and is not zero; the errors are those of the other advantages.
    """
    errors = (other - reference).abs()
    known = errors[errors.isfinite()]
    return Comparison(
        samples=len(reference),
        agree=int((errors <= TOLERANCE).sum()),
        wrong_sign=int((_signs(reference) != _signs(other)).sum()),
        nonzero_reference=int((_signs(reference) != 0).sum()),
        nonzero_other=int((_signs(other) != 0).sum()),
        not_a_number=len(errors) - len(known),
        max_error=float(known.max()) if len(known) else 0.0,
        error_sum=_exact_sum(known.tolist()),
    )


def _signs(advantages: Tensor) -> Tensor:
    """-1, 0 or 1 each; NaN for NaN, which no comparison finds equal."""
    signs = torch.where(advantages.abs() <= TOLERANCE, torch.zeros_like(advantages), advantages.sign())
    return torch.where(advantages.isnan(), advantages, signs)


def _per_unit(values: Tensor, unit: Sequence[int]) -> Tensor:
    """The mean over the samples of each unit: of an attempt, whose samples a reshape may have put in several rows."""
    count = max(unit, default=-1) + 1
    if count == len(unit):
        return values
    index = torch.tensor(unit)
    sums = torch.zeros(count, dtype=torch.float64).index_add(0, index, values)
    return sums / torch.bincount(index, minlength=count)


class _Prompts:
    """The prompts of a dump: how many units each has, which solved nothing, and which got gradient."""

    def __init__(self, dump: Dump, unit: Sequence[int], collapsed: Tensor, solved_above: float) -> None:
        first = {number: at for at, number in reversed(list(enumerate(unit)))}
        self.groups: list[Hashable] = [dump.groups[first[number]] for number in range(len(first))]
        self.gradients = [abs(value) if math.isfinite(value) else 0.0 for value in collapsed.tolist()]
        self.sizes = Counter(self.groups)
        best: dict[Hashable, float] = {}
        for group, reward in zip(dump.groups, dump.rewards, strict=True):
            best[group] = max(best.get(group, reward), reward)
        self.unsolved = {group for group, reward in best.items() if reward <= solved_above}
        self.moved: Counter[Hashable] = Counter()
        for group, gradient in zip(self.groups, self.gradients, strict=True):
            if gradient > TOLERANCE:
                self.moved[group] = 1


def _exact_sum(values: Iterable[float]) -> Fraction:
    """A sum that is the same in any order: correctly rounded once, and exact from there on, as also beyond a float."""
    known = tuple(values)
    try:
        return Fraction(math.fsum(known))
    except OverflowError:
        return sum(map(Fraction, known), Fraction(0))


def _points(reference: Tensor, other: Tensor) -> tuple[tuple[float, float], ...]:
    """Pairs of advantages at even distances, without NaN."""
    known = reference.isfinite() & other.isfinite()
    pairs = list(zip(reference[known].tolist(), other[known].tolist(), strict=True))
    step = max(1, math.ceil(len(pairs) / _POINTS))
    return tuple(pairs[::step])
