"""`--add-ignores`: every finding gets a comment that suppresses it, and nothing else changes."""

from __future__ import annotations

import ast
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_cases import CASES, NAMES, expectations
from test_gates import mutilated

from grpo_lint import edits
from grpo_lint.analysis import find
from grpo_lint.config import Config
from grpo_lint.model import FileResult
from grpo_lint.project import Cache
from grpo_lint.runner import Mode, check_file, suppress_findings
from grpo_lint.source import Source
from grpo_lint.suppress import read_suppressions
from grpo_lint.suppress.addition import closed_rows, place_of, suppress
from grpo_lint.suppress.removal import PLACEHOLDER, removal

OPTION = "--add-ignores"

FAULTY = """\
def advantages_of(args, rewards):
    rewards = rewards.view(-1, args.n_samples_per_prompt)
    return (rewards - rewards.mean(dim=-1, keepdim=True)).flatten()
"""
LINE = FAULTY.splitlines()[1]


def add(path: Path, data: bytes, reason: str = PLACEHOLDER) -> FileResult:
    path.write_bytes(data)
    config = Config(root=path.parent)
    result = check_file(str(path), config, Mode.CHECK, unsafe_fixes=False)
    assert result.fault is None
    return suppress_findings(result, config, reason)


def with_line(*lines: str) -> str:
    return FAULTY.replace(LINE, "\n".join(lines))


# where the comment goes


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LINE, f"{LINE}  # noqa: GRPO001 - TODO: say why"),
        (f"{LINE}  ", f"{LINE}  # noqa: GRPO001 - TODO: say why"),
        (f"{LINE}  # exact", f"{LINE}  # exact  # noqa: GRPO001 - TODO: say why"),
        (f"{LINE}  # type: ignore", f"{LINE}  # type: ignore  # noqa: GRPO001 - TODO: say why"),
        (f"{LINE}  # ends in \\", f"{LINE}  # ends in \\  # noqa: GRPO001 - TODO: say why"),
        (f"{LINE}  # noqa", f"{LINE}  # noqa  # noqa: GRPO001 - TODO: say why"),
        (f"{LINE}  # noqa: E501", f"{LINE}  # noqa: E501, GRPO001 - TODO: say why"),
        (f"{LINE}  # noqa:E501,F401", f"{LINE}  # noqa:E501,F401, GRPO001 - TODO: say why"),
        (f"{LINE}  # noqa: E501 - a url", f"{LINE}  # noqa: E501, GRPO001 - a url - TODO: say why"),
        (f"{LINE}  # noqa: GRPO002 - TODO: say why", f"{LINE}  # noqa: GRPO002, GRPO001 - TODO: say why"),
        (f"{LINE}  # noqa: E501  # pyright: x", f"{LINE}  # noqa: E501, GRPO001 - TODO: say why  # pyright: x"),
        (
            f"{LINE}  # grpo-lint: ignore[GRPO002]",
            f"{LINE}  # grpo-lint: ignore[GRPO002]  # noqa: GRPO001 - TODO: say why",
        ),
        (
            "    rewards = rewards.view(\n        -1, args.n_samples_per_prompt\n    )",
            "    rewards = rewards.view(  # noqa: GRPO001 - TODO: say why\n"
            "        -1, args.n_samples_per_prompt\n    )",
        ),
        (
            "    rewards = rewards.view \\\n        (-1, args.n_samples_per_prompt)",
            "    rewards = rewards.view \\\n        (-1, args.n_samples_per_prompt)  # noqa: GRPO001 - TODO: say why",
        ),
        # where the lines of the finding take none, at the end of the statement
        (f'{LINE}; x = """a\n    b"""', f'{LINE}; x = """a\n    b"""  # noqa: GRPO001 - TODO: say why'),
        (f'{LINE}; x = f"""{{args}}\n    b"""', f'{LINE}; x = f"""{{args}}\n    b"""  # noqa: GRPO001 - TODO: say why'),
        (f"{LINE}; \\\n    x = 1", f"{LINE}; \\\n    x = 1  # noqa: GRPO001 - TODO: say why"),
        (f"{LINE}; \\\n    x = 1  # noqa: E501", f"{LINE}; \\\n    x = 1  # noqa: E501, GRPO001 - TODO: say why"),
        (
            f"    x = '''\n    '''; {LINE.strip()}",
            f"    x = '''\n    '''; {LINE.strip()}  # noqa: GRPO001 - TODO: say why",
        ),
    ],
)
def test_where_it_goes(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "a.py"
    result = add(path, with_line(before).encode())
    assert path.read_text() == with_line(after)
    assert (result.findings, result.warnings, result.text) == ((), (), "")
    written = path.read_bytes()
    add(path, written)
    assert path.read_bytes() == written, "a second run changes something"


def test_several_findings_of_a_line_share_a_comment(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    text = """\
def advantages_of(rewards, n_samples_per_prompt, uneven):
    a = (rewards.view(1, -1) if uneven else rewards.view(-1, n_samples_per_prompt)); b = rewards.view(-1, 8)
    return a - a.mean(dim=-1, keepdim=True), b - b.mean(dim=-1, keepdim=True)
"""
    assert add(path, text.encode()).findings == ()
    assert path.read_text().splitlines()[1].endswith("view(-1, 8)  # noqa: GRPO001, GRPO002 - TODO: say why")


@pytest.mark.parametrize(
    "data",
    [
        FAULTY.replace("\n", "\r\n").encode(),
        FAULTY.replace("\n", "\r").encode(),
        b"\xef\xbb\xbf" + FAULTY.encode(),
        FAULTY.encode().rstrip(b"\n"),
        f"# -*- coding: latin-1 -*-\n# caf\xe9\n{FAULTY}".encode("latin-1"),
        f"# coding: gbk\n# \u7ec4\n{FAULTY}".encode("gbk"),
        FAULTY.replace("    ", "\t").encode(),
        f"x = '\u7ec4\u2028'\n\f\n{FAULTY}".encode(),
    ],
)
def test_encodings_and_newlines_are_kept(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.py"
    assert add(path, data) == FileResult(str(path))
    after = path.read_bytes()
    assert after == data.replace(b"_prompt)", b"_prompt)  # noqa: GRPO001 - TODO: say why")


def test_the_end_of_a_file_takes_a_comment(tmp_path: Path) -> None:
    text = (
        "def f(rewards, num_generations):\n    return rewards - rewards.view(-1, num_generations).mean(1, keepdim=True)"
    )
    path = tmp_path / "a.py"
    assert add(path, text.encode()).findings == ()
    assert path.read_text() == text + "  # noqa: GRPO001 - TODO: say why"


def test_a_reason_that_brings_up_findings(tmp_path: Path) -> None:
    """`n` is a group size only where a file speaks of prompts, which the reason makes it do."""
    weak = "\n\ndef other(rewards, n):\n    grid = rewards.view(-1, n)\n    return grid - grid.mean(1, keepdim=True)\n"
    strong = FAULTY.replace("n_samples_per_prompt", "num_rollouts").replace("advantages_of", "first")
    path = tmp_path / "a.py"
    for reason, count in ((PLACEHOLDER, 1), ("exact for each prompt", 2)):
        assert add(path, (strong + weak).encode(), reason).findings == ()
        suppressed = path.read_text()
        assert suppressed.count(f"# noqa: GRPO001 - {reason}") == count
        assert add(path, suppressed.encode(), reason) == FileResult(str(path))
        assert path.read_text() == suppressed


def test_a_comment_to_the_linter_makes_no_file_speak_of_prompts(tmp_path: Path) -> None:
    weak = "def other(rewards, n):\n    grid = rewards.view(-1, n)\n    return grid - grid.mean(1, keepdim=True)\n"
    for comment in ("", "# noqa: GRPO001", "# grpo-lint: ignore-file[GRPO002]", "import grpo_lint"):
        path = tmp_path / "a.py"
        path.write_text(f"{comment}\n{weak}")
        assert check_file(str(path), Config(root=tmp_path), Mode.CHECK, False).findings == (), comment
    path.write_text(f"# GRPO\n{weak}")
    assert len(check_file(str(path), Config(root=tmp_path), Mode.CHECK, False).findings) == 1


# what is refused


def test_a_file_whose_encoding_does_not_survive(tmp_path: Path) -> None:
    data = b'# -*- coding: iso-2022-jp -*-\n# \x1b$B$"\x1b(B\x1b$B$"\x1b(B\n' + FAULTY.encode()
    result = add(tmp_path / "a.py", data)
    assert result.fault is not None
    assert result.fault.message == "no finding is suppressed: the file's encoding does not survive"
    assert (tmp_path / "a.py").read_bytes() == data
    assert len(result.findings) == 1


def test_a_reason_that_the_file_cannot_hold(tmp_path: Path) -> None:
    data = f"# coding: latin-1\n{FAULTY}".encode()
    result = add(tmp_path / "a.py", data, "\u7ec4")
    assert result.fault is not None
    assert result.fault.message == "no finding is suppressed: the reason cannot be encoded as iso-8859-1"
    assert (tmp_path / "a.py").read_bytes() == data


def test_comments_that_would_change_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grpo_lint.suppress.addition.closed_rows", lambda _: {})
    data = with_line(f'{LINE}; x = """a\n    b"""').encode()
    result = add(tmp_path / "a.py", data)
    assert result.fault is not None
    assert result.fault.message == "no finding is suppressed: comments would change the code"
    assert (tmp_path / "a.py").read_bytes() == data


def test_a_file_that_is_gone_by_then(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(FAULTY)
    config = Config(root=tmp_path)
    result = check_file(str(path), config, Mode.CHECK, False)
    path.unlink()
    after = suppress_findings(result, config, PLACEHOLDER)
    assert after.fault is not None
    assert (after.fault.message, after.findings) == ("No such file or directory", result.findings)


# rows


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("x = 1\n", {}),
        ("x = '''\n'''\ny = 1\n", {1: 2}),
        ("x = f'''{\na}\n{b\n}'''\ny = 1\n", {1: 4, 2: 4, 3: 4}),
        ("x = '''\n''' + f('''\n\n''')\n", {1: 4, 2: 4, 3: 4}),
        ("x = ('''\n''',\n  1)\n", {1: 3}),
        ("x = 'a\\\nb'\n", {1: 2}),
        ("x = \\\n  1  # \\\ny = 1\n", {1: 2}),
        ("x = 1; \\\n  \\\ny = 1", {1: 3, 2: 3}),
        ("# \\\nx = [\n  1]\n", {}),
        ("if x: \\\n  y\nz\n", {1: 2}),
        ("x = '''\n", {}),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_rows_that_take_no_comment(text: str, closed: dict[int, int], newline: str) -> None:
    assert closed_rows(Source.from_text("a.py", text.replace("\n", newline))) == closed


# the command line


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(FAULTY)
    (tmp_path / "b.py").write_text(FAULTY.replace("view(-1, args.n_samples_per_prompt)", "view(1, -1)  # prompt"))
    (tmp_path / "c.py").write_text("x = 1\n")
    return tmp_path


def test_all_are_suppressed(project: Path) -> None:
    request = "; write the reason of each in place of `TODO: say why`"
    assert run(OPTION, cwd=project) == (0, f"All checks passed!\nSuppressed 2 findings in 2 files{request}.\n", "")
    assert (project / "a.py").read_text() == with_line(f"{LINE}  # noqa: GRPO001 - TODO: say why")
    assert "# prompt  # noqa: GRPO002 - TODO: say why\n" in (project / "b.py").read_text()
    texts = [path.read_bytes() for path in sorted(project.iterdir())]
    assert run(OPTION, cwd=project) == (0, "All checks passed!\nSuppressed 0 findings in 0 files.\n", "")
    assert [path.read_bytes() for path in sorted(project.iterdir())] == texts
    assert run("--report-unused-suppressions", cwd=project) == (0, "All checks passed!\n", "")


def test_a_reason(project: Path) -> None:
    said = "All checks passed!\nSuppressed 1 finding in 1 file.\n"
    assert run(OPTION, "--reason", " exact, see #12 ", "a.py", cwd=project) == (0, said, "")
    assert (project / "a.py").read_text() == with_line(f"{LINE}  # noqa: GRPO001 - exact, see #12")


def test_only_what_is_selected_and_as_quiet_as_asked(project: Path) -> None:
    assert run(OPTION, "-q", "--select", "GRPO002", cwd=project) == (0, "", "")
    assert (project / "a.py").read_text() == FAULTY
    assert run(OPTION, "--output-format", "json", cwd=project) == (0, "[]\n", "")


def test_an_unused_suppression_is_not_suppressed(project: Path) -> None:
    (project / "c.py").write_text("x = 1  # noqa: GRPO001\n")
    status, out, err = run(OPTION, "--reason", "exact", "--report-unused-suppressions", cwd=project)
    assert (status, err) == (1, "")
    assert out.startswith("c.py:1:8: GRPO100 [*] ")
    assert "Suppressed 2 findings in 2 files." in out
    assert (project / "c.py").read_text() == "x = 1  # noqa: GRPO001\n"


def test_findings_of_a_baseline_need_no_comment(project: Path) -> None:
    assert run("baseline", "write", "a.py", cwd=project)[0] == 0
    status, out, err = run(OPTION, "--reason", "exact", "--baseline", ".grpo-lint-baseline.json", cwd=project)
    assert (status, err) == (0, "")
    assert "Suppressed 1 finding in 1 file.\n1 more finding in the baseline" in out
    assert (project / "a.py").read_text() == FAULTY


def test_findings_untouched_since_a_revision_need_no_comment(project: Path) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for command in (["init", "-q"], ["add", "a.py"], ["commit", "-q", "-m", "Start"]):
        subprocess.run([*git, *command], cwd=project, check=True, capture_output=True)
    status, out, err = run(OPTION, "--reason", "exact", "--diff-base", "HEAD", cwd=project)
    assert (status, err) == (0, "")
    assert "Suppressed 1 finding in 1 file." in out
    assert (project / "a.py").read_text() == FAULTY
    assert "GRPO002 - exact" in (project / "b.py").read_text()


def test_a_link_and_a_mode_are_kept(project: Path) -> None:
    (project / "a.py").chmod(0o755)
    (project / "link.py").symlink_to("a.py")
    assert run(OPTION, "link.py", cwd=project)[0] == 0
    assert (project / "link.py").is_symlink()
    assert stat.S_IMODE((project / "a.py").stat().st_mode) == 0o755
    assert "noqa: GRPO001" in (project / "a.py").read_text()


def test_a_file_that_does_not_parse_is_said(project: Path) -> None:
    (project / "a.py").write_text(FAULTY + "x = (\n")
    status, _, err = run(OPTION, cwd=project)
    assert status == 2
    assert err.startswith("a.py:4:5: '(' was never closed")
    assert "noqa" in (project / "b.py").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([OPTION, "--fix"], "--add-ignores suppresses what a repair would take: it does not go with --fix or --diff"),
        ([OPTION, "--diff"], "--add-ignores suppresses what a repair would take: it does not go with --fix or --diff"),
        (["--reason", "x"], "--reason is that of --add-ignores, which is not given"),
        ([OPTION, "--reason", " "], "argument --reason: ' ' is no reason that fits on a line"),
        ([OPTION, "--reason", "a\nb"], "argument --reason: 'a\\nb' is no reason that fits on a line"),
        ([OPTION, "--reason"], "argument --reason: expected one argument"),
    ],
)
def test_usage_errors(project: Path, arguments: list[str], said: str) -> None:
    status, out, err = run(*arguments, cwd=project)
    assert (status, out) == (2, "")
    assert err.splitlines()[-1] == f"grpo-lint: error: {said}"
    assert (project / "a.py").read_text() == FAULTY


# other linters


def test_ruff_leaves_them_with_lint_external(project: Path) -> None:
    """And takes them for its own without."""
    (project / "a.py").write_text("import os  # noqa: F401\n" + with_line(f"{LINE}  # noqa: E501"))
    assert run(OPTION, cwd=project)[0] == 0
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--exit-zero"]
    command += ["--select=F401,E501,RUF100,RUF102", "--line-length=20", "--output-format=concise", "a.py"]
    untold, told = (
        subprocess.run([*command, *more], cwd=project, capture_output=True, text=True, check=True)
        for more in ((), ('--config=lint.external=["GRPO"]',))
    )
    assert "RUF" in untold.stdout and "GRPO001" in untold.stdout
    assert "RUF" not in told.stdout
    assert "a.py:3:" not in told.stdout, "the E501 that stood there before is still in force"


# properties


def is_same_code(before: str, after: str) -> bool:
    return ast.dump(ast.parse(before)) == ast.dump(ast.parse(after))


def without_suppressions(source: Source) -> str:
    """The text after all codes of ours are taken out, as if none of them were of use."""
    while True:
        ours = (
            (each, [code for code in each.codes if code.startswith("GRPO")])
            for each in read_suppressions(source.text).directives
        )
        found = next(((directive, codes) for directive, codes in ours if codes), None)
        if found is None:
            return source.text
        source = Source.from_text(source.path, edits.apply(source, removal(source, *found)))


def require_properties(text: str) -> int:
    config = Config(preview=True)
    source = Source.from_text(str(CASES / "case.py"), text)
    found = find(source, config, Cache).items
    done = suppress(source, {place_of(each.finding) for each in found}, PLACEHOLDER, config, Cache)
    assert done.analysis.items == find(done.source, config, Cache).items == ()
    assert is_same_code(text, done.source.text)
    assert without_suppressions(done.source) == without_suppressions(source)
    judged = find(done.source, config._replace(select=("ALL", "GRPO100")), Cache).items
    assert [each.finding.code for each in judged if each.finding.code == "GRPO100"] == []
    return len(found)


NOTES = st.sampled_from(
    ["", "", "  # noqa", "  # noqa: E501", "  # noqa: E501 - a url", "  # a note", "  # type: ignore", "  #"]
)


@st.composite
def noted(draw: st.DrawFn, text: str) -> str:
    """A program with comments of several kinds at the ends of lines that take one, and some backslashes."""
    source = Source.from_text("case.py", text.replace("# expect", "# case"))
    closed = closed_rows(source)
    lines = source.text.splitlines()
    for row, line in enumerate(lines, 1):
        if row not in closed and "#" not in line and line.strip():
            lines[row - 1] = line.rstrip() + draw(NOTES)
    return "\n".join(line.rstrip() for line in lines) + "\n"


@pytest.mark.parametrize("name", NAMES)
def test_all_cases_are_suppressed_and_restored(name: str) -> None:
    text = (CASES / f"{name}.py").read_text()
    assert require_properties(text) == len(expectations(text))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(st.data())
def test_mutilated_cases_are_suppressed_and_restored(data: st.DataObject) -> None:
    text = data.draw(mutilated())
    try:
        ast.parse(text)
    except SyntaxError:
        return
    require_properties(data.draw(noted(text)))


@pytest.mark.parametrize("length", [20, 60, 88])
def test_a_formatter_may_break_the_line(tmp_path: Path, length: int) -> None:
    """Black and ruff put the comment behind the statement then, and nothing comes up again."""
    for name in NAMES:
        (tmp_path / f"{name}.py").write_bytes((CASES / f"{name}.py").read_bytes().replace(b"# expect", b"# case"))
    assert run(OPTION, "--isolated", cwd=tmp_path)[0] == 0
    before = [path.read_bytes() for path in sorted(tmp_path.glob("*.py"))]
    for command in ("black -q", "ruff format --no-cache --isolated"):
        formatter = [sys.executable, "-m", *command.split(), f"--line-length={length}", "."]
        subprocess.run(formatter, cwd=tmp_path, check=True, capture_output=True)
        assert [path.read_bytes() for path in sorted(tmp_path.glob("*.py"))] != before
        assert run("--isolated", "--select=GRPO0", cwd=tmp_path) == (0, "All checks passed!\n", "")
