"""The command line: arguments in, text and an exit status out."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from grpo_lint import __version__
from grpo_lint.report import FORMATS, ReportOptions, printable, renderer

if TYPE_CHECKING:
    from grpo_lint.config import Overrides
    from grpo_lint.discover import Entry
    from grpo_lint.model import FileResult
    from grpo_lint.runner import Mode

CLEAN, FINDINGS, INCOMPLETE, INTERRUPTED = 0, 1, 2, 130

_OWN_REFERENCE = "grpo_lint.reference"

_EPILOG = """\
commands (as the first word; write ./rules for a path of that name):
  check [PATH ...]  the same as without a command
  explain CODE      what a rule reports, why it matters and what its fix does
  rules             list the rules
  vendor PATH       write grpo_lint.reference into a codebase, which then trains without grpo-lint

examples:
  grpo-lint                       check the current folder
  grpo-lint --fix src/ train.py   repair what is proven safe
  grpo-lint --diff src/           show the repairs, write nothing
  grpo-lint --select GRPO001 --output-format json src/
  grpo-lint explain GRPO001

exit status: 0 nothing left to report, 1 findings remain, 2 something could not be checked
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status = _run(sys.argv[1:] if argv is None else list(argv))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:  # standard output is closed or full: what it was to say is lost
        _discard_output()
        if not isinstance(error, BrokenPipeError):
            from grpo_lint.report import printable

            sys.stderr.write(f"grpo-lint: {printable(str(error))}\n")
        return INCOMPLETE
    return status


def _run(words: list[str]) -> int:
    command, rest = (words[0], words[1:]) if words and words[0] in COMMANDS else ("check", words)
    status: int = import_module(COMMANDS[command]).run(rest)
    return status


def _discard_output() -> None:
    """Let the interpreter's last flush succeed."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _check(words: list[str]) -> int:
    from grpo_lint.rules import CODES

    parser = _check_parser()
    options = parser.parse_intermixed_args(words)
    _refuse_misplaced_command(parser, options.paths)
    if options.diff and options.output_format != "text":
        parser.error("--diff writes a patch: it does not go with another --output-format")
    return _check_paths(options, CODES, _overrides(parser, options, CODES))


def _check_paths(options: argparse.Namespace, codes: tuple[str, ...], overrides: Overrides) -> int:
    from grpo_lint.config import ConfigResolver
    from grpo_lint.discover import discover
    from grpo_lint.runner import Mode

    mode = Mode.DIFF if options.diff else Mode.FIX if options.fix else Mode.CHECK
    entries = discover(options.paths or ["."], ConfigResolver(codes, overrides))
    results = [_result(entry, mode, options.unsafe_fixes) for entry in entries]
    report = ReportOptions(str(Path.cwd()), options.unsafe_fixes)
    _write_notices(results, report, mode)
    _write_report(results, report, mode, options.output_format)
    return _status(results, mode)


def _check_parser() -> argparse.ArgumentParser:
    parser = _parser(
        "grpo-lint", "Find rewards that are grouped by shape instead of by prompt, and repair them.", _EPILOG
    )
    add, add_flag = parser.add_argument, partial(parser.add_argument, action="store_true")
    add_codes = partial(parser.add_argument, action="append", default=[], metavar="CODES")
    add("paths", nargs="*", metavar="PATH", help="files and folders (default: the current folder)")
    add_flag("--fix", help="repair the files, where a repair is proven safe")
    add_flag("--unsafe-fixes", help="apply the repairs too whose prompt identity is only named like one")
    add_flag("--diff", help="print the repairs as a patch and write nothing")
    add_codes("--select", help="run only these rules: codes, prefixes or ALL, comma-separated")
    add_codes("--ignore", help="leave these rules out; where --select names them too, the longer prefix wins")
    add_flag("--preview", help="run the preview rules too")
    add("--output-format", choices=tuple(FORMATS), default="text", help="(default: text)")
    add("--version", action="version", version=f"grpo-lint {__version__}")
    return parser


def _parser(prog: str, description: str, epilog: str | None = None) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(
        prog=prog,
        description=description,
        epilog=epilog,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _refuse_misplaced_command(parser: argparse.ArgumentParser, paths: Sequence[str]) -> None:
    if paths and paths[0] in _COMMANDS:
        parser.error(f"{paths[0]!r} is a command: put it first, or write ./{paths[0]} for the path")


def _overrides(parser: argparse.ArgumentParser, options: argparse.Namespace, codes: tuple[str, ...]) -> Overrides:
    from grpo_lint.config import Overrides

    select = _selectors(parser, "--select", options.select, codes)
    ignore = _selectors(parser, "--ignore", options.ignore, codes)
    return Overrides(select, ignore, options.preview)


def _selectors(
    parser: argparse.ArgumentParser, option: str, values: Iterable[str], codes: tuple[str, ...]
) -> tuple[str, ...]:
    from grpo_lint.config import unknown_selector

    selectors = tuple(word.strip() for value in values for word in value.split(","))
    for selector in selectors:
        if complaint := unknown_selector(selector, codes):
            parser.error(f"argument {option}: {printable(complaint)}")
    return selectors


def _result(entry: Entry, mode: Mode, unsafe_fixes: bool) -> FileResult:
    from grpo_lint.discover import Found
    from grpo_lint.model import Fault, FileResult
    from grpo_lint.runner import check_file

    if isinstance(entry, Found):
        return check_file(entry.path, entry.config, mode, unsafe_fixes)
    return FileResult(entry.path, fault=Fault(entry.reason))


def _write_notices(results: Sequence[FileResult], report: ReportOptions, mode: Mode) -> None:
    """Faults, warnings and what to know of the repairs, on standard error."""
    from grpo_lint.runner import Mode

    for result in results:
        path = report.displayed(result.path)
        if fault := result.fault:
            place = f":{fault.position.row}:{fault.position.column}" if fault.position else ""
            sys.stderr.write(f"{path}{place}: {printable(fault.message)}\n")
        for warning in result.warnings:
            sys.stderr.write(f"{path}: warning: {printable(warning)}\n")
    if not results:
        sys.stderr.write("grpo-lint: warning: no Python files to check\n")
    if mode is Mode.FIX and any(map(_has_new_dependency, results)):
        sys.stderr.write(
            f"grpo-lint: the repaired code imports {_OWN_REFERENCE}: training now needs "
            "`pip install 'grpo-lint[torch]'` or `grpo-lint vendor PATH`, which writes that module into the codebase\n"
        )


def _has_new_dependency(result: FileResult) -> bool:
    return any(finding.fix and finding.fix.reference_module == _OWN_REFERENCE for finding in result.fixed)


def _write_report(results: Sequence[FileResult], report: ReportOptions, mode: Mode, output_format: str) -> None:
    from grpo_lint.runner import Mode

    if mode is not Mode.DIFF:
        sys.stdout.write(renderer(output_format)(results, report))
        return
    from grpo_lint.report.text import render_diff_summary

    sys.stdout.writelines(result.diff for result in results)
    sys.stderr.write(render_diff_summary(results, report))


def _status(results: Sequence[FileResult], mode: Mode) -> int:
    from grpo_lint.runner import Mode

    if any(result.fault for result in results):
        return INCOMPLETE
    has_changes = mode is Mode.DIFF and any(result.diff for result in results)
    return FINDINGS if has_changes or any(result.findings for result in results) else CLEAN


def _explain(words: list[str]) -> int:
    from grpo_lint.config import unknown_code
    from grpo_lint.rules import CODES, documentation

    parser = _parser("grpo-lint explain", "Say what a rule reports, why it matters and what its fix does.")
    parser.add_argument("code", metavar="CODE", help="such as GRPO001")
    code = parser.parse_args(words).code
    if complaint := unknown_code(code, CODES):
        parser.error(printable(complaint))
    _write_markdown(documentation(code))
    return CLEAN


def _write_markdown(text: str) -> None:
    if not sys.stdout.isatty():
        sys.stdout.write(text + "\n")
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text))


def _rules(words: list[str]) -> int:
    from grpo_lint.rules import RULES

    _parser("grpo-lint rules", "List the rules.").parse_args(words)
    rows = [("code", "name", "fixable", "preview", "summary")]
    rows += [(rule.code, rule.name, _yes(rule.fixable), _yes(rule.preview), rule.summary) for rule in RULES]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        sys.stdout.write("  ".join(map(str.ljust, row, widths)).rstrip() + "\n")
    return CLEAN


def _vendor(words: list[str]) -> int:
    from grpo_lint.commands.vendor import run

    return run(words)


def _yes(value: bool) -> str:
    return "yes" if value else "no"


_COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "check": _check,
    "explain": _explain,
    "rules": _rules,
    "vendor": _vendor,
}
