"""`grpo-lint [check]`: look for findings, and repair them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from grpo_lint.commands import CLEAN, COMMANDS, FINDINGS, INCOMPLETE
from grpo_lint.commands._options import STANDARD_INPUT, CannotDo, read, report_options, resolver
from grpo_lint.report import ReportOptions, Target, printable, renderer
from grpo_lint.suggestion import did_you_mean

if TYPE_CHECKING:
    from grpo_lint.discover import Entry, Unreachable
    from grpo_lint.fingerprint import Likeness
    from grpo_lint.outcome import FileResult
    from grpo_lint.runner import Mode


def run(words: list[str]) -> int:
    options = read(words)
    report = report_options(options)
    try:
        found = entries_of(options)
        _refuse_overwriting(found, options)
        status = _show_files(found, report) if options.show_files else _check(found, options, report)
    except CannotDo as error:
        sys.stderr.write(f"{error}\n")
        return INCOMPLETE
    _suggest_command(options.paths)
    return status


def _refuse_overwriting(entries: Sequence[Entry], options: argparse.Namespace) -> None:
    """Raise CannotDo if a report would be written over a file that is checked, or over another report."""
    files = [os.path.realpath(target.file) for target in options.targets if target.file is not None]
    if not files:
        return
    checked = {os.path.realpath(entry.path) for entry in entries}
    for target in options.targets:
        if target.file is not None and os.path.realpath(target.file) in checked:
            raise CannotDo(f"grpo-lint: {printable(target.file)}: is one of the files to check, not to write to")
        if target.file is not None and files.count(os.path.realpath(target.file)) > 1:
            raise CannotDo(f"grpo-lint: {printable(target.file)}: is to hold two reports")


def entries_of(options: argparse.Namespace) -> Sequence[Entry]:
    """What there is at the paths. Raises CannotDo for a `--config` that cannot be used."""
    from grpo_lint.config import ConfigError
    from grpo_lint.discover import discover, discover_text

    try:
        if options.paths == [STANDARD_INPUT]:
            name, content = options.stdin_filename or STANDARD_INPUT, sys.stdin.buffer.read()
            entry = discover_text(name, content, resolver(options))
            options.content = content
            return () if entry is None else (entry,)
        return discover(options.paths or ["."], resolver(options))
    except ConfigError as error:
        raise CannotDo(f"{printable(str(error.path))}: {printable(str(error))}") from error


def results_of(
    entries: Sequence[Entry],
    mode: Mode,
    unsafe_fixes: bool,
    accepted: Mapping[str, frozenset[Likeness]] = MappingProxyType({}),
) -> tuple[FileResult, ...]:
    """Check, and in the modes for that repair, what there is. What is accepted of a file's findings stays as it is."""
    from grpo_lint.discover import Found
    from grpo_lint.runner import Job, check_files

    files = [entry for entry in entries if isinstance(entry, Found)]
    jobs = [
        Job(path, config, unsafe_fixes or config.unsafe_fixes, accepted.get(path, frozenset()), content)
        for path, config, content in files
    ]
    results = (
        result._replace(unsafe_fixes=job.unsafe_fixes)
        for job, result in zip(jobs, check_files(jobs, mode), strict=True)
    )
    return tuple(next(results) if isinstance(entry, Found) else _unreachable(entry) for entry in entries)


def unfit_call_sites(entries: Sequence[Entry]) -> Iterator[FileResult]:
    """A fault for each entry of `call-sites` that cannot be checked whatever its file holds, once per configuration."""
    from grpo_lint.discover import Found

    every = (entry.config for entry in entries if isinstance(entry, Found))
    configs = {str(config.file): config for config in every if config.checks_call_sites}
    for path, config in configs.items():
        from grpo_lint.contracts.entries import entry_errors
        from grpo_lint.outcome import Fault, FileResult

        yield from (FileResult(path, fault=Fault(error)) for error in entry_errors(config))


def _check(entries: Sequence[Entry], options: argparse.Namespace, report: ReportOptions) -> int:
    from grpo_lint.report.notices import notices
    from grpo_lint.runner import Mode

    mode = Mode.DIFF if options.diff else Mode.FIX if options.fix else Mode.CHECK
    if options.baseline is None and options.diff_base is None:
        results = results_of(entries, mode, options.unsafe_fixes)
    else:
        results, notes = _narrowed(entries, options, mode)
        report = report._replace(notes=notes)
    if options.add_ignores:
        from grpo_lint.commands._ignores import add_ignores

        results, notes = add_ignores(entries, results, options.reason)
        report = report._replace(notes=(*notes, *report.notes))
    results = (*results, *unfit_call_sites(entries))
    if results or options.paths != [STANDARD_INPUT]:
        sys.stderr.writelines(notices(results, report, mode is Mode.FIX))
    is_written = _write_reports(results, report, mode, options)
    return _status(results, mode, options) if is_written else INCOMPLETE


def _narrowed(
    entries: Sequence[Entry], options: argparse.Namespace, mode: Mode
) -> tuple[tuple[FileResult, ...], tuple[str, ...]]:
    """The results without what is not asked for, which is not repaired either, and what to say of that."""
    from grpo_lint.commands._narrowing import accepted, narrow, without_accepted
    from grpo_lint.discover import Found
    from grpo_lint.runner import Mode

    every = results_of(entries, Mode.CHECK, options.unsafe_fixes)
    configs = {entry.path: entry.config for entry in entries if isinstance(entry, Found)}
    results, notes = narrow(every, options, codes_of(entries), configs)
    if mode is Mode.CHECK:
        return results, notes
    left_out = accepted(every, results)
    return without_accepted(results_of(entries, mode, options.unsafe_fixes, left_out), left_out), notes


def codes_of(entries: Sequence[Entry]) -> frozenset[str]:
    """The codes of the rules that run on the files."""
    from grpo_lint.discover import Found
    from grpo_lint.selection import selected_rules

    configs = {entry.config for entry in entries if isinstance(entry, Found)}
    return frozenset(rule.code for each in configs for rule in selected_rules(each))


def _show_files(entries: Sequence[Entry], report: ReportOptions) -> int:
    from grpo_lint.discover import Found
    from grpo_lint.report.notices import fault_lines

    files = [entry.path for entry in entries if isinstance(entry, Found)]
    sys.stdout.writelines(f"{report.displayed(path)}\n" for path in files)
    faults = [_unreachable(entry) for entry in entries if not isinstance(entry, Found)]
    sys.stderr.writelines(line for fault in faults for line in fault_lines(fault, report))
    return INCOMPLETE if faults else CLEAN


def _unreachable(entry: Unreachable) -> FileResult:
    from grpo_lint.outcome import Fault, FileResult

    return FileResult(entry.path, fault=Fault(entry.reason))


def _write_reports(
    results: Sequence[FileResult], report: ReportOptions, mode: Mode, options: argparse.Namespace
) -> bool:
    """Write the patch, or each report where it is to go. Whether that succeeded."""
    from grpo_lint.runner import Mode

    if mode is Mode.DIFF:
        from grpo_lint.report.patch import render_patch, render_summary

        patch = render_patch(results, _for_file(report, options.output_file))
        is_written = _write(Target("text", options.output_file), patch)
        sys.stderr.write(render_summary(results, report))
        return is_written
    done = True
    if options.fix and options.paths == [STANDARD_INPUT]:
        return _write_text(results, report, options)
    for target in options.targets:
        render = renderer(target.format, options.statistics)
        done = _write(target, render(results, _for_file(report, target.file))) and done
    return done


def _write_text(results: Sequence[FileResult], report: ReportOptions, options: argparse.Namespace) -> bool:
    """Write the repaired text to standard output, and the report to standard error, where it is not in the way."""
    sys.stdout.flush()
    sys.stdout.buffer.write(next((each.repaired for each in results if each.repaired), options.content))
    sys.stdout.buffer.flush()
    done = True
    for target in options.targets:
        text = renderer(target.format, options.statistics)(results, report._replace(has_color=False, terminal=None))
        if target.file is None:
            sys.stderr.write(text)
        else:
            done = _write(target, text) and done
    return done


def _for_file(report: ReportOptions, file: str | None) -> ReportOptions:
    return report if file is None else report._replace(has_color=False, terminal=None)


def _write(target: Target, text: str) -> bool:
    if target.file is None:
        sys.stdout.write(text)
        return True
    try:
        with open(target.file, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:  # noqa: PTH123
            file.write(text)
    except OSError as error:
        sys.stderr.write(f"grpo-lint: {printable(target.file)}: {error.strerror or error}\n")
        return False
    return True


def _status(results: Sequence[FileResult], mode: Mode, options: argparse.Namespace) -> int:
    from grpo_lint.runner import Mode

    if any(result.fault for result in results):
        return INCOMPLETE
    counts_changes = mode is Mode.DIFF or options.exit_non_zero_on_fix
    has_changes = counts_changes and any(result.fixed for result in results)
    has_findings = has_changes or any(result.findings for result in results)
    return FINDINGS if has_findings and not options.exit_zero else CLEAN


def _suggest_command(paths: Sequence[str]) -> None:
    """Say so where a path is none and is, or looks like, a command."""
    for path in paths:
        if os.path.lexists(path) or path == STANDARD_INPUT:
            continue
        if path in COMMANDS:
            sys.stderr.write(f"grpo-lint: {path!r} is no path; the command of that name comes first\n")
        elif path is paths[0] and (close := did_you_mean(path, COMMANDS)):
            sys.stderr.write(f"grpo-lint: {printable(repr(path))} is neither a path nor a command{close}\n")
