"""The page of an audit: one file that needs no network, to be looked at in any browser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grpo_lint.audit.page import charts
from grpo_lint.audit.page.charts import Label
from grpo_lint.audit.records import RunAudit
from grpo_lint.audit.summary import rows_of
from grpo_lint.audit.totals import Figures, is_affected, total_of, verdict
from grpo_lint.edits import create, write
from grpo_lint.report import printable

if TYPE_CHECKING:
    from jinja2 import Template

_LISTED = 200  # skipped and damaged dumps each
_LETTERS = 60  # of a name in the table


@dataclass(frozen=True, slots=True)
class _Tile:
    """One figure that is shown large, and what it is."""

    figure: str
    label: str


@dataclass(frozen=True, slots=True)
class _Column:
    """A run in the table: its name, shortened, and the place in the page that it links to, if it has one."""

    name: str
    place: str


@dataclass(frozen=True, slots=True)
class _Row:
    label: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Chart:
    """What a drawing is called, and the drawing as SVG."""

    label: Label
    svg: str


@dataclass(frozen=True, slots=True)
class _Section:
    place: str
    name: str
    verdict: str
    charts: tuple[_Chart, ...]


@dataclass(frozen=True, slots=True)
class _Listing:
    """Dumps that are not counted: how many, and a line for each of the first of them."""

    title: str
    count: int
    lines: tuple[str, ...]


def write_page(runs: Sequence[RunAudit], path: Path, unit: str = "samples") -> None:
    """Write the page of these runs, whole or not at all; into what is no file, a pipe or device. Raises OSError."""
    data = page_of(runs, unit).encode("utf-8")
    if path.exists() and not path.is_file():
        path.write_bytes(data)
    else:
        (write if path.exists() else create)(path, data)


def page_of(runs: Sequence[RunAudit], unit: str = "samples") -> str:
    """The page as HTML. All names are escaped, and no part of it runs a script or loads anything."""
    figures = [total_of([run]) for run in runs]
    total = total_of(runs)
    has_total = len(runs) > 1
    return _template().render(
        verdict=verdict(runs),
        is_affected=is_affected(runs),
        tiles=list(_tiles(total, unit)),
        columns=[*_columns(runs), *([_Column("all runs", "")] if has_total else [])],
        rows=list(_rows([*figures, *([total] if has_total else [])], unit)),
        sections=list(_sections(runs, unit)),
        listings=list(_listings(runs)),
    )


def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("grpo_lint.audit.page", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("audit.html")


def _tiles(total: Figures, unit: str) -> Iterator[_Tile]:
    if not total.samples:
        return
    if total.trained.samples:
        yield _Tile(
            _share(total.trained.wrong_sign, total.trained.samples), "of trained advantages have the wrong sign"
        )
    yield _Tile(_share(total.collapsed.wrong_sign, total.samples), "of collapsed advantages have the wrong sign")
    yield _Tile(_share(total.collapsed.agree, total.samples), "of collapsed advantages agree")
    yield _Tile(f"{total.fallback_dumps:,} of {total.dumps:,}", "dumps in which the fallback fires")
    yield _Tile(
        f"{100 * total.unsolved_gradient_share:.1f} %", "of collapsed gradient is on prompts that solved nothing"
    )
    yield _Tile(f"{total.samples:,}", f"{unit} in {total.dumps:,} {'dump' if total.dumps == 1 else 'dumps'}")


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %"


def _columns(runs: Sequence[RunAudit]) -> Iterator[_Column]:
    for number, run in enumerate(runs):
        yield _Column(_shortened(printable(run.name)), _place(number) if run.dumps else "")


def _shortened(name: str) -> str:
    half = _LETTERS // 2
    return name if len(name) <= _LETTERS else f"{name[:half]}\N{HORIZONTAL ELLIPSIS}{name[-half:]}"


def _place(number: int) -> str:
    return f"run{number}"


def _rows(columns: Sequence[Figures], unit: str) -> Iterator[_Row]:
    """A row for each figure that any column has."""
    tables = [dict(rows_of(figures, unit)) for figures in columns]
    for label in dict.fromkeys(label for table in tables for label in table):
        yield _Row(label, tuple(table.get(label, "-") for table in tables))


def _sections(runs: Sequence[RunAudit], unit: str) -> Iterator[_Section]:
    for number, run in enumerate(runs):
        if run.dumps:
            place = _place(number)
            said = verdict([run]) if len(runs) > 1 else ""
            charts = (_strip(run, place), _scatter(run, place, unit), _sizes(run, place, unit))
            yield _Section(place, printable(run.name), said, charts)


def _strip(run: RunAudit, place: str) -> _Chart:
    figures = total_of([run])
    neighbours = charts.dumps_of_a_column(run.dumps)
    columns = (
        "One column for each dump, in the order of training."
        if neighbours == 1
        else f"One column for {neighbours} dumps each, in the order of training, as high as the share of them."
    )
    label = Label(
        f"{place}-strip",
        "Fallback and signal over training",
        f"{columns} The fallback fires in {figures.fallback_dumps:,} of {figures.dumps:,} dumps; "
        f"rewards carry signal in {figures.dumps - figures.no_signal_dumps:,}.",
    )
    return _Chart(label, charts.strip(run.dumps, label))


def _scatter(run: RunAudit, place: str, unit: str) -> _Chart:
    points, samples = charts.choose(run.dumps), total_of([run]).samples
    label = Label(
        f"{place}-scatter",
        "Advantages by identity and collapsed",
        "On the slanting line the two agree. The sign is wrong in the shaded quarters, and where only one of the two "
        f"is 0. A larger point stands for more {unit}"
        + (f"; {len(points):,} of {samples:,} are shown." if len(points) < samples else "."),
    )
    return _Chart(label, charts.scatter(points, label))


def _sizes(run: RunAudit, place: str, unit: str) -> _Chart:
    label = Label(
        f"{place}-sizes",
        f"{unit.capitalize()} of a prompt",
        "How many prompts have how many. Grouping by position is right only where all have the same.",
    )
    return _Chart(label, charts.sizes(total_of([run]).group_sizes, unit, label))


def _listings(runs: Sequence[RunAudit]) -> Iterator[_Listing]:
    skipped = [f"{each.name}: {each.reason}" for run in runs for each in run.skipped]
    damaged = [f"{name}: {reason}" for run in runs for name, reason in run.damaged]
    for title, lines in (("Damaged", damaged), ("Not audited", skipped)):
        if lines:
            yield _Listing(title, len(lines), tuple(printable(line) for line in lines[:_LISTED]))
