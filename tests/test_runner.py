"""One file: what goes wrong becomes a result, and a fix that does not hold is withheld."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from grpo_lint import analysis
from grpo_lint.config import Config
from grpo_lint.model import Edit, FileResult, Fix, Position, Range, Safety
from grpo_lint.runner import Mode, check_file

DEFECT = """\
import torch


def normalise(rewards: torch.Tensor, uids, group_size):
    grid = rewards.view(-1, group_size)
    return (grid - grid.mean(-1, keepdim=True)).flatten()
"""


def check(path: Path, data: bytes | str, mode: Mode = Mode.CHECK, unsafe: bool = False) -> FileResult:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return check_file(str(path), Config(root=path.parent), mode, unsafe)


def test_a_missing_file_is_a_fault(tmp_path: Path) -> None:
    result = check_file(str(tmp_path / "a.py"), Config(root=tmp_path), Mode.CHECK, False)
    assert result.fault is not None
    assert result.fault.message == "No such file or directory"


def test_an_internal_error_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyError("oh")

    monkeypatch.setattr(analysis, "find_in", fail)
    result = check(tmp_path / "a.py", DEFECT)
    assert result.fault is not None
    assert result.fault.message == "internal error: KeyError: 'oh'"


def test_results_are_plain_values(tmp_path: Path) -> None:
    result = check(tmp_path / "a.py", DEFECT)
    assert result.findings
    assert pickle.loads(pickle.dumps(result)) == result
    assert hash(result) == hash(result._replace())


BREAKING = {
    "does not parse": Edit(Range(Position(5, 1), Position(5, 2)), "("),
    "would remain": Edit(Range(Position(6, 1), Position(6, 1)), "    # rewards\n"),
    "overlap": Edit(Range(Position(5, 2), Position(5, 1)), ""),
}


@pytest.mark.parametrize("why", BREAKING)
def test_a_fix_that_does_not_hold_is_withheld(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    def assemble(lifts: object) -> Fix:
        return Fix(Safety.SAFE, "broken", (BREAKING[why], BREAKING[why]) if why == "overlap" else (BREAKING[why],))

    monkeypatch.setattr("grpo_lint.fixes.assembly.assemble", assemble)
    result = check(tmp_path / "a.py", DEFECT, Mode.FIX)
    assert (tmp_path / "a.py").read_text() == DEFECT
    (finding,) = result.findings
    assert finding.fix is None
    assert finding.fix_reason is not None
    assert "withheld" in finding.fix_reason
    assert result.fixed == ()


def test_unsafe_fixes_wait_to_be_asked_for(tmp_path: Path) -> None:
    assert len(check(tmp_path / "a.py", DEFECT, Mode.FIX).findings) == 1
    assert (tmp_path / "a.py").read_text() == DEFECT
    assert check(tmp_path / "a.py", DEFECT, Mode.FIX, unsafe=True).findings == ()
    assert (tmp_path / "a.py").read_text() == (
        "import torch\nfrom grpo_lint.reference import normalize_rewards_by_group\n\n\n"
        "def normalise(rewards: torch.Tensor, uids, group_size):\n"
        "    return normalize_rewards_by_group(\n"
        "        rewards, uids, normalize_std=False, fallback_group_size=group_size\n"
        "    )\n"
    )


def test_a_file_whose_encoding_does_not_survive_is_not_fixed(tmp_path: Path) -> None:
    """ISO-2022-JP has several spellings of the same text, so that decoding and encoding may change bytes."""
    comment = b'# \x1b$B$"\x1b(B\x1b$B$"\x1b(B\n'
    data = b"# -*- coding: iso-2022-jp -*-\n" + comment + DEFECT.encode()
    result = check(tmp_path / "a.py", data, Mode.FIX, unsafe=True)
    assert (tmp_path / "a.py").read_bytes() == data
    assert [finding.fix_reason for finding in result.findings] == ["the file's encoding does not survive"]


def test_a_call_that_cannot_be_laid_out_is_no_syntax_error_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def assemble(lifts: object) -> Fix:
        raise SyntaxError("invalid syntax")

    monkeypatch.setattr("grpo_lint.fixes.assembly.assemble", assemble)
    result = check(tmp_path / "a.py", DEFECT)
    assert result.fault is None
    assert [finding.fix_reason for finding in result.findings] == ["the call that would replace it cannot be laid out"]
