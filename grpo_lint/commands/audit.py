"""`grpo-lint audit`: what grouping by shape cost in rollouts that were already dumped."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from grpo_lint.audit.formats import FORMATS
from grpo_lint.commands import CLEAN, INCOMPLETE, INTERRUPTED
from grpo_lint.commands._parser import Parser, one_of
from grpo_lint.report import printable

if TYPE_CHECKING:
    from grpo_lint.audit.engine import Engine
    from grpo_lint.audit.records import RunAudit, Settings

_DESCRIPTION = """\
Replay the reward normalisation of dumped rollouts: by each prompt's identity, as the
reshape with its whole-batch fallback, and as it was trained, where a dump tells. Say how
many advantages differ, how many have the wrong sign, and where the gradient went.

A path is a dump, or a folder of dumps, which is one run. Nothing in a dump is executed.
"""
_EPILOG = """\
exit status: 0 all was read, 2 a dump is damaged (the others are counted) or the job could
not be done
"""
_NEEDED = ("torch", "pyarrow", "matplotlib", "jinja2")


def run(words: list[str]) -> int:
    """Audit, print, and return the exit status."""
    options = _parser().read(words)
    if missing := _missing(options):
        extra = "ray" if missing == "ray" else "audit"
        sys.stderr.write(f"grpo-lint: audit needs {missing}: pip install 'grpo-lint[{extra}]'\n")
        return INCOMPLETE
    from grpo_lint.audit.discovery import find_runs
    from grpo_lint.audit.engine import audit_runs

    try:
        runs = list(find_runs(options.paths))
    except OSError as error:
        sys.stderr.write(f"{printable(str(error.filename))}: {error.strerror}\n")
        return INCOMPLETE
    files = sum(len(each.paths) for each in runs)
    try:
        with _progress(files) as tick:
            audits = audit_runs(runs, _settings(options), _engine(options), tick)
    except KeyboardInterrupt:
        return INTERRUPTED
    return _report(audits, options)


def _parser() -> Parser:
    parser = Parser("grpo-lint audit", _DESCRIPTION, _EPILOG)
    parser.add_argument("paths", metavar="PATH", nargs="+", help="a dump, or a folder of dumps")
    reading = parser.add_argument_group("reading")
    reading.add_argument("--format", type=one_of(FORMATS), metavar="NAME", help=f"one of {', '.join(FORMATS)}")
    reading.add_argument("--group-by", metavar="KEY", help="the field that tells a sample's prompt")
    reading.add_argument("--reward-key", metavar="KEY", help="the reward, where a sample has several")
    replaying = parser.add_argument_group("normalisation", "what a dump does not tell; see docs/audit.md")
    replaying.add_argument("--n-samples-per-prompt", type=_positive, metavar="N", help="as the trainer was told")
    replaying.add_argument("--rollout-batch-size", type=_positive, metavar="N", help="in prompts, likewise")
    replaying.add_argument("--no-std", action="store_true", help="centre only (Dr. GRPO)")
    replaying.add_argument("--eps", type=_not_negative, default=1e-6, metavar="X", help="added to the std (1e-6)")
    replaying.add_argument("--leave-one-out", action="store_true", help="the mean of the others (RLOO)")
    counting = parser.add_argument_group("counting")
    counting.add_argument("--per-rollout", action="store_true", help="count attempts, not their samples")
    counting.add_argument("--solved-above", type=_finite, default=0.0, metavar="X", help="a reward that solves (0)")
    output = parser.add_argument_group("output and work")
    output.add_argument("--json", action="store_true", help="print the figures as JSON")
    output.add_argument("--report", metavar="FILE", help="write a page to look at")
    output.add_argument("--jobs", type=_positive, default=1, metavar="N", help="so many dumps at once")
    output.add_argument("--engine", type=one_of(("local", "ray")), default="local", metavar="NAME", help="local or ray")
    return parser


def _positive(word: str) -> int:
    number = int(word) if word.isascii() and word.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{printable(repr(word))} is not a positive number")
    return number


def _not_negative(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"{printable(repr(word))} is not a number from 0")
    return number


def _finite(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = float("inf")
    if not float("-inf") < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{printable(repr(word))} is not a finite number")
    return number


def _missing(options: argparse.Namespace) -> str | None:
    """The first package of the extra that is not installed."""
    needed = (*_NEEDED, "ray") if options.engine == "ray" else _NEEDED
    return next((name for name in needed if find_spec(name) is None), None)


def _settings(options: argparse.Namespace) -> Settings:
    from grpo_lint.audit.records import Settings

    return Settings(
        format=options.format,
        group_by=options.group_by,
        reward_key=options.reward_key,
        n_samples_per_prompt=options.n_samples_per_prompt,
        rollout_batch_size=options.rollout_batch_size,
        normalize_std=not options.no_std,
        eps=options.eps,
        leave_one_out=options.leave_one_out,
        per_rollout=options.per_rollout,
        solved_above=options.solved_above,
    )


def _engine(options: argparse.Namespace) -> Engine:
    from grpo_lint.audit.engine import in_processes, over_ray

    return over_ray if options.engine == "ray" else in_processes(options.jobs)


@contextmanager
def _progress(files: int) -> Iterator[Callable[[], None]]:
    """A bar on a terminal; what is called after each file."""
    if files < 2 or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("auditing", total=files)
        yield lambda: progress.advance(bar)


def _report(audits: Sequence[RunAudit], options: argparse.Namespace) -> int:
    from grpo_lint.audit.summary import as_json, as_text

    unit = "attempts" if options.per_rollout else "samples"
    if options.json:
        sys.stdout.write(json.dumps(as_json(audits), indent=2, allow_nan=False) + "\n")
    else:
        sys.stdout.write(as_text(audits, unit, _assumed(options)))
    damaged = [each for run in audits for each in run.damaged]
    for name, reason in damaged:
        sys.stderr.write(f"{printable(name)}: {printable(reason)}\n")
    if options.report is not None and not _has_written(audits, Path(options.report), unit):
        return INCOMPLETE
    return INCOMPLETE if damaged or not any(run.dumps or run.skipped for run in audits) else CLEAN


def _assumed(options: argparse.Namespace) -> str:
    """What the command line leaves open about how the trainer grouped by position."""
    left = [name for name in ("n_samples_per_prompt", "rollout_batch_size") if getattr(options, name) is None]
    if not left:
        return ""
    names = " and ".join(f"--{name.replace('_', '-')}" for name in left)
    return f"Taken from each dump, as not given: {names}."


def _has_written(audits: Sequence[RunAudit], path: Path, unit: str) -> bool:
    from grpo_lint.audit.page import write_page

    try:
        write_page(audits, path, unit)
    except OSError as error:
        sys.stderr.write(f"{printable(str(path))}: {error.strerror or error}\n")
        return False
    return True
