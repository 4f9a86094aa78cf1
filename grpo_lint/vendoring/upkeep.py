"""The copies in a codebase and the imports around them: brought up to date, or compared with what they should be."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from grpo_lint import edits
from grpo_lint.config import ConfigResolver
from grpo_lint.discover import Found, discover
from grpo_lint.line_length import formatter_line_length
from grpo_lint.model import Position
from grpo_lint.project import Project
from grpo_lint.source import Source
from grpo_lint.vendoring.copies import Comparison, Standing, compare, read_packaged, with_header
from grpo_lint.vendoring.mentions import NAME, OWN_MODULE, PACKAGE
from grpo_lint.vendoring.place import CannotVendor, Place, name_seen_from
from grpo_lint.vendoring.repointing import Left, Target, left_in, repoint

REFERENCE = "reference.py"
PROPERTIES = "vendoring/properties.py"
_REPLACEABLE = frozenset({Standing.MISSING, Standing.OUTDATED})


class Outcome(IntEnum):
    """What a remark says; the numbers are exit statuses."""

    DONE = 0
    LEFT = 1
    FAILED = 2


@dataclass(frozen=True, slots=True)
class Remark:
    """What was done, or is left to do, at a place; the path is absolute."""

    outcome: Outcome
    path: str
    words: str
    position: Position | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """Where the reference goes, and where its property tests do; `is_forced` to write over whatever is there."""

    reference: Place
    tests: Place | None = None
    is_forced: bool = False

    @property
    def places(self) -> tuple[Place, ...]:
        return (self.reference, self.tests) if self.tests else (self.reference,)

    def text(self, place: Place) -> str:
        """What a copy should say now. Raises CannotVendor."""
        command = f"grpo-lint vendor {shlex.quote(self.reference.shown_from_project())}"
        if place is self.reference:
            return with_header(read_packaged(REFERENCE).text, command)
        command += f" --tests {shlex.quote(place.shown_from_project())}"
        return with_header(self._properties(place), command)

    def _properties(self, place: Place) -> str:
        target = _target(place.path, self.reference.path, formatter_line_length(place.path.parent))
        return repoint(read_packaged(PROPERTIES), target).source.text


def write_copies(order: Order, resolver: ConfigResolver) -> tuple[Remark, ...]:
    """Write what is missing or outdated, and import from it in the project. Nothing if a copy may not be replaced."""
    refusals = tuple(_refusals(order))
    if refusals:
        return refusals
    written = tuple(remark for place in order.places for remark in _write(order, place))
    if any(remark.outcome is Outcome.FAILED for remark in written):
        return written
    return (*written, *_each_file(order, resolver, is_check=False))


def check_copies(order: Order, resolver: ConfigResolver) -> tuple[Remark, ...]:
    """Say of each copy whether it is current, and which places of the project do not import from it."""
    compared = (_checked(order, place) for place in order.places)
    return (*compared, *_each_file(order, resolver, is_check=True))


def _compare(order: Order, place: Place) -> Comparison | Remark:
    try:
        return compare(place.path, order.text(place))
    except CannotVendor as error:
        return Remark(Outcome.FAILED, str(order.reference.path), str(error))
    except OSError as error:
        return _failure(place.path, error)


def _failure(path: Path | str, error: OSError) -> Remark:
    return Remark(Outcome.FAILED, str(path), error.strerror or str(error))


def _refusals(order: Order) -> Iterator[Remark]:
    for place in order.places:
        compared = _compare(order, place)
        if isinstance(compared, Remark):
            yield compared
        elif compared.standing not in _REPLACEABLE | {Standing.CURRENT} and not order.is_forced:
            words = f"{compared.words}; nothing is written (--force writes over it)"
            yield Remark(Outcome.FAILED, str(place.path), words)


def _checked(order: Order, place: Place) -> Remark:
    compared = _compare(order, place)
    if isinstance(compared, Remark):
        return compared
    outcomes = {Standing.CURRENT: Outcome.DONE, Standing.BROKEN: Outcome.FAILED}
    return Remark(outcomes.get(compared.standing, Outcome.LEFT), str(place.path), compared.words)


def _write(order: Order, place: Place) -> Iterator[Remark]:
    compared = _compare(order, place)
    if isinstance(compared, Remark):
        yield compared
        return
    if compared.standing is Standing.CURRENT:
        yield Remark(Outcome.DONE, str(place.path), compared.words)
        return
    is_new = compared.standing is Standing.MISSING
    try:
        (edits.create if is_new else edits.write)(place.path, order.text(place).encode())
    except OSError as error:
        yield _failure(place.path, error)
        return
    done = "written" if is_new else f"written anew: it {compared.words}"
    yield Remark(
        Outcome.DONE, str(place.path), done if place is order.tests else f"{done}, for `import {place.module}`"
    )


def _each_file(order: Order, resolver: ConfigResolver, is_check: bool) -> Iterator[Remark]:
    copies = {place.path.resolve() for place in order.places}
    for entry in discover([str(order.reference.project)], resolver):
        if not isinstance(entry, Found):
            yield Remark(Outcome.FAILED, entry.path, entry.reason)
            continue
        path = Path(entry.path)
        try:
            data = path.read_bytes()
            if PACKAGE.encode() in data and NAME.encode() in data and path.resolve() not in copies:
                line_length = entry.config.line_length or formatter_line_length(path.parent)
                yield from _in_file(path, data, order, line_length, is_check)
        except OSError as error:
            yield _failure(path, error)


def _in_file(path: Path, data: bytes, order: Order, line_length: int, is_check: bool) -> Iterator[Remark]:
    try:
        source = Source.decode(str(path), data)
        if not left_in(source, "", ""):
            return
        target = _target(path, order.reference.path, line_length)
        if is_check:
            yield from _left(path, left_in(source, target.module, f"`{target.module}` should be imported from"))
            return
        if not path.resolve().is_relative_to(order.reference.project.resolve()):
            yield from _left(path, left_in(source, "", "the file lies outside the project, behind a link"))
            return
        yield from _repointed(path, data, source, target)
    except CannotVendor as error:
        yield from _left(path, left_in(source, "", str(error)))
    except (SyntaxError, ValueError, RecursionError) as error:  # ValueError: bytes that do not decode, or encode
        yield _unread(path, error)


def _unread(path: Path, error: Exception) -> Remark:
    """A file that may name the module, and cannot be read to the end."""
    reason = error.msg if isinstance(error, SyntaxError) else str(error)
    row = error.lineno if isinstance(error, SyntaxError) else None
    position = Position(row, max(getattr(error, "offset", None) or 1, 1)) if row else None
    return Remark(Outcome.FAILED, str(path), f"may import {OWN_MODULE}, but does not parse: {reason}", position)


def _repointed(path: Path, data: bytes, source: Source, target: Target) -> Iterator[Remark]:
    after = repoint(source, target)
    if source.encode(source.text) != data:
        yield from _left(path, left_in(source, "", "the file's encoding does not survive a change"))
        return
    if after.source.text != source.text:
        edits.write(path, source.encode(after.source.text))
        yield Remark(Outcome.DONE, str(path), f"imports from {target.module} now")
    yield from _left(path, after.left)


def _left(path: Path, places: Sequence[Left]) -> Iterator[Remark]:
    for left in places:
        yield Remark(Outcome.LEFT, str(path), f"names {OWN_MODULE}: {left.reason}", left.position)


def _target(importer: Path, reference: Path, line_length: int) -> Target:
    """Raises CannotVendor where the importer has no name for the reference."""
    return Target(name_seen_from(reference, importer), Project.for_file(importer).parties(), line_length)
