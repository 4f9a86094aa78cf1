"""What a rule's check may look at, and which files can hold that: told by path, bytes and configuration.

Every file is put to these tests, so they import no rule.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Generic, TypeVar

from grpo_lint.gate import mentions_rewards

if TYPE_CHECKING:
    from collections.abc import Callable

    from grpo_lint.config import Config
    from grpo_lint.contracts.call_sites import CallSites
    from grpo_lint.guards import Suite
    from grpo_lint.rules._rule import Check, RemarkCheck
    from grpo_lint.suppress.comments import Comments

    Test = Callable[[str, bytes, Config], bool]

C_co = TypeVar("C_co", covariant=True)

_TEST_FOLDERS = frozenset({"test", "tests"})
_READS = (b"read_text", b"read_bytes", b".read(", b".readlines(", b"getsource")


class Subject(Generic[C_co]):
    """What rules with a check of that type are about; `may_be_in` asks a file by its path, bytes and configuration."""

    __slots__ = ("may_be_in",)

    def __init__(self, may_be_in: Test) -> None:
        self.may_be_in = may_be_in


def is_test(path: str, root: PurePath) -> bool:
    """Whether a file is one of the tests of the project below a root: by its name, or by the folder that it is in."""
    file = PurePath(path)
    folders = file.parent.parts[len(root.parts) if root in file.parents else 0 :]
    has_name = file.name == "conftest.py" or file.name.startswith("test_") or file.stem.endswith("_test")
    return has_name or not _TEST_FOLDERS.isdisjoint(folders)


def _has_functions(_: str, data: bytes, config: Config) -> bool:
    return mentions_rewards(data, config.reward_names)


def _has_tests(path: str, data: bytes, config: Config) -> bool:
    return "test" in path and is_test(path, config.root) and any(word in data for word in _READS)


def _has_call_sites(path: str, _: bytes, config: Config) -> bool:
    if not config.checks_call_sites:
        return False
    from grpo_lint.contracts.entries import sites_of

    return bool(sites_of(path, config))


def _has_comments(_: str, __: bytes, config: Config) -> bool:
    return config.reports_unused_suppressions


FUNCTIONS: Subject[Check] = Subject(_has_functions)
TESTS: Subject[RemarkCheck[Suite]] = Subject(_has_tests)
CALL_SITES: Subject[RemarkCheck[CallSites]] = Subject(_has_call_sites)
COMMENTS: Subject[RemarkCheck[Comments]] = Subject(_has_comments)  # once the other rules are through

SUBJECTS: tuple[Subject[object], ...] = (FUNCTIONS, TESTS, CALL_SITES, COMMENTS)
