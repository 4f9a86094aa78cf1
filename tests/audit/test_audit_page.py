"""The page as a file: the same for the same dumps, whole or not there, and free of what a browser would load."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_line import run
from dumps import save_slime, slime_samples, uneven_batch


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for step in range(3):
        save_slime(tmp_path / f"run/rollout_{step}.pt", step, slime_samples(*uneven_batch(60, 10)))
    return tmp_path


def test_the_same_dumps_give_the_same_bytes(folder: Path) -> None:
    for name in ("a.html", "b.html"):
        assert run("audit", "run", "--report", name, cwd=folder)[0] == 0
    assert (folder / "a.html").read_bytes() == (folder / "b.html").read_bytes()
    assert run("audit", "run", "--report", "a.html", cwd=folder)[0] == 0


def test_nothing_in_it_is_elsewhere(folder: Path) -> None:
    run("audit", "run", "--report", "a.html", cwd=folder)
    text = (folder / "a.html").read_text(encoding="utf-8")
    loaded = re.findall(r"""(?:src|href)\s*=\s*["']?(?!#|data:)([^"'>\s]+)|url\((?!#)([^)]+)\)|@import|<script""", text)
    assert loaded == []
    assert str(folder) not in text


def test_a_page_that_cannot_be_written(folder: Path) -> None:
    status, out, err = run("audit", "run", "--report", "none/a.html", cwd=folder)
    assert (status, err) == (2, "none/a.html: No such file or directory\n")
    assert out.endswith("of 3 dumps.\n")
    assert sorted(path.name for path in folder.iterdir()) == ["run"]


def test_very_many_sizes_and_dumps(tmp_path: Path) -> None:
    """Bars of ranges, and a page that stays small."""
    groups = [group for group in range(150) for _ in range(2 + group)]
    for step in range(120):
        rewards = [float((at + step) % 3 == 0) for at in range(len(groups[:2_000]))]
        save_slime(tmp_path / f"run/{step}.pt", step, slime_samples(groups[:2_000], rewards))
    save_slime(tmp_path / "run/big.pt", 500, slime_samples(groups, [float(at % 2) for at in range(len(groups))]))
    assert run("audit", "run", "--report", "a.html", cwd=tmp_path)[0] == 0
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert len(text) < 600_000
    assert re.search(r">\d+ to \d+<", text)
