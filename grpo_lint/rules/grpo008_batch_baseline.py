"""# GRPO008 batch-baseline

## What it does
Reports rewards that are centred on the mean of the whole batch, in a function of group-relative code that has the
prompts' identities or the group size at hand, and subtracts no group mean. Not reported: advantages (which were centred
before), a batch form that is one branch beside others, and functions that are named for taking the batch together
(`whiten`, `global`). In preview.

## Why is this bad
The baseline of GRPO and its relatives is the mean of the *same prompt's* samples. The mean of the batch is a weak
substitute: all samples of an easy prompt are then reinforced and all of a hard one discouraged, whatever they did, and
the gradient says more about the prompts than about the answers. Public report: grpo-flat 2, where the rewards of all
prompts of a batch were centred and scaled together.

## Example
```python
def grpo_advantages(rewards: torch.Tensor, group_ids: torch.Tensor):
    return (rewards - rewards.mean()) / (rewards.std() + 1e-6)
```

## Use instead
```python
from grpo_lint.reference import normalize_rewards_by_group


def grpo_advantages(rewards: torch.Tensor, group_ids: torch.Tensor):
    return normalize_rewards_by_group(rewards, group_ids, normalize_std=True)
```

## Fix safety
This rule has no fix: that the batch is not one prompt's own is not proven.

## How to suppress
`# noqa: GRPO008 - reason`, or `# grpo-lint: ignore[GRPO008] reason`, on the line of the subtraction.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from grpo_lint.gate import GROUP_RELATIVE
from grpo_lint.rules._rule import Report, Rule

if TYPE_CHECKING:
    from grpo_lint.flow.facts import FunctionFacts

RULE = Rule(
    code="GRPO008",
    name="batch-baseline",
    summary="rewards are centred on the mean of the whole batch, though what tells their groups is at hand",
    gate=(
        rb"\b(?:mean|nanmean|median|fmean|sum)\b",
        f"(?i:{GROUP_RELATIVE})".encode(),
    ),
    fixable=False,
    preview=True,
)


def check(facts: FunctionFacts) -> Iterator[Report]:
    """Yield the subtractions of the whole batch's mean."""
    for normalising in facts.batch_baselines():
        node = normalising.node
        if isinstance(node, ast.AugAssign):
            node = node.value
        if isinstance(node, ast.expr):
            yield Report(node, _message(node), facts.evidence(normalising.groupings[0]))


def _message(node: ast.expr) -> str:
    return (
        f"`{ast.unparse(node)}` measures rewards against the whole batch: samples of an easy prompt are reinforced and "
        "those of a hard one discouraged, whatever they did; subtract the mean of each prompt's own rewards, with "
        "`normalize_rewards_by_group`"
    )
