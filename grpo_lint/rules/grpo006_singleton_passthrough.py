"""# GRPO006 singleton-passthrough

## What it does
Reports code that gives a group of one sample 0 for a baseline, or that centres only groups of several samples in
place, so that the lone sample's raw reward passes as its advantage. In preview.

## Why is this bad
Centred on its own mean, a lone sample has the advantage 0: there is nothing to compare it with. With a baseline of 0
its raw reward is the advantage: every success is reinforced at full strength, and with rewards of 0 and 1 none is ever
discouraged. Such samples weigh more than those of complete groups, and there are the more of them the more answers are
aborted or filtered. Public report: rllm 605, where a key that told too much made groups of
one, and the advantages were the raw rewards.

## Example
```python
def advantages_of(uids, rewards: list[float]):
    groups, means = {}, {}
    for uid, reward in zip(uids, rewards):
        groups.setdefault(uid, []).append(reward)
    for uid, members in groups.items():
        if len(members) == 1:
            means[uid] = 0.0
        else:
            means[uid] = sum(members) / len(members)
    return [reward - means[uid] for uid, reward in zip(uids, rewards)]
```

## Use instead
```python
def advantages_of(uids, rewards: list[float]):
    groups = {}
    for uid, reward in zip(uids, rewards):
        groups.setdefault(uid, []).append(reward)
    means = {uid: sum(members) / len(members) for uid, members in groups.items()}
    return [reward - means[uid] for uid, reward in zip(uids, rewards)]
```

## Fix safety
This rule has no fix: whether a lone sample is to count at all is for the author to say.

## How to suppress
`# noqa: GRPO006 - reason`, or `# grpo-lint: ignore[GRPO006] reason`, on the line of the 0, or of the centring.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from grpo_lint.gate import BUCKETS, KEYS, PART_STATISTICS, any_word
from grpo_lint.rules._rule import Report, Rule

if TYPE_CHECKING:
    from grpo_lint.flow.facts import FunctionFacts
    from grpo_lint.flow.lone_samples import LoneBaseline

RULE = Rule(
    code="GRPO006",
    name="singleton-passthrough",
    summary="a group of one sample gets the baseline 0, so that its raw reward passes as an advantage",
    gate=(any_word(PART_STATISTICS), rb"[<>=]=?[(\s]*[12]\b", f"{BUCKETS}|{KEYS}".encode()),
    fixable=False,
    preview=True,
)


def check(facts: FunctionFacts) -> Iterator[Report]:
    """Yield the baselines of 0 for lone samples, and the centring that they do not come by."""
    for lone in facts.lone_baselines():
        yield Report(lone.node, _message(lone), facts.evidence(lone.grouping))


def _message(lone: LoneBaseline) -> str:
    if lone.is_zero:
        what = f"`{ast.unparse(lone.node)}` is the baseline of a group of one sample"
    else:
        what = f"only groups of several samples come by `{ast.unparse(lone.node)}`"
    return (
        f"{what}: its raw reward passes as an advantage, larger than those of complete groups; give it the advantage "
        "0, as its own mean does"
    )
