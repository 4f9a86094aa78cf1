"""The contract accepts what is harmless and refuses what does harm, in projects of several shapes."""

from __future__ import annotations

from pathlib import Path

import pytest
from contracts.shapes import layout, objects, streams, tensors, waiting
from contracts.shapes.shape import Edit, Shape, holds, outcomes, write

EDITS = (*layout.EDITS, *waiting.EDITS, *objects.EDITS, *tensors.EDITS, *streams.EDITS)
SHAPES = tuple({edit.shape.name: edit.shape for edit in EDITS}.values())
SLIPS = {"NameError", "UnboundLocalError", "AttributeError", "SyntaxError"}  # how an edit with a mistake would end


def name_of(edit: Edit) -> str:
    return f"{edit.shape.name}: {'harmful' if edit.is_harmful else 'harmless'}: {edit.name}"


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_the_contract_holds_of_the_code_as_it_is(shape: Shape, tmp_path: Path) -> None:
    assert holds(shape, write(shape, tmp_path))


@pytest.mark.parametrize("edit", EDITS, ids=name_of)
def test_an_edit_does_what_is_said_of_it(edit: Edit, tmp_path: Path) -> None:
    before = outcomes(edit.shape, write(edit.shape, tmp_path / "before"))
    after = outcomes(edit.apply(), write(edit.apply(), tmp_path / "after"))

    assert not SLIPS.intersection(each for each in after if isinstance(each, str))
    assert (after != before) == edit.is_harmful


@pytest.mark.parametrize("edit", EDITS, ids=name_of)
def test_the_contract_judges_an_edit_as_is_known(edit: Edit, tmp_path: Path) -> None:
    is_right = holds(edit.apply(), write(edit.apply(), tmp_path)) != edit.is_harmful

    assert is_right != edit.is_misjudged
