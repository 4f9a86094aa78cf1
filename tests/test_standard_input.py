"""A text by standard input, in the place of a file: what editors and hooks hand over."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import ROOT, run
from test_formats import FAULTY


def piped(text: str | bytes, *arguments: str, cwd: Path) -> tuple[int, bytes, str]:
    data = text.encode() if isinstance(text, str) else text
    command = [sys.executable, "-m", "grpo_lint", *arguments]
    environment = {"PYTHONPATH": str(ROOT), "PATH": ""}
    done = subprocess.run(command, input=data, cwd=cwd, capture_output=True, check=False, env=environment)
    return done.returncode, done.stdout, done.stderr.decode()


def repaired(folder: Path, data: bytes, name: str = "trainer.py") -> bytes:
    """What `--fix` makes of the same bytes in a file."""
    path = folder / "as_a_file" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    run("--fix", str(path), cwd=folder)
    return path.read_bytes()


def test_findings_have_the_name_that_is_given(tmp_path: Path) -> None:
    status, out, err = piped(
        FAULTY, "-", "--stdin-filename", "pkg/trainer.py", "--output-format", "concise", cwd=tmp_path
    )
    assert (status, err) == (1, "")
    assert out.decode().startswith("pkg/trainer.py:11:15: GRPO001 [*]")
    assert list(tmp_path.iterdir()) == []


def test_without_a_name(tmp_path: Path) -> None:
    status, out, _ = piped(FAULTY, "-", "--output-format", "json", cwd=tmp_path)
    (finding,) = json.loads(out)
    assert (status, finding["filename"]) == (1, str(tmp_path / "-"))


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data,
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: b"# -*- coding: latin-1 -*-\n# \xe9\n" + data,
        lambda data: data.rstrip(b"\n"),
    ],
    ids=["plain", "CRLF", "mark", "latin-1", "no newline"],
)
def test_fix_prints_what_it_would_write(tmp_path: Path, change: object) -> None:
    data = change(FAULTY.encode())  # type: ignore[operator]
    status, out, err = piped(data, "--fix", "-", cwd=tmp_path)
    assert (status, out) == (0, repaired(tmp_path, data))
    assert out != data
    assert err.endswith("Found 1 finding (1 fixed, 0 remaining).\n")


@pytest.mark.parametrize(
    "data", [b"", b"x = 1\n", b"\xff\xfe\x00", b"rewards.view(-1, n).mean(\r\n", FAULTY.encode() + b"\xff\n"]
)
def test_fix_prints_what_it_cannot_repair_as_it_is(tmp_path: Path, data: bytes) -> None:
    status, out, _ = piped(data, "--fix", "-", cwd=tmp_path)
    assert out == data
    assert status == (0 if data in (b"", b"x = 1\n", b"\xff\xfe\x00") else 2)


def test_the_diff_has_the_name_that_is_given(tmp_path: Path) -> None:
    status, out, _ = piped(FAULTY, "--diff", "-", "--stdin-filename", "trainer.py", cwd=tmp_path)
    assert status == 1
    assert out.startswith(b"--- a/trainer.py\n+++ b/trainer.py\n")


def test_the_project_around_the_name_counts(tmp_path: Path) -> None:
    """Its configuration, and the class that another file of it declares; the file itself may hold something else."""
    (tmp_path / "pyproject.toml").write_text('[tool.grpo-lint]\nselect = ["GRPO002"]\n')
    (tmp_path / "samples.py").write_text("class Sample:\n    group_index: int\n    reward: float\n")
    (tmp_path / "trainer.py").write_text("x = 1\n")
    text = FAULTY.partition("\n\n\n")[2].partition("\n\n\n")[2]
    text = "import torch\n\nfrom samples import Sample\n\n\n" + text
    name = ("--stdin-filename", str(tmp_path / "trainer.py"))
    assert piped(text, "-", *name, cwd=tmp_path)[0] == 0
    _, out, _ = piped(text, "-", *name, "--select", "GRPO001", "--output-format", "json", cwd=tmp_path)
    (finding,) = json.loads(out)
    assert finding["fix"]["applicability"] == "safe"
    assert (tmp_path / "trainer.py").read_text() == "x = 1\n"


def test_what_is_excluded_passes_through(tmp_path: Path) -> None:
    settings = '[tool.grpo-lint]\nextend-exclude = ["old"]\n'
    name = ("--stdin-filename", "old/trainer.py")
    for forced, status in (("force-exclude = false\n", 1), ("", 0)):
        (tmp_path / "pyproject.toml").write_text(settings + forced)
        assert piped(FAULTY, "-", *name, cwd=tmp_path)[0] == status
    status, out, err = piped(FAULTY, "--fix", "-", *name, cwd=tmp_path)
    assert (status, out) == (0, FAULTY.encode())
    assert "warning" not in err


def test_rules_that_a_file_is_spared(tmp_path: Path) -> None:
    settings = '[tool.grpo-lint.per-file-ignores]\n"tests/*" = ["GRPO001"]\n'
    (tmp_path / "pyproject.toml").write_text(settings)
    assert piped(FAULTY, "-", "--stdin-filename", "tests/t.py", cwd=tmp_path)[0] == 0
    assert piped(FAULTY, "-", "--stdin-filename", "t.py", cwd=tmp_path)[0] == 1


def test_a_baseline_holds_for_it(tmp_path: Path) -> None:
    (tmp_path / "trainer.py").write_text(FAULTY)
    assert run("baseline", "write", cwd=tmp_path)[0] == 0
    words = ("-", "--baseline", ".grpo-lint-baseline.json", "--stdin-filename")
    assert piped("\n\n" + FAULTY, *words, "trainer.py", cwd=tmp_path)[0] == 0
    assert piped("\n\n" + FAULTY, *words, "other.py", cwd=tmp_path)[0] == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-", "a.py"], "- is standard input, which is checked alone; write ./- for a file of that name"),
        (["--stdin-filename", "a.py"], "--stdin-filename names what comes by standard input: the path for that is -"),
        (["-", "--add-ignores"], "--add-ignores is about files: it does not go with standard input"),
        (["-", "--diff-base", "HEAD"], "--diff-base is about files: it does not go with standard input"),
    ],
)
def test_what_makes_no_sense(tmp_path: Path, arguments: list[str], said: str) -> None:
    status, out, err = piped("", *arguments, cwd=tmp_path)
    assert (status, out) == (2, b"")
    assert err.endswith(f"error: {said}\n")


def test_a_file_of_that_name(tmp_path: Path) -> None:
    (tmp_path / "-").write_text(FAULTY)
    assert piped("", "./-", cwd=tmp_path)[0] == 1
    assert piped("", "-", cwd=tmp_path)[0] == 0
