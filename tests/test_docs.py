"""The documentation says what the product does."""

from __future__ import annotations

import doctest
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from grpo_lint import __version__, reference
from grpo_lint.config import Config
from grpo_lint.config_file import load_config
from grpo_lint.config_keys import KEYS
from grpo_lint.contracts import CallSite
from grpo_lint.rules import CODES, documentation
from grpo_lint.runner import Mode, check_file

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
PAGES = "\n".join(path.read_text("utf-8") for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))))

IMPORTS = "import numpy as np\nimport torch\nfrom samples import Sample\n\n\n"
SAMPLES = """\
from dataclasses import dataclass


@dataclass
class Sample:
    reward: float
    group_index: int | None = None
    rollout_id: int | None = None
"""


def section(page: str, heading: str) -> str:
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert found, heading
    return found[1]


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def examples_of(heading: str) -> list[tuple[str, str]]:
    return [(code, example) for code in CODES for example in blocks(section(documentation(code), heading), "python")]


def settings_of(code: str) -> str:
    """The configuration that a rule's page shows."""
    return "".join(blocks(section(documentation(code), "Example"), "toml"))


def codes_in(example: str, folder: Path, settings: str = "") -> set[str]:
    """What is reported in an example; with settings that have contracts, in the file that they name."""
    (folder / "samples.py").write_text(SAMPLES)
    (folder / "pyproject.toml").write_text(settings)
    config = (load_config(folder, CODES) or Config(root=folder))._replace(select=("ALL", *CODES))
    files = [each.file for each in config.call_sites if isinstance(each, CallSite)]
    path = folder / (files[0] if files else "test_example.py")  # where rules about tests look, too
    path.parent.mkdir(exist_ok=True)
    (path.parent / "grouping.py").write_text(Path(reference.__file__).read_text())
    path.write_text(IMPORTS + example)
    result = check_file(str(path), config, Mode.CHECK, unsafe_fixes=False)
    assert result.fault is None
    return {finding.code for finding in result.findings}


def test_generated_parts_are_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "docs/generate.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), "run `python docs/generate.py`"


def test_every_rule_has_a_page_and_no_page_lacks_a_rule() -> None:
    assert sorted(path.stem for path in (ROOT / "docs/rules").iterdir()) == list(CODES)


@pytest.mark.parametrize("heading", ["Example", "Use instead"])
def test_every_rule_has_an_example(heading: str) -> None:
    assert {code for code, _ in examples_of(heading)} == set(CODES)


@pytest.mark.parametrize(("code", "example"), examples_of("Example"))
def test_an_example_fires_its_rule_and_no_other(code: str, example: str, tmp_path: Path) -> None:
    assert codes_in(example, tmp_path, settings_of(code)) == {code}


@pytest.mark.parametrize(("code", "example"), examples_of("Use instead"))
def test_a_remedy_is_quiet(code: str, example: str, tmp_path: Path) -> None:
    assert codes_in(example, tmp_path, settings_of(code)) == set(), code


def test_readme_python_sessions() -> None:
    (session,) = blocks(README, "pycon")
    test = doctest.DocTestParser().get_doctest(session, {}, "README.md", "README.md", 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


def test_the_readmes_frame_is_what_a_terminal_shows() -> None:
    frame = next(block for block in blocks(README, "text") if "│" in block)
    assert frame in (ROOT / "tests/data/frames_80.txt").read_text("utf-8")


def test_readme_suppressions_suppress(tmp_path: Path) -> None:
    lines, of_file, *_ = blocks(section(README, "Suppress a finding"), "python")
    function = (
        "def advantages_of(args, rewards: torch.Tensor):\n{}    return rewards - rewards.mean(dim=1, keepdim=True)\n"
    )
    for line in lines.splitlines():
        assert codes_in(function.format(f"    {line}\n"), tmp_path) == set()
        assert codes_in(function.format(f"    {line.partition('#')[0]}\n"), tmp_path) == {"GRPO001"}
        faulty = function.format(f"    {line.partition('#')[0]}\n")
        assert codes_in(faulty + of_file, tmp_path) == {"GRPO100"}, "GRPO001 is quiet, and GRPO002 for nothing"


def test_readme_configuration_has_every_key_and_is_valid(tmp_path: Path) -> None:
    found = re.search(r"<!-- configuration: begin -->(.*)<!-- configuration: end -->", README, re.DOTALL)
    assert found
    (table,) = blocks(found[1], "toml")
    assert tuple(re.findall(r"^([\w-]+) =", table, re.MULTILINE)) == tuple(key.name for key in KEYS)
    (tmp_path / "pyproject.toml").write_text(table)
    assert load_config(tmp_path, CODES) is not None


def test_the_configuration_page_has_every_key() -> None:
    page = (ROOT / "docs/configuration.md").read_text("utf-8")
    assert tuple(re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE)) == tuple(key.name for key in KEYS)
    headings = [key for line in re.findall(r"^## (.*)$", page, re.MULTILINE) for key in re.findall(r"`([\w-]+)`", line)]
    assert tuple(headings) == tuple(key.name for key in KEYS)


@pytest.fixture(scope="module")
def options() -> set[str]:
    """Those of the command line without a command, and those of the commands that have some."""
    helps = [
        subprocess.run(
            [sys.executable, "-m", "grpo_lint", *command, "--help"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for command in ([], ["vendor"], ["audit"])
    ]
    return set(re.findall(r"--[a-z][a-z-]+", "".join(helps)))


def test_every_option_is_documented(options: set[str]) -> None:
    assert {"--fix", "--output-format", "--tests"} <= options
    pages = README + (ROOT / "docs/audit.md").read_text("utf-8")
    assert {option for option in options if f"`{option}" not in pages} == set()


def test_no_option_is_documented_that_does_not_exist(options: set[str]) -> None:
    uses = re.findall(r"^\$ grpo-lint (.*)$|`(?:grpo-lint )?(--[^`]*)`", PAGES, re.MULTILINE)
    mentioned = {option for use in uses for option in re.findall(r"--[a-z][a-z-]+", " ".join(use))}
    assert mentioned - options == set()


def test_links_between_pages_lead_somewhere() -> None:
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", path.read_text("utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_the_json_page_shows_json() -> None:
    (session,) = blocks((ROOT / "docs/json-output.md").read_text("utf-8"), "console")
    (finding,) = json.loads(session.partition("\n")[2])
    assert finding["fix"]["applicability"] == "safe"


def test_the_changelog_names_the_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"\n## [{__version__}]" in changelog
    assert "\n## [Unreleased]" in changelog


def test_no_block_is_indented() -> None:
    """It would escape the tests above."""
    assert not re.search(r"^ +```", PAGES, re.MULTILINE)
