"""`grpo-lint audit` on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import run
from dumps import save_slime, slime_samples, uneven_batch

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for step in range(2):
        save_slime(tmp_path / f"run/rollout_{step}.pt", step, slime_samples(*uneven_batch(60, 10)))
    return tmp_path


def test_the_table_and_the_verdict(folder: Path) -> None:
    status, out, err = run("audit", "run", cwd=folder)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "run"
    assert "  dumps in which the fallback fires                   2 of 2" in lines
    assert "  advantages with the wrong sign                      100 (83.3 %)" in lines
    assert lines[-1] == (
        "Affected: grouping by position changes 100.0 % of the advantages and gives 83.3 % the wrong sign; "
        "the whole-batch fallback fires in 2 of 2 dumps."
    )


def test_a_run_of_even_groups_is_unaffected(tmp_path: Path) -> None:
    save_slime(tmp_path / "a.pt", 0, slime_samples([0, 0, 1, 1], [1, 0, 0, 1]))
    status, out, _ = run("audit", "a.pt", cwd=tmp_path)
    assert status == 0
    assert out.endswith("Unaffected: in the one dump grouping by position gives the advantages by identity.\n")


def test_several_runs_have_a_total(folder: Path) -> None:
    save_slime(folder / "other.pt", 0, slime_samples([0, 0, 1, 1], [1, 0, 0, 1]))
    status, out, _ = run("audit", "run", "other.pt", cwd=folder)
    assert status == 0
    assert [line for line in out.splitlines() if line and not line.startswith(" ")][:3] == ["run", "other.pt", "total"]


def test_what_is_named_twice_counts_once(folder: Path) -> None:
    found = json.loads(run("audit", "--json", "run/rollout_1.pt", "run", "./run", ".", cwd=folder)[1])
    assert [(each["name"], each["dumps"]) for each in found["runs"]] == [("run/rollout_1.pt", 1), ("run", 1)]


def test_samples_without_identity_are_listed(folder: Path) -> None:
    save_slime(folder / "run/eval_1.pt", 1, slime_samples([None, None], [1, 0]))
    save_slime(folder / "run/x.pt", 1, slime_samples([None, None, None], [1, 0, 0]))
    save_slime(folder / "run/y.pt", 1, slime_samples([None, 1, 1], [1, 0, 0]))
    status, out, _ = run("audit", "run", cwd=folder)
    assert status == 0
    listed = out.partition("not audited:\n")[2].splitlines()[:3]
    assert listed == [
        "  run/eval_1.pt: evaluation (2 samples)",
        "  run/x.pt: no identity of prompts (3 samples)",
        "  run/y.pt: 1 samples without an identity (3 samples)",
    ]
    found = json.loads(run("audit", "--json", "run", cwd=folder)[1])["total"]
    assert (found["dumps"], found["samples"]) == (2, 120)


def test_what_is_not_there(folder: Path) -> None:
    assert run("audit", "none", cwd=folder) == (2, "", "none: No such file or directory\n")
    assert run("audit", cwd=folder)[0] == 2
    (folder / "empty").mkdir()
    status, out, _ = run("audit", "empty", cwd=folder)
    assert status == 2
    assert out.endswith("No dump could be audited.\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--format", "verI"], "'verI' is not one of slime, verl, trl, open-instruct, neutral, did you mean 'verl'?"),
        (["--eps", "-1"], "'-1' is not a number from 0"),
        (["--jobs", "0"], "'0' is not a positive number"),
        (["--n-samples-per-prompt", "x"], "'x' is not a positive number"),
        (["--per-rolout"], "unrecognized arguments: --per-rolout"),
    ],
)
def test_options_that_make_no_sense(folder: Path, arguments: list[str], said: str) -> None:
    status, _, err = run("audit", "run", *arguments, cwd=folder)
    assert status == 2
    assert said.partition(",")[0] in err


def test_settings_that_no_dump_tells(folder: Path) -> None:
    even = ["audit", "--json", "run", "--n-samples-per-prompt", "6", "--rollout-batch-size", "10"]
    assert json.loads(run(*even, cwd=folder)[1])["total"]["fallback_dumps"] == 0
    std, centred = (json.loads(run("audit", "--json", "run", *more, cwd=folder)[1]) for more in ([], ["--no-std"]))
    assert std["total"]["max_error"] != centred["total"]["max_error"]


@pytest.mark.parametrize("missing", ["torch", "pyarrow", "matplotlib", "jinja2"])
def test_what_is_not_installed_is_said(folder: Path, missing: str) -> None:
    code = (
        "import sys, importlib.util as u, grpo_lint.cli as c; find = u.find_spec\n"
        f"u.find_spec = lambda name, *more: None if name == {missing!r} else find(name, *more)\n"
        "sys.exit(c.main(['audit', 'run']))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, f"grpo-lint: audit needs {missing}: pip install 'grpo-lint[audit]'\n")
