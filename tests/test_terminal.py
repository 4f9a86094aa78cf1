"""What stands on a terminal: frames of code with the evidence marked, colour, and nothing that a terminal acts upon."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from rich.cells import cell_len

import grpo_lint
from grpo_lint.model import FileResult, Finding, Mark, Position, Range
from grpo_lint.report import ReportOptions, renderer
from grpo_lint.report.terminal import Terminal

ROOT = Path(grpo_lint.__file__).parent.parent
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")

METHOD = '''\
import torch


class Sample:
    group_index: int
    reward: float


class Trainer:
    def advantages_of(self, args, samples: list[Sample]):
        """Centre the rewards."""
        rewards = torch.tensor([sample.reward for sample in samples])
        if len(rewards) == args.rollout_batch_size * args.n_samples_per_prompt:
            rewards = rewards.view(-1, args.n_samples_per_prompt)
        else:
            rewards = rewards.view(-1, rewards.shape[-1])
        return (rewards - rewards.mean(dim=-1, keepdim=True)).flatten()
'''
UNSAFE = """\
import torch


def advantages_of(rewards: torch.Tensor, prompt_ids: torch.Tensor, num_generations: int):
    mean = rewards.view(-1, num_generations).mean(dim=1)
    return rewards - mean.repeat_interleave(num_generations)
"""


def on_terminal(*arguments: str, cwd: Path, width: int = 80, **more: str) -> tuple[int, str, str]:
    """Run with standard output on a terminal: the status, what the terminal got, standard error."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    dropped = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TERM", "PYTHONIOENCODING", "PYTHONUTF8")
    environment = {name: value for name, value in os.environ.items() if name not in dropped}
    child = subprocess.Popen(
        [sys.executable, "-m", "grpo_lint", *arguments],
        cwd=cwd,
        env={**environment, "PYTHONPATH": str(ROOT), "TERM": "xterm", "PYTHONUTF8": "1", **more},
        stdout=theirs,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(theirs)
    out = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    _, err = child.communicate()
    return child.returncode, out.decode().replace("\r\n", "\n"), err


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:  # the other end is closed
        return b""


def plain(text: str) -> str:
    return ESCAPE.sub("", text)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "trainer.py").write_text(METHOD)
    return tmp_path


# frames


def test_frames_at_80_columns(project: Path) -> None:
    status, out, err = on_terminal(cwd=project)
    assert (status, err) == (1, "")
    assert plain(out) == (Path(__file__).parent / "data" / "frames_80.txt").read_text("utf-8")


def test_frames_at_200_columns(project: Path) -> None:
    status, out, err = on_terminal(cwd=project, width=200)
    assert (status, err) == (1, "")
    assert plain(out) == (Path(__file__).parent / "data" / "frames_200.txt").read_text("utf-8")


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal_but_for_the_repair(project: Path, width: int) -> None:
    _, out, _ = on_terminal(cwd=project, width=width)
    frames = [line for line in plain(out).splitlines() if re.match(r"  +\d* │", line)]
    assert frames
    assert max(map(cell_len, frames)) <= max(width, 40)


def test_a_shared_repair_is_shown_once(project: Path) -> None:
    out = plain(on_terminal(cwd=project)[1])
    assert out.count("safe fix: ") == 2
    assert out.count("  +        rewards = normalize_rewards_by_group(") + out.count("normalize_std=False") == 1


def test_a_hidden_repair_is_shown_when_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "trainer.py").write_text(UNSAFE)
    hidden, shown = (plain(on_terminal(*more, cwd=tmp_path)[1]) for more in ((), ("--unsafe-fixes",)))
    assert "(`--unsafe-fixes` shows it)" in " ".join(hidden.split())
    assert "normalize_std=False" not in hidden
    assert "normalize_std=False" in shown


def test_the_reason_for_no_repair_is_shown(tmp_path: Path) -> None:
    (tmp_path / "trainer.py").write_text(UNSAFE.replace("prompt_ids", "notes"))
    assert "\n  no fix: " in plain(on_terminal(cwd=tmp_path)[1])


def test_elsewhere_there_are_no_frames(project: Path) -> None:
    command = [sys.executable, "-m", "grpo_lint", "--color", "always"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    out = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False).stdout
    assert "│" not in out
    assert len(out.splitlines()) == 4


@pytest.mark.parametrize("output_format", ["concise", "json"])
def test_other_formats_have_no_frames(project: Path, output_format: str) -> None:
    out = on_terminal("--output-format", output_format, cwd=project)[1]
    assert "│" not in out


def test_an_ascii_terminal_gets_ascii(project: Path) -> None:
    out = on_terminal(cwd=project, PYTHONIOENCODING="ascii", PYTHONUTF8="0")[1]
    assert out.isascii()
    assert " | " in plain(out)
    assert "\\u" not in out


# colour


@pytest.mark.parametrize("output_format", ["text", "concise"])
@pytest.mark.parametrize(
    ("arguments", "environment", "is_colored"),
    [
        ([], {}, True),
        ([], {"NO_COLOR": "1"}, False),
        ([], {"NO_COLOR": ""}, True),
        ([], {"TERM": "dumb"}, False),
        (["--color", "never"], {}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "always"], {"TERM": "dumb"}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
    ],
)
def test_color_on_a_terminal(
    project: Path, output_format: str, arguments: list[str], environment: dict[str, str], is_colored: bool
) -> None:
    status, out, _ = on_terminal("--output-format", output_format, *arguments, cwd=project, **environment)
    assert status == 1
    assert ("\x1b[" in out) is is_colored


@pytest.mark.parametrize(
    ("arguments", "environment", "is_colored"),
    [
        ([], {}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        (["--color", "always"], {}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        (["--color", "always", "--output-format", "json"], {}, False),
    ],
)
def test_color_elsewhere(project: Path, arguments: list[str], environment: dict[str, str], is_colored: bool) -> None:
    inherited = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    command = [sys.executable, "-m", "grpo_lint", *arguments]
    done = subprocess.run(
        command,
        cwd=project,
        env={**inherited, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        check=False,
    )
    assert (b"\x1b[" in done.stdout) is is_colored
    assert done.stderr == b""


def test_color_changes_no_word(project: Path) -> None:
    always, never = (on_terminal("--color", color, cwd=project)[1] for color in ("always", "never"))
    assert plain(always) == never
    always, never = (on_terminal("--diff", "--color", color, cwd=project)[1] for color in ("always", "never"))
    assert always != never
    assert plain(always) == never


# what a terminal would act upon

HOSTILE = "\x1b]0;title\x07\x9b31m\u202e\x08"


def hostile_source() -> str:
    return METHOD.replace("samples])", f"samples])  # {HOSTILE} \x0c end").replace("Centre the rewards.", HOSTILE)


@pytest.mark.parametrize("arguments", [[], ["--output-format", "concise"], ["--diff"], ["--show-files"], ["--fix"]])
def test_no_control_character_reaches_a_terminal(tmp_path: Path, arguments: list[str]) -> None:
    folder = tmp_path / f"a{HOSTILE.replace('/', '')}b"
    folder.mkdir()
    (folder / "tr\ni\x1b[2Jner.py").write_text(hostile_source())
    (folder / "bro\x1bken.py").write_text(f"{METHOD}\nx = '{HOSTILE}\n")
    status, out, err = on_terminal("--color", "never", *arguments, cwd=tmp_path)
    assert status in ((0,) if arguments == ["--show-files"] else (2,))
    for text in (out, err):
        assert not [each for each in text if not each.isprintable() and each != "\n"]


def test_a_patch_for_a_program_keeps_every_character(project: Path) -> None:
    (project / "trainer.py").write_text(hostile_source())
    command = [sys.executable, "-m", "grpo_lint", "--diff"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    out = subprocess.run(command, cwd=project, env=environment, capture_output=True, check=False).stdout
    assert HOSTILE.encode() in out


# rows that are hard to show


def frame(line: str, marks: list[tuple[int, int, str]], width: int = 80, has_unicode: bool = True) -> list[str]:
    """The frame of a finding in a file of one line; its first mark is the finding's own place."""
    placed = [Mark(Range(Position(1, start), Position(1, end)), label) for start, end, label in marks]
    found = Finding("GRPO001", "reward-reshape", "message", placed[0].range, evidence=tuple(placed))
    options = ReportOptions("/here", terminal=Terminal(width, has_unicode))
    out = renderer("text")([FileResult("/here/a.py", (found,), text=line + "\n")], options)
    return [row[6:] for row in out.splitlines() if row.startswith(("  1 ", "    │", "    |"))][1:]


@pytest.mark.parametrize(
    ("line", "marks", "rows"),
    [
        ("    rewards = x", [(5, 12, "here")], ["rewards = x", "^^^^^^^ here"]),
        ("\trewards = x", [(2, 9, "here")], ["rewards = x", "^^^^^^^ here"]),
        ("a\tb = x", [(3, 4, "here")], ["a    b = x", "     ^ here"]),
        ("奖励 = 分数.view(1, -1)", [(6, 20, "here")], ["奖励 = 分数.view(1, -1)", "       ^^^^^^^^^^^^^^^^ here"]),
        ("e\u0301 = x", [(6, 7, "here")], ["e\u0301 = x", "    ^ here"]),
        ("a\x0cb", [(3, 4, "here")], ["a\\x0cb", "     ^ here"]),
        ("x", [(1, 1, "empty")], ["x", "^ empty"]),
        (
            "x - m",
            [(1, 6, "outer"), (5, 6, "inner")],
            ["x - m", "^^^^^ outer", "    - inner"],
        ),
    ],
)
def test_marks_stand_below_what_they_mark(line: str, marks: list[tuple[int, int, str]], rows: list[str]) -> None:
    assert frame(line, marks) == rows


def test_a_long_row_is_cut_around_its_marks() -> None:
    line = "x = [" + "1, " * 40 + "rewards" + ", 2" * 40 + "]"
    assert frame(line, [(126, 133, "here")], width=60) == [
        "…1, 1, 1, 1, rewards, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2…",
        "             ^^^^^^^ here",
    ]
    assert frame(line, [(126, 133, "here")], width=60, has_unicode=False)[0].startswith("~1, 1")


def test_marks_that_are_wider_than_the_terminal_are_cut() -> None:
    line = "x = " + "a + " * 50 + "b"
    first, second, third = frame(line, [(5, 205, "where it all comes from")], width=60)
    assert cell_len(first) <= 54
    assert second == "    " + "^" * 49
    assert third == "    where it all comes from"


def test_a_row_of_megabytes_is_shown_at_once() -> None:
    line = "x = '" + "y" * 3_000_000 + "'; rewards"
    shown, _ = frame(line, [(len(line) - 6, len(line) + 1, "here")])
    assert len(shown) < 80
