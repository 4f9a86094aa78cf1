"""Times grpo-lint and its reference beside what they are measured by, and prints tables in Markdown.

    python benchmarks/run.py --checkout ~/src/slime

`linters` needs the checkout of a codebase, and the tools of the extra `bench`; `linters`, `startup` and `contracts`
install this checkout of grpo-lint in a temporary environment; `reference` needs torch, and `audit` the extra of that
name. What is missing is named and left out.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from call_sites import compare_contracts
from commands import install
from comparison import Comparison, Missing
from linters import compare_linters
from startup import compare_startup
from tables import as_json, machine, markdown

PARTS = ("linters", "startup", "contracts", "reference", "audit")
AUDIT_NEEDS = ("torch", "pyarrow", "matplotlib", "jinja2")


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument(
        "--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART", help=f"of {', '.join(PARTS)}; default: all"
    )
    options.add_argument(
        "--rounds",
        type=_positive,
        default=15,
        help="how often everything takes its turn, after a warm-up; a hundred times as often where a turn takes "
        "microseconds, ten times where it takes a millisecond; default: 15",
    )
    options.add_argument(
        "--slow-rounds", type=_positive, default=2, help="how often TorchFix does, which takes minutes; default: 2"
    )
    options.add_argument("--checkout", type=Path, metavar="PATH", help="a codebase to check, such as slime's")
    options.add_argument("--json", type=Path, metavar="FILE", help="also write every figure to this file")
    return options


def comparisons(options: argparse.Namespace) -> Iterator[Comparison]:
    parts = set(options.only)
    if parts & {"linters", "startup", "contracts"}:
        with tempfile.TemporaryDirectory() as name:
            yield from _command_lines(Path(name), options, parts)
    if "reference" in parts:
        yield from _reference(options.rounds)
    if "audit" in parts:
        yield _audit(options.rounds)


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    if options.checkout is not None and not options.checkout.is_dir():
        sys.stderr.write(f"run.py: {options.checkout} is not a folder\n")
        return 2
    print(f"{machine()}; medians of {options.rounds} rounds\n")
    done = []
    try:
        for comparison in comparisons(options):
            print(markdown(comparison), flush=True)
            done.append(comparison)
    except subprocess.CalledProcessError as error:
        sys.stderr.write(f"run.py: grpo-lint could not be installed: {error}\n")
        return 2
    if options.json is not None:
        options.json.write_text(as_json(done), encoding="utf-8")
    return 0


def _command_lines(work: Path, options: argparse.Namespace, parts: set[str]) -> Iterator[Comparison]:
    is_checked = "linters" in parts and options.checkout is not None
    if "linters" in parts and not is_checked:
        missing = Missing("a checkout", "python benchmarks/run.py --checkout PATH")
        yield Comparison("A codebase", (), missing=(missing,))
    if not is_checked and not parts & {"startup", "contracts"}:
        return
    programs = install(work / "environment")
    if "startup" in parts:
        yield compare_startup(programs, options.rounds)
    if "contracts" in parts:
        yield from compare_contracts(programs, work, options.rounds)
    if is_checked:
        yield compare_linters(programs, options.checkout.resolve(), work, options.rounds, options.slow_rounds)


def _reference(rounds: int) -> Iterator[Comparison]:
    if find_spec("torch") is None:
        yield Comparison("The reference", (), missing=(Missing("torch", "pip install 'grpo-lint[torch]'"),))
        return
    from advantages import compare_advantages

    yield from compare_advantages(rounds)


def _audit(rounds: int) -> Comparison:
    if any(find_spec(name) is None for name in AUDIT_NEEDS):
        return Comparison(
            "Dumped rollouts", (), missing=(Missing("the extra audit", "pip install 'grpo-lint[audit]'"),)
        )
    from audit import compare_audit

    with tempfile.TemporaryDirectory() as name:
        return compare_audit(Path(name), rounds)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
