"""# GRPO004 singleton-std

## What it does
Reports a sample standard deviation (or variance) of one group's rewards, where the group's size varies at run time and
may be one: over the list of a key, a selection by a mask, or one group's list in a filter. The default of torch and
pandas, `statistics.stdev`, and whatever is told `ddof=1`, `correction=1` or `unbiased=True` are sample ones.

Not reported: what is guarded by a test of the group's size or values, by `nan_to_num`, `isnan`, `fillna` or
`torch.where`, and population deviations (`unbiased=False`, `correction=0`, `ddof=0`, NumPy's default).

## Why is this bad
The sample deviation divides by one less than the number of samples: of a single one it is NaN (`statistics.stdev`
raises an error). As a scale, the NaN becomes that sample's advantage, the loss, and after one step every parameter. In
a filter, every comparison with NaN is false, so `std > 0` drops each such group, for ever. Groups of one come from
aborted and filtered samples, from fan-out, and from evaluation with one sample for each prompt. Public reports:
miles_diffusion 253, where a filter dropped every group of one sample, and of what such filters do besides, NeMo-RL
3469, where one that asks for the deviation of the other samples drops the only one that succeeded.

## Example
```python
def advantages_of(samples: list[Sample]):
    groups = {}
    for i, sample in enumerate(samples):
        groups.setdefault(sample.prompt, []).append((i, sample.reward))
    advantages = [0.0] * len(samples)
    for members in groups.values():
        rewards = torch.tensor([reward for _, reward in members])
        rewards = (rewards - rewards.mean()) / (rewards.std() + 1e-6)
        for (i, _), advantage in zip(members, rewards.tolist()):
            advantages[i] = advantage
    return advantages
```

## Use instead
```python
def advantages_of(samples: list[Sample]):
    groups = {}
    for i, sample in enumerate(samples):
        groups.setdefault(sample.prompt, []).append((i, sample.reward))
    advantages = [0.0] * len(samples)
    for members in groups.values():
        rewards = torch.tensor([reward for _, reward in members])
        rewards = rewards - rewards.mean()
        if len(members) > 1:
            rewards = rewards / (rewards.std() + 1e-6)
        for (i, _), advantage in zip(members, rewards.tolist()):
            advantages[i] = advantage
    return advantages
```

## Fix safety
The fix divides only where the group has two samples or more, and changes no other group: the advantage of a lone
sample, which was NaN, is then 0. It is safe where each sample's reward is known to be one number, and unsafe where it
may be several. There is no fix in a filter, where the rewards are not centred, and where the deviation is used for more
than a division.

## How to suppress
`# noqa: GRPO004 - reason`, or `# grpo-lint: ignore[GRPO004] reason`, on the line of the standard deviation.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from grpo_lint.gate import BUCKETS, KEYS, SPREADS, any_word
from grpo_lint.rules._rule import Report, Rule

if TYPE_CHECKING:
    from grpo_lint.flow.exposed import ExposedSpread
    from grpo_lint.flow.facts import FunctionFacts
    from grpo_lint.model import Fix
    from grpo_lint.project import Cache

RULE = Rule(
    code="GRPO004",
    name="singleton-std",
    summary="a sample standard deviation of a group that may have one sample: NaN in the advantages, or no group kept",
    gate=(any_word(SPREADS), f"{BUCKETS}|{KEYS}|[<>]".encode()),
)


def check(facts: FunctionFacts) -> Iterator[Report]:
    """Yield the sample deviations of groups of varying size that nothing guards."""
    for spread in facts.unguarded_spreads():
        evidence, repair = facts.evidence(spread.grouping), partial(_repaired, facts, spread)
        yield Report(spread.node, _message(spread), evidence, repair=repair)


def _repaired(facts: FunctionFacts, spread: ExposedSpread, _: Cache) -> Fix:
    from grpo_lint.fixes.singleton import guard_spread

    return guard_spread(facts, spread)


def _message(spread: ExposedSpread) -> str:
    text = ast.unparse(spread.node)
    if spread.raises:
        return f"`{text}` raises an error for a group of one sample; take it only of groups of two samples or more"
    if spread.is_filter:
        return (
            f"`{text}` is NaN for a group of one sample, and `{ast.unparse(spread.use)}` is then false: such a group "
            "is dropped every time; test the number of samples first, or take the population's, which is 0"
        )
    return (
        f"`{text}` is NaN for a group of one sample, and so is its advantage, which spoils every parameter; divide "
        "only groups of two samples or more"
    )
