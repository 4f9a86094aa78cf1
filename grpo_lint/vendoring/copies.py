"""A copy of one of the package's files in a codebase: its text, and how a file there compares with it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from importlib.resources import files
from pathlib import Path

from grpo_lint import __version__
from grpo_lint.source import Source
from grpo_lint.vendoring.content import fingerprint, outline

LICENSE = "# SPDX-License-Identifier: Apache-2.0"
_ORIGIN = re.compile(r"^# Copied from grpo-lint (?P<version>\S+), content (?P<content>[0-9a-f]{16})\.", re.MULTILINE)
_RENEWAL = "# To renew the copy, or with --check to see whether it is current:"
_COMMAND = re.compile(r"^# +(?P<command>grpo-lint vendor .*)$", re.MULTILINE)
# What comes before the final version of a number, and after it.
_STAGES = {"dev": 0, "a": 1, "alpha": 1, "b": 2, "beta": 2, "c": 3, "rc": 3, "pre": 3, "preview": 3, "post": 5}
_FINAL = 4
_STAGE = re.compile(rf"(?P<stage>{'|'.join(sorted(_STAGES, key=len, reverse=True))})[-_.]?(?P<number>\d*)")


class Standing(Enum):
    """How a file compares with the copy that should be there. Only MISSING and OUTDATED ones may be written over."""

    CURRENT = auto()
    MISSING = auto()
    OUTDATED = auto()
    NEWER = auto()
    EDITED = auto()
    FOREIGN = auto()
    BROKEN = auto()


@dataclass(frozen=True, slots=True)
class Comparison:
    """A standing, in words too; `version` is grpo-lint's that wrote the file, if its header says so."""

    standing: Standing
    words: str


def read_packaged(name: str) -> Source:
    """A file of this package, read as text: to import it would take torch."""
    return Source.from_text(name, files("grpo_lint").joinpath(name).read_text("utf-8"))


def with_header(body: str, command: str) -> str:
    """The text of a copy: the licence, whence it comes, how to renew it, and the body without its own licence line."""
    bare = body.removeprefix(f"{LICENSE}\n")
    content = fingerprint(Source.from_text("", bare))
    head = [LICENSE, f"# Copied from grpo-lint {__version__}, content {content}.", _RENEWAL, f"#     {command}"]
    return "\n".join([*head, bare])


def compare(path: Path, wanted: str) -> Comparison:
    """Compare a file with the copy that should be there. Raises OSError where it cannot be read."""
    if not path.exists():
        return Comparison(Standing.MISSING, "is missing")
    try:
        found = Source.decode(str(path), path.read_bytes())
        return _compared(found, Source.from_text("", wanted))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:  # ValueError: bytes that do not decode
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        return Comparison(Standing.BROKEN, f"does not parse: {reason}")


def _compared(found: Source, wanted: Source) -> Comparison:
    if outline(found) == outline(wanted):
        return Comparison(Standing.CURRENT, "is current")
    origin = _ORIGIN.search(found.text)
    if origin is None:
        return Comparison(Standing.FOREIGN, "is not a copy that grpo-lint made")
    version = origin["version"]
    if fingerprint(found, _header(found)) != origin["content"]:
        return Comparison(Standing.EDITED, f"was changed since grpo-lint {version} wrote it")
    if _order(version) > _order(__version__):
        return Comparison(Standing.NEWER, f"is from grpo-lint {version}, and this is {__version__}")
    return Comparison(Standing.OUTDATED, f"is outdated: grpo-lint {version} wrote it, and {__version__} writes another")


def _header(source: Source) -> frozenset[str]:
    """The comments that are the header's, as a file has them."""
    lines = [LICENSE, _RENEWAL, *(found[0] for form in (_ORIGIN, _COMMAND) for found in form.finditer(source.text))]
    return frozenset(line.strip("# \t\r") for line in lines)


def _order(version: str) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    """A key that sorts versions as packaging tools do: 1.0.dev1, 1.0a1, 1.0rc1, 1.0 and 1.0.0 as one, 1.0.post1."""
    public = version.partition("+")[0].lower()
    release = re.match(r"v?([\d.]*)", public)
    numbers = [int(digits) for digits in re.findall(r"\d+", release[1] if release else "")]
    while numbers and not numbers[-1]:
        numbers.pop()
    stages = [(_STAGES[found["stage"]], int(found["number"] or 0)) for found in _STAGE.finditer(public)]
    return tuple(numbers), (*stages, (_FINAL, 0))
