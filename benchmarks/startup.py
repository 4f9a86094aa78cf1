"""One file that holds no candidate, as a pre-commit hook mostly sees them, against Python doing nothing."""

from __future__ import annotations

from pathlib import Path

from commands import ROOT, command
from comparison import Comparison, Target
from rounds import measure

FILE = "grpo_lint/model.py"
SUBJECT = f"grpo-lint {FILE}"
BASELINE = "python -c pass"
TARGETS = (Target(BASELINE, 6.0),)


def compare_startup(programs: Path, rounds: int) -> Comparison:
    candidates = [
        command([str(programs / "grpo-lint"), FILE], ROOT, SUBJECT),
        command([str(programs / "python"), "-c", "pass"], ROOT, BASELINE),
    ]
    return Comparison("One file without candidates", measure(candidates, rounds), TARGETS)
