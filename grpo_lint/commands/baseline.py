"""`grpo-lint baseline`: the record of the findings that a codebase has when it adopts grpo-lint."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from grpo_lint.baseline import DEFAULT_NAME, Baseline, BaselineError, Comparison
from grpo_lint.commands import CLEAN, FINDINGS, INCOMPLETE
from grpo_lint.commands._options import CannotDo, add_selection, read_selection
from grpo_lint.commands._parser import Parser, one_of
from grpo_lint.commands.check import codes_of, entries_of, results_of, unfit_call_sites
from grpo_lint.outcome import FileResult
from grpo_lint.report import ReportOptions, printable
from grpo_lint.report.concise import headline
from grpo_lint.report.notices import fault_lines
from grpo_lint.report.summary import counts, number_of
from grpo_lint.runner import Mode

_ACTIONS = ("write", "update", "check")
_EPILOG = """\
actions:
  write   record every finding of the paths, and take out what is no longer found there
  update  take out what is no longer found, and add nothing
  check   say which findings are not in it, and which entries are no longer found

`grpo-lint --baseline FILE` then reports only what is not in it.

exit status: 0 done (check: findings and entries are the same), 1 they are not, 2 not all could be checked
"""


def run(words: list[str]) -> int:
    parser = Parser("grpo-lint baseline", "Keep a record of the findings that there are already.", _EPILOG)
    parser.add_argument("action", type=one_of(_ACTIONS), metavar="write|update|check")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders (default: the current folder)")
    parser.add_argument("--baseline", default=DEFAULT_NAME, metavar="FILE", help=f"(default: {DEFAULT_NAME})")
    add_selection(parser)
    options = read_selection(parser, words)
    try:
        entries = entries_of(options)
        if any(os.path.realpath(entry.path) == os.path.realpath(options.baseline) for entry in entries):
            raise BaselineError("is one of the files to check, not to write to")
        results = (*results_of(entries, Mode.CHECK, unsafe_fixes=False), *unfit_call_sites(entries))
        report = ReportOptions(str(Path.cwd()))
        sys.stderr.writelines(line for result in results for line in fault_lines(result, report))
        status = _act(options, results, codes_of(entries), report)
    except (BaselineError, CannotDo) as error:
        where = f"{printable(options.baseline)}: " if isinstance(error, BaselineError) else ""
        sys.stderr.write(f"{where}{printable(str(error))}\n")
        return INCOMPLETE
    return INCOMPLETE if any(result.fault for result in results) else status


def _act(
    options: argparse.Namespace, results: tuple[FileResult, ...], codes: frozenset[str], report: ReportOptions
) -> int:
    path = Path(options.baseline)
    if options.action == "write":
        return _write(path, results, codes, printable(options.baseline))
    baseline = Baseline.read(path)
    compared = baseline.compare(results, codes)
    if options.action == "check":
        return _tell(compared, report, options.baseline)
    baseline.without(compared.fixed).write(path)
    left = sum(baseline.entries.values()) - compared.fixed.total()
    gone = number_of(compared.fixed.total(), "entry", "entries")
    sys.stdout.write(f"{printable(options.baseline)}: {gone} taken out, {left} left.\n")
    return CLEAN


def _write(path: Path, results: tuple[FileResult, ...], codes: frozenset[str], name: str) -> int:
    """Record the findings. What else the file holds of files and rules that were not checked stays in it."""
    before = Baseline.read(path) if path.exists() else Baseline(str(path.absolute().parent), {})
    compared = before.compare(results, codes)
    before.without(compared.fixed).plus(Baseline.of(compared.results, before.folder)).write(path)
    gone = f"{number_of(compared.fixed.total(), 'entry', 'entries')} taken out"
    new = number_of(counts(compared.results)[1], "finding")
    sys.stdout.write(f"{name}: {new} added, {gone}, {compared.known} as recorded.\n")
    return CLEAN


def _tell(compared: Comparison, report: ReportOptions, name: str) -> int:
    """Print where the baseline and the code differ."""
    for result in compared.results:
        for finding in result.findings:
            sys.stdout.write(f"{headline(result, finding, report)}\n")
    for entry, count in sorted(compared.fixed.items()):
        times = f" ({count} times)" if count > 1 else ""
        scope = printable(entry.likeness.scope) or "the module"
        place = f"{printable(entry.file)}: {printable(entry.likeness.code)} in {scope}"
        sys.stdout.write(f"{place}: `{printable(entry.likeness.source)}` is no longer found{times}\n")
    new = counts(compared.results)[1]
    gone = f"{number_of(compared.fixed.total(), 'entry', 'entries')} no longer found"
    sys.stdout.write(f"{printable(name)}: {number_of(new, 'new finding')}, {gone}, {compared.known} as recorded.\n")
    return FINDINGS if new or compared.fixed else CLEAN
