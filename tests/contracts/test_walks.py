"""Functions of a shape that multiplies the ways through them are checked, each way once."""

from __future__ import annotations

from pathlib import Path

import pytest
from contracts.project import write

from grpo_lint.contracts import CallSite, Result, check
from grpo_lint.contracts.effects import Orders
from grpo_lint.contracts.inference import infer
from grpo_lint.contracts.sources import read_source
from grpo_lint.contracts.unit import Unit
from grpo_lint.project import Cache, Project

HEAD = "from lab.grouping import normalize_by_prompt\n\n\ndef post_process(args, samples):\n"
CALL = "normalize_by_prompt(raw, [s.prompt for s in samples], scale=args.scale)"
RAW = "    raw = [s.reward for s in samples]\n"

SHAPES = {
    "loops in loops": RAW
    + "".join(f"{'    ' * (depth + 1)}for x{depth} in args.a{depth}:\n" for depth in range(18))
    + f"{'    ' * 19}rewards = {CALL}\n    return raw, rewards\n",
    "branches that each keep the result": RAW
    + f"    rewards = {CALL}\n"
    + "".join(f"    if args.a{i}:\n        x{i} = [rewards, raw]\n" for i in range(40))
    + "    return raw, rewards\n",
    "locals that double": "    x0 = [s.reward for s in samples]\n"
    + "".join(f"    x{i + 1} = f(x{i}, x{i})\n" for i in range(60))
    + f"    return {CALL.replace('raw', 'x60')}\n",
    "helpers that branch": "    return h0(args, samples)\n"
    + "".join(
        f"\n\ndef h{i}(args, samples):\n    if args.a:\n        return h{i + 1}(args, samples)\n"
        f"    return h{i + 1}(args, samples)\n"
        for i in range(9)
    )
    + f"\n\ndef h9(args, samples):\n{RAW}    return {CALL}\n",
}


@pytest.mark.parametrize("result", Result)
@pytest.mark.parametrize("name", SHAPES)
def test_a_function_with_many_ways_is_checked(name: str, result: Result, tmp_path: Path) -> None:
    arguments = (("prompts", "[s.prompt for s in samples]"),)
    site = CallSite("lab/manager.py", "post_process", "lab.grouping.normalize_by_prompt", arguments, result)

    assert check(site, write(tmp_path, HEAD + SHAPES[name])) == ()


@pytest.mark.parametrize(
    ("call", "kept"),
    [
        ("[normalize_by_prompt(batch, args.prompts, scale=True) for batch in samples]", {"prompts", "scale"}),
        ("[normalize_by_prompt(args.raw, batch.prompts, scale=s) for batch, s in samples]", {"rewards"}),
        (
            "normalize_by_prompt(args.raw, [batch.prompt for batch in samples], scale=True)",
            {"rewards", "prompts", "scale"},
        ),
    ],
)
def test_variables_of_a_comprehension_around_the_call_are_not_proposed(
    call: str, kept: set[str], tmp_path: Path
) -> None:
    root = write(tmp_path, f"{HEAD}    return {call}\n")
    source, tree = read_source("lab/manager.py", root)
    orders = Orders.of_unit(Unit.of(source, tree, Project.for_file(source.path, Cache())))

    found = infer(CallSite("lab/manager.py", "post_process", "lab.grouping.normalize_by_prompt"), orders, (), ()).site

    assert {name for name, _ in found.arguments} == kept
    assert found.result is Result.RETURNED
    assert check(found, root) == ()
