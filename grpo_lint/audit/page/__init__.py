"""The page of an audit: one file that needs no network, to be looked at in any browser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grpo_lint.audit.page import charts
from grpo_lint.audit.records import RunAudit
from grpo_lint.audit.summary import rows_of
from grpo_lint.audit.totals import Figures, total_of, verdict
from grpo_lint.edits import create, write
from grpo_lint.report import printable

_LISTED = 200  # skipped and damaged dumps each


@dataclass(frozen=True, slots=True)
class _Tile:
    """One figure that is shown large, and what it is."""

    figure: str
    label: str


@dataclass(frozen=True, slots=True)
class _Row:
    label: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Chart:
    """A drawing as SVG, its title, and in words what it shows."""

    title: str
    caption: str
    svg: str


@dataclass(frozen=True, slots=True)
class _Section:
    name: str
    charts: tuple[_Chart, ...]


def write_page(runs: Sequence[RunAudit], path: Path, unit: str = "samples") -> None:
    """Write the page of these runs, whole or not at all. Raises OSError."""
    data = page_of(runs, unit).encode("utf-8")
    (write if path.exists() else create)(path, data)


def page_of(runs: Sequence[RunAudit], unit: str = "samples") -> str:
    """The page as HTML. All names are escaped, and no part of it runs a script or loads anything."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("grpo_lint.audit.page", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    columns = [(printable(run.name), total_of([run])) for run in runs]
    total = total_of(runs)
    if len(runs) > 1:
        columns.append(("all runs", total))
    return environment.get_template("audit.html").render(
        verdict=verdict(runs),
        is_affected=total.collapsed.agree < total.samples,
        tiles=list(_tiles(total, unit)),
        columns=[name for name, _ in columns],
        rows=list(_rows([figures for _, figures in columns], unit)),
        sections=[_section(run, number, unit) for number, run in enumerate(runs) if run.dumps],
        skipped=_listed([f"{each.name}: {each.reason}" for run in runs for each in run.skipped]),
        damaged=_listed([f"{name}: {reason}" for run in runs for name, reason in run.damaged]),
    )


def _tiles(total: Figures, unit: str) -> Iterator[_Tile]:
    if not total.samples:
        return
    yield _Tile(_share(total.collapsed.wrong_sign, total.samples), "of advantages with the wrong sign")
    yield _Tile(_share(total.collapsed.agree, total.samples), "of advantages agree")
    yield _Tile(f"{total.fallback_dumps:,} of {total.dumps:,}", "dumps in which the fallback fires")
    yield _Tile(f"{100 * total.unsolved_gradient_share:.1f} %", "of the gradient on prompts that solved nothing")
    yield _Tile(f"{total.samples:,}", f"{unit} in {total.dumps:,} dumps")


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %"


def _rows(columns: Sequence[Figures], unit: str) -> Iterator[_Row]:
    """A row for each figure that any column has."""
    tables = [dict(rows_of(figures, unit)) for figures in columns]
    for label in dict.fromkeys(label for table in tables for label in table):
        yield _Row(label, tuple(table.get(label, "-") for table in tables))


def _section(run: RunAudit, number: int, unit: str) -> _Section:
    figures = total_of([run])
    prefix = f"run{number}"
    return _Section(
        printable(run.name),
        (
            _Chart(
                "Fallback and signal over training",
                "One column for each dump, in the order of training. "
                f"The fallback fires in {figures.fallback_dumps} of {figures.dumps} dumps; "
                f"{figures.dumps - figures.no_signal_dumps} carry reward signal.",
                charts.strip(run.dumps, f"{prefix}-strip"),
            ),
            _Chart(
                "Advantages by identity and collapsed",
                "On the line the two agree; in the shaded quarters the sign is wrong. A larger point stands for more "
                "samples.",
                charts.scatter(run.dumps, f"{prefix}-scatter"),
            ),
            _Chart(
                f"{unit.capitalize()} of a prompt",
                "How many prompts have how many. Grouping by position is right only where all have the same.",
                charts.sizes(figures.group_sizes, unit, f"{prefix}-sizes"),
            ),
        ),
    )


def _listed(lines: Sequence[str]) -> list[str]:
    shown = [printable(line) for line in lines[:_LISTED]]
    return shown if len(lines) <= _LISTED else [*shown, f"and {len(lines) - _LISTED:,} more"]
