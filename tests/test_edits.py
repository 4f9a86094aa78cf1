"""Edits on text, patches, and writing files."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from grpo_lint import edits
from grpo_lint.model import Edit, Position, Range
from grpo_lint.source import Source


def edit(row: int, column: int, end_row: int, end_column: int, content: str) -> Edit:
    return Edit(Range(Position(row, column), Position(end_row, end_column)), content)


def test_no_edit_changes_nothing() -> None:
    assert edits.apply(Source.from_text("a.py", "x = 1\r\ny = 2"), ()) == "x = 1\r\ny = 2"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_edits_are_applied_in_order_of_position(newline: str) -> None:
    source = Source.from_text("a.py", newline.join(["a = 1", "b = 2", "c = 3", ""]))
    changes = (edit(3, 5, 3, 6, "4"), edit(1, 1, 2, 1, ""), edit(2, 1, 2, 1, "# b" + newline))
    assert edits.apply(source, changes) == newline.join(["# b", "b = 2", "c = 4", ""])


def test_columns_count_code_points() -> None:
    source = Source.from_text("a.py", 'x = "äöü😀"; y = 1\n')
    assert edits.apply(source, (edit(1, 13, 1, 14, "z"),)) == 'x = "äöü😀"; z = 1\n'


def test_a_form_feed_ends_no_row() -> None:
    source = Source.from_text("a.py", "x = 1\n\x0cy = 2\x0b\x85\u2028\nz = 3\n")
    assert source.line(2) == "\x0cy = 2\x0b\x85\u2028"
    assert edits.apply(source, (edit(3, 5, 3, 6, "9"),)).endswith("z = 9\n")


def test_overlapping_edits_are_refused() -> None:
    source = Source.from_text("a.py", "abcdef\n")
    with pytest.raises(ValueError, match="overlap at 1:3"):
        edits.apply(source, (edit(1, 1, 1, 4, ""), edit(1, 3, 1, 5, "")))


def test_a_patch_keeps_the_newlines_of_the_file() -> None:
    patch = edits.unified_diff("dir/a.py", "x\r\ny\r\n", "x\r\nz\r\n")
    assert patch == "--- a/dir/a.py\n+++ b/dir/a.py\n@@ -1,2 +1,2 @@\n x\r\n-y\r\n+z\r\n"


def test_a_patch_says_where_there_is_no_last_newline() -> None:
    patch = edits.unified_diff("a.py", "x\ny", "x\nz")
    assert patch.endswith("-y\n\\ No newline at end of file\n+z\n\\ No newline at end of file\n")


def test_a_patch_of_no_change_is_empty() -> None:
    assert edits.unified_diff("a.py", "x\n", "x\n") == ""


PATCHERS = [["patch", "-p1", "-s"], ["git", "apply"]]


@pytest.mark.parametrize("command", [each for each in PATCHERS if shutil.which(each[0])], ids=lambda each: each[0])
@pytest.mark.parametrize("name", ["a.py", "a b.py", "my code/a.py", " a.py", "é ü.py", 'the "a".py', "a.py b.py"])
def test_a_patch_is_taken_by_those_who_apply_patches(name: str, command: list[str], tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("x\ny\n")
    (tmp_path / "a").write_text("x\ny\n")
    patch = edits.unified_diff(name, "x\ny\n", "x\nz\n")
    done = subprocess.run(command, cwd=tmp_path, input=patch, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert path.read_text() == "x\nz\n"
    assert (tmp_path / "a").read_text() == "x\ny\n"


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o755, 0o664])
def test_writing_keeps_the_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    path.chmod(mode)
    edits.write(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert [found.name for found in tmp_path.iterdir()] == ["a.py"]


def test_writing_through_a_link_keeps_the_link(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    target = tmp_path / "sub" / "a.py"
    target.write_bytes(b"old")
    link = tmp_path / "link.py"
    link.symlink_to(target)
    edits.write(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_a_write_that_fails_leaves_the_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        edits.write(path, b"new")
    assert path.read_bytes() == b"old"
    assert [found.name for found in tmp_path.iterdir()] == ["a.py"]


@pytest.fixture(params=[True, False], ids=["links", "no links"])
def links(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """File systems with and without hard links."""

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    if not request.param:
        monkeypatch.setattr(os, "link", refuse)


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664), (0, 0o666)])
@pytest.mark.usefixtures("links")
def test_a_new_file_has_the_mode_of_new_files(tmp_path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        edits.create(tmp_path / "a.py", b"new")
        assert os.umask(umask) == umask
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.py").stat().st_mode) == mode
    assert {found.name: found.read_bytes() for found in tmp_path.iterdir()} == {"a.py": b"new"}


@pytest.mark.usefixtures("links")
def test_a_file_that_is_there_by_now_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    others = {"a.py": b"theirs", f".a.py.{os.getpid()}": b"theirs too"}
    for name, data in others.items():
        (tmp_path / name).write_bytes(data)
    with pytest.raises(FileExistsError):
        edits.create(path, b"ours")
    assert {found.name: found.read_bytes() for found in tmp_path.iterdir()} == others
    path.unlink()
    edits.create(path, b"ours")
    assert {found.name: found.read_bytes() for found in tmp_path.iterdir()} == others | {"a.py": b"ours"}


@pytest.mark.usefixtures("links")
def test_a_link_that_leads_nowhere_stays(tmp_path: Path) -> None:
    (tmp_path / "a.py").symlink_to("missing")
    with pytest.raises(FileExistsError):
        edits.create(tmp_path / "a.py", b"ours")
    assert [found.name for found in tmp_path.iterdir()] == ["a.py"]


@pytest.mark.usefixtures("links")
def test_a_new_file_that_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        edits.create(tmp_path / "a.py", b"new")
    assert list(tmp_path.iterdir()) == []


def test_a_new_file_that_is_written_without_links_is_whole_or_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        monkeypatch.setattr(os, "fsync", fail)
        raise PermissionError(1, "Operation not permitted")

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(OSError, match="No space left"):
        edits.create(tmp_path / "a.py", b"new")
    assert list(tmp_path.iterdir()) == []
