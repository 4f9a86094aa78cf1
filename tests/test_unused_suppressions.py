"""GRPO100: comments that suppress nothing are reported on request, and taken out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command_line import FAULTY, run

from grpo_lint import edits
from grpo_lint.config import Config
from grpo_lint.model import Edit, FileResult, Fix, Position, Range, Safety
from grpo_lint.runner import Mode, check_file
from grpo_lint.source import Source
from grpo_lint.suppress import read_suppressions
from grpo_lint.suppress.removal import removal

OPTION = "--report-unused-suppressions"

RESHAPE = "    rewards = rewards.view(-1, args.n_samples_per_prompt)"
CLEAN = "import os\nprint(os.sep)\n"


def check(folder: Path, text: str, mode: Mode = Mode.CHECK, *select: str) -> FileResult:
    path = folder / "a.py"
    path.write_bytes(text.encode())
    return check_file(str(path), Config(select or ("ALL", "GRPO100"), root=folder), mode, unsafe_fixes=True)


def reported(folder: Path, text: str, *select: str) -> list[tuple[int, str]]:
    result = check(folder, text, Mode.CHECK, *select)
    assert result.fault is None
    return [(each.range.start.row, each.message) for each in result.findings if each.code == "GRPO100"]


# what is reported


@pytest.mark.parametrize(
    "text",
    [
        CLEAN,
        FAULTY,
        FAULTY.replace(RESHAPE, RESHAPE + "  # noqa: GRPO001 - exact"),
        FAULTY.replace(RESHAPE, RESHAPE + "  # noqa: E501, GRPO001"),
        FAULTY.replace(RESHAPE, RESHAPE + "  # grpo-lint: ignore[GRPO001] exact"),
        FAULTY + "# grpo-lint: ignore-file[GRPO001] exact\n",
        FAULTY.replace("view(-1, args", "view(  # noqa: GRPO001\n        -1, args"),
        FAULTY.replace("_per_prompt)", "_per_prompt\n    )  # noqa: GRPO001"),
        "x = 1  # noqa: E501, F401\n",
        "x = 1  # noqa\n",
        "x = 1  # noqa: GRPO - a prefix is no code\n",
        "x = 1  # grpo-lint: ignore\n",
        "x = '# noqa: GRPO001'\n",
        '"""Docs.\n\n    x = 1  # noqa: GRPO001\n"""\n',
        "x = 1  # see noqa: GRPO001\n",
        "x = 1  # flake8: noqa: GRPO001\n",
        "x = 1  # grpo-lint: ignore-file[GRPO001]\n",
        "x = 1  # noqa: GRPO001, GRPO100 - generated\n",
        "x = 1  # noqa: GRPO001  # grpo-lint: ignore[GRPO100]\n",
        "x = 1  # noqa: GRPO001\n# grpo-lint: ignore-file[GRPO100] generated\n",
        "x = 1  # noqa: GRPO100\n",
    ],
)
def test_nothing_is_said_of(tmp_path: Path, text: str) -> None:
    assert reported(tmp_path, text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1  # noqa: GRPO001\n", "`GRPO001` is not reported here: this `# noqa` suppresses nothing"),
        ("x = 1  # NOQA:GRPO001\n", "`GRPO001` is not reported here: this `# noqa` suppresses nothing"),
        ("# noqa: GRPO001\n", "`GRPO001` is not reported here: this `# noqa` suppresses nothing"),
        (
            "x = 1  # noqa: GRPO001, E501, GRPO002\n",
            "`GRPO001` and `GRPO002` are not reported here: this `# noqa` need not name them",
        ),
        (
            "x = 1  # grpo-lint: ignore[GRPO002]\n",
            "`GRPO002` is not reported here: this `# grpo-lint: ignore` suppresses nothing",
        ),
        (
            "# grpo-lint: ignore-file[GRPO002]\n",
            "`GRPO002` is not reported in this file: this `# grpo-lint: ignore-file` suppresses nothing",
        ),
        ("x = 1  # noqa: GRPO999\n", "this `# noqa` names `GRPO999`, which is no rule: did you mean 'GRPO009'?"),
        ("x = 1  # noqa: GRPO01\n", "this `# noqa` names `GRPO01`, which is no rule: did you mean 'GRPO001'?"),
        (
            "x = 1  # grpo-lint: ignore[GRP001]\n",
            "this `# grpo-lint: ignore` names `GRP001`, which is no rule: did you mean 'GRPO001'?",
        ),
        ("x = 1  # grpo-lint: ignore[E501]\n", "this `# grpo-lint: ignore` names `E501`, which is no rule"),
    ],
)
def test_what_is_said(tmp_path: Path, text: str, expected: str) -> None:
    assert reported(tmp_path, text) == [(1, expected)]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (FAULTY.replace(RESHAPE, RESHAPE + "  # noqa: GRPO002"), [5]),
        (FAULTY.replace(RESHAPE, RESHAPE + "  # noqa: GRPO001, GRPO002"), [5]),
        (FAULTY.replace(RESHAPE, f"    # noqa: GRPO001\n{RESHAPE}"), [5]),
        # two for one finding: the first answers; those of a line before those of the file
        (FAULTY.replace(RESHAPE, RESHAPE + "  # noqa: GRPO001  # grpo-lint: ignore[GRPO001]"), [5]),
        (FAULTY.replace(RESHAPE, RESHAPE + "  # noqa: GRPO001") + "# grpo-lint: ignore-file[GRPO001]\n", [7]),
        (FAULTY + "# grpo-lint: ignore-file[GRPO001]\n# grpo-lint: ignore-file[GRPO001]\n", [8]),
    ],
)
def test_beside_findings(tmp_path: Path, text: str, rows: list[int]) -> None:
    assert [row for row, _ in reported(tmp_path, text)] == rows


def test_codes_of_rules_that_do_not_run_are_not_judged(tmp_path: Path) -> None:
    text = "x = 1  # noqa: GRPO001\ny = 1  # noqa: GRPO002\nz = 1  # noqa: GRPO999\n"
    assert [row for row, _ in reported(tmp_path, text)] == [1, 2, 3]
    assert [row for row, _ in reported(tmp_path, text, "GRPO002", "GRPO100")] == [2, 3]
    assert [row for row, _ in reported(tmp_path, text, "GRPO100")] == [3]
    (tmp_path / "grpo-lint.toml").write_text('per-file-ignores = {"a.py" = ["GRPO001"]}\n')
    assert run(OPTION, "--ignore", "GRPO002", "a.py", cwd=tmp_path)[1].splitlines()[0].startswith("a.py:3:8: GRPO100 ")


def test_it_runs_only_where_it_is_asked_for_by_name(tmp_path: Path) -> None:
    text = "x = 1  # noqa: GRPO001\n"
    for select in (["ALL"], ["GRPO"], ["GRPO1"], ["GRPO10"]):
        assert reported(tmp_path, text, *select) == []
    assert len(reported(tmp_path, text, "ALL", "GRPO100")) == 1
    (tmp_path / "grpo-lint.toml").write_text('select = ["ALL", "GRPO100"]\n')
    assert run(cwd=tmp_path)[0] == 1
    assert run("--ignore", "GRPO100", cwd=tmp_path)[0] == 0
    (tmp_path / "grpo-lint.toml").write_text('per-file-ignores = {"a.py" = ["GRPO100"]}\n')
    assert run(OPTION, cwd=tmp_path)[0] == 0


def test_the_gate_hides_no_comment_and_passes_no_other_file(tmp_path: Path) -> None:
    """A file that mentions a directive is read with the option, and then it must be Python."""
    broken = "x = (  # noqa: GRPO001\n"
    assert check(tmp_path, broken, Mode.CHECK, "ALL") == FileResult(str(tmp_path / "a.py"))
    fault = check(tmp_path, broken).fault
    assert fault is not None and "never closed" in fault.message
    for unconcerned in ("x = (  # noqa: E501\n", "x = (  # GRPO001\n", "x = (  # grpo-lint\n"):
        assert check(tmp_path, unconcerned) == FileResult(str(tmp_path / "a.py"))


# every output


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("x = 1  # noqa: E501, GRPO001 - why\n")
    (tmp_path / "b.py").write_text("y = 1  # noqa: GRPO999\n")
    return tmp_path


MESSAGE = "`GRPO001` is not reported here: this `# noqa` need not name it"


def test_text(project: Path) -> None:
    assert run(cwd=project) == (0, "All checks passed!\n", "")
    assert run(OPTION, cwd=project) == (
        1,
        f"a.py:1:8: GRPO100 [*] {MESSAGE}\n"
        "b.py:1:8: GRPO100 this `# noqa` names `GRPO999`, which is no rule: did you mean 'GRPO009'?\n"
        "  no fix: another rule may be meant\n"
        "Found 2 findings.\n[*] 1 fixable with `--fix`.\n",
        "",
    )


def test_json_and_sarif_and_github_and_statistics(project: Path) -> None:
    status, out, err = run(OPTION, "--output-format", "json", "a.py", cwd=project)
    (row,) = json.loads(out)
    assert (status, err, row["code"], row["rule"], row["message"]) == (1, "", "GRPO100", "unused-suppression", MESSAGE)
    assert row["fix"]["applicability"] == "safe"
    assert (row["location"], row["end_location"]) == ({"column": 8, "row": 1}, {"column": 29, "row": 1})
    sarif = json.loads(run(OPTION, "--output-format", "sarif", cwd=project)[1])["runs"][0]
    assert [each["ruleId"] for each in sarif["results"]] == ["GRPO100", "GRPO100"]
    assert {sarif["tool"]["driver"]["rules"][each["ruleIndex"]]["id"] for each in sarif["results"]} == {"GRPO100"}
    assert (
        "title=grpo-lint (GRPO100),file=a.py,line=1,col=8" in run(OPTION, "--output-format", "github", cwd=project)[1]
    )
    assert run(OPTION, "--statistics", cwd=project)[1].startswith("2  GRPO100  [-] unused-suppression\n")


def test_a_baseline_holds_them_each_by_its_words(project: Path) -> None:
    assert run("baseline", "write", OPTION, cwd=project)[0] == 0
    baseline = ("--baseline", ".grpo-lint-baseline.json")
    assert run(OPTION, *baseline, cwd=project)[0] == 0
    (project / "b.py").write_text("\n\ny = 2  # noqa: GRPO999\n")
    assert run(OPTION, *baseline, cwd=project)[0] == 0
    (project / "b.py").write_text("y = 1  # noqa: GRPO998\n")
    assert run(OPTION, *baseline, cwd=project)[0] == 1


def test_diff_writes_nothing(project: Path) -> None:
    status, out, err = run(OPTION, "--diff", cwd=project)
    assert (status, err) == (1, "Would fix 1 finding, 1 would remain.\n")
    assert "-x = 1  # noqa: E501, GRPO001 - why\n+x = 1  # noqa: E501 - why\n" in out
    assert "GRPO001" in (project / "a.py").read_text()


def test_fix(project: Path) -> None:
    assert run(OPTION, "--fix", "a.py", cwd=project) == (0, "Found 1 finding (1 fixed, 0 remaining).\n", "")
    assert (project / "a.py").read_text() == "x = 1  # noqa: E501 - why\n"


def test_explain_and_rules(tmp_path: Path) -> None:
    assert run("explain", "GRPO100", cwd=tmp_path)[1].startswith("# GRPO100 unused-suppression\n")
    assert run("explain", "unused-suppression", cwd=tmp_path)[0] == 0
    assert re.search(r"\nGRPO100  unused-suppression +yes", run("rules", cwd=tmp_path)[1])


# what a fix leaves


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 1  # noqa: GRPO001\n", "x = 1\n"),
        ("x = 1  # noqa: GRPO001 - a reason  \n", "x = 1\n"),
        ("x = 1\t#noqa:GRPO001", "x = 1"),
        ("x = 1  # noqa: E501, GRPO001\n", "x = 1  # noqa: E501\n"),
        ("x = 1  # noqa: GRPO001, E501\n", "x = 1  # noqa: E501\n"),
        ("x = 1  # noqa: GRPO001 E501,F401 - why\n", "x = 1  # noqa: E501,F401 - why\n"),
        ("x = 1  # noqa: E501,GRPO001,F401,GRPO002\n", "x = 1  # noqa: E501,F401\n"),
        ("x = 1  # noqa: GRPO001, GRPO002\n", "x = 1\n"),
        ("x = 1  # noqa: E501, GRPO001 - TODO: say why\n", "x = 1  # noqa: E501\n"),
        ("x = 1  # noqa: E501, GRPO001 - url - TODO: say why\n", "x = 1  # noqa: E501 - url\n"),
        ("x = 1  # type: ignore  # noqa: GRPO001\n", "x = 1  # type: ignore\n"),
        ("x = 1  # noqa: GRPO001  # type: ignore\n", "x = 1  # type: ignore\n"),
        ("x = 1  # noqa: GRPO001 - see #3 # type: ignore\n", "x = 1 # type: ignore\n"),
        ("x = 1  # a note # grpo-lint: ignore[GRPO001] why\n", "x = 1  # a note\n"),
        ("x = 1  # grpo-lint: ignore[GRPO001, E501]\n", "x = 1  # grpo-lint: ignore[E501]\n"),
        ("x = 1  # grpo-lint: ignore[ GRPO001 , E501 ]\n", "x = 1  # grpo-lint: ignore[ E501 ]\n"),
        ("x = 1  # noqa: GRPO001  # grpo-lint: ignore[GRPO002]\n", "x = 1\n"),
        ("# noqa: GRPO001\nx = 1\n", "x = 1\n"),
        ("x = 1\n    # grpo-lint: ignore-file[GRPO001] - a reason\n", "x = 1\n"),
        ("x = 1\n# grpo-lint: ignore-file[GRPO001]", "x = 1\n"),
        ("x = 1\n# grpo-lint: ignore-file[GRPO001]\n\ny = 2\n", "x = 1\n\ny = 2\n"),
        ("if x:\n    # noqa: GRPO001  # fmt: off\n    y\n", "if x:\n    # fmt: off\n    y\n"),
        ("# noqa: GRPO001  # grpo-lint: ignore[GRPO002]\n", ""),
        ("x = (1,  # noqa: GRPO001\n     2)  # noqa: GRPO002\n", "x = (1,\n     2)\n"),
        ("é = 'ü'  # noqa: GRPO001\r\ny = 1\r\n", "é = 'ü'\r\ny = 1\r\n"),
        ("x = 1  # noqa: GRPO001\ry = 1\r", "x = 1\ry = 1\r"),
        ("\ufeffx = 1  # noqa: GRPO001\n", "\ufeffx = 1\n"),
        ("x = 1  # noqa: GRPO001, GRPO999\n", "x = 1  # noqa: GRPO999\n"),
        ("x = 1  # noqa: GRPO001, GRPO100\n", "x = 1  # noqa: GRPO001, GRPO100\n"),
    ],
)
def test_what_stays(tmp_path: Path, before: str, after: str) -> None:
    result = check(tmp_path, before, Mode.FIX)
    assert (tmp_path / "a.py").read_bytes().decode() == after
    assert all("which is no rule" in finding.message or "E501" in before for finding in result.findings)
    again = check(tmp_path, after, Mode.FIX)
    assert (again.findings, again.fixed) == (result.findings, ())


def test_code_and_comments_are_repaired_in_one_run(tmp_path: Path) -> None:
    text = FAULTY.replace("args, rewards: torch.Tensor", "args, rewards, uids")
    result = check(tmp_path, text.replace(RESHAPE, f"    note = 1  # noqa: GRPO002\n{RESHAPE}"), Mode.FIX)
    assert result.findings == ()
    assert sorted(finding.code for finding in result.fixed) == ["GRPO001", "GRPO100"]
    after = (tmp_path / "a.py").read_text()
    assert "noqa" not in after and "    note = 1\n" in after and "normalize_rewards_by_group(" in after


def test_a_repair_of_code_may_leave_a_comment_without_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not withheld for that, and the comment goes next."""
    first = (
        "def first(rewards, uids, n):\n    grid = rewards.view(-1, n)\n"
        "    return (grid - grid.mean(1, keepdim=True)).flatten()\n"
    )
    second = first.replace("first", "second").replace("(-1, n)", "(-1, n)  # noqa: GRPO001")

    def assemble(_: object) -> Fix:
        """Ends both findings, though it is about the first function alone."""
        rows = (2, 5)
        return Fix(
            Safety.UNSAFE, "", tuple(Edit(Range(Position(row, 12), Position(row, 19)), "prompts") for row in rows)
        )

    monkeypatch.setattr("grpo_lint.fixes.assembly.assemble", assemble)
    monkeypatch.setattr("grpo_lint.proposals._touched", lambda *_: None)
    result = check(tmp_path, first + second, Mode.FIX)
    assert [finding.code for finding in result.fixed] == ["GRPO001", "GRPO100"]
    assert (tmp_path / "a.py").read_text() == (first + first.replace("first", "second")).replace(
        "rewards.v", "prompts.v"
    )


def test_many_are_taken_out_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from grpo_lint import repair

    texts: list[str] = []
    find = repair.find
    monkeypatch.setattr(repair, "find", lambda source, *terms: texts.append(source.text) or find(source, *terms))
    text = "".join(f"x{number} = 1  # noqa: GRPO001\n" for number in range(50))
    result = check(tmp_path, text, Mode.FIX)
    assert (len(result.fixed), result.findings, len(texts)) == (50, (), 1)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_row_goes_with_its_newline(newline: str) -> None:
    source = Source.from_text("a.py", f"x = 1{newline}  # noqa: GRPO001{newline}y = 1{newline}")
    (directive,) = read_suppressions(source.text).directives
    assert edits.apply(source, removal(source, directive, ["GRPO001"])) == f"x = 1{newline}y = 1{newline}"


# for a whole file, through the command line


def test_a_file_level_directive_quiets_everything(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(f"# grpo-lint: ignore-file[GRPO001] - exact\n{FAULTY}")
    for arguments in ([], ["--fix", "--unsafe-fixes"], [OPTION]):
        assert run(*arguments, cwd=tmp_path) == (0, "All checks passed!\n", "")
    assert run("--diff", cwd=tmp_path) == (0, "", "All checks passed!\n")
    assert run("--output-format", "json", cwd=tmp_path) == (0, "[]\n", "")
    assert path.read_text().endswith(FAULTY)


def test_a_bare_file_level_directive_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f"# grpo-lint: ignore-file\n{FAULTY}\n\n{FAULTY.replace('advantages_of', 'again')}")
    status, out, err = run(cwd=tmp_path)
    assert (status, out.count("GRPO001")) == (1, 2)
    assert err == (
        "a.py: warning: line 1: this `# grpo-lint: ignore-file` names no whole code and suppresses nothing here: "
        "write `# grpo-lint: ignore-file[GRPO001]`\n"
    )


def test_fixes_do_not_touch_what_a_file_level_directive_suppresses(tmp_path: Path) -> None:
    """A reshape and its fallback row are one normalisation: with one of them suppressed, the other has no fix."""
    text = """\
def advantages_of(args, rewards, uids):
    if len(rewards) == args.total:
        grid = rewards.view(-1, args.n_samples_per_prompt)
    else:
        grid = rewards.view(1, -1)
    return (grid - grid.mean(dim=-1, keepdim=True)).flatten()
"""
    assert [each.fix is not None for each in check(tmp_path, text).findings] == [True, True]
    (finding,) = check(tmp_path, f"# grpo-lint: ignore-file[GRPO002]\n{text}", Mode.FIX).findings
    assert (finding.code, finding.fix_reason) == ("GRPO001", "line 6 is part of it, and is suppressed")
