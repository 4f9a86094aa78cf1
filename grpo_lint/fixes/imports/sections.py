"""The order of imports: that of isort's black profile."""

from __future__ import annotations

import re
import sys
from enum import IntEnum
from typing import TypeAlias

from grpo_lint.project.roots import Parties

# What the standard library once held, and isort still counts to it.
FORMER_STDLIB = frozenset({
    "_bootlocale", "aifc", "asynchat", "asyncore", "audioop", "binhex", "cgi", "cgitb", "chunk", "crypt", "distutils",
    "formatter", "imghdr", "imp", "lib2to3", "macpath", "mailcap", "msilib", "nis", "nntplib", "ossaudiodev", "parser",
    "pipes", "smtpd", "sndhdr", "spwd", "sunau", "symbol", "telnetlib", "uu", "xdrlib",
})  # fmt: skip
DIGITS = re.compile(r"(\d+)")
DOTS = re.compile(r"(\.+)\s*(.*)")

Natural: TypeAlias = "tuple[tuple[str, int], ...]"


class Section(IntEnum):
    """The sections of imports, in their order."""

    FUTURE = 0
    STDLIB = 1
    THIRDPARTY = 2
    FIRSTPARTY = 3
    LOCALFOLDER = 4


def section_of(module: str, parties: Parties) -> Section:
    """The section of a module by its name as written, relative or absolute."""
    if module.startswith("."):
        return Section.LOCALFOLDER
    if module == "__future__":
        return Section.FUTURE
    names = _names_on_the_way(module)
    for name in names:
        if name in parties.first:
            return Section.FIRSTPARTY
        if name in parties.third:
            return Section.THIRDPARTY
        if name in sys.stdlib_module_names or name in FORMER_STDLIB:
            return Section.STDLIB
    return Section.FIRSTPARTY if parties.own.intersection(names) else Section.THIRDPARTY


def _names_on_the_way(module: str) -> list[str]:
    """The module and the packages that it is in, the longest name first."""
    parts = module.split(".")
    return [".".join(parts[:count]) for count in range(len(parts), 0, -1)]


def module_key(module: str) -> Natural:
    """What modules of one section are sorted by."""
    return natural(DOTS.sub(r"\1_\2", module, count=1) if module.startswith(".") else module)


def name_key(name: str) -> tuple[int, Natural]:
    """What the names of one statement are sorted by: constants, classes, then the others."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, natural(name)


def natural(text: str) -> Natural:
    """A key that sorts numbers by their value and letters without regard to case."""
    parts = DIGITS.split(text.lower())
    numbers = [*(int(digits) for digits in parts[1::2]), -1]
    return tuple(zip(parts[::2], numbers, strict=True))
