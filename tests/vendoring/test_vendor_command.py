"""`grpo-lint vendor` as it is called: what it writes, says and returns, and that the code then trains without it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import grpo_lint
from grpo_lint import __version__, cli, edits

ROOT = Path(grpo_lint.__file__).parent.parent

TRAINER = """\
import torch
from {package}samples import Sample


def advantages_of(args, samples: list[Sample]):
    rewards = torch.tensor([sample.reward for sample in samples])
    rewards = rewards.view(-1, args.n_samples_per_prompt)
    return (rewards - rewards.mean(dim=-1, keepdim=True)).flatten()
"""
SAMPLES = """\
from dataclasses import dataclass


@dataclass
class Sample:
    reward: float
    group_index: int | None = None
"""
IMPORTER = "from grpo_lint.reference import normalize_rewards_by_group\n"

# Runs a repaired trainer where grpo_lint cannot be imported.
TRAINING = """
import sys
sys.modules["grpo_lint"] = None
from {package}samples import Sample
from {package}trainer import advantages_of
class args:
    n_samples_per_prompt = 2
samples = [Sample(0.0, 1), Sample(2.0, 1), Sample(4.0, 1), Sample(7.0, 2), Sample(9.0, 2)]
print([float(advantage) for advantage in advantages_of(args, samples)])
"""
ADVANTAGES = "[-2.0, 0.0, 2.0, -1.0, 1.0]\n"


def child(*command: str, cwd: Path, path: str = str(ROOT), **more: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": path, **more},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def lint(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """The command line, run in a folder: exit status, standard output and standard error."""

    def run(*words: str, cwd: Path) -> tuple[int, str, str]:
        monkeypatch.chdir(cwd)
        capsys.readouterr()
        status = cli.main(list(words))
        return (status, *capsys.readouterr())

    return run


def write(folder: Path, **files: str) -> Path:
    """Files by their paths, in which `__` stands for a slash."""
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def package(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "__init__.py").touch()


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A package `lab` with a trainer that imports from the linter."""
    (tmp_path / "pyproject.toml").write_text("")
    package(tmp_path, "lab")
    return write(tmp_path, lab__trainer=IMPORTER)


# layouts: before the repair and after it


LAYOUTS = {
    "flat": ("", "", "groups"),
    "package": ("lab", "", "lab.groups"),
    "inner package": ("lab/algorithms", "", "lab.algorithms.groups"),
    "src": ("src/lab", "src", "lab.groups"),
    "one of several projects": ("libs/rl/lab", "libs/rl", "lab.groups"),
    "one of several projects, src": ("libs/rl/src/lab", "libs/rl/src", "lab.groups"),
}


def lay_out(layout: str, tmp_path: Path) -> tuple[Path, Path, str]:
    """The folder of the modules, that which Python starts in, and how modules are prefixed."""
    where, start, name = LAYOUTS[layout]
    home = tmp_path / where
    prefix = name.removesuffix("groups")
    if prefix:
        package(tmp_path / start, *("/".join(prefix.split(".")[:end]) for end in range(1, prefix.count(".") + 1)))
    project = tmp_path / "libs/rl" if layout.startswith("one of") else tmp_path
    project.mkdir(parents=True, exist_ok=True)
    (project / "pyproject.toml").write_text("")
    (tmp_path / ".git").mkdir()
    write(home, trainer=TRAINER.format(package=prefix), samples=SAMPLES)
    return home, tmp_path / start, prefix


@pytest.mark.parametrize("layout", LAYOUTS)
def test_vendor_and_then_fix(layout: str, lint, tmp_path: Path) -> None:
    home, _, prefix = lay_out(layout, tmp_path)
    assert lint("vendor", str(home / "groups.py"), cwd=tmp_path)[0] == 0
    status, _, err = lint("--fix", ".", cwd=tmp_path)
    assert (status, err) == (0, "")
    assert f"from {prefix}groups import normalize_rewards_by_group\n" in (home / "trainer.py").read_text()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_fix_and_then_vendor(layout: str, lint, tmp_path: Path) -> None:
    home, start, prefix = lay_out(layout, tmp_path)
    status, _, err = lint("--fix", ".", cwd=tmp_path)
    assert status == 0
    assert "`pip install 'grpo-lint[torch]'` or `grpo-lint vendor PATH`" in err
    assert lint("vendor", str(home / "groups.py"), cwd=tmp_path)[0] == 0
    assert f"from {prefix}groups import normalize_rewards_by_group\n" in (home / "trainer.py").read_text()
    assert child("-c", TRAINING.format(package=prefix), cwd=start, path=str(start)) == (0, ADVANTAGES, "")
    assert lint(".", cwd=tmp_path)[:2] == (0, "All checks passed!\n")


OWN = """\
def normalize_rewards_by_group({parameters}):
    return rewards
"""


@pytest.mark.parametrize(
    ("parameters", "module"),
    [
        ("rewards, group_indices, *, normalize_std, fallback_group_size=None", "lab.own"),
        ("rewards, group_indices, **settings", "lab.own"),
        ("args, samples", "lab.groups"),
        ("rewards, group_indices", "lab.groups"),
        ("rewards: list[float], group_indices, *, normalize_std, fallback_group_size=None", "lab.groups"),
    ],
)
def test_a_function_of_the_projects_own_comes_first_if_it_fits(
    parameters: str, module: str, lint, tmp_path: Path
) -> None:
    # The input is a tensor; the copy's folder is farther from the trainer than the other one's.
    (tmp_path / "pyproject.toml").write_text("")
    package(tmp_path, "lab", "lab/near")
    trainer = TRAINER.format(package="lab.near.")
    write(tmp_path, lab__near__trainer=trainer, lab__near__samples=SAMPLES)
    write(tmp_path, lab__near__own=OWN.format(parameters=parameters))
    assert lint("vendor", "lab/groups.py", cwd=tmp_path)[0] == 0
    assert lint("--fix", ".", cwd=tmp_path)[0] == 0
    expected = module.replace("lab.own", "lab.near.own")
    assert f"from {expected} import normalize_rewards_by_group" in (tmp_path / "lab/near/trainer.py").read_text()


# what is written and said


def test_the_first_time(project: Path, lint) -> None:
    assert lint("vendor", "lab/groups.py", "--tests", "tests/test_groups.py", cwd=project)[0] == 2
    (project / "tests").mkdir()
    assert lint("vendor", "lab/groups.py", "--tests", "tests/test_groups.py", cwd=project) == (
        0,
        "lab/groups.py: written, for `import lab.groups`\n"
        "tests/test_groups.py: written\n"
        "lab/trainer.py: imports from lab.groups now\n",
        "",
    )
    assert (project / "lab/trainer.py").read_text() == IMPORTER.replace("grpo_lint.reference", "lab.groups")
    assert "from lab.groups import normalize_rewards_by_group, post_" in (project / "tests/test_groups.py").read_text()
    assert (
        "grpo-lint vendor lab/groups.py --tests tests/test_groups.py" in (project / "tests/test_groups.py").read_text()
    )
    assert not [path for path in project.rglob(".*") if path.is_file()]


def test_the_second_time_nothing_is_written(project: Path, lint) -> None:
    words = ("vendor", "lab/groups.py", "--tests", "test_groups.py")
    lint(*words, cwd=project)
    before = {path: path.stat().st_mtime_ns for path in project.rglob("*.py")}
    assert lint(*words, cwd=project) == (0, "lab/groups.py: is current\ntest_groups.py: is current\n", "")
    assert {path: path.stat().st_mtime_ns for path in project.rglob("*.py")} == before


def test_from_another_folder(project: Path, lint, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    status, out, _ = lint("vendor", str(project / "lab/groups.py"), cwd=elsewhere)
    assert status == 0
    assert out.splitlines()[1] == f"{project / 'lab/trainer.py'}: imports from lab.groups now"
    assert "grpo-lint vendor lab/groups.py\n" in (project / "lab/groups.py").read_text()
    assert lint("vendor", "../lab/groups.py", "--check", cwd=project / "lab") == (0, "groups.py: is current\n", "")


def test_a_folder_gets_files_of_the_usual_names(project: Path, lint) -> None:
    (project / "tests").mkdir()
    assert lint("vendor", "lab", "--tests", "tests", cwd=project)[0] == 0
    assert (project / "lab/grpo_reference.py").is_file()
    assert (project / "tests/test_grpo_reference.py").is_file()
    assert "from lab.grpo_reference import" in (project / "lab/trainer.py").read_text()


def test_the_tests_that_are_written_pass_without_the_linter(project: Path, lint) -> None:
    assert lint("vendor", "lab/groups.py", "--tests", "tests_of_mine.py", cwd=project)[0] == 0
    absent = "import sys\n\nfor name in ('grpo_lint', 'numpy', 'hypothesis'):\n    sys.modules[name] = None\n"
    write(project, conftest=absent)
    words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests_of_mine.py")
    status, out, err = child(*words, cwd=project, path=str(project), PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    assert status == 0, out + err


def test_what_is_written_is_clean_and_formatted(project: Path, lint) -> None:
    assert lint("vendor", "lab", "--tests", "test_groups.py", cwd=project)[0] == 0
    assert lint("--preview", ".", cwd=project)[:2] == (0, "All checks passed!\n")
    done = child("-m", "ruff", "format", "--check", "--config", "line-length = 120", ".", cwd=project)
    assert done[0] == 0, done
    settings = ("--isolated", "--select", "E,F,B,UP,I", "--line-length", "120", "--target-version", "py310")
    files = ("lab/grpo_reference.py", "test_groups.py")
    assert child("-m", "ruff", "check", *settings, *files, cwd=project)[0] == 0


def test_the_command_imports_neither_torch_nor_libcst(project: Path) -> None:
    script = (
        "import sys; from grpo_lint.cli import main; status = main(['vendor', 'lab', '--tests', 't.py']); "
        "print(status, {'torch', 'libcst', 'pytest', 'numpy'} & set(sys.modules))"
    )
    assert child("-c", script, cwd=project)[1].splitlines()[-1] == "0 set()"


# --check


def test_check_writes_nothing_and_says_what_is_not_current(project: Path, lint) -> None:
    before = tree(project)
    words = ("vendor", "lab/groups.py", "--tests", "test_groups.py", "--check")
    status, out, err = lint(*words, cwd=project)
    assert (status, err) == (1, "")
    assert out == (
        "lab/groups.py: is missing\n"
        "test_groups.py: is missing\n"
        "lab/trainer.py:1:1: names grpo_lint.reference: `lab.groups` should be imported from\n"
    )
    assert tree(project) == before
    lint(*words[:-1], cwd=project)
    assert lint(*words, cwd=project) == (0, "lab/groups.py: is current\ntest_groups.py: is current\n", "")


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        (lambda text: text.replace("1e-6", "1e-7"), 1, f"was changed since grpo-lint {__version__} wrote it"),
        (lambda text: "x = 1\n", 1, "is not a copy that grpo-lint made"),
        (lambda text: text.replace("import math", "import math, ("), 2, "does not parse: invalid syntax"),
        (lambda text: text.replace(f"grpo-lint {__version__},", "grpo-lint 0.0.1,"), 0, "is current"),
    ],
)
def test_check_of_a_changed_copy(change, status: int, said: str, project: Path, lint) -> None:
    lint("vendor", "lab/groups.py", cwd=project)
    path = project / "lab/groups.py"
    path.write_text(change(path.read_text()))
    found, out, err = lint("vendor", "lab/groups.py", "--check", cwd=project)
    assert (found, out + err) == (status, f"lab/groups.py: {said}\n")
    assert (err == "") is (status != 2)


def test_check_of_an_older_version(project: Path, lint, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "# SPDX-License-Identifier: Apache-2.0\nx = 1\n"
    with monkeypatch.context() as older:
        older.setattr("grpo_lint.vendoring.copies.__version__", "0.0.1")
        (project / "lab/groups.py").write_text(grpo_lint_copy(text))
    said = f"is outdated: grpo-lint 0.0.1 wrote it, and {__version__} writes another"
    status, out, _ = lint("vendor", "lab/groups.py", "--check", cwd=project)
    assert (status, out.splitlines()[0]) == (1, f"lab/groups.py: {said}")
    status, out, _ = lint("vendor", "lab/groups.py", cwd=project)
    assert (status, out.splitlines()[0]) == (0, f"lab/groups.py: written anew: it {said}, for `import lab.groups`")
    assert lint("vendor", "lab/groups.py", "--check", cwd=project)[0] == 0


def grpo_lint_copy(body: str) -> str:
    from grpo_lint.vendoring.copies import with_header

    return with_header(body, "grpo-lint vendor lab/groups.py")


def test_tests_for_another_module_are_outdated(project: Path, lint) -> None:
    lint("vendor", "lab/old.py", "--tests", "test_groups.py", cwd=project)
    (project / "lab/old.py").unlink()
    words = ("vendor", "lab/groups.py", "--tests", "test_groups.py")
    assert "test_groups.py: is outdated" in lint(*words, "--check", cwd=project)[1]
    assert lint(*words, cwd=project)[0] == 0
    assert lint(*words, "--check", cwd=project)[0] == 0


# what is not written over


@pytest.mark.parametrize(
    "text", ["", "def mine(): ...\n", "def (\n", "# Copied from grpo-lint 0.1.0, content 0123456789abcdef.\n"]
)
@pytest.mark.parametrize("which", ["lab/groups.py", "test_groups.py"])
def test_another_file_is_left_alone_unless_forced(text: str, which: str, project: Path, lint) -> None:
    (project / which).write_text(text)
    before = tree(project)
    words = ("vendor", "lab/groups.py", "--tests", "test_groups.py")
    status, out, err = lint(*words, cwd=project)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"{which}: ")
    assert err.endswith("; nothing is written (--force writes over it)\n")
    assert tree(project) == before
    status, out, err = lint(*words, "--force", cwd=project)
    assert (status, err) == (0, "")
    assert f"{which}: written anew: it " in out
    assert lint(*words, "--check", cwd=project)[0] == 0


def test_an_edited_copy_is_left_alone_and_so_are_the_imports(project: Path, lint) -> None:
    lint("vendor", "lab/groups.py", cwd=project)
    path = project / "lab/groups.py"
    path.write_text(path.read_text() + "\n\nMINE = 1\n")
    write(project, lab__trainer=IMPORTER)
    before = tree(project)
    status, out, err = lint("vendor", "lab/groups.py", cwd=project)
    assert (status, out) == (2, "")
    assert err.startswith(f"lab/groups.py: was changed since grpo-lint {__version__} wrote it; nothing is written")
    assert tree(project) == before


# places that cannot be


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nowhere/groups.py", "cannot be written: {project}/nowhere is not a folder"),
        ("lab/groups", "does not end in .py, and is not a folder"),
        ("lab/groups.txt", "does not end in .py, and is not a folder"),
        ("lab/my-groups.py", "cannot be imported: `my-groups` is no name that Python code can use"),
        ("lab/class.py", "cannot be imported: `class` is no name that Python code can use"),
        ("lab/1.py", "cannot be imported: `1` is no name that Python code can use"),
        ("lab/__init__.py", "is no place for a copy: give it a module of its own"),
        ("lab/__main__.py", "is no place for a copy: give it a module of its own"),
        ("lab.py", "cannot be imported: the package lab/ beside it has its name"),
        ("statistics.py", "would hide the module `statistics` that other code imports"),
        ("scripts/random.py", "would hide the module `random` that other code imports"),
        ("torch.py", "would hide the module `torch` that other code imports"),
        ("grpo_lint.py", "would hide the module `grpo_lint` that other code imports"),
        ("build/groups.py", "is in build/, where repairs do not look for functions to import"),
        ("lab/.cache/groups.py", "is in .cache/, where repairs do not look for functions to import"),
        ("my-lab/groups.py", "cannot be imported: no folder that is searched for modules leads to it"),
        ("lab/trainer.py/groups.py", "cannot be written: {project}/lab/trainer.py is not a folder"),
        ("dangling.py", "is a link that leads nowhere"),
        ("round.py", "is a link that leads nowhere"),
        ("pipe.py", "is not a regular file"),
    ],
)
@pytest.mark.parametrize("more", [(), ("--check",), ("--force",)])
def test_a_place_that_cannot_be(path: str, said: str, more: tuple[str, ...], project: Path, lint) -> None:
    (project / "scripts").mkdir()
    package(project, "my-lab", "build", "lab/.cache")
    (project / "dangling.py").symlink_to("nothing.py")
    (project / "round.py").symlink_to("round.py")
    os.mkfifo(project / "pipe.py")
    before = (project / "lab/trainer.py").read_bytes(), sorted(project.rglob("*"))
    status, out, err = lint("vendor", path, *more, cwd=project)
    assert (status, out, err) == (2, "", f"grpo-lint: {path}: {said.format(project=project)}\n")
    assert ((project / "lab/trainer.py").read_bytes(), sorted(project.rglob("*"))) == before


@pytest.mark.parametrize(
    "words",
    [
        ["vendor"],
        ["vendor", "a.py", "b.py"],
        ["vendor", "a.py", "--check", "--force"],
        ["vendor", "a.py", "--fix"],
        ["vendor", "a.py", "--tests"],
    ],
)
def test_usage(words: list[str], tmp_path: Path) -> None:
    status, out, err = child("-m", "grpo_lint", *words, cwd=tmp_path)
    assert (status, out) == (2, "")
    assert err.startswith("usage: grpo-lint vendor ")


def test_tests_in_the_place_of_the_copy(project: Path, lint) -> None:
    assert lint("vendor", "lab/groups.py", "--tests", "lab/../lab/groups.py", cwd=project) == (
        2,
        "",
        "grpo-lint: lab/../lab/groups.py: is where the copy itself goes\n",
    )


def test_a_module_in_a_package_may_have_a_name_of_the_standard_library(project: Path, lint) -> None:
    assert lint("vendor", "lab/statistics.py", cwd=project)[0] == 0
    assert "from lab.statistics import" in (project / "lab/trainer.py").read_text()


def test_a_link_stays_and_its_target_is_renewed(project: Path, lint) -> None:
    (project / "shared").mkdir()
    (project / "shared/real.py").write_text("x = 1\n")
    (project / "lab/groups.py").symlink_to("../shared/real.py")
    assert lint("vendor", "lab/groups.py", cwd=project)[0] == 2
    assert lint("vendor", "lab/groups.py", "--force", cwd=project)[0] == 0
    assert (project / "lab/groups.py").is_symlink()
    assert "def normalize_rewards_by_group" in (project / "shared/real.py").read_text()


@pytest.mark.parametrize("words", [["lab/groups.py"], ["lab/groups.py", "--tests", "test_groups.py"]])
def test_a_folder_that_may_not_be_written(
    words: list[str], project: Path, lint, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, data: bytes) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    before = tree(project)
    monkeypatch.setattr(edits, "create", refuse)
    status, out, err = lint("vendor", *words, cwd=project)
    assert (status, out) == (2, "")
    assert err.splitlines()[0] == "lab/groups.py: Permission denied"
    assert tree(project) == before


def test_a_broken_configuration(project: Path, lint) -> None:
    (project / "pyproject.toml").write_text("[tool.grpo-lint]\nselekt = []\n")
    status, _, err = lint("vendor", "lab/groups.py", cwd=project)
    assert (status, "selekt: unknown key" in err) == (2, True)


# the project around the copy


def test_what_is_left_is_named(project: Path, lint) -> None:
    write(
        project,
        launch='run("--path grpo_lint.reference.post_process_rewards")\n',
        wrong="import grpo_lint\n\ngrpo_lint.reference.f()\n",
    )
    for more in ((), ("--check",)):
        status, out, err = lint("vendor", "lab/groups.py", *more, cwd=project)
        assert (status, err) == (1, "")
        assert out.splitlines()[-2:] == [
            "launch.py:1:5: names grpo_lint.reference: a string names it",
            "wrong.py:3:1: names grpo_lint.reference: `grpo_lint` is imported, but not `grpo_lint.reference`",
        ]


@pytest.mark.parametrize("more", [(), ("--check",)])
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            b"from grpo_lint.reference import (\n",
            "broken.py:1:33: may import grpo_lint.reference, but does not parse: ",
        ),
        (b"import grpo_lint.reference\nx = '\xff'\n", "broken.py"),
        (b"# coding: klingon\nimport grpo_lint.reference\n", "broken.py"),
        (b"import grpo_lint.reference\nx = " + b"(" * 9000, "broken.py"),
    ],
)
def test_a_file_that_does_not_parse_is_named_and_the_others_done(
    data: bytes, said: str, more: tuple[str, ...], project: Path, lint
) -> None:
    (project / "broken.py").write_bytes(data)
    lint("vendor", "lab/groups.py", cwd=project)
    assert (project / "lab/trainer.py").read_text().startswith("from lab.groups")
    status, _, err = lint("vendor", "lab/groups.py", *more, cwd=project)
    assert (status, err.count("\n")) == (2, 1)
    assert err.startswith(said)
    assert (project / "broken.py").read_bytes() == data


def test_a_broken_file_that_has_nothing_to_do_with_it_is_passed_over(project: Path, lint) -> None:
    (project / "broken.py").write_text("def (\n")
    assert lint("vendor", "lab/groups.py", cwd=project)[0] == 0


@pytest.mark.parametrize(
    "where", ["ignored/a.py", "third_party/a.py", ".venv/lib/a.py", "node_modules/a.py", "lab/data.txt"]
)
def test_what_is_excluded_is_not_touched(where: str, project: Path, lint) -> None:
    (project / ".git").mkdir()
    (project / ".gitignore").write_text("ignored/\n")
    (project / "pyproject.toml").write_text('[tool.grpo-lint]\nextend-exclude = ["third_party"]\n')
    path = project / where
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(IMPORTER)
    assert lint("vendor", "lab/groups.py", cwd=project)[0] == 0
    assert path.read_text() == IMPORTER


def test_a_link_out_of_the_project_is_not_followed(project: Path, lint, tmp_path_factory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "shared.py"
    outside.write_text(IMPORTER)
    (project / "lab/linked.py").symlink_to(outside)
    status, out, _ = lint("vendor", "lab/groups.py", cwd=project)
    assert status == 1
    assert "the file lies outside the project, behind a link" in out
    assert outside.read_text() == IMPORTER


@pytest.mark.parametrize("marker", ["pyproject.toml", "grpo-lint.toml", ".git", None])
def test_the_project_ends_where_it_ends(marker: str | None, lint, tmp_path: Path) -> None:
    project = tmp_path / "project"
    package(project, "lab")
    write(tmp_path, outside=IMPORTER)
    write(project, above=IMPORTER, lab__beside=IMPORTER)
    if marker:
        (project / marker).touch()
    assert lint("vendor", "project/lab/groups.py", cwd=tmp_path)[0] == 0
    assert (tmp_path / "outside.py").read_text() == IMPORTER
    assert ((project / "above.py").read_text() == IMPORTER) is (marker is None)
    assert (project / "lab/beside.py").read_text() == IMPORTER.replace("grpo_lint.reference", "lab.groups")


def test_a_repository_below_another_projects_folder_is_a_project(lint, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "repository/.git").mkdir(parents=True)
    write(tmp_path, outside=IMPORTER)
    write(tmp_path / "repository", inside=IMPORTER)
    assert lint("vendor", "repository/groups.py", cwd=tmp_path)[0] == 0
    assert (tmp_path / "outside.py").read_text() == IMPORTER
    assert (tmp_path / "repository/inside.py").read_text() == IMPORTER.replace("grpo_lint.reference", "groups")


def test_a_project_from_which_the_copy_has_no_name(lint, tmp_path: Path) -> None:
    (tmp_path / "grpo-lint.toml").touch()
    for name in ("a", "b"):
        package(tmp_path / name / "src", f"lab_{name}")
        (tmp_path / name / "pyproject.toml").touch()
        write(tmp_path / name / "src" / f"lab_{name}", trainer=IMPORTER)
    status, out, _ = lint("vendor", "a/src/lab_a/groups.py", cwd=tmp_path)
    assert status == 1
    assert "a/src/lab_a/trainer.py: imports from lab_a.groups now\n" in out
    assert out.splitlines()[-1].startswith("b/src/lab_b/trainer.py:1:1: names grpo_lint.reference: cannot be imported")
    assert (tmp_path / "b/src/lab_b/trainer.py").read_text() == IMPORTER


@pytest.mark.parametrize(
    "data",
    [
        IMPORTER.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + IMPORTER.encode(),
        ("# coding: latin-1\n" + IMPORTER + "x = 'é'\n").encode("latin-1"),
        IMPORTER.rstrip().encode(),
    ],
)
def test_bytes_around_the_import_stay(data: bytes, project: Path, lint) -> None:
    path = project / "lab/trainer.py"
    path.write_bytes(data)
    path.chmod(0o755)
    assert lint("vendor", "lab/groups.py", cwd=project)[0] == 0
    assert path.read_bytes() == data.replace(b"grpo_lint.reference", b"lab.groups")
    assert path.stat().st_mode & 0o777 == 0o755


def test_a_name_that_the_files_encoding_lacks(project: Path, lint) -> None:
    data = b"# coding: latin-1\n" + IMPORTER.encode()
    (project / "lab/trainer.py").write_bytes(data)
    status, _, err = lint("vendor", "lab/gruppen_\u4e2d.py", cwd=project)
    assert (status, (project / "lab/trainer.py").read_bytes()) == (2, data)
    assert err.startswith("lab/trainer.py: ")


def test_new_files_have_the_usual_mode(project: Path, lint) -> None:
    lint("vendor", "lab/groups.py", cwd=project)
    (project / "usual").touch()
    assert (project / "lab/groups.py").stat().st_mode == (project / "usual").stat().st_mode
