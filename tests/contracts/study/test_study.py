"""What edits do is found by running them, not claimed."""

from __future__ import annotations

from collections import Counter

import pytest
from contracts.study.behaviour import SETTINGS, Outcome, batches, outcomes
from contracts.study.edit import Edit, Replacement, files_after, written
from contracts.study.edits import EDITS

SLIPS = {"NameError", "UnboundLocalError", "AttributeError", "SyntaxError"}  # how an edit with a mistake would end


def name_of(edit: Edit) -> str:
    return f"{edit.family.kind.value}: {edit.name}"


@pytest.fixture(scope="module")
def original() -> tuple[Outcome, ...]:
    with written(None) as root:
        return outcomes(root)


def test_the_project_groups_by_identity(original: tuple[Outcome, ...]) -> None:
    runs = [(rows, chosen) for rows in batches().values() for chosen in SETTINGS]
    centred = [
        (rows, outcome)
        for (rows, chosen), outcome in zip(runs, original, strict=True)
        if chosen == {"std_normalization": False}
        and not isinstance(outcome, str)
        and rows
        and rows[0].group_index is not None
    ]
    assert len(centred) == 6
    for rows, outcome in centred:
        for row, advantage in zip(rows, dict(outcome)["reward"], strict=True):
            attempts = {
                (each.rollout_id, each.rollout_id is None and place): each.score
                for place, each in enumerate(rows)
                if each.group_index == row.group_index
            }
            assert advantage == pytest.approx(row.score - sum(attempts.values()) / len(attempts), abs=1e-6)


def test_it_is_an_error_if_groups_are_unknown(original: tuple[Outcome, ...]) -> None:
    assert Counter(outcome for outcome in original if isinstance(outcome, str)) == {"ValueError": 8}


@pytest.mark.parametrize("edit", EDITS, ids=name_of)
def test_an_edit_does_what_its_kind_says(edit: Edit, original: tuple[Outcome, ...]) -> None:
    with written(edit) as root:
        found = outcomes(root)
    assert len(found) == len(original), "it cannot be imported"
    assert not SLIPS.intersection(outcome for outcome in found if isinstance(outcome, str))
    assert (found == original) == edit.family.kind.is_harmless, edit.reason


def test_each_edit_has_a_name_of_its_own() -> None:
    assert [name for name, times in Counter(map(name_of, EDITS)).items() if times > 1] == []


def test_each_edit_is_an_edit_of_its_own() -> None:
    seen: dict[str, str] = {}
    for edit in EDITS:
        files = str(sorted(files_after(edit).items()))
        assert seen.setdefault(files, name_of(edit)) == name_of(edit)
    assert str(sorted(files_after(None).items())) not in seen


@pytest.mark.parametrize("text", ["no such text", "\n"])
def test_a_replacement_must_match_once(text: str) -> None:
    edit = Edit(EDITS[0].family, "", "", (Replacement("tinytrain/manager.py", text, ""),))
    with pytest.raises(ValueError, match="times"):
        files_after(edit)
