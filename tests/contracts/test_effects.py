"""What helpers of the file change, whatever else was looked at before."""

from __future__ import annotations

from pathlib import Path

import pytest
from contracts.project import TOP, marks, told

BODY = """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    first(args.others)
    {call}
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)


"""
CHAIN = """
def first(x):
    second(x)


def second(x):
    third(x)


def third(x):
    fourth(x)


def fourth(x):
    fifth(x)


def fifth(x):
    x.reverse()
"""
CIRCLE = """
def first(x):
    last(x)


def last(x):
    first(x)
    x.reverse()
"""
PARTS = """
def first(node):
    for child in node.children:
        first(node.parent)


def last(x):
    first(x)
    x.name = "seen"
"""
BREACH = "  # breach: `samples` changes here, after line 4 read it for the same call"


@pytest.mark.parametrize(
    ("call", "helpers"),
    [
        ("fourth(samples)" + BREACH, CHAIN),
        ("first(samples)" + BREACH, CHAIN),
        ("last(samples)" + BREACH, CIRCLE),
        ("first(samples)" + BREACH, CIRCLE),
        ("fourth(args.others)", CHAIN),
        ("last(samples)", PARTS),
    ],
)
def test_helpers_that_change_what_they_are_given(call: str, helpers: str, tmp_path: Path) -> None:
    program = TOP + BODY.format(call=call) + helpers
    assert told(tmp_path, program) == marks(program)


@pytest.mark.parametrize("rewards", ["raw[::-1]", "raw[:4]", "np.flip(raw)", "torch.roll(raw, 1)", "sorted(raw)"])
def test_rewards_in_another_order_than_the_identities(rewards: str, tmp_path: Path) -> None:
    program = f"""{TOP}
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    return raw, normalize_by_prompt({rewards}, prompts, size=args.n_samples)  # breach: `rewards` in another order than
"""
    assert told(tmp_path, program) == marks(program)


@pytest.mark.parametrize(
    "rewards", ["raw", "raw[:]", "list(raw)", "[float(r) for r in raw]", "torch.tensor(raw)[:, 0]"]
)
def test_rewards_in_the_order_of_the_identities(rewards: str, tmp_path: Path) -> None:
    program = f"""{TOP}
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    return raw, normalize_by_prompt({rewards}, prompts, size=args.n_samples)
"""
    assert told(tmp_path, program) == []
