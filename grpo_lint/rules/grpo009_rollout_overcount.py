"""# GRPO009 rollout-overcount

## What it does
Reports a group of rewards by the prompt's identity in which each sample counts for itself, if the mean becomes a
baseline, the class of the samples declares `rollout_id`, and the function does not look at it. In preview.

## Why is this bad
With agents that fan out, one attempt gives several samples, which all carry that attempt's reward and `rollout_id`. In
a mean over samples, an attempt that branched into ten votes ten times: the baseline moves towards the attempts that
branch most, and the advantages of all others with it. The unit of the group mean is the attempt. Public
report: miles 2378.

## Example
```python
def advantages_of(samples: list[Sample]):
    groups = {}
    for i, sample in enumerate(samples):
        if sample.group_index is None:
            raise ValueError(f"sample {i} has no group_index")
        groups.setdefault(sample.group_index, []).append(sample.reward)
    means = {key: sum(rewards) / len(rewards) for key, rewards in groups.items()}
    return [sample.reward - means[sample.group_index] for sample in samples]
```

## Use instead
```python
from grpo_lint.reference import normalize_rewards_by_group


def advantages_of(samples: list[Sample]):
    return normalize_rewards_by_group(
        [sample.reward for sample in samples],
        [sample.group_index for sample in samples],
        [sample.rollout_id for sample in samples],
        normalize_std=False,
    )
```

## Fix safety
This rule has no fix: whether several samples of an attempt are to count once is for the author to say.

## How to suppress
`# noqa: GRPO009 - reason`, or `# grpo-lint: ignore[GRPO009] reason`, on the line of the keyed access.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from grpo_lint.gate import BUCKETS, KEYS, PART_STATISTICS, any_word
from grpo_lint.rules._rule import Report, Rule

if TYPE_CHECKING:
    from grpo_lint.flow.attempts import Overcount
    from grpo_lint.flow.facts import FunctionFacts

RULE = Rule(
    code="GRPO009",
    name="rollout-overcount",
    summary="each sample of an attempt counts in its group's mean, though `rollout_id` tells which belong together",
    gate=(f"{BUCKETS}|{KEYS}".encode(), any_word(PART_STATISTICS)),
    fixable=False,
    preview=True,
)


def check(facts: FunctionFacts) -> Iterator[Report]:
    """Yield the keyed accesses whose groups count every sample of an attempt."""
    for overcount in facts.overcounts():
        grouping = overcount.grouping
        yield Report(grouping.node, _message(overcount), facts.evidence(grouping))


def _message(overcount: Overcount) -> str:
    return (
        f"`{ast.unparse(overcount.grouping.node)}` lets each sample vote in its group's mean: an attempt that gave "
        f"several counts as often, and shifts the baseline of all others; count each `{overcount.attempt}` once, with "
        "`normalize_rewards_by_group`"
    )
