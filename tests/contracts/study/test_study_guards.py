"""The guards that look at text and trees, and the page that says what they are worth."""

from __future__ import annotations

from pathlib import Path

import pytest
from contracts.study.edit import Kind, written
from contracts.study.edits import EDITS
from contracts.study.guards import GUARDS, Guard
from contracts.study.verdicts import section

PAGE = Path(__file__).resolve().parents[3] / "docs/contracts-study.md"
(REVERTED,) = (edit for edit in EDITS if edit.name == "reverted")


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.title)
def test_each_takes_the_code_as_it_is_and_refuses_its_revert(guard: Guard) -> None:
    with written(None) as root:
        assert guard.accepts(root)
    with written(REVERTED) as root:
        assert not guard.accepts(root)


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.title)
def test_each_refuses_a_file_without_the_method(guard: Guard) -> None:
    (removed,) = (edit for edit in EDITS if edit.name == "method removed")
    with written(removed) as root:
        assert not guard.accepts(root)


def test_the_page_has_these_verdicts() -> None:
    assert section() in PAGE.read_text("utf-8"), "run `python docs/generate.py`"


def test_edits_of_every_kind_are_judged() -> None:
    assert {edit.family.kind for edit in EDITS} == set(Kind)
