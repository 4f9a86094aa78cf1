"""The page as a file: the same for the same dumps, whole or not there, and free of what a browser would load."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest
from command_line import run
from dumps import dump, save_slime, slime_samples, uneven_batch

from grpo_lint.audit.comparison import audit_dump
from grpo_lint.audit.page import charts, page_of, write_page
from grpo_lint.audit.records import Dump, DumpAudit, RunAudit, Settings, Skipped

LABEL = charts.Label("here", "Title", "Text")


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


def audited(*dumps: Dump, name: str = "run") -> RunAudit:
    return RunAudit(name, tuple(audit_dump(each, Settings()) for each in dumps), (), ())


EVEN = dump([0, 0, 1, 1], [1, 0, 1, 0])
UNEVEN = dump([0, 0, 0, 1], [1, 0, 0, 1])
SHIFTED = replace(UNEVEN, advantages=tuple(1.0 for _ in UNEVEN.rewards))
NO_SIGNAL = dump([0, 0, 0, 1], [0, 0, 0, 0])


def repaired() -> RunAudit:
    """A run that was trained on the advantages by identity."""
    (one,) = audited(UNEVEN).dumps
    same = replace(one.collapsed, agree=4, wrong_sign=0, nonzero_other=one.collapsed.nonzero_reference)
    return RunAudit("run", (replace(one, trained=same),), (), ())


def almost_zero() -> RunAudit:
    """A run whose advantages are all 0 within the tolerance, to different sides of it, so that some do not agree."""
    (one,) = audited(NO_SIGNAL).dumps
    return RunAudit("run", (replace(one, collapsed=replace(one.collapsed, agree=2)),), (), ())


@pytest.mark.parametrize(
    ("found", "is_bad"),
    [
        (audited(UNEVEN), True),
        (audited(EVEN, UNEVEN), True),
        (audited(SHIFTED), True),
        (audited(EVEN), False),
        (audited(NO_SIGNAL), False),
        (audited(), False),
        (repaired(), False),
        (almost_zero(), False),
    ],
)
def test_the_colour_of_the_verdict_is_that_of_its_words(found: RunAudit, is_bad: bool) -> None:
    (kind, words), *_ = re.findall(r'<p class="(verdict[^"]*)">([^<]*)<', page_of([found]))
    assert (kind == "verdict affected") is words.startswith("Affected:") is is_bad


@pytest.mark.parametrize("scale", [1.0, 1e-5, 3e38])
@pytest.mark.parametrize(
    ("points", "right", "wrong"),
    [
        ([(1.0, 1.0), (-1.0, -0.5), (0.0, 0.0)], 3, 0),
        ([(1.0, -1.0), (-1.0, 0.5)], 0, 2),
        ([(0.0, 1.0), (1.0, 0.0)], 0, 2),
        ([(1.0, 1.0), (1.0, 1.0)], 1, 0),
        ([], 0, 0),
    ],
)
def test_points_of_a_wrong_sign(points: list[tuple[float, float]], right: int, wrong: int, scale: float) -> None:
    drawn = charts.scatter([(x * scale, y * scale) for x, y in points], LABEL)
    assert (drawn_points(drawn, "right"), drawn_points(drawn, "wrong")) == (right, wrong)


@pytest.mark.parametrize("near", [(0.0004, 0.3), (-0.0004, -0.3), (0.3, 0.0004)])
def test_a_point_near_an_axis_keeps_its_sign(near: tuple[float, float]) -> None:
    drawn = charts.scatter([near, (3.0, 3.0)], LABEL)
    assert (drawn_points(drawn, "right"), drawn_points(drawn, "wrong")) == (2, 0)


def drawn_points(svg: str, colour: str) -> int:
    """How many points of a colour are drawn, the one in the legend left out."""
    return len(re.findall(rf"<(?:use|path) [^>]*fill: var\(--{colour}\)", svg)) - 1


@pytest.mark.parametrize("steps", [[10**5000], [-(10**9)], [None, 7], [3, 10**12]])
def test_steps_that_are_no_names(steps: Sequence[int | None]) -> None:
    drawn = charts.strip(stepped(steps), LABEL)
    assert "dump, by its place" in drawn
    assert {">1</text>", f">{len(steps)}</text>"} <= set(re.findall(r">\d+</text>", drawn))


def test_steps_that_are_names() -> None:
    drawn = charts.strip(stepped([-3, 40, 999_999_999]), LABEL)
    assert "dump, by its step" in drawn
    assert {">40</text>", ">999999999</text>"} <= set(re.findall(r">\d+</text>", drawn))


def stepped(steps: Sequence[int | None]) -> list[DumpAudit]:
    (one,) = audited(UNEVEN).dumps
    return [replace(one, step=step) for step in steps]


@pytest.mark.parametrize(("count", "said"), [(120, "for each dump"), (121, "for 2 dumps each"), (700, "for 6 dumps")])
def test_columns_of_many_dumps(count: int, said: str) -> None:
    found = RunAudit("run", tuple(stepped(range(count))), (), ())
    assert f"One column {said}" in page_of([found])


def test_a_single_dump_among_many_is_seen() -> None:
    """Fallback in one of 600 dumps draws something that it does not in none."""
    calm = [replace(each, is_fallback=False) for each in stepped(range(600))]
    struck = [replace(each, is_fallback=each.step == 333) for each in calm]
    assert charts.strip(calm, LABEL) != charts.strip(struck, LABEL)


@pytest.mark.parametrize("count", [1, 200, 201, 1_500])
def test_lists_say_how_many_there_are(count: int) -> None:
    skipped = tuple(Skipped(f"skipped-{at}", "evaluation", 1) for at in range(count))
    damaged = tuple((f"damaged-{at}", "cut off") for at in range(count))
    text = page_of([RunAudit("run", (), skipped, damaged)])
    for title, kind in (("Not audited", "skipped"), ("Damaged", "damaged")):
        assert f"<summary>{title}: {count:,}</summary>" in text
        assert text.count(f"<li>{kind}-") == min(count, 200)
    assert text.count(" more</li>") == (2 if count > 200 else 0)
    if count > 200:
        assert f"<li>and {count - 200:,} more</li>" in text


@pytest.mark.parametrize("name", ["short", "n" * 60, "start" + "n" * 300 + "end"])
def test_a_long_name_is_short_in_the_table_and_whole_above_its_drawings(name: str) -> None:
    text = page_of([audited(UNEVEN, name=name)])
    (head,) = re.findall(r'<th scope="col"><a href="#run0">([^<]*)</a></th>', text)
    assert (head == name) is (len(name) <= 60)
    assert len(head) <= 61
    assert (head[:5], head[-3:]) == (name[:5], name[-3:])
    assert f'<h2 id="run0">{name}</h2>' in text


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_page([audited(UNEVEN)], pipe)
    reader.join(10)
    assert pipe.is_fifo()
    assert read[0].endswith(b"</html>\n")


def test_a_file_that_is_there_is_replaced_and_a_folder_is_not(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("old")
    write_page([audited(UNEVEN)], tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    with pytest.raises(OSError, match="directory"):
        write_page([audited(UNEVEN)], tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]
