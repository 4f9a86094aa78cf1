"""The hooks, run by pre-commit itself in Git repositories."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from scratch import CLEAN, FAULTY, SAMPLES, UNREPAIRABLE, Done, Repository

ROOT = Path(__file__).parent.parent.parent
IDS = ("grpo-lint", "grpo-lint-fix")
REPAIRED = "from my_rl.grouping import normalize_rewards_by_group"
SETTINGS = """\
[tool.grpo-lint]
reference-module = "my_rl.grouping"
extend-exclude = ["third_party/"]
"""
# Each Python process leaves the words that it was started with, as a line.
RECORDER = """\
import json, os, sys
with open(os.environ["PROCESSES"], "a") as file:
    file.write(json.dumps(sys.orig_argv) + "\\n")
"""


@pytest.fixture(scope="session")
def hooked(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment with a home for pre-commit, which builds that of the hooks once."""
    return environment | {"PRE_COMMIT_HOME": str(tmp_path_factory.mktemp("pre-commit"))}


@pytest.fixture
def project(tmp_path: Path, hooked: dict[str, str]) -> Repository:
    made = Repository.create(tmp_path / "a project", hooked)
    made.commit({"samples.py": SAMPLES, "pyproject.toml": SETTINGS})
    return made


def configuration(product: Repository, identifier: str, **more: object) -> str:
    hook = {"id": identifier, **more}
    source = {"repo": str(product.folder), "rev": product.git("rev-parse", "HEAD"), "hooks": [hook]}
    return yaml.safe_dump({"repos": [source]})


def pre_commit(project: Repository, *arguments: str, **variables: str) -> Done:
    return project.run(sys.executable, "-m", "pre_commit", *arguments, **variables)


def install(project: Repository, product: Repository, identifier: str, **more: object) -> None:
    project.commit({".pre-commit-config.yaml": configuration(product, identifier, **more)})
    done = pre_commit(project, "install")
    assert done.returncode == 0, done.stdout


def try_commit(project: Repository, **files: str) -> tuple[bool, str]:
    """Whether a commit of files was made, and what was printed."""
    project.write({name.replace("__", "/") + ".py": text for name, text in files.items()})
    project.git("add", "--all")
    before = project.git("rev-parse", "HEAD")
    done = project.run("git", "commit", "--message", "change")
    is_made = project.git("rev-parse", "HEAD") != before
    assert is_made == (done.returncode == 0)
    return is_made, done.stdout


def test_pre_commit_accepts_the_manifest() -> None:
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_hook_refuses_a_commit_until_it_is_repaired(project: Repository, product: Repository) -> None:
    install(project, product, "grpo-lint")
    is_made, printed = try_commit(project, trainer=FAULTY)
    assert not is_made
    assert "trainer.py:7:15: GRPO001 [*] `rewards.view(-1, args.n_samples_per_prompt)`" in printed
    assert project.read("trainer.py") == FAULTY
    is_made, printed = try_commit(project, trainer=CLEAN)
    assert is_made, printed


def test_the_fix_hook_repairs_and_refuses_and_the_next_commit_passes(project: Repository, product: Repository) -> None:
    install(project, product, "grpo-lint-fix")
    is_made, printed = try_commit(project, trainer=FAULTY)
    assert not is_made
    assert "files were modified by this hook" in printed
    assert "1 fixed, 0 remaining" in printed
    repaired = project.read("trainer.py")
    assert REPAIRED in repaired
    is_made, printed = try_commit(project)
    assert is_made, printed
    assert project.git("show", "HEAD:trainer.py") == repaired.strip()


def test_the_fix_hook_goes_on_refusing_what_it_cannot_repair(project: Repository, product: Repository) -> None:
    install(project, product, "grpo-lint-fix")
    for _ in range(2):
        is_made, printed = try_commit(project, trainer=UNREPAIRABLE)
        assert not is_made
        assert "files were modified" not in printed
        assert "trainer.py:2:12: GRPO001" in printed
    assert project.read("trainer.py") == UNREPAIRABLE


@pytest.mark.parametrize("identifier", IDS)
def test_a_commit_without_the_defect_passes(identifier: str, project: Repository, product: Repository) -> None:
    install(project, product, identifier)
    is_made, printed = try_commit(project, trainer=CLEAN)
    assert is_made
    assert re.search(r"^grpo-lint.*Passed$", printed, re.MULTILINE)


@pytest.mark.parametrize("identifier", IDS)
def test_what_is_excluded_is_left_out_though_the_hook_names_it(
    identifier: str, project: Repository, product: Repository
) -> None:
    install(project, product, identifier)
    is_made, printed = try_commit(project, third_party__trainer=FAULTY)
    assert is_made, printed
    assert project.read("third_party/trainer.py") == FAULTY


@pytest.mark.parametrize("identifier", IDS)
def test_a_file_that_does_not_parse_is_refused(identifier: str, project: Repository, product: Repository) -> None:
    install(project, product, identifier)
    is_made, printed = try_commit(project, trainer=FAULTY + "def broken(:\n")
    assert not is_made
    assert "trainer.py:9:12: " in printed


@pytest.mark.parametrize("identifier", IDS)
def test_a_commit_without_python_runs_no_hook(identifier: str, project: Repository, product: Repository) -> None:
    install(project, product, identifier)
    project.write({"notes.md": FAULTY})
    is_made, printed = try_commit(project)
    assert is_made
    assert "Skipped" in printed


def test_findings_that_a_baseline_holds_do_not_hold_up_the_file(project: Repository, product: Repository) -> None:
    baseline = ".grpo-lint-baseline.json"
    install(project, product, "grpo-lint", args=["--baseline", baseline])
    project.write({"old.py": FAULTY, "new.py": CLEAN})
    written = project.run(sys.executable, "-m", "grpo_lint", "baseline", "write", PYTHONPATH=str(ROOT))
    assert written.returncode == 0, written.stdout
    assert try_commit(project)[0]
    is_made, printed = try_commit(project, old=f"# moved\n\n{FAULTY}")
    assert is_made, printed
    is_made, printed = try_commit(project, new=FAULTY)
    assert not is_made
    assert "new.py:7:15: GRPO001" in printed
    assert "are fixed" not in printed


def test_only_what_a_commit_touches_is_asked_for_with_head_as_the_base(
    project: Repository, product: Repository
) -> None:
    install(project, product, "grpo-lint", args=["--diff-base", "HEAD"])
    project.commit({"old.py": FAULTY})
    is_made, printed = try_commit(project, old=f"{FAULTY}\n\n{CLEAN}")
    assert is_made, printed
    is_made, printed = try_commit(project, old=f"{FAULTY}\n\n{UNREPAIRABLE}")
    assert not is_made
    assert "old.py:12:12: GRPO001" in printed
    assert "old.py:7:" not in printed


def test_the_repository_can_be_tried(project: Repository, product: Repository) -> None:
    """Without an id, `try-repo` runs all hooks in turn, in an environment that it builds for the occasion."""
    project.commit({"trainer.py": FAULTY, "clean.py": CLEAN})
    done = pre_commit(project, "try-repo", str(product.folder), "--all-files")
    assert done.returncode == 1, done.stdout
    printed = re.split(r"^- hook id: ", done.stdout, flags=re.MULTILINE)
    assert [text.partition("\n")[0] for text in printed[1:]] == [*IDS, "grpo-lint-contracts"][: len(printed) - 1]
    assert "grpo-lint contracts....." in done.stdout, "which passes, and has no id printed"
    assert "trainer.py:7:15: GRPO001 [*]" in printed[1]
    assert "files were modified by this hook" not in printed[1]
    assert "files were modified by this hook" in printed[2]
    assert "1 fixed, 0 remaining" in printed[2]
    assert REPAIRED in project.read("trainer.py")
    assert project.read("clean.py") == CLEAN


def test_the_hook_of_contracts_runs_whatever_has_changed(project: Repository, product: Repository) -> None:
    """The file that is committed has no contract: it breaks that of another, which pre-commit does not name."""
    entry = '[[call-sites]]\nfile = "lab/manager.py"\nfunction = "process"\ncalls = "lab.grouping.centre"\n'
    manager = "from lab.grouping import centre\n\n\ndef process(samples):\n    return centre(samples)\n"
    grouping = "def centre(samples):\n    return samples\n"
    files = {"grpo-lint.toml": entry, "lab/__init__.py": "", "lab/manager.py": manager, "lab/grouping.py": grouping}
    install(project, product, "grpo-lint-contracts")
    project.commit(files)
    is_made, printed = try_commit(project, lab__grouping=grouping.replace("centre", "center"))
    assert not is_made
    assert "`lab.grouping.centre`, which `process` must call, is not defined in the project" in printed
    is_made, printed = try_commit(project, lab__grouping=f"{grouping}\n\ndef other():\n    pass\n")
    assert is_made, printed


def test_many_files_are_checked_by_one_process(project: Repository, product: Repository, tmp_path: Path) -> None:
    install(project, product, "grpo-lint")
    names = [f"package/trainer_{number}.py" for number in range(200)]
    project.commit(dict.fromkeys(names, UNREPAIRABLE))
    recorder, processes = tmp_path / "recorder", tmp_path / "processes"
    recorder.mkdir()
    (recorder / "sitecustomize.py").write_text(RECORDER)
    done = pre_commit(project, "run", "--all-files", PYTHONPATH=str(recorder), PROCESSES=str(processes))
    assert done.returncode == 1
    runs = [words for words in map(json.loads, processes.read_text().splitlines()) if is_of_grpo_lint(words)]
    assert len(runs) == 1
    assert sorted(word for word in runs[0] if "trainer_" in word) == sorted(names)
    assert done.stdout.count("Found 200 findings.") == 1


def is_of_grpo_lint(words: list[str]) -> bool:
    return any(Path(word).name == "grpo-lint" for word in words)


def hook_pythons(hooked: dict[str, str]) -> Iterator[Path]:
    return Path(hooked["PRE_COMMIT_HOME"]).glob("repo*/py_env-*/bin/python")


def test_the_environment_of_the_hooks_has_no_torch(
    project: Repository, product: Repository, hooked: dict[str, str]
) -> None:
    install(project, product, "grpo-lint")
    done = pre_commit(project, "install-hooks")
    assert done.returncode == 0, done.stdout
    pythons = [python for python in hook_pythons(hooked) if is_importable("grpo_lint", python, project)]
    assert pythons
    for python in pythons:
        assert is_importable("libcst", python, project)
        assert not is_importable("torch", python, project)
        assert not is_importable("numpy", python, project)


def is_importable(module: str, python: Path, project: Repository) -> bool:
    code = "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)"
    return project.run(str(python), "-I", "-c", code, module).returncode == 0


TRAINING = """\
import sys
from types import SimpleNamespace
sys.modules["grpo_lint"] = None
from trainer import advantages_of
samples = [SimpleNamespace(reward=reward, group_index=group) for group, reward in [(0, 1.0), (0, 3.0), (1, 7.0)]]
print(list(map(float, advantages_of(SimpleNamespace(n_samples_per_prompt=2), samples))))
"""


def test_what_the_readme_shows_leaves_code_that_trains_without_the_linter(
    product: Repository, hooked: dict[str, str], tmp_path: Path
) -> None:
    """The README's hook and setting, and the command that it names for the module."""
    section = re.search(r"^## pre-commit\n(.*?)^## ", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert section
    (hooks,) = re.findall(r"^```yaml\n(.*?)^```$", section[1], re.MULTILINE | re.DOTALL)
    (settings,) = re.findall(r"^```toml\n(.*?)^```$", section[1], re.MULTILINE | re.DOTALL)
    (vendor,) = re.findall(r"`grpo-lint (vendor [^`]*)`", section[1])
    (source,) = yaml.safe_load(hooks)["repos"]
    mine = {**source, "repo": str(product.folder), "rev": product.git("rev-parse", "HEAD")}
    project = Repository.create(tmp_path / "project", hooked)
    project.commit({
        ".pre-commit-config.yaml": yaml.safe_dump({"repos": [mine]}),
        "pyproject.toml": settings,
        "samples.py": SAMPLES,
        "my_rl/__init__.py": "",
    })  # fmt: skip
    assert pre_commit(project, "validate-config").returncode == 0
    assert pre_commit(project, "install").returncode == 0
    written = project.run(sys.executable, "-m", "grpo_lint", *vendor.split(), PYTHONPATH=str(ROOT))
    assert written.returncode == 0, written.stdout
    assert not try_commit(project, trainer=FAULTY)[0]
    is_made, printed = try_commit(project)
    assert is_made, printed
    trained = project.run(sys.executable, "-c", TRAINING)
    assert trained.stdout.strip() == "[-1.0, 1.0, 0.0]", trained.stdout


def test_the_readme_names_every_hook() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    readme = (ROOT / "README.md").read_text("utf-8")
    assert [hook["id"] for hook in hooks] == [*IDS, "grpo-lint-contracts"]
    assert re.findall(r"^\| `(grpo-lint[\w-]*)` \|", readme, re.MULTILINE) == [*IDS, "grpo-lint-contracts"]
