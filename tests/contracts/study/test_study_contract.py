"""The contract accepts what is harmless, and refuses what does harm."""

from __future__ import annotations

import pytest
from contracts.study.contract import CONTRACT
from contracts.study.edit import Edit, Kind, written
from contracts.study.edits import EDITS


def test_it_accepts_the_code_as_it_is() -> None:
    with written(None) as root:
        assert CONTRACT.accepts(root)


@pytest.mark.parametrize(
    "edit",
    [edit for edit in EDITS if edit.family.kind in (Kind.HARMLESS, Kind.HARMFUL)],
    ids=lambda edit: f"{edit.family.kind.value}: {edit.name}",
)
def test_it_is_right_about_an_edit(edit: Edit) -> None:
    with written(edit) as root:
        assert CONTRACT.accepts(root) == (edit.family.kind is Kind.HARMLESS), edit.reason
