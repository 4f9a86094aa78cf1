"""# GRPO001 reward-reshape

## What it does
Reports a reward vector that is reshaped into groups of a constant size, if a statistic of those groups becomes a
baseline or a scale for the same rewards. It makes no difference how the reshape is written: `view`, `reshape`,
`unflatten`, a pattern of einops, a shape in a variable, a number of groups (`view(num_prompts, -1)`), of torch, NumPy,
JAX or MLX; nor whether the groups are then normalised at once or row by row, here or in a helper of the module.

## Why is this bad
GRPO and its relatives centre each reward on the mean of the *same prompt's* samples. A reshape by a constant makes
groups by position: it is right only while every prompt has exactly that many samples, next to each other and in
order. Agent fan-out, aborted or filtered samples make the counts uneven ([8, 9, 10, 12, 28]); then rows straddle
prompts, and advantages are computed against other prompts' rewards. Nothing fails: a total that happens to match
proves nothing either (7 + 1 + 5 + 3 is also 4 * 4). Public reports: slime 2230, and TRL 6804, where evaluation with
another number of generations misgroups the rewards.

## Example
```python
def advantages_of(args, samples: list[Sample]):
    rewards = torch.tensor([sample.reward for sample in samples])
    rewards = rewards.reshape(-1, args.n_samples_per_prompt)
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
        fallback_group_size=args.n_samples_per_prompt,
    )
```

## Fix safety
The fix is safe where the identity is proven: the rewards are read one by one off a sequence whose elements declare
`group_index`, and nothing reorders or selects them. It is unsafe where an identity is only named like one (`uids`,
`prompt_ids`). There is no fix where a later use needs the grouped shape, the order changed, or a step is not
understood. Leave-one-out stays what it is, as `(sum - r) / (n - 1)` and as `(r - mean) * n / (n - 1)`. A scale of the
whole batch stays behind the call if it is applied to flat values; applied to the groups, it prevents the fix.

## How to suppress
`# noqa: GRPO001 - reason`, or `# grpo-lint: ignore[GRPO001] reason`, on the line of the reshape.
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
    code="GRPO001",
    name="reward-reshape",
    summary="rewards are grouped by a reshape to a constant size, and a group statistic becomes a baseline or scale",
    gate=(rb"\b(?:view|reshape|unflatten|rearrange|einops)\b", STATISTICS),
)


def check(facts: FunctionFacts) -> Iterator[Report]:
    """Yield the reshapes to a constant group size that feed a baseline or a scale."""
    for grouping in facts.groups_of_constant_size():
        yield Report(grouping.node, _message(facts, grouping), facts.evidence(grouping), grouping)


def _message(facts: FunctionFacts, grouping: Grouping) -> str:
    call, values = ast.unparse(grouping.node), ast.unparse(grouping.operand)
    return (
        f"`{call}` groups `{values}` by position, {_arrangement(grouping)}: when prompts have uneven sample counts, "
        f"{_harm(facts, grouping)}; group by the prompt's identity with `normalize_rewards_by_group`"
    )


def _arrangement(grouping: Grouping) -> str:
    if grouping.size is not None:
        return f"`{ast.unparse(grouping.size)}` in a row"
    return f"`{ast.unparse(grouping.count)}` groups of one size" if grouping.count else "a constant number in a row"


def _harm(facts: FunctionFacts, grouping: Grouping) -> str:
    if facts.is_baseline(grouping):
        return "each advantage is measured against other prompts' rewards and may change its sign"
    return "each advantage is scaled by the spread of other prompts' rewards"
