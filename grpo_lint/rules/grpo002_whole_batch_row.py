"""# GRPO002 whole-batch-row

## What it does
Reports a reward vector that is made one row (`view(-1, rewards.shape[-1])`, `view(1, -1)`, `rewards[None]`,
`unsqueeze(0)`), if the row is then centred or scaled along that row.

## Why is this bad
One row is one group: every prompt of the batch shares a single baseline. Such a row is usually the fallback for
batches whose total does not match the configured one, so it acts exactly when prompts have uneven counts. An easy
prompt's failures are then compared with a hard prompt's successes: in one measured run 80 % of the advantages had
the wrong sign, and no error was raised. Public reports: slime 1414 and 2230.

## Example
```python
def advantages_of(args, samples: list[Sample]):
    rewards = torch.tensor([sample.reward for sample in samples])
    rewards = rewards.view(-1, rewards.shape[-1])
    rewards = rewards - rewards.mean(dim=-1, keepdim=True)
    return rewards.flatten().tolist()
```

## Use instead
```python
from grpo_lint.reference import normalize_rewards_by_group


def advantages_of(args, samples: list[Sample]):
    return normalize_rewards_by_group(
        [sample.reward for sample in samples],
        [sample.group_index for sample in samples],
        normalize_std=False,
    )
```

## Fix safety
As for GRPO001: safe where the identity is proven, unsafe where it is only named like one, absent where a step is not
understood. A reshape and its fallback row are one normalisation and share one fix.

## How to suppress
`# noqa: GRPO002 - reason`, or `# grpo-lint: ignore[GRPO002] reason`, on the line of the reshape. A function that is
handed one prompt's own group is not reported if its names say so (`group`, `members`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from grpo_lint.gate import STATISTICS
from grpo_lint.rules._rule import Report, Rule

if TYPE_CHECKING:
    from grpo_lint.flow.facts import FunctionFacts
    from grpo_lint.flow.values import Grouping

RULE = Rule(
    code="GRPO002",
    name="whole-batch-row",
    summary="rewards are made one row and normalised along it: the whole batch becomes one group",
    gate=(
        rb"\b(?:view|reshape|unflatten|rearrange|unsqueeze|expand_dims|newaxis)\b|\[[(\s]*None\b",
        STATISTICS,
    ),
)


def check(facts: FunctionFacts) -> Iterator[Report]:
    """Yield the rows that hold the whole batch and feed a baseline or a scale."""
    for grouping in facts.rows_of_the_batch():
        if not facts.is_one_group(grouping) and _holds_all(facts, grouping):
            yield Report(grouping.node, _message(grouping), facts.evidence(grouping), grouping)


def _holds_all(facts: FunctionFacts, grouping: Grouping) -> bool:
    """Whether it is one row of many prompts: of unknown axes, `view(-1, x.shape[-1])` keeps the rows that there are."""
    is_one_row = facts.is_flat(grouping) or grouping.is_one_row or facts.is_named_flat(grouping)
    return facts.has_sized_sibling(grouping) or (is_one_row and facts.is_about_prompts(grouping))


def _message(grouping: Grouping) -> str:
    values = ast.unparse(grouping.operand)
    return (
        f"`{ast.unparse(grouping.node)}` makes all of `{values}` one group: every prompt of the batch then shares one "
        "baseline, and advantages of easy and hard prompts take the wrong sign; group by the prompt's identity with "
        "`normalize_rewards_by_group`"
    )
