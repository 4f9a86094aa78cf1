"""The findings of every case follow their code through mutations that change nothing a rule is about.

Longer: GRPO_LINT_MUTANTS=5000 python -m pytest tests/rules/test_mutations.py
"""

from __future__ import annotations

import ast
import os
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from layouts import LAYOUTS
from mutations import MUTATIONS, UNFOLLOWED
from programs import Place, Program
from test_cases import CASES, NAMES, expectations, place, run

from grpo_lint.analysis import scope_of

_MUTANTS = os.environ.get("GRPO_LINT_MUTANTS")
# Few, since shrinking goes through them.
_SEEDS = st.integers(0, 63 if _MUTANTS is None else 2**16)


def unmutated(tree: Path, name: str) -> Program:
    """A case as mutations start from: without the comments, so that nothing is suppressed."""
    return _bare(tree, (CASES / f"{name}.py").read_text(), name)


@cache
def _bare(tree: Path, text: str, name: str) -> Program:
    bare = ast.unparse(ast.parse(text)) + "\n"
    return reported(tree, name, bare)


def reported(tree: Path, name: str, text: str) -> Program:
    """A text with the places that the linter reports."""
    return Program.of(text, run(place(tree, name, text.encode())).findings)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("mutants")
    shutil.copy(CASES / "samples.py", made)
    return made


def described(text: str, places: set[Place]) -> list[str]:
    """Places, with the functions that they stand in, as a failing test shows them."""
    tree, lines = ast.parse(text), text.splitlines()
    return sorted(
        f"{code} in {scope_of(tree, found.start.row)}: {lines[found.start.row - 1].strip()}" for found, code in places
    )


def assert_findings_follow(folder: Path, name: str, wanted: Program, unfollowed: frozenset[str]) -> None:
    places = {each for each in wanted.places if each[1] not in unfollowed}
    found = {each for each in reported(folder, name, wanted.text).places if each[1] not in unfollowed}
    lost, new = places - found, found - places
    assert not lost, described(wanted.text, lost)
    assert not new, described(wanted.text, new)


@pytest.mark.parametrize("name", NAMES)
def test_comments_are_no_part_of_what_is_found(folder: Path, name: str) -> None:
    """But for those that suppress: without any, at least what is expected is found, function by function."""
    text = (CASES / f"{name}.py").read_text()
    bare = unmutated(folder, name)
    expected = sorted((scope_of(ast.parse(text), each.row), each.code) for each in expectations(text))
    found = sorted((scope_of(ast.parse(bare.text), each.start.row), code) for each, code in bare.places)
    suppressed = text.count("noqa: GRPO")
    assert len(found) == len(expected) + suppressed
    assert set(expected) <= set(found)


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_every_mutation_changes_some_case(folder: Path, mutation: str) -> None:
    changed = (unmutated(folder, name) for name in NAMES)
    assert any(case.mutated([(MUTATIONS[mutation], 0)]).text != case.text for case in changed)


@pytest.mark.parametrize("name", NAMES)
def test_findings_follow_into_a_function_that_makes_them_all(folder: Path, name: str) -> None:
    """What stands in one inner function says nothing of another."""
    mutant = unmutated(folder, name).mutated([(MUTATIONS["wrap_in_function"], 0)])
    assert_findings_follow(folder, name, mutant, frozenset())


@pytest.mark.parametrize("name", NAMES)
def test_parentheses_change_nothing(folder: Path, name: str) -> None:
    for seed in range(3):
        mutant = unmutated(folder, name).laid_out(LAYOUTS["parentheses"], seed)
        assert_findings_follow(folder, name, mutant, frozenset())


@settings(
    max_examples=int(_MUTANTS or 60),
    derandomize=_MUTANTS is None,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(
    name=st.sampled_from(NAMES),
    steps=st.lists(st.tuples(st.sampled_from(sorted(MUTATIONS)), _SEEDS), min_size=1, max_size=5),
    layouts=st.lists(st.tuples(st.sampled_from(sorted(LAYOUTS)), _SEEDS), max_size=2),
)
def test_findings_follow_their_code(
    folder: Path, name: str, steps: Sequence[tuple[str, int]], layouts: Sequence[tuple[str, int]]
) -> None:
    mutant = unmutated(folder, name).mutated([(MUTATIONS[step], seed) for step, seed in steps])
    for layout, seed in layouts:
        mutant = mutant.laid_out(LAYOUTS[layout], seed)
    applied = [each for each, _ in (*steps, *layouts)]
    unfollowed = frozenset[str]().union(*(UNFOLLOWED.get(each, ()) for each in applied))
    assert_findings_follow(folder, name, mutant, unfollowed)
