from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from pathlib import Path
from types import ModuleType

import pytest
from command_line import FAULTY, ROOT, child, environment, run

import grpo_lint
from grpo_lint import cli, rules
from grpo_lint.config import Config
from grpo_lint.model import Fault, FileResult, Finding, Fix, Position, Range, Safety
from grpo_lint.runner import Job
from grpo_lint.subjects import SUBJECTS

AT = Range(Position(3, 5), Position(3, 9))

CLEAN = "def total(values):\n    return sum(values)\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "clean.py").write_text(CLEAN)
    return tmp_path


# usage


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--no-such-option"], "unrecognized arguments: --no-such-option"),
        (["--fi"], "unrecognized arguments: --fi: did you mean '--fix'?"),
        (["--extend-selct=GRPO001"], "unrecognized arguments: --extend-selct=GRPO001: did you mean '--extend-select'?"),
        (["--\x1b"], "unrecognized arguments: --\\x1b"),
        (["--select"], "argument --select: expected one argument"),
        (["--select", "GRPO999"], "argument --select: unknown code 'GRPO999'"),
        (["--select", "grpo001"], "argument --select: unknown code 'grpo001': did you mean 'GRPO001'?"),
        (["--select", "GRPO001,"], "argument --select: unknown code ''"),
        (["--select", ""], "argument --select: unknown code ''"),
        (["--ignore", "GRPO001,E501"], "argument --ignore: unknown code 'E501'"),
        (["--ignore", "\x1b"], "argument --ignore: unknown code '\\x1b'"),
        (["--extend-select", "GRP001"], "argument --extend-select: unknown code 'GRP001': did you mean 'GRPO001'?"),
        (["--output-format", "yaml"], "'yaml' is not one of text, concise, json, github, sarif, gitlab, junit, rdjson"),
        (["--output-format", "jsno"], "rdjson: did you mean 'json'?"),
        (["--color", "alway"], "argument --color: 'alway' is not one of auto, always, never: did you mean 'always'?"),
        (["--config", "x.toml", "--isolated"], "argument --isolated: not allowed with argument --config"),
        (["--exit-zero", "--exit-non-zero-on-fix"], "not allowed with argument --exit-zero"),
        (["--diff", "--output-format", "json"], "--diff writes a patch"),
        (["--preview", "rules"], "'rules' is a command: put it first, or write ./rules for the path"),
        (["--fix", "check", "clean.py"], "'check' is a command"),
        (["explain"], "the following arguments are required: CODE"),
        (["explain", "GRPO999"], "unknown rule 'GRPO999'"),
        (["explain", "GRPO"], "unknown rule 'GRPO'"),
        (["explain", "grp001"], "unknown rule 'grp001': did you mean 'GRPO001'?"),
        (["explain", "reward-shape"], "unknown rule 'reward-shape': did you mean 'reward-reshape'?"),
        (["explain", "GRPO001", "GRPO002"], "unrecognized arguments: GRPO002"),
        (["rules", "x"], "unrecognized arguments: x"),
    ],
)
def test_usage_errors(project: Path, arguments: list[str], said: str) -> None:
    status, out, err = run(*arguments, cwd=project)
    assert (status, out) == (2, "")
    assert said in err.replace("\n", " ")


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["check", "--help"]])
def test_help(tmp_path: Path, arguments: list[str]) -> None:
    status, out, err = run(*arguments, cwd=tmp_path)
    assert (status, err) == (0, "")
    assert all(word in out for word in ("--fix", "examples:", "explain CODE", "exit status: 0"))


def test_version(tmp_path: Path) -> None:
    assert run("--version", cwd=tmp_path) == (0, f"grpo-lint {grpo_lint.__version__}\n", "")


def test_rules_lists_every_rule(tmp_path: Path) -> None:
    status, out, err = run("rules", cwd=tmp_path)
    assert (status, err) == (0, "")
    header, *lines = out.splitlines()
    assert header.split() == ["code", "name", "fixable", "preview", "summary"]
    assert tuple(line.split()[0] for line in lines) == rules.CODES
    assert "GRPO001  reward-reshape" in out


@pytest.mark.parametrize("code", rules.CODES)
def test_explain_prints_the_rules_documentation(tmp_path: Path, code: str) -> None:
    name = next(rule.name for rule in rules.RULES if rule.code == code)
    for word in (code, code.lower(), name):
        assert run("explain", word, cwd=tmp_path) == (0, rules.documentation(code) + "\n", "")
    assert code in rules.documentation(code)


def test_explain_renders_on_a_terminal(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "grpo_lint", "explain", "GRPO001"]
    with subprocess.Popen(command, cwd=tmp_path, env=environment(TERM="xterm", COLUMNS="80"), stdout=theirs) as child:
        os.close(theirs)
        out = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    assert child.returncode == 0
    assert b"What it does" in out
    assert b"## What" not in out


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:  # the other end is closed
        return b""


# the rules package


def test_every_rule_is_found_by_its_file_name() -> None:
    files = sorted((ROOT / "grpo_lint" / "rules").glob("grpo*.py"))
    assert tuple(file.name[:7].upper() for file in files) == rules.CODES
    loaded = [rule.code for subject in SUBJECTS for rule, _ in rules.load(subject)]
    assert tuple(sorted(loaded)) == rules.CODES
    assert tuple(rule.code for rule in rules.RULES) == rules.CODES


def test_two_files_of_one_code_are_refused() -> None:
    with pytest.raises(ValueError, match="GRPO001"):
        rules._module_names(["grpo001_a.py", "grpo001_b.py"])


def test_files_that_are_no_rules_are_left_alone() -> None:
    assert rules._module_names(["_rule.py", "__init__.py", "grpo.py", "grpo001_a.pyc", "xgrpo001_a.py"]) == {}


def test_unknown_attributes_and_codes() -> None:
    with pytest.raises(AttributeError):
        rules.no_such_name  # noqa: B018
    with pytest.raises(KeyError):
        rules.documentation("GRPO999")


# whole runs


@pytest.mark.parametrize(
    "arguments", [[], ["."], ["check"], ["check", "."], ["clean.py"], ["--", "clean.py"], ["--fix"]]
)
def test_a_clean_project(project: Path, arguments: list[str]) -> None:
    assert run(*arguments, cwd=project) == (0, "All checks passed!\n", "")


def test_a_clean_project_as_json_and_as_diff(project: Path) -> None:
    assert run("--output-format", "json", cwd=project) == (0, "[]\n", "")
    assert run("--diff", cwd=project) == (0, "", "All checks passed!\n")


def test_options_may_stand_between_paths(project: Path) -> None:
    (project / "other.py").write_text(CLEAN)
    assert run("clean.py", "--preview", "other.py", "--select", "GRPO001", cwd=project)[0] == 0


def test_nothing_to_check_is_said(tmp_path: Path) -> None:
    status, out, err = run(cwd=tmp_path)
    assert (status, out) == (0, "All checks passed!\n")
    assert err == "grpo-lint: warning: no Python files to check\n"


@pytest.mark.parametrize("name", ["rules", "explain", "check"])
def test_a_path_named_like_a_command(project: Path, name: str) -> None:
    (project / name).mkdir()
    (project / name / "a.py").write_text(FAULTY)
    status, out, _ = run(f"./{name}", cwd=project)
    assert status == 1
    assert out.startswith(f"{name}/a.py:5:15: GRPO001 ")


def test_findings(project: Path) -> None:
    (project / "faulty.py").write_text(FAULTY)
    status, out, err = run(cwd=project)
    assert (status, err) == (1, "")
    assert out.startswith("faulty.py:5:15: GRPO001 ")
    assert "Found 1 finding.\n" in out


def test_findings_as_json(project: Path) -> None:
    (project / "faulty.py").write_text(FAULTY)
    status, out, err = run("--output-format", "json", cwd=project)
    assert (status, err) == (1, "")
    (row,) = json.loads(out)
    assert (row["code"], row["filename"]) == ("GRPO001", str(project / "faulty.py"))


@pytest.mark.parametrize(
    "arguments",
    [["--select", "GRPO002"], ["--ignore", "GRPO001"], ["--ignore", "GRPO002,GRPO001"], ["--ignore", "ALL"]],
)
def test_rules_that_are_not_selected_are_quiet(project: Path, arguments: list[str]) -> None:
    (project / "faulty.py").write_text(FAULTY)
    assert run(*arguments, cwd=project)[0] == 0


def test_the_configuration_selects(project: Path) -> None:
    (project / "faulty.py").write_text(FAULTY)
    (project / "pyproject.toml").write_text('[tool.grpo-lint]\nignore = ["GRPO001"]\n')
    assert run(cwd=project)[0] == 0
    assert run("--select", "GRPO001", cwd=project)[0] == 1


def test_a_broken_configuration_is_exit_2(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.grpo-lint]\nslect = []\n")
    status, out, err = run(cwd=project)
    assert status == 2
    assert out == "No findings, but not everything was checked: 1 error.\n"
    assert err == "pyproject.toml: slect: unknown key: did you mean 'select'?\n"


def test_a_run_without_candidates_imports_nothing_heavy(project: Path) -> None:
    script = (
        "import sys; from grpo_lint.cli import main; status = main([]);"
        "heavy = ('libcst', 'torch', 'numpy', 'rich', 'pathspec', 'difflib', 'tomllib', 'multiprocessing');"
        "sys.stderr.write(repr([name for name in heavy if name in sys.modules]))"
    )
    assert child("-c", script, cwd=project) == (0, "All checks passed!\n", "[]")


# what the command line makes of results, whatever the rules are


class FakeMode(Enum):
    CHECK = "check"
    FIX = "fix"
    DIFF = "diff"


Runner = Callable[[str, Config, FakeMode, bool], FileResult]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, project: Path) -> Iterator[Callable[[Runner], None]]:
    def install(check_file: Runner) -> None:
        module = ModuleType("grpo_lint.runner")

        def check_files(jobs: Sequence[Job], mode: FakeMode) -> tuple[FileResult, ...]:
            return tuple(check_file(job.path, job.config, mode, job.unsafe_fixes) for job in jobs)

        module.__dict__.update(Mode=FakeMode, Job=Job, check_files=check_files)
        monkeypatch.setitem(sys.modules, "grpo_lint.runner", module)
        monkeypatch.setattr(rules, "CODES", ("GRPO001", "GRPO002"))

    monkeypatch.chdir(project)
    yield install


def finding(reference_module: str | None = None) -> Finding:
    return Finding("GRPO001", "reward-reshape", "is wrong", AT, Fix(Safety.SAFE, "Group", (), reference_module))


@pytest.mark.parametrize(
    ("result", "arguments", "status"),
    [
        (FileResult("a.py"), [], 0),
        (FileResult("a.py", warnings=("w",)), [], 0),
        (FileResult("a.py", (finding(),)), [], 1),
        (FileResult("a.py", (finding(),)), ["--fix"], 1),
        (FileResult("a.py", (), (finding(),), diff="d"), ["--fix"], 0),
        (FileResult("a.py", (), (finding(),), diff="d"), ["--diff"], 1),
        (FileResult("a.py", (finding(),)), ["--diff"], 1),
        (FileResult("a.py"), ["--diff"], 0),
        (FileResult("a.py", fault=Fault("no")), [], 2),
        (FileResult("a.py", (finding(),), fault=Fault("no")), [], 2),
        (FileResult("a.py", (finding(),), fault=Fault("no")), ["--diff"], 2),
    ],
)
def test_exit_status(fake: Callable[[Runner], None], result: FileResult, arguments: list[str], status: int) -> None:
    fake(lambda *_: result)
    assert cli.main(["clean.py", *arguments]) == status


@pytest.mark.parametrize(
    ("arguments", "mode", "unsafe_fixes"),
    [
        ([], "check", False),
        (["--unsafe-fixes"], "check", True),
        (["--fix"], "fix", False),
        (["--fix", "--unsafe-fixes"], "fix", True),
        (["--diff"], "diff", False),
        (["--diff", "--fix"], "diff", False),
    ],
)
def test_what_the_runner_is_asked(
    fake: Callable[[Runner], None], project: Path, arguments: list[str], mode: str, unsafe_fixes: bool
) -> None:
    asked: list[tuple[str, str, bool]] = []

    def check_file(path: str, config: Config, mode: FakeMode, unsafe_fixes: bool) -> FileResult:
        asked.append((path, mode.value, unsafe_fixes))
        return FileResult(path)

    fake(check_file)
    cli.main(arguments)
    assert asked == [(str(project / "clean.py"), mode, unsafe_fixes)]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], (("ALL",), (), False)),
        (["--select", "GRPO001,GRPO002"], (("GRPO001", "GRPO002"), (), False)),
        (["--select", "GRPO001", "--select", " GRPO002 "], (("GRPO001", "GRPO002"), (), False)),
        (["--ignore", "GRPO0", "--preview"], (("ALL",), ("GRPO0",), True)),
    ],
)
def test_what_the_options_select(
    fake: Callable[[Runner], None], arguments: list[str], expected: tuple[tuple[str, ...], tuple[str, ...], bool]
) -> None:
    configs: list[Config] = []

    def check_file(path: str, config: Config, mode: FakeMode, unsafe_fixes: bool) -> FileResult:
        configs.append(config)
        return FileResult(path)

    fake(check_file)
    cli.main(arguments)
    assert [(config.select, config.ignore, config.preview) for config in configs] == [expected]


def test_faults_and_warnings_go_to_standard_error(
    fake: Callable[[Runner], None], capsys: pytest.CaptureFixture[str], project: Path
) -> None:
    position = Position(3, 7)
    fake(lambda path, *_: FileResult(path, fault=Fault("invalid\nsyntax", position), warnings=("line 2: a hint",)))
    assert cli.main([]) == 2
    out, err = capsys.readouterr()
    assert err == "clean.py:3:7: invalid\\nsyntax\nclean.py: warning: line 2: a hint\n"
    assert out == "No findings, but not everything was checked: 1 error.\n"


def test_diffs_go_to_standard_output_and_counts_to_standard_error(
    fake: Callable[[Runner], None], capsys: pytest.CaptureFixture[str], project: Path
) -> None:
    (project / "b.py").write_text(CLEAN)
    fake(lambda path, *_: FileResult(path, (), (finding(),), diff=f"--- {Path(path).name}\n-é\r\n"))
    assert cli.main(["--diff"]) == 1
    out, err = capsys.readouterr()
    assert out == "--- b.py\n-é\r\n--- clean.py\n-é\r\n"
    assert err == "Would fix 2 findings, 0 would remain.\n"


@pytest.mark.parametrize(
    ("module", "option", "lines"),
    [
        ("grpo_lint.reference", "--fix", 1),
        ("grpo_lint.reference", "--diff", 0),
        ("slime.utils", "--fix", 0),
        (None, "--fix", 0),
    ],
)
def test_a_new_dependency_is_said_once(
    fake: Callable[[Runner], None], capsys: pytest.CaptureFixture[str], module: str | None, option: str, lines: int
) -> None:
    Path("b.py").write_text(CLEAN)
    fake(lambda path, *_: FileResult(path, (), (finding(module),)))
    cli.main([option])
    said = [line for line in capsys.readouterr().err.splitlines() if "pip install 'grpo-lint[torch]'" in line]
    assert len(said) == lines
    assert all("`grpo-lint vendor PATH`" in line for line in said)


def test_an_interrupt_is_130(fake: Callable[[Runner], None]) -> None:
    def check_file(*_: object) -> FileResult:
        raise KeyboardInterrupt

    fake(check_file)
    assert cli.main([]) == 130


def test_ctrl_c(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    # a job that a shell starts in the background ignores the signal, and so do its children unless they say otherwise
    script = (
        "import pathlib, signal, time; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from grpo_lint import cli, runner;"
        "runner.check_files = lambda *_: (pathlib.Path('started').touch(), time.sleep(60));"
        "raise SystemExit(cli.main(['a.py']))"
    )
    command = [sys.executable, "-c", script]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        end = time.monotonic() + 60
        while not (tmp_path / "started").exists() and time.monotonic() < end:
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=30)
    assert (tmp_path / "started").exists()
    assert child.returncode == 130
    assert b"Traceback" not in err


@pytest.mark.parametrize("arguments", [["rules"], ["explain", "GRPO001"], ["."]])
def test_a_closed_pipe(project: Path, arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    status, _, err = child("-m", "grpo_lint", *arguments, cwd=project, stdout=writer)
    os.close(writer)
    assert (status, err) == (2, "")


def test_a_full_disk_is_exit_2(project: Path) -> None:
    with Path("/dev/full").open("w") as full:
        status, _, err = child("-m", "grpo_lint", cwd=project, stdout=full)
    assert status == 2
    assert err.startswith("grpo-lint: ")
    assert "Traceback" not in err


def test_an_ascii_terminal(project: Path) -> None:
    (project / "é.py").write_text(FAULTY)
    status, out, _ = child("-m", "grpo_lint", cwd=project, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert status == 1
    assert out.startswith("\\xe9.py:5:15: GRPO001 ")
