"""The assertions for tests of a project."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import FAULTY, environment, run
from contracts.project import BODY, SITE, manager, write

from grpo_lint.contracts import ContractError, check
from grpo_lint.contracts.reading import toml_of
from grpo_lint.testing import assert_call_site, assert_no_findings, configured_call_sites

TEST = """\
from grpo_lint.testing import assert_call_site, assert_no_findings


def test_the_call():
    assert_call_site(
        file="lab/manager.py",
        function="Manager.post_process",
        calls="lab.grouping.normalize_by_prompt",
        arguments={"prompts": "[sample.prompt for sample in samples]"},
        result="returned",
    )


def test_the_findings():
    assert_no_findings("lab")
"""


def test_what_holds_raises_nothing(tmp_path: Path) -> None:
    write(tmp_path, manager())
    assert_call_site(SITE, root=tmp_path)
    assert_call_site(file=SITE.file, function=SITE.function, calls=SITE.calls, root=tmp_path)
    assert_no_findings("lab", root=tmp_path)


def test_a_breach_is_told_with_its_line(tmp_path: Path) -> None:
    write(tmp_path, manager(BODY.replace("sample.prompt", "sample.index")))
    with pytest.raises(AssertionError) as failure:
        assert_call_site(SITE, root=tmp_path)
    assert str(failure.value).splitlines() == [
        "Manager.post_process does not keep its contract with lab.grouping.normalize_by_prompt",
        "lab/manager.py:10: `prompts` of `normalize_by_prompt` must be `[sample.prompt for sample in samples]`, and is"
        " `[sample.index for sample in samples]`",
        ">   [sample.index for sample in samples],",
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
    write(tmp_path, manager())
    with pytest.raises(ContractError, match=said):
        assert_call_site(root=tmp_path, **parts)  # type: ignore[arg-type]


def test_the_contracts_of_the_configuration(tmp_path: Path) -> None:
    write(tmp_path, manager(), {"pyproject.toml": toml_of(SITE, "tool.grpo-lint.call-sites")})
    assert configured_call_sites(tmp_path) == (SITE,)
    (tmp_path / "pyproject.toml").write_text("[[tool.grpo-lint.call-sites]]\nfile = 'a.py'\n")
    with pytest.raises(ContractError, match="call-sites, entry 1: `function` is missing"):
        configured_call_sites(tmp_path)


BATCH_BASELINE = """
def grpo_advantages(self, rewards, group_ids):
    return rewards - rewards.mean()
"""


@pytest.mark.parametrize(("absent", "told"), [("GRPO008", 1), ("GRPO0", 0)])
def test_a_rule_in_preview_is_asked_where_a_contract_names_it(absent: str, told: int, tmp_path: Path) -> None:
    """A prefix means those that run anyway."""
    body = "self.grpo_advantages(self.rewards, self.group_ids)\n" + BODY
    site = replace(SITE, absent=(absent,))
    files = {"pyproject.toml": toml_of(site, "tool.grpo-lint.call-sites")}
    root = write(tmp_path, manager(body, inside=BATCH_BASELINE), files)
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
    write(tmp_path, "import an_engine\n" + manager(), {"tests/test_calls.py": TEST})
    assert pytest_of(tmp_path)[0] == 0

    write(tmp_path, manager(BODY.replace("return raw, rewards", "return raw, raw")), {"tests/test_calls.py": TEST})
    status, out = pytest_of(tmp_path)

    assert status == 1
    assert ">       assert_call_site(\n" in out or ">   assert_call_site(\n" in out.replace("    >", ">")
    assert (
        "E       AssertionError: Manager.post_process does not keep its contract with lab.grouping.normalize_by_prompt"
        in out
    )
    assert (
        "E       lab/manager.py:15: the result of `normalize_by_prompt` must be returned; `return raw, raw` is without"
        in out
    )
    assert "grpo_lint/testing.py" not in out, "nothing of how it was found out"
