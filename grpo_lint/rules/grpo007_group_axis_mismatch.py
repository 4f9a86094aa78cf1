"""# GRPO007 group-axis-mismatch

## What it does
Reports prompts that are repeated in one order, if the rewards of their samples are grouped as if they lay in the other:
tiled prompts (`prompt_ids.repeat(n, 1)` in torch, `np.tile`, `prompts * n`) grouped as neighbours
(`rewards.view(-1, n)`), or prompts repeated one by one (`repeat_interleave`, `np.repeat`) grouped as tiles
(`rewards.view(n, -1)`). In preview.

## Why is this bad
Torch's `repeat` tiles: all prompts, then all of them again. Rows of `view(-1, n)` then hold one sample each of n
different prompts, and every advantage compares prompts instead of answers, from the first step on, on every batch. The
shapes fit, so nothing fails. The names mislead: NumPy's and JAX's `repeat` puts copies next to each other, as
`repeat_interleave` does in torch. Public reports: R1-V 67 and prime-rl 600.

## Example
```python
def advantages_of(model, prompt_ids: torch.Tensor, num_generations: int):
    completions = model.generate(prompt_ids.repeat(num_generations, 1))
    rewards = torch.tensor([completion.reward for completion in completions])
    rewards = rewards.view(-1, num_generations)  # noqa: GRPO001 - every prompt has as many answers
    return (rewards - rewards.mean(dim=1, keepdim=True)).flatten()
```

## Use instead
```python
def advantages_of(model, prompt_ids: torch.Tensor, num_generations: int):
    completions = model.generate(prompt_ids.repeat_interleave(num_generations, dim=0))
    rewards = torch.tensor([completion.reward for completion in completions])
    rewards = rewards.view(-1, num_generations)  # noqa: GRPO001 - every prompt has as many answers
    return (rewards - rewards.mean(dim=1, keepdim=True)).flatten()
```

## Fix safety
This rule has no fix: either side may be the wrong one.

## How to suppress
`# noqa: GRPO007 - reason`, or `# grpo-lint: ignore[GRPO007] reason`, on the line that repeats the prompts.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from grpo_lint.rules._rule import Report, Rule

if TYPE_CHECKING:
    from grpo_lint.flow.expansions import Mismatch
    from grpo_lint.flow.facts import FunctionFacts

RULE = Rule(
    code="GRPO007",
    name="group-axis-mismatch",
    summary="prompts are repeated in one order, and their samples' rewards grouped as if in the other",
    gate=(
        rb"\b(?:view|reshape|unflatten|rearrange|split|chunk|range)\b",
        rb"\b(?:repeat|tile|repeat_interleave)\b|\*|\bfor\b",
        rb"(?:mean|median|sum|std|var)\b",
        rb"prompt|question|quer(?:y|ies)|problem|instruction",
    ),
    fixable=False,
    preview=True,
)


def check(facts: FunctionFacts) -> Iterator[Report]:
    """Yield the repetitions of prompts that do not go with how the rewards are grouped."""
    for mismatch in facts.axis_mismatches():
        yield Report(mismatch.expansion.node, _message(mismatch), facts.evidence(mismatch.grouping))


def _message(mismatch: Mismatch) -> str:
    size, grouping = ast.unparse(mismatch.expansion.size), ast.unparse(mismatch.grouping.node)
    if mismatch.is_tiled:
        order, remedy = "repeats all prompts one after another", f"a group is every prompt's turn: `view({size}, -1)`"
    else:
        order, remedy = "repeats each prompt in place", f"a group is {size} in a row: `view(-1, {size})`"
    return (
        f"`{ast.unparse(mismatch.expansion.node)}` {order}, but `{grouping}` groups their samples in the other order: "
        f"each group mixes prompts; {remedy}, or repeat the prompts the other way"
    )
