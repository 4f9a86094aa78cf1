"""Statements laid out as black lays them out: black changes nothing in them."""

from __future__ import annotations

import random
from collections.abc import Iterator

import black
import pytest

from grpo_lint.fixes.layout import lay_out, one_line


def blackened(text: str, indent: str, line_length: int) -> str:
    """The statement after black, at its indentation."""
    depth = len(indent) // 4
    header = "".join("    " * level + ("if x:\n" if level else "def f():\n") for level in range(depth))
    return black.format_str(header + text + "\n", mode=black.Mode(line_length=line_length))[len(header) : -1]


def call(*arguments: tuple[str | None, str], prefix: str = "out = ", suffix: str = "", depth: int = 0) -> str:
    text = lay_out(prefix, "regroup", arguments, suffix, "    " * depth, 40)
    if depth or not prefix.startswith("return"):
        assert blackened(text, "    " * depth, 40) == text
    return text


@pytest.mark.parametrize("text", ["a + b", "f(a,b)", "(1,)", "[x for x in y]", "lambda: 0", "'#'"])
def test_one_line_of_one_line_is_itself(text: str) -> None:
    assert one_line(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f(\n    a,\n    b,\n)", "f(a, b)"),
        ("f(\n    a,  # why\n    *b,\n    # what\n    k=-1,\n    **c\n)", "f(a, *b, k=-1, **c)"),
        ("(\n    a\n    and b  # c\n)", "(a and b)"),
        ("(\n    a,\n)", "(a,)"),
        ("x[\n    a,\n]", "x[a,]"),
        ("[\n    a,\n]", "[a]"),
        ("f((a,),\n b)", "f((a,), b)"),
        ("x\n.y(\n)\n.z", "x.y().z"),
        ("[\n    s.g\n    for s in\n    samples\n]", "[s.g for s in samples]"),
        ("{\n    'a': 1,\n    **b,\n}", "{'a': 1, **b}"),
        ("x[\n    1:\n    2\n]", "x[1:2]"),
        ("a \\\n    or b", "a or b"),
        ("f(\r\n    a,\r\n)", "f(a)"),
        ("('a'\n f'{b}#{c}')", "('a' f'{b}#{c}')"),
        ("not (\n    a\n)", "not (a)"),
        ("a -\\\n b", "a - b"),
        ("a in\\\n (b)", "a in (b)"),
    ],
)
def test_one_line(text: str, expected: str) -> None:
    assert one_line(text) == expected


def test_fits_one_line() -> None:
    assert call((None, "rewards"), ("std", "True")) == "out = regroup(rewards, std=True)"


def test_last_column_is_used() -> None:
    assert "\n" not in call((None, "r" * 25))
    assert "\n" in call((None, "r" * 26))


def test_arguments_on_one_line() -> None:
    assert call((None, "rewards"), (None, "group_indices"), ("std", "yes")) == (
        "out = regroup(\n    rewards, group_indices, std=yes\n)"
    )


def test_one_argument_a_line() -> None:
    assert call((None, "rewards"), (None, "group_indices"), ("std", "yes_please")) == (
        "out = regroup(\n    rewards,\n    group_indices,\n    std=yes_please,\n)"
    )


def test_value_that_must_break_is_parenthesised() -> None:
    value = "self.args.estimator_name and self.on"
    assert call((None, "rewards"), ("std", value)) == (
        f"out = regroup(\n    rewards,\n    std=(\n        {value[:24]}\n        and self.on\n    ),\n)"
    )


def test_parenthesised_value_on_one_line() -> None:
    value = "self.args.kind_of and self.on"
    assert call((None, "rewards"), ("scaled_std", value)) == (
        f"out = regroup(\n    rewards,\n    scaled_std=(\n        {value}\n    ),\n)"
    )


def test_comprehension_breaks() -> None:
    assert call((None, "rewards"), (None, "[sample.group_index for sample in samples]")) == (
        "out = regroup(\n    rewards,\n    [\n        sample.group_index\n        for sample in samples\n    ],\n)"
    )


def test_suffix_of_an_empty_call() -> None:
    assert call((None, "rewards"), (None, "group_indices"), suffix=".tolist()") == (
        "out = regroup(\n    rewards, group_indices\n).tolist()"
    )


def test_values_over_several_lines_are_joined() -> None:
    assert call((None, "[\n    a,\n]")) == "out = regroup([a])"


def test_tabs_are_kept_and_count_four() -> None:
    text = lay_out("out = ", "regroup", [(None, "a" * 10), (None, "b" * 10)], "", "\t", 30, "\t")
    assert text == "\tout = regroup(\n\t\t" + "a" * 10 + ", " + "b" * 10 + "\n\t)"


def values(chance: random.Random) -> Iterator[tuple[str | None, str]]:
    def name() -> str:
        return "".join(chance.choices("abcdefgh", k=chance.randint(1, 18))) + "_"

    forms = (
        lambda: f"self.{name()}.{name()}",
        lambda: f"[{name()}.{name()} for {name()} in {name()}]",
        lambda: f"[{name()}.{name()} for {name()} in {name()} if {name()}]",
        lambda: f'self.{name()} in ["{name()}", "{name()}"] and self.{name()}.{name()}',
        lambda: f"{name()} or not {name()} or {name()}({name()}, {name()})",
        lambda: f'getattr({name()}, "{name()}", False) and {name()}',
        lambda: f"{name()} if {name()}.{name()} else {name()}",
        lambda: f"{name()} // {name()}.{name()}",
    )
    yield from ((None, chance.choice(forms[:3])()) for _ in range(chance.randint(1, 3)))
    yield from ((f"{name()}{index}", chance.choice(forms)()) for index in range(chance.randint(0, 3)))


@pytest.mark.parametrize("seed", range(80))
def test_black_changes_nothing(seed: int) -> None:
    chance = random.Random(seed)
    prefix = chance.choice(["rewards = ", "return ", "return raw, ", 'batch["advantages"] = ', "x: Tensor = "])
    suffix = chance.choice(["", "", ".tolist()", ".to(device)", ".flatten().tolist()"])
    indent, line_length = "    " * chance.randint(1, 6), chance.choice([79, 88, 100, 119, 120])
    text = lay_out(prefix, "normalize_rewards_by_group", list(values(chance)), suffix, indent, line_length)
    assert blackened(text, indent, line_length) == text
