"""The harness of benchmarks/: who takes turns when, what the figures are, and what is said of what is missing."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
MODULES = {path.stem for path in BENCHMARKS.glob("*.py")}


@pytest.fixture(autouse=True)
def _benchmarks_on_the_path(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield
    for name in MODULES:
        sys.modules.pop(name, None)


class Clock:
    """A clock that only the candidates move."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def candidate(name, log, clock=None, seconds=(), status=None, **settings):
    from rounds import Candidate

    durations = iter(seconds)

    def run():
        log.append(name)
        if clock is not None:
            clock.now += next(durations)
        return status

    return Candidate(name, run, **settings)


def timing(name, *seconds, statuses=()):
    from rounds import Timing

    return Timing(name, seconds, statuses)


def compared(*timings, **settings):
    from comparison import Comparison

    return Comparison("Title", timings, **settings)


def test_candidates_take_turns_in_every_round_and_begin_in_turn():
    from rounds import measure

    log = []
    measure([candidate(name, log) for name in "abc"], 3)
    assert "".join(log) == "abc" + "bca" + "cab" + "abc"


@pytest.mark.parametrize(("at_most", "runs"), [(1, 1), (2, 2), (4, 4), (9, 4)])
def test_slow_candidate_runs_in_few_rounds_and_is_not_warmed_up(at_most, runs):
    from rounds import measure

    log = []
    slow, fast = measure([candidate("s", log, at_most=at_most), candidate("f", log)], 4)
    assert log.count("s") == runs == len(slow.seconds)
    assert log.count("f") == 5 and len(fast.seconds) == 4
    assert log[0] == "f"


def test_median_is_of_the_rounds_after_the_warm_up():
    from rounds import measure

    clock, log = Clock(), []
    one, two = measure(
        [
            candidate("one", log, clock, [100, 3, 1, 8]),
            candidate("two", log, clock, [0, 7, 5, 6]),
        ],
        3,
        clock,
    )
    assert one.seconds == (3, 1, 8) and one.median == 3
    assert two.seconds == (7, 5, 6) and two.median == 6


def test_all_exit_statuses_that_occurred_are_kept_even_of_the_warm_up():
    from rounds import Candidate, measure

    statuses = count()
    rising, none = measure([Candidate("rising", lambda: next(statuses) // 2), Candidate("none", lambda: None)], 3)
    assert rising.statuses == (0, 1) and none.statuses == ()


@pytest.mark.parametrize(
    ("other", "target", "holds", "cells"),
    [
        (2.0, 2.0, True, "2.00 times the time | at most 2.0: holds"),
        (1.9, 2.0, False, "2.11 times the time | at most 2.0: misses"),
        (60.0, 1 / 15, True, "15.0 times faster | at least 15 times faster: holds"),
        (59.0, 1 / 15, False, "14.8 times faster | at least 15 times faster: misses"),
        (8.0, None, None, "2.0 times faster | "),
    ],
)
def test_ratio_is_of_the_subject_to_the_other_and_is_held_against_the_target(other, target, holds, cells):
    from comparison import Target
    from tables import as_json, markdown

    targets = () if target is None else (Target("other", target),)
    comparison = compared(timing("subject", 3.0, 4.0, 5.0), timing("other", other), targets=targets)
    assert comparison.ratio(comparison.timings[1]) == 4.0 / other
    assert comparison.holds(comparison.timings[1]) is holds
    assert f"| 1 | {cells} |  |\n" in markdown(comparison)
    record = json.loads(as_json([comparison]))["comparisons"][0]["timings"][1]
    assert (record["ratio"], record["target"], record["holds"]) == (4.0 / other, target, holds)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (90.4, "90.4 s"),
        (1.234, "1.23 s"),
        (0.9996, "1 s"),
        (0.9994, "999 ms"),
        (1234.5, "1234 s"),
        (0.0471, "47.1 ms"),
        (0.00042, "420 µs"),
    ],
)
def test_medians_have_the_unit_that_reads_best(seconds, shown):
    from tables import markdown

    assert f"| `subject` | {shown} | 1 |" in markdown(compared(timing("subject", seconds)))


def test_table_shows_statuses_and_names_what_is_missing_with_its_command():
    from comparison import Missing
    from tables import markdown

    table = markdown(
        compared(
            timing("mine", 1.0, statuses=(1,)),
            timing("other", 1.0, statuses=(0, 2)),
            missing=(Missing("third", "pip install third"),),
        )
    )
    assert "| `mine` | 1 s | 1 |  |  | 1 |\n" in table
    assert table.count("| 0, 2 |\n") == 1
    assert table.endswith("Left out: third (`pip install third`).\n")


def test_table_of_nothing_but_what_is_missing():
    from comparison import Missing
    from tables import as_json, markdown

    empty = compared(missing=(Missing("torch", "pip install torch"),))
    assert markdown(empty) == "### Title\n\n\nLeft out: torch (`pip install torch`).\n"
    assert json.loads(as_json([empty]))["comparisons"][0]["timings"] == []


@pytest.mark.parametrize("status", [0, 1, 3])
def test_command_gives_its_exit_status_and_shows_no_output(status, tmp_path, capfd):
    from commands import command

    words = [sys.executable, "-c", f"import sys; print('out'); print('err', file=sys.stderr); sys.exit({status})"]
    assert command(words, tmp_path).run() == status
    assert capfd.readouterr() == ("", "")


def test_command_may_write_bytecode_and_runs_in_its_folder(tmp_path, monkeypatch):
    from commands import command

    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    (tmp_path / "imported.py").write_text("")
    assert command([sys.executable, "-c", "import imported"], tmp_path).run() == 0
    assert list((tmp_path / "__pycache__").iterdir())


def program(folder: Path, name: str, status: int) -> None:
    path = folder / name
    path.write_text(f"#!{sys.executable}\nimport sys\nsys.exit({status})\n")
    path.chmod(0o755)


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are scripts with an interpreter line")
def test_linters_that_are_missing_are_left_out_and_failures_are_shown(tmp_path, monkeypatch):
    import commands
    from linters import AST_GREP, RUFF, SUBJECT, compare_linters

    programs = tmp_path / "bin"
    programs.mkdir()
    program(programs, "grpo-lint", 1)
    program(programs, "ast-grep", 8)
    program(programs, "ruff", 1)
    monkeypatch.setattr(commands.sys, "executable", str(programs / "python"))
    monkeypatch.setenv("PATH", "")
    comparison = compare_linters(programs, tmp_path, tmp_path, rounds=1, slow_rounds=1)
    assert [(timed.name, timed.statuses) for timed in comparison.timings] == [
        (SUBJECT, (1,)),
        (AST_GREP, (8,)),
        (RUFF, (1,)),
    ]
    assert [(missing.name, missing.command) for missing in comparison.missing] == [("torchfix", "pip install torchfix")]


def test_without_a_checkout_the_linters_are_left_out_and_nothing_is_installed(capsys, monkeypatch):
    import run

    monkeypatch.setattr(run, "install", lambda folder: pytest.fail("installed"))
    assert run.main(["--only", "linters", "--rounds", "1"]) == 0
    assert "Left out: a checkout (`python benchmarks/run.py --checkout PATH`)." in capsys.readouterr().out


def test_an_audit_is_timed_beside_reading_the_same_files(tmp_path):
    from audit import BASELINE, SEVERAL, SUBJECT, compare_audit

    comparison = compare_audit(tmp_path, rounds=1, dumps=25, samples=9)
    assert [(timed.name, timed.statuses) for timed in comparison.timings] == [
        (SUBJECT, (0,)),
        (SEVERAL, (0,)),
        (BASELINE, (0,)),
    ]
    assert [comparison.holds(timed) is None for timed in comparison.timings] == [True, True, False]
    assert len(list((tmp_path / "rollouts").iterdir())) == 25


def test_without_the_extra_the_audit_is_left_out(capsys, monkeypatch):
    import run

    monkeypatch.setattr(run, "find_spec", lambda name: None if name == "pyarrow" else object())
    assert run.main(["--only", "audit", "--rounds", "1"]) == 0
    assert "Left out: the extra audit (`pip install 'grpo-lint[audit]'`)." in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [["--rounds", "0"], ["--rounds", "x"], ["--slow-rounds", "-1"], ["--only", "other"]]
)
def test_unusable_options(arguments, capsys):
    import run

    with pytest.raises(SystemExit, match="2"):
        run.main(arguments)
    assert arguments[0] in capsys.readouterr().err


def test_page_documents_exactly_the_options():
    import run

    page = (BENCHMARKS.parent / "docs" / "performance.md").read_text(encoding="utf-8")
    documented = re.findall(r"^(--[a-z-]+)", page, re.MULTILINE)
    assert ["--help", *documented] == re.findall(r"^  (?:-h, )?(--[a-z-]+)", run.parser().format_help(), re.MULTILINE)


def test_checkout_that_is_no_folder(tmp_path, capsys):
    import run

    assert run.main(["--checkout", str(tmp_path / "none")]) == 2
    assert "is not a folder" in capsys.readouterr().err


def test_figures_are_written_as_json(tmp_path, monkeypatch, capsys):
    import run

    monkeypatch.setattr(run, "comparisons", lambda options: iter([compared(timing("subject", 2.0, 4.0))]))
    assert run.main(["--json", str(tmp_path / "figures.json")]) == 0
    content = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))
    assert content["machine"].startswith("Python 3.")
    assert content["comparisons"][0]["timings"][0]["seconds"] == [2.0, 4.0]
    assert "### Title" in capsys.readouterr().out


def test_loops_and_reshape_are_the_references_own_formula():
    torch = pytest.importorskip("torch")
    from advantages import by_loop, by_reference, by_reshape, by_sorted_loop, uneven, uniform

    rewards, groups = uneven(400, 50)
    assert len(rewards) == len(groups) == 400
    sizes = torch.bincount(groups)
    assert len(sizes) == 50 and sizes.min() >= 2 and len(set(sizes.tolist())) > 3
    assert (groups[1:] < groups[:-1]).any()
    expected = by_reference(rewards, groups)
    assert torch.allclose(by_loop(rewards, groups), expected, atol=1e-5)
    assert torch.allclose(by_sorted_loop(rewards, groups), expected, atol=1e-5)
    rewards, groups = uniform(64, 8)
    assert torch.equal(by_reshape(rewards, 8), by_reference(rewards, groups))


def test_comparisons_of_the_reference_name_their_targets_and_restore_the_threads():
    torch = pytest.importorskip("torch")
    from advantages import compare_with_loops, compare_with_reshape

    threads = torch.get_num_threads()
    for comparison, ratio in ((compare_with_loops(1, 40, 5), 1 / 15), (compare_with_reshape(1, 16, 4), 6.0)):
        assert comparison.subject.name == "reference"
        assert [comparison.target(other).ratio for other in comparison.timings[1:]] == [ratio] * (
            len(comparison.timings) - 1
        )
    assert torch.get_num_threads() == threads
