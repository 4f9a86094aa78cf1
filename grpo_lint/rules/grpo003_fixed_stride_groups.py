"""# GRPO003 fixed-stride-groups

## What it does
Reports groups that are blocks of consecutive rewards, if a statistic of each block becomes a baseline, a scale or a
filter for the same rewards: slices in steps of a constant (`rewards[i * n : (i + 1) * n]`), `split`, `chunk`,
`array_split` and `batched`, and keys that are quotients of positions (`i // n`).

## Why is this bad
It is the reshape of GRPO001 in another spelling. A block is one prompt's own only while every prompt has exactly that
many samples, next to each other. One aborted, filtered or branched sample shifts every later block across the border
of two prompts, and each advantage is then measured against other prompts' rewards. Where the number of blocks is a
floor division, the samples of the last, incomplete block are dropped, or keep a baseline of 0 and a scale of epsilon.
Public report: AReaL 1419, where groups that had lost failed rollouts were cut by a constant stride.

## Example
```python
def advantages_of(rewards: torch.Tensor, group_size: int):
    advantages = torch.zeros_like(rewards)
    for i in range(len(rewards) // group_size):
        block = rewards[i * group_size : (i + 1) * group_size]
        advantages[i * group_size : (i + 1) * group_size] = block - block.mean()
    return advantages
```

## Use instead
```python
from grpo_lint.reference import normalize_rewards_by_group


def advantages_of(rewards: torch.Tensor, group_size: int, group_ids: list[int]):
    return normalize_rewards_by_group(rewards, group_ids, normalize_std=False, fallback_group_size=group_size)
```

## Fix safety
As for GRPO001: safe where the identity is proven, unsafe where it is only named like one. There is a fix where each
block is centred on its mean, and perhaps divided by its std, and stored where it came from, in a loop over all blocks
or a comprehension that is joined again; for everything else there is none.

## How to suppress
`# noqa: GRPO003 - reason`, or `# grpo-lint: ignore[GRPO003] reason`, on the line of the slice, split or key.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from grpo_lint.gate import BLOCKS, CENTRING, PART_STATISTICS, any_word
from grpo_lint.rules._rule import Report, Rule

if TYPE_CHECKING:
    from grpo_lint.flow.facts import FunctionFacts
    from grpo_lint.flow.values import Grouping

RULE = Rule(
    code="GRPO003",
    name="fixed-stride-groups",
    summary="groups are slices, splits or quotients of positions, and a group statistic becomes a baseline or scale",
    gate=(
        BLOCKS.encode(),
        any_word(PART_STATISTICS) + b"|" + CENTRING.encode(),
    ),
)


def check(facts: FunctionFacts) -> Iterator[Report]:
    """Yield the blocks of consecutive rewards that feed a baseline, a scale or a filter."""
    for grouping in facts.blocks_of_samples():
        yield Report(grouping.node, _message(facts, grouping), facts.evidence(grouping), grouping)


def _message(facts: FunctionFacts, grouping: Grouping) -> str:
    values = "the rewards" if grouping.key else f"`{ast.unparse(grouping.operand)}`"
    size = f"`{ast.unparse(grouping.size)}` in a row" if grouping.size else "in parts of one size"
    tail = ", and those of the last incomplete block get none" if facts.drops_tail(grouping) else ""
    return (
        f"`{ast.unparse(grouping.node)}` groups {values} by position, {size}: when prompts have uneven "
        f"sample counts, each advantage is measured against other prompts' rewards{tail}; group by the prompt's "
        "identity with `normalize_rewards_by_group`"
    )
