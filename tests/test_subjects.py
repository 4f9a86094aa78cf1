"""Which files are put to which rules, by their paths and bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from grpo_lint.config import Config
from grpo_lint.subjects import COMMENTS, FUNCTIONS, SUBJECTS, TESTS, is_test

ROOT = Path("/home/tests/lab")
READING = b"assert 'f(' in path.read_text()\n"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("test_grouping.py", True),
        ("pkg/grouping_test.py", True),
        ("conftest.py", True),
        ("tests/unit/helpers.py", True),
        ("pkg/test/helpers.py", True),
        ("pkg/testing/helpers.py", False),
        ("pkg/latest.py", False),
        ("pkg/contest.py", False),
    ],
)
def test_which_files_are_tests(path: str, expected: bool) -> None:
    """By what stands below the root: the folder that a checkout lies in makes no test of its files."""
    assert is_test(str(ROOT / path), ROOT) is expected


def test_a_file_outside_of_the_root_is_judged_by_its_whole_path() -> None:
    assert is_test("/srv/tests/a.py", ROOT)


@pytest.mark.parametrize(
    ("path", "data", "config", "expected"),
    [
        ("test_a.py", READING, Config(root=ROOT), {TESTS}),
        ("a.py", READING, Config(root=ROOT), set()),
        ("test_a.py", b"assert f(1) == 1\n", Config(root=ROOT), set()),
        ("test_a.py", READING + b"rewards = 1\n", Config(root=ROOT), {TESTS, FUNCTIONS}),
        ("a.py", b"x = utility\n", Config(root=ROOT, reward_names=("utility",)), {FUNCTIONS}),
        ("a.py", b"", Config(select=("ALL", "GRPO100"), root=ROOT), {COMMENTS}),
    ],
)
def test_what_a_file_may_hold(path: str, data: bytes, config: Config, expected: set[object]) -> None:
    assert {each for each in SUBJECTS if each.may_be_in(str(ROOT / path), data, config)} == expected
