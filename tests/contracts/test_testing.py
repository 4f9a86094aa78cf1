"""The assertions for tests of a project."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import FAULTY, environment, run
from contracts.project import DROPPED, HOLDING, SITE, write

from grpo_lint.contracts import CallSite, ContractError, check
from grpo_lint.contracts.reading import toml_of
from grpo_lint.testing import assert_call_site, assert_no_findings, configured_call_sites

TEST = """\
from grpo_lint.testing import assert_call_site, assert_no_findings


def test_the_call():
    assert_call_site(
        file="lab/manager.py",
        function="post_process",
        calls="lab.grouping.normalize_by_prompt",
        arguments={"prompts": "[sample.prompt for sample in samples]"},
        result="returned",
    )


def test_the_findings():
    assert_no_findings("lab")
"""


def test_what_holds_raises_nothing(tmp_path: Path) -> None:
    write(tmp_path, HOLDING)
    assert_call_site(SITE, root=tmp_path)
    assert_call_site(file=SITE.file, function=SITE.function, calls=SITE.calls, root=tmp_path)
    assert_no_findings("lab", root=tmp_path)


def test_a_breach_is_told_with_its_line(tmp_path: Path) -> None:
    write(tmp_path, HOLDING.replace("sample.prompt", "sample.index"))
    with pytest.raises(AssertionError) as failure:
        assert_call_site(SITE, root=tmp_path)
    assert str(failure.value).splitlines() == [
        "post_process does not keep its contract with lab.grouping.normalize_by_prompt",
        "lab/manager.py:9: `prompts` of `normalize_by_prompt` must be `[sample.prompt for sample in samples]`, and is"
        " `prompts`, which is `[sample.index for sample in samples]`",
        ">   rewards = normalize_by_prompt(raw, prompts, size=args.n_samples)",
    ]


def test_findings_are_told(tmp_path: Path) -> None:
    write(tmp_path, FAULTY)
    with pytest.raises(AssertionError, match=r"lab/manager\.py:5: GRPO001 `rewards\.view"):
        assert_no_findings("lab", root=tmp_path)
    assert_no_findings("lab", ignore=["GRPO001"], root=tmp_path)
    assert_no_findings("lab", select=["GRPO002"], root=tmp_path)


@pytest.mark.parametrize("code", ["GRPO9", "reward-reshape", "grpo001"])
def test_a_code_that_is_none_is_no_success(code: str, tmp_path: Path) -> None:
    write(tmp_path, FAULTY)
    for codes in ({"select": [code]}, {"ignore": [code]}):
        with pytest.raises(ValueError, match=f"unknown code '{code}'"):
            assert_no_findings("lab", root=tmp_path, **codes)


def test_what_cannot_be_checked_is_no_success(tmp_path: Path) -> None:
    write(tmp_path, FAULTY + "x = (\n")
    with pytest.raises(AssertionError, match="was never closed"):
        assert_no_findings("lab", root=tmp_path)
    with pytest.raises(AssertionError, match="No such file"):
        assert_no_findings("gone", root=tmp_path)
    with pytest.raises(ContractError, match="never closed"):
        assert_call_site(SITE, root=tmp_path)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({}, "`file` is missing"),
        (
            {"file": "lab/manager.py", "function": "f", "calls": "a.b", "result": "kept"},
            "neither 'returned' nor 'used'",
        ),
        ({"file": "lab/gone.py", "function": "f", "calls": "a.b"}, "there is no file lab/gone.py"),
        ({"file": "lab/manager.py", "function": "f", "calls": "a.b", "arguments": {"x": "("}}, "is no expression"),
        ({"file": "lab/manager.py", "function": "f", "calls": "a.b", "absent": ["X"]}, "unknown code"),
    ],
)
def test_a_contract_that_is_none(parts: dict[str, object], said: str, tmp_path: Path) -> None:
    write(tmp_path, HOLDING)
    with pytest.raises(ContractError, match=said):
        assert_call_site(root=tmp_path, **parts)  # type: ignore[arg-type]


ENTRY = toml_of(SITE, "tool.grpo-lint.call-sites")


def test_the_contracts_of_the_configuration(tmp_path: Path) -> None:
    write(tmp_path, HOLDING, {"pyproject.toml": ENTRY})
    assert configured_call_sites(tmp_path) == (SITE,)
    (tmp_path / "pyproject.toml").write_text("[[tool.grpo-lint.call-sites]]\nfile = 'a.py'\n")
    with pytest.raises(ContractError, match="call-sites, entry 1: `function` is missing"):
        configured_call_sites(tmp_path)


PARTS = {
    "file": "lab/manager.py",
    "function": "post_process",
    "calls": "lab.grouping.normalize_by_prompt",
    "arguments": {"prompts": "[sample.prompt for sample in samples]", "size": "args.n_samples"},
    "result": "returned",
    "absent": ["GRPO001", "GRPO002"],
}


def failure_of(contract: CallSite | None, root: Path, **parts: object) -> str | None:
    """What the assertion says; None if it holds."""
    try:
        assert_call_site(contract, root=root, **parts)  # type: ignore[arg-type]
    except AssertionError as failure:
        return str(failure)
    return None


@pytest.mark.parametrize("module", [HOLDING, DROPPED])
def test_a_contract_is_one_value_everywhere(module: str, tmp_path: Path) -> None:
    """One of the configuration, a CallSite and its parts say the same of a module."""
    write(tmp_path, module, {"pyproject.toml": ENTRY})
    (configured,) = configured_call_sites(tmp_path)
    assert configured == SITE
    assert failure_of(configured, tmp_path) == failure_of(SITE, tmp_path) == failure_of(None, tmp_path, **PARTS)
    assert (failure_of(SITE, tmp_path) is None) == (module == HOLDING)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool.grpo-lint\n", "not valid TOML"),
        (f"[tool.grpo-lint]\nselct = []\n\n{ENTRY}", "did you mean 'select'?"),
    ],
)
def test_a_broken_configuration(text: str, said: str, tmp_path: Path) -> None:
    write(tmp_path, HOLDING, {"pyproject.toml": text})
    for ask in (configured_call_sites, lambda root: assert_call_site(SITE, root=root)):
        with pytest.raises(ContractError) as raised:
            ask(tmp_path)
        assert str(raised.value).startswith(f"{tmp_path / 'pyproject.toml'}: ")
        assert said in str(raised.value)
    with pytest.raises(AssertionError, match=re.escape(said)):
        assert_no_findings("lab", root=tmp_path)


@pytest.mark.parametrize("path", ["lab", "lab/manager.py"])
def test_findings_of_excluded_files(path: str, tmp_path: Path) -> None:
    """A file that is named is excluded as well."""
    write(tmp_path, FAULTY, {"pyproject.toml": '[tool.grpo-lint]\nexclude = ["manager.py"]\n'})
    assert_no_findings(path, root=tmp_path)
    (tmp_path / "pyproject.toml").write_text("")
    with pytest.raises(AssertionError, match="GRPO001"):
        assert_no_findings(path, root=tmp_path)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (ENTRY.replace("calls =", "call ="), "call-sites, entry 1: unknown key 'call': did you mean 'calls'?"),
        (ENTRY.replace("manager.py", "gone.py"), "entry 1 (lab/gone.py::post_process): there is no file lab/gone.py"),
    ],
)
def test_an_entry_that_is_none_is_no_success(entry: str, said: str, tmp_path: Path) -> None:
    write(tmp_path, HOLDING, {"pyproject.toml": entry})
    with pytest.raises(AssertionError, match=re.escape(said)):
        assert_no_findings("lab", root=tmp_path)
    assert_no_findings("lab", ignore=["GRPO101"], root=tmp_path)


def test_a_file_that_is_a_folder(tmp_path: Path) -> None:
    write(tmp_path, HOLDING)
    with pytest.raises(ContractError, match=r"^lab: Is a directory$"):
        assert_call_site(replace(SITE, file="lab"), root=tmp_path)


def test_a_breach_of_a_configured_contract_is_a_finding(tmp_path: Path) -> None:
    write(tmp_path, DROPPED, {"pyproject.toml": ENTRY})
    with pytest.raises(AssertionError, match="GRPO101 the result of `normalize_by_prompt` must be returned"):
        assert_no_findings("lab", root=tmp_path)


BATCH_BASELINE = """

def grpo_advantages(rewards, group_ids):
    return rewards - rewards.mean()
"""


@pytest.mark.parametrize(("absent", "told"), [("GRPO008", 1), ("GRPO0", 0)])
def test_a_rule_in_preview_is_asked_where_a_contract_names_it(absent: str, told: int, tmp_path: Path) -> None:
    """A prefix means those that run anyway."""
    module = (
        HOLDING.replace("    raw =", "    grpo_advantages(args.rewards, args.group_ids)\n    raw =") + BATCH_BASELINE
    )
    site = replace(SITE, absent=(absent,))
    root = write(tmp_path, module, {"pyproject.toml": toml_of(site, "tool.grpo-lint.call-sites")})
    assert [each.message.split()[0] for each in check(site, root)] == ["GRPO008"] * told
    assert run(SITE.file, cwd=root)[1].count("GRPO101 GRPO008 is reported here") == told


def pytest_of(folder: Path) -> tuple[int, str]:
    """Run the project's own tests, in which torch cannot be imported and neither can the project."""
    blocked = "import sys\nfor name in ('torch', 'lab'):\n    sys.modules[name] = None\n"
    (folder / "tests/conftest.py").write_text(blocked)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_in_a_project_that_cannot_be_imported(tmp_path: Path) -> None:
    """The root is found from the test's own file, and the failure ends in the test."""
    write(tmp_path, "import an_engine\n" + HOLDING, {"tests/test_calls.py": TEST})
    assert pytest_of(tmp_path)[0] == 0

    write(tmp_path, DROPPED, {"tests/test_calls.py": TEST})
    status, out = pytest_of(tmp_path)

    assert status == 1
    assert "\n>       assert_call_site(\n" in out
    assert (
        "E       AssertionError: post_process does not keep its contract with lab.grouping.normalize_by_prompt" in out
    )
    assert (
        "E       lab/manager.py:10: the result of `normalize_by_prompt` must be returned; `return raw, raw` is without"
        in out
    )
    assert "grpo_lint/testing.py" not in out, "nothing of how it was found out"
