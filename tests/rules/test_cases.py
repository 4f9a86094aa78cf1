"""Every case file: exactly the expected findings, and fixes that hold what a fix promises.

A line that must be reported ends in `# expect: CODE safe|unsafe|none[: part of the reason] …`; all others are quiet.
"""

from __future__ import annotations

import ast
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from grpo_lint.config import Config
from grpo_lint.model import FileResult
from grpo_lint.runner import Mode, check_file

CASES = Path(__file__).parent / "cases"
NAMES = sorted(path.stem for path in CASES.glob("*.py") if path.stem != "samples")
EXPECTED = re.compile(r"(GRPO\d+) (safe|unsafe|none)(?:: ([^#]*?))?(?= GRPO|\s*$)")


@dataclass(frozen=True)
class Expectation:
    row: int
    code: str
    fix: str
    reason: str


def expectations(text: str) -> list[Expectation]:
    found = []
    for row, line in enumerate(text.splitlines(), 1):
        _, marker, expected = line.partition("# expect: ")
        if marker:
            found += [Expectation(row, code, fix, reason) for code, fix, reason in EXPECTED.findall(expected)]
    return found


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    shutil.copy(CASES / "samples.py", tmp_path)
    return tmp_path


def place(tree: Path, name: str, data: bytes | None = None) -> Path:
    path = tree / f"{name}.py"
    path.write_bytes((CASES / f"{name}.py").read_bytes() if data is None else data)
    return path


def run(path: Path, mode: Mode = Mode.CHECK, unsafe: bool = False) -> FileResult:
    result = check_file(str(path), Config(root=path.parent, preview=True), mode, unsafe)
    assert result.fault is None, result.fault
    return result


@pytest.mark.parametrize("name", NAMES)
def test_findings_are_those_expected(tree: Path, name: str) -> None:
    path = place(tree, name)
    result = run(path)
    expected = expectations(path.read_text())
    found = {(f.range.start.row, f.code): f for f in result.findings}
    assert sorted(found) == sorted((e.row, e.code) for e in expected)
    assert len(result.findings) == len(expected)
    for each in expected:
        finding = found[each.row, each.code]
        kind = finding.fix.safety.value if finding.fix else "none"
        assert (each.row, kind) == (each.row, each.fix), finding.fix_reason
        assert (finding.fix is None) == (finding.fix_reason is not None)
        assert each.reason in (finding.fix_reason or "")


VARIANTS = {
    "as it is": lambda data: data,
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "tabs": lambda data: data.replace(b"    ", b"\t"),
    "BOM": lambda data: b"\xef\xbb\xbf" + data,
    "latin-1": lambda data: b"# -*- coding: latin-1 -*-\n# caf\xe9\n" + data,
    "no last newline": lambda data: data.rstrip(b"\n"),
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", NAMES)
def test_fixes_hold_their_promises(tree: Path, name: str, variant: str) -> None:
    before = VARIANTS[variant]((CASES / f"{name}.py").read_bytes())
    path = place(tree, name, before)
    expected = expectations((CASES / f"{name}.py").read_text())
    result = run(path, Mode.FIX, unsafe=True)
    after = path.read_bytes()
    ast.parse(after)
    left = [each for each in expected if each.fix == "none"]
    assert sorted(f.code for f in result.findings) == sorted(each.code for each in left)
    assert len(result.fixed) == len(expected) - len(left)
    assert sorted(f.code for f in run(path).findings) == sorted(each.code for each in left)
    run(path, Mode.FIX, unsafe=True)
    assert path.read_bytes() == after, "a second fix changes the file again"
    assert (b"\r\n" in after) == (b"\r\n" in before)
    assert b"\n" not in after.replace(b"\r\n", b"") if b"\r\n" in before else b"\r" not in after
    assert after.startswith(before[:3])
    assert after.endswith(b"\n") == before.endswith(b"\n")
    untouched = {line for line in before.splitlines() if line.startswith(b"def ")}
    assert untouched <= set(after.splitlines())
    if not result.fixed:
        assert after == before


@pytest.mark.parametrize("name", NAMES)
def test_safe_mode_leaves_unsafe_findings(tree: Path, name: str) -> None:
    path = place(tree, name)
    result = run(path, Mode.FIX)
    assert all(finding.fix is None or finding.fix.safety.value == "unsafe" for finding in result.findings)
    assert all(finding.fix is not None and finding.fix.safety.value == "safe" for finding in result.fixed)


@pytest.mark.parametrize("name", NAMES)
def test_diff_mode_writes_nothing_and_shows_the_fix(tree: Path, name: str) -> None:
    path = place(tree, name)
    before = path.read_bytes()
    result = run(path, Mode.DIFF, unsafe=True)
    assert path.read_bytes() == before
    assert bool(result.diff) == bool(result.fixed)
