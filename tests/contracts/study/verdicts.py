"""Which guard is right about which edit, and the tables of it for the documentation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from textwrap import fill

from contracts.study.contract import CONTRACT
from contracts.study.edit import Edit, Family, Kind, written
from contracts.study.edits import EDITS
from contracts.study.guards import GUARDS as TEXTUAL
from contracts.study.guards import Guard

GUARDS = (*TEXTUAL, CONTRACT)

TOTALS = {
    Kind.HARMLESS: "**harmless**, accepted",
    Kind.HARMFUL: "**harmful**, refused",
    Kind.RESTATED: "**restated**, accepted",
    Kind.BEYOND: "**beyond**, refused",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """An edit, and the guards that judge it rightly: accept it if it is harmless, refuse it if it does harm."""

    edit: Edit
    right: frozenset[Guard]


@cache
def verdicts() -> tuple[Verdict, ...]:
    return tuple(judged(edit, GUARDS) for edit in EDITS)


def judged(edit: Edit, guards: Iterable[Guard]) -> Verdict:
    is_harmless = edit.family.kind.is_harmless
    with written(edit) as root:
        return Verdict(edit, frozenset(guard for guard in guards if guard.accepts(root) == is_harmless))


def section() -> str:
    """What stands between the marks of the documentation: the guards, and which edits each of them is right about."""
    return f"{descriptions()}\n{summary()}\n{listing()}"


def descriptions() -> str:
    """The guards, a paragraph for each, no line longer than those of the page."""
    paragraphs = (f"- **{guard.title}**: {guard.description}" for guard in GUARDS)
    return "".join(fill(paragraph, 120, subsequent_indent="  ") + "\n" for paragraph in paragraphs)


def summary() -> str:
    """A row for each family of edits, with the number that each guard judges rightly."""
    lines = _head("edits", "number")
    for kind in Kind:
        rows = [verdict for verdict in verdicts() if verdict.edit.family.kind is kind]
        lines.append(_row(TOTALS[kind], *(f"**{figure}**" for figure in _figures(rows))))
        families = dict.fromkeys(verdict.edit.family for verdict in rows)
        if len(families) > 1:
            lines += [_row(family.title, *_figures(_of(family))) for family in families]
    return "".join(f"{line}\n" for line in lines)


def listing() -> str:
    """Every edit, folded away by family, with a cross under each guard that is wrong about it."""
    return "\n".join(_folded(family) for family in dict.fromkeys(edit.family for edit in EDITS))


def _folded(family: Family) -> str:
    lines = _head(f"{family.kind.value}: {family.title}", "because")
    for verdict in _of(family):
        crosses = ("" if guard in verdict.right else "✗" for guard in GUARDS)
        lines.append(_row(verdict.edit.name, verdict.edit.reason, *crosses))
    title = f"<summary>{family.kind.value.capitalize()}: {family.title}</summary>"
    return f"<details>{title}\n\n" + "".join(f"{line}\n" for line in lines) + "\n</details>\n"


def _of(family: Family) -> list[Verdict]:
    return [verdict for verdict in verdicts() if verdict.edit.family == family]


def _figures(rows: list[Verdict]) -> list[int]:
    return [len(rows), *(sum(guard in row.right for row in rows) for guard in GUARDS)]


def _head(*columns: str) -> list[str]:
    return [
        _row(*columns, *(guard.title for guard in GUARDS)),
        "|---" * (len(columns) + len(GUARDS)) + "|",
    ]


def _row(*cells: object) -> str:
    return "|" + "|".join(f" {cell} " if cell != "" else " " for cell in cells) + "|"
