"""The options of `grpo-lint [check]`, and what they come to."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from grpo_lint import __version__
from grpo_lint.commands import COMMANDS
from grpo_lint.commands._parser import Parser, one_of
from grpo_lint.report import FORMATS, STATISTICS, ReportOptions, Target, printable

if TYPE_CHECKING:
    from grpo_lint.config import ConfigResolver
    from grpo_lint.report.terminal import Terminal

STANDARD_INPUT = "-"

_DESCRIPTION = "Find rewards that are grouped by shape instead of by prompt, and repair them."
_EPILOG = """\
commands (as the first word; write ./rules for a path of that name):
  check [PATH ...]  the same as without a command
  explain CODE      what a rule reports, why it matters and what its fix does
  rules             list the rules
  baseline ACTION   write, update or check a record of the findings that there are
  config [PATH]     the settings in force, and where each comes from
  contracts         the contracts of call sites, and whether they hold
  vendor PATH       write grpo_lint.reference into a codebase, which then trains without grpo-lint

examples:
  grpo-lint                       check the current folder
  grpo-lint --fix src/ train.py   repair what is proven safe
  grpo-lint --diff src/           show the repairs, write nothing
  grpo-lint --select GRPO001 --output-format json src/
  grpo-lint explain GRPO001

exit status: 0 nothing left to report, 1 findings remain, 2 something could not be checked
"""


class CannotDo(Exception):
    """Why what the options ask for cannot be done, in one printable line."""


def read(words: list[str]) -> argparse.Namespace:
    """The options. Prints what is wrong with them and exits with status 2 if they cannot be meant."""
    parser = _parser()
    options = read_selection(parser, words)
    if options.paths and options.paths[0] in COMMANDS:
        parser.error(f"{options.paths[0]!r} is a command: put it first, or write ./{options.paths[0]} for the path")
    _require_one_action(parser, options)
    _require_one_text(parser, options)
    printed = [each for each in options.targets if each.file is None]
    if options.diff and (options.statistics or any(each.format != "text" for each in options.targets)):
        parser.error("--diff writes a patch: it does not go with --statistics or another --output-format")
    if len(printed) > 1:
        parser.error("only one --output-format can go to standard output: write FORMAT:FILE for the others")
    if options.statistics and any(each.format not in STATISTICS for each in options.targets):
        parser.error(f"--statistics has the formats {', '.join(STATISTICS)} only")
    if not printed:
        options.targets.append(Target("text"))
    options.targets = [each if each.file else Target(each.format, options.output_file) for each in options.targets]
    return options


def _require_one_action(parser: Parser, options: argparse.Namespace) -> None:
    if options.add_ignores and (options.fix or options.diff):
        parser.error("--add-ignores suppresses what a repair would take: it does not go with --fix or --diff")
    if options.reason is not None and not options.add_ignores:
        parser.error("--reason is that of --add-ignores, which is not given")


def _require_one_text(parser: Parser, options: argparse.Namespace) -> None:
    """What goes with a text by standard input, which is no file."""
    if STANDARD_INPUT not in options.paths:
        if options.stdin_filename is not None:
            parser.error("--stdin-filename names what comes by standard input: the path for that is -")
        return
    if len(options.paths) > 1:
        parser.error("- is standard input, which is checked alone; write ./- for a file of that name")
    for option in ("add_ignores", "diff_base"):
        if getattr(options, option):
            parser.error(f"--{option.replace('_', '-')} is about files: it does not go with standard input")


def target(word: str) -> Target:
    """The type of an argument that names a format and, behind a colon, a file."""
    name, colon, file = word.partition(":")
    if colon and not file:
        raise argparse.ArgumentTypeError(f"{printable(repr(word))} names no file behind the colon")
    return Target(one_of(tuple(FORMATS))(name), file or None)


def reason(word: str) -> str:
    """The type of an argument that becomes part of a comment."""
    if not word.strip() or not word.isprintable():
        raise argparse.ArgumentTypeError(f"{printable(repr(word))} is no reason that fits on a line")
    return word.strip()


def read_selection(parser: Parser, words: list[str]) -> argparse.Namespace:
    """The options of a parser that has those of `add_selection`, the codes that they name checked."""
    options = parser.read(words)
    for option in ("select", "extend_select", "ignore"):
        setattr(options, option, _selectors(parser, option, getattr(options, option)))
    return options


def _selectors(parser: Parser, option: str, values: Iterable[str]) -> tuple[str, ...]:
    from grpo_lint.rules import CODES
    from grpo_lint.selectors import unknown_selector

    selectors = tuple(word.strip() for value in values for word in value.split(","))
    for selector in selectors:
        if complaint := unknown_selector(selector, CODES):
            parser.error(f"argument --{option.replace('_', '-')}: {printable(complaint)}")
    return selectors


def _parser() -> Parser:
    parser = Parser(
        "grpo-lint", "Find rewards that are grouped by shape instead of by prompt, and repair them.", _EPILOG
    )
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files and folders (default: the current folder); - is standard input"
    )
    parser.add_argument("--stdin-filename", metavar="PATH", help="the file in whose place standard input stands")
    _add_repairs(parser)
    _add_suppressions(parser)
    add_selection(parser)
    _add_output(parser)
    parser.add_argument("--version", action="version", version=f"grpo-lint {__version__}")
    return parser


def _add_repairs(parser: Parser) -> None:
    add_flag = partial(parser.add_argument_group("repairs").add_argument, action="store_true")
    add_flag("--fix", help="repair the files, where a repair is proven safe")
    add_flag("--unsafe-fixes", help="apply the repairs too whose prompt identity is only named like one")
    add_flag("--diff", help="print the repairs as a patch and write nothing")


def _add_suppressions(parser: Parser) -> None:
    group = parser.add_argument_group("suppressions")
    group.add_argument("--add-ignores", action="store_true", help="write a comment for each finding that is left")
    group.add_argument("--reason", type=reason, metavar="TEXT", help="the reason in these comments (default: a TODO)")


def add_selection(parser: Parser) -> None:
    """Add the options that choose rules and configuration."""
    group = parser.add_argument_group("rules and configuration")
    add_codes = partial(group.add_argument, action="append", default=[], metavar="CODES")
    add_codes("--select", help="run only these rules: codes, prefixes or ALL, comma-separated")
    add_codes("--extend-select", help="run these rules too, besides those that are selected otherwise")
    add_codes("--ignore", help="leave these rules out; where --select names them too, the longer prefix wins")
    group.add_argument("--preview", action="store_true", help="run the preview rules too")
    group.add_argument("--report-unused-suppressions", action="store_true",
        help="run GRPO100 too: comments that suppress nothing")  # fmt: skip
    source = group.add_mutually_exclusive_group()
    source.add_argument("--config", metavar="FILE", help="use this configuration file for all paths")
    source.add_argument("--isolated", action="store_true", help="use no configuration file")


def _add_output(parser: Parser) -> None:
    group = parser.add_argument_group("output")
    add, add_flag = group.add_argument, partial(group.add_argument, action="store_true")
    add("--output-format", type=target, action="append", default=[], metavar="FORMAT[:FILE]", dest="targets",
        help=f"{', '.join(FORMATS)} (default: text); with a file, written there besides; may be repeated")  # fmt: skip
    add("--output-file", metavar="FILE", help="write there what would go to standard output")
    add_flag("--statistics", help="print how many findings each rule has, in place of the findings")
    add("--color", type=one_of(("auto", "always", "never")), default="auto", metavar="auto|always|never",
        help="(default: auto: on a terminal, unless NO_COLOR is set, and wherever FORCE_COLOR is)")  # fmt: skip
    add("--baseline", metavar="FILE", help="leave out the findings that this file holds: `grpo-lint baseline`")
    add("--diff-base", metavar="REF", help="only findings that lines changed since this Git revision belong to")
    add_flag("-q", "--quiet", help="print findings and errors only: no counts, warnings or notes")
    add_flag("--show-files", help="list the files that would be checked, and check none")
    status = group.add_mutually_exclusive_group()
    status.add_argument("--exit-zero", action="store_true", help="exit with 0 even if there are findings")
    status.add_argument("--exit-non-zero-on-fix", action="store_true", help="exit with 1 if a file was repaired")


def resolver(options: argparse.Namespace, has_overrides: bool = True) -> ConfigResolver:
    """What finds the configuration of a file. Raises ConfigError for a `--config` that cannot be used.

    Without overrides, it finds what the file says, whatever the other options are.
    """
    from grpo_lint.config import UNUSED_SUPPRESSION, Config, ConfigResolver, Overrides
    from grpo_lint.config_file import read_config_file
    from grpo_lint.rules import CODES

    overrides = Overrides()
    if has_overrides:
        requested = (UNUSED_SUPPRESSION,) * options.report_unused_suppressions
        overrides = Overrides(options.select, options.extend_select + requested, options.ignore, options.preview)
    fixed = Config(root=Path.cwd()) if options.isolated else None
    if options.config is not None:
        fixed = read_config_file(Path(options.config), Path.cwd(), CODES)
    return ConfigResolver(CODES, overrides, fixed)


def report_options(options: argparse.Namespace) -> ReportOptions:
    """How to report on standard output."""
    terminal: Terminal | None = None
    has_color = options.color == "always" or (options.color == "auto" and bool(os.environ.get("FORCE_COLOR")))
    if sys.stdout.isatty():
        from grpo_lint.report.terminal import Terminal

        terminal = Terminal.of(sys.stdout)
        has_color = has_color or (options.color == "auto" and terminal.takes_color(os.environ))
    return ReportOptions(str(Path.cwd()), options.quiet, has_color, terminal)
