"""What an audit prints: JSON, or a table of figures with the verdict below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from grpo_lint.audit.records import Comparison, RunAudit
from grpo_lint.audit.totals import Figures, total_of, verdict
from grpo_lint.report import printable


def as_json(runs: Sequence[RunAudit]) -> dict[str, Any]:
    """`{"runs": [RUN …], "total": RUN}`, with what was skipped and damaged in each run."""
    return {"runs": [_run(run) for run in runs], "total": _figures("total", total_of(runs))}


def _run(run: RunAudit) -> dict[str, Any]:
    return {
        **_figures(run.name, total_of([run])),
        "skipped": [{"name": each.name, "reason": each.reason, "samples": each.samples} for each in run.skipped],
        "damaged": [{"name": name, "reason": reason} for name, reason in run.damaged],
    }


def _figures(name: str, figures: Figures) -> dict[str, Any]:
    return {
        "name": name,
        "dumps": figures.dumps,
        "samples": figures.samples,
        "fallback_dumps": figures.fallback_dumps,
        "no_signal_dumps": figures.no_signal_dumps,
        "agree": figures.collapsed.agree,
        "wrong_sign": figures.collapsed.wrong_sign,
        "nonzero_reference": figures.collapsed.nonzero_reference,
        "nonzero_collapsed": figures.collapsed.nonzero_other,
        "nan_collapsed": figures.collapsed.not_a_number,
        "max_error": figures.collapsed.max_error,
        "mean_error": figures.mean_error,
        "unsolved_prompts": figures.unsolved_prompts,
        "unsolved_prompts_with_gradient": figures.unsolved_prompts_with_gradient,
        "unsolved_gradient_share": figures.unsolved_gradient_share,
        "group_sizes": {str(size): count for size, count in figures.group_sizes},
        "trained": _trained(figures.trained_dumps, figures.trained) if figures.trained_dumps else None,
    }


def _trained(dumps: int, trained: Comparison) -> dict[str, Any]:
    return {
        "dumps": dumps,
        "samples": trained.samples,
        "agree": trained.agree,
        "wrong_sign": trained.wrong_sign,
        "nonzero": trained.nonzero_other,
        "max_error": trained.max_error,
    }


def as_text(runs: Sequence[RunAudit], unit: str = "samples", note: str = "") -> str:
    """A column of figures for each run and, of several, one for the total; then a note, and the verdict."""
    columns = [(printable(run.name), total_of([run])) for run in runs]
    if len(runs) > 1:
        columns.append(("total", total_of(runs)))
    blocks = ["\n".join(_block(name, figures, unit)) for name, figures in columns]
    skipped = sum(len(run.skipped) for run in runs)
    damaged = sum(len(run.damaged) for run in runs)
    if skipped:
        blocks.append("\n".join(["not audited:", *_skipped(runs)]))
    if damaged:
        blocks.append(f"{damaged} damaged {'dump' if damaged == 1 else 'dumps'}: see standard error.")
    return "\n\n".join([*blocks, *([note] if note else []), verdict(runs)]) + "\n"


def rows_of(figures: Figures, unit: str = "samples") -> Iterator[tuple[str, str]]:
    """What each figure is called, and the figure."""
    yield "dumps", _number(figures.dumps)
    yield unit, _number(figures.samples)
    yield f"{unit} of a prompt", _sizes(figures.group_sizes)
    yield "dumps in which the fallback fires", f"{_number(figures.fallback_dumps)} of {_number(figures.dumps)}"
    yield "dumps without reward signal", _number(figures.no_signal_dumps)
    yield "advantages that agree", _part(figures.collapsed.agree, figures.samples)
    yield "advantages with the wrong sign", _part(figures.collapsed.wrong_sign, figures.samples)
    nonzero = figures.collapsed.nonzero_reference, figures.collapsed.nonzero_other
    yield "non-zero advantages, by identity -> collapsed", f"{_number(nonzero[0])} -> {_number(nonzero[1])}"
    if figures.collapsed.not_a_number:
        yield "collapsed advantages that are NaN", _number(figures.collapsed.not_a_number)
    yield "largest error", f"{figures.collapsed.max_error:.4g}"
    yield "mean error", f"{figures.mean_error:.4g}"
    moved, unsolved = figures.unsolved_prompts_with_gradient, figures.unsolved_prompts
    yield "prompts that solved nothing and still got gradient", f"{_number(moved)} of {_number(unsolved)}"
    yield "share of the gradient that went to them", f"{100 * figures.unsolved_gradient_share:.1f} %"
    if figures.trained_dumps:
        trained = figures.trained
        yield "trained advantages that agree", _part(trained.agree, trained.samples)
        yield "trained advantages with the wrong sign", _part(trained.wrong_sign, trained.samples)


def _block(name: str, figures: Figures, unit: str) -> Iterator[str]:
    rows = list(rows_of(figures, unit))
    width = max(len(label) for label, _ in rows)
    yield name
    yield from (f"  {label:<{width}}  {value}" for label, value in rows)


def _skipped(runs: Sequence[RunAudit]) -> Iterator[str]:
    for each in (each for run in runs for each in run.skipped):
        yield f"  {printable(each.name)}: {printable(each.reason)} ({_number(each.samples)} samples)"


def _sizes(sizes: Sequence[tuple[int, int]]) -> str:
    """`8 to 28 in 5 prompts, mostly 8`."""
    if not sizes:
        return "none"
    prompts = sum(count for _, count in sizes)
    smallest, largest = sizes[0][0], sizes[-1][0]
    most = max(count for _, count in sizes)
    usual = [size for size, count in sizes if count == most]
    spread = f"{smallest}" if smallest == largest else f"{smallest} to {largest}"
    spread += f", mostly {usual[0]}" if smallest != largest and len(usual) == 1 else ""
    return f"{spread} ({_number(prompts)} prompts)"


def _part(part: int, whole: int) -> str:
    return f"{_number(part)} ({100 * part / whole:.1f} %)" if whole else _number(part)


def _number(number: int) -> str:
    return f"{number:,}"
