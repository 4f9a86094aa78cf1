"""`grpo-lint vendor`: a copy of the reference in the codebase that trains."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from grpo_lint.commands._parser import Parser
from grpo_lint.config import ConfigError, ConfigResolver
from grpo_lint.report import ReportOptions, printable
from grpo_lint.rules import CODES
from grpo_lint.vendoring.place import (
    DEFAULT_NAME,
    DEFAULT_TESTS_NAME,
    CannotVendor,
    Place,
    find_place,
    require_importable,
)
from grpo_lint.vendoring.upkeep import Order, Outcome, Remark, check_copies, write_copies

_DESCRIPTION = f"""\
Write grpo_lint.reference into a codebase as one file that needs only torch, and import
from that file in the project around it. Training then needs no grpo-lint, and what
`grpo-lint --fix` writes there imports from the copy.

A copy from another version is renewed. A file that is no copy, or that was edited, is
left alone. In a folder, the copy is named {DEFAULT_NAME}, its tests {DEFAULT_TESTS_NAME}.
"""
_EPILOG = """\
exit status: 0 done (--check: all is current), 1 something is left to change, each place
is named, 2 it could not be done
"""


def run(words: list[str]) -> int:
    """Write the copies, or compare them, and return the exit status."""
    options = _parser().read(words)
    resolver = ConfigResolver(CODES)
    try:
        order = _order(options, resolver)
    except _Unusable as error:
        sys.stderr.write(f"grpo-lint: {error}\n")
        return Outcome.FAILED
    remarks = check_copies(order, resolver) if options.check else write_copies(order, resolver)
    _print(remarks)
    return max((remark.outcome for remark in remarks), default=Outcome.DONE)


class _Unusable(Exception):
    """A path, and what is wrong with it, on one line."""


def _parser() -> Parser:
    parser = Parser("grpo-lint vendor", _DESCRIPTION, _EPILOG)
    parser.add_argument("path", metavar="PATH", help="where the copy goes: a .py file, or a folder")
    parser.add_argument("--tests", metavar="FILE", help="write tests of the copy too, which need torch and pytest")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--check", action="store_true", help="write nothing; say whether all is current")
    action.add_argument("--force", action="store_true", help="write over a file that was edited or is no copy")
    return parser


def _order(options: argparse.Namespace, resolver: ConfigResolver) -> Order:
    """Raises _Unusable."""
    reference = _place(options.path, DEFAULT_NAME, resolver, is_imported=True)
    if options.tests is None:
        return Order(reference, is_forced=options.force)
    tests = _place(options.tests, DEFAULT_TESTS_NAME, resolver, is_imported=False)
    if tests.path.resolve() == reference.path.resolve():
        raise _Unusable(f"{printable(options.tests)}: is where the copy itself goes")
    return Order(reference, Place(tests.path, reference.project), options.force)


def _place(named: str, default_name: str, resolver: ConfigResolver, is_imported: bool) -> Place:
    try:
        place = find_place(named, default_name, resolver)
        if is_imported:
            require_importable(place)
    except CannotVendor as error:
        raise _Unusable(f"{printable(named)}: {printable(str(error))}") from error
    except ConfigError as error:
        raise _Unusable(f"{printable(str(error.path))}: {printable(str(error))}") from error
    except OSError as error:
        raise _Unusable(f"{printable(named)}: {printable(error.strerror or str(error))}") from error
    return place


def _print(remarks: Iterable[Remark]) -> None:
    """What failed goes to standard error, the rest to standard output."""
    report = ReportOptions(str(Path.cwd()))
    for remark in remarks:
        at = f":{remark.position.row}:{remark.position.column}" if remark.position else ""
        line = f"{report.displayed(remark.path)}{at}: {printable(remark.words)}\n"
        (sys.stderr if remark.outcome is Outcome.FAILED else sys.stdout).write(line)
