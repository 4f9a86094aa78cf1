"""The figures of a run and of all runs: sums of what its dumps show, the same in whatever order they are added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from grpo_lint.audit.records import Comparison, DumpAudit, RunAudit

_NOTHING = Comparison(0, 0, 0, 0, 0, 0, 0.0, Fraction(0))


@dataclass(frozen=True, slots=True)
class Figures:
    """What a number of dumps show together; `trained` over those of `trained_dumps` that hold trained advantages."""

    dumps: int = 0
    fallback_dumps: int = 0
    no_signal_dumps: int = 0
    trained_dumps: int = 0
    collapsed: Comparison = _NOTHING
    trained: Comparison = _NOTHING
    group_sizes: tuple[tuple[int, int], ...] = ()
    unsolved_prompts: int = 0
    unsolved_prompts_with_gradient: int = 0
    gradient: Fraction = Fraction(0)
    unsolved_gradient: Fraction = Fraction(0)

    @property
    def samples(self) -> int:
        return self.collapsed.samples

    @property
    def mean_error(self) -> float:
        """Over all samples but those whose collapsed advantage is NaN; 0 where there are none."""
        known = self.samples - self.collapsed.not_a_number
        return float(self.collapsed.error_sum / known) if known else 0.0

    @property
    def unsolved_gradient_share(self) -> float:
        """The part of the sum of |collapsed advantage| on prompts that solved nothing; 0 where the sum is 0."""
        return float(self.unsolved_gradient / self.gradient) if self.gradient else 0.0

    def __add__(self, other: Figures) -> Figures:
        return Figures(
            dumps=self.dumps + other.dumps,
            fallback_dumps=self.fallback_dumps + other.fallback_dumps,
            no_signal_dumps=self.no_signal_dumps + other.no_signal_dumps,
            trained_dumps=self.trained_dumps + other.trained_dumps,
            collapsed=_together(self.collapsed, other.collapsed),
            trained=_together(self.trained, other.trained),
            group_sizes=tuple(sorted((_counts(self) + _counts(other)).items())),
            unsolved_prompts=self.unsolved_prompts + other.unsolved_prompts,
            unsolved_prompts_with_gradient=self.unsolved_prompts_with_gradient + other.unsolved_prompts_with_gradient,
            gradient=self.gradient + other.gradient,
            unsolved_gradient=self.unsolved_gradient + other.unsolved_gradient,
        )


def figures_of(dump: DumpAudit) -> Figures:
    """The figures of one dump."""
    return Figures(
        dumps=1,
        fallback_dumps=int(dump.is_fallback),
        no_signal_dumps=int(not dump.has_signal),
        trained_dumps=int(dump.trained is not None),
        collapsed=dump.collapsed,
        trained=dump.trained or _NOTHING,
        group_sizes=dump.group_sizes,
        unsolved_prompts=dump.unsolved_prompts,
        unsolved_prompts_with_gradient=dump.unsolved_prompts_with_gradient,
        gradient=dump.gradient,
        unsolved_gradient=dump.unsolved_gradient,
    )


def total_of(runs: Iterable[RunAudit]) -> Figures:
    """The figures of all dumps of these runs."""
    return sum((figures_of(dump) for run in runs for dump in run.dumps), Figures())


def verdict(runs: Sequence[RunAudit]) -> str:
    """What the figures come to, in one plain sentence."""
    total = total_of(runs)
    if not total.dumps:
        return "No dump could be audited."
    if not total.collapsed.nonzero_reference and not total.collapsed.nonzero_other:
        return f"No reward signal in {_all(total.dumps)}: nothing to compare."
    wrong = total.samples - total.collapsed.agree
    if _is_repaired(total):
        return (
            f"Unaffected: in {_all(total.dumps)} the advantages that were trained on are those by identity; "
            f"grouping by position would change {_share(wrong, total.samples)} of them."
        )
    if not wrong and total.trained.agree < total.trained.samples:
        differ = _share(total.trained.samples - total.trained.agree, total.trained.samples)
        return (
            f"Not by position: in {_all(total.dumps)} grouping by position gives the advantages by identity, "
            f"but {differ} of those that were trained on are others."
        )
    if not wrong:
        return f"Unaffected: in {_all(total.dumps)} grouping by position gives the advantages by identity."
    return (
        f"Affected: grouping by position changes {_share(wrong, total.samples)} of the advantages and gives "
        f"{_share(total.collapsed.wrong_sign, total.samples)} the wrong sign; "
        f"the whole-batch fallback fires in {total.fallback_dumps} of {_dumps(total.dumps)}."
    )


def _all(count: int) -> str:
    return "the one dump" if count == 1 else f"all {count} dumps"


def is_affected(runs: Sequence[RunAudit]) -> bool | None:
    """Whether the verdict calls the runs affected, or unaffected; None where it says neither."""
    total = total_of(runs)
    if not total.collapsed.nonzero_reference and not total.collapsed.nonzero_other:
        return None
    if _is_repaired(total):
        return False
    if total.collapsed.agree < total.samples:
        return True
    return None if total.trained.agree < total.trained.samples else False


def _is_repaired(total: Figures) -> bool:
    return total.trained.agree == total.samples


def _dumps(count: int) -> str:
    return f"{count} dump" if count == 1 else f"{count} dumps"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %"


def _together(one: Comparison, other: Comparison) -> Comparison:
    return replace(
        one,
        samples=one.samples + other.samples,
        agree=one.agree + other.agree,
        wrong_sign=one.wrong_sign + other.wrong_sign,
        nonzero_reference=one.nonzero_reference + other.nonzero_reference,
        nonzero_other=one.nonzero_other + other.nonzero_other,
        not_a_number=one.not_a_number + other.not_a_number,
        max_error=max(one.max_error, other.max_error),
        error_sum=one.error_sum + other.error_sum,
    )


def _counts(figures: Figures) -> Counter[int]:
    return Counter(dict(figures.group_sizes))
