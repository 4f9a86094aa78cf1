"""A whole codebase: grpo-lint from a cold start against ast-grep, TorchFix and ruff."""

from __future__ import annotations

from pathlib import Path

from commands import command, find
from comparison import Comparison, Missing, Target
from rounds import Candidate, measure

SUBJECT = "grpo-lint ."
AST_GREP = "ast-grep scan --rule two-patterns.yml ."
TORCHFIX = "torchfix ."
RUFF = "ruff check --no-cache ."
TARGETS = (Target(AST_GREP, 2.0), Target(TORCHFIX, 1.0))

# What patterns alone can say of GRPO001 and GRPO002: the layout, not whether the values are rewards. Forms that other
# code is full of, such as `x[None]`, are left out: reporting them all would slow ast-grep down.
PATTERNS = """\
id: constant-size-groups
language: python
severity: warning
message: groups of a constant size
rule:
  any:
    - pattern: $VALUES.reshape(-1, $SIZE)
    - pattern: $VALUES.view(-1, $SIZE)
---
id: one-row
language: python
severity: warning
message: one row for the whole batch
rule:
  any:
    - pattern: $VALUES.reshape(1, -1)
    - pattern: $VALUES.view(1, -1)
    - pattern: $VALUES.reshape(-1, $VALUES.shape[-1])
    - pattern: $VALUES.view(-1, $VALUES.shape[-1])
"""


def compare_linters(programs: Path, checkout: Path, work: Path, rounds: int, slow_rounds: int) -> Comparison:
    """Time the linters that are there on a checkout; TorchFix, which takes minutes, in `slow_rounds` of the rounds."""
    rules = work / "two-patterns.yml"
    rules.write_text(PATTERNS, encoding="utf-8")
    candidates = [command([str(programs / "grpo-lint"), "."], checkout, SUBJECT)]
    missing = []
    for name, package, words, at_most in (
        (AST_GREP, "ast-grep-cli", ["ast-grep", "scan", "--rule", str(rules), "."], None),
        (TORCHFIX, "torchfix", ["torchfix", "."], slow_rounds),
        (RUFF, "ruff", ["ruff", "check", "--no-cache", "."], None),
    ):
        found = _found(name, words, checkout, at_most)
        if found is None:
            missing.append(Missing(words[0], f"pip install {package}"))
        else:
            candidates.append(found)
    return Comparison(f"A codebase: {checkout.name}", measure(candidates, rounds), TARGETS, tuple(missing))


def _found(name: str, words: list[str], folder: Path, at_most: int | None) -> Candidate | None:
    program = find(words[0])
    return None if program is None else command([program, *words[1:]], folder, name, at_most)
