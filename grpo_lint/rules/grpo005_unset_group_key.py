"""# GRPO005 unset-group-key

## What it does
Reports a group of rewards by an identity that may be None, if nothing looks whether it is: the class of the samples
declares the attribute with None (`group_index: int | None = None`), or the read has None for a default
(`getattr(sample, "group_index", None)`, `sample.get("uid")`), and a statistic of the group becomes a baseline, a scale
or a filter.

## Why is this bad
None is a key like any other. All samples without an identity become one group, whatever their prompts are: an easy
prompt's failures are compared with a hard prompt's successes, and nothing fails. Identities go missing in custom
rollout functions, in evaluation, and where samples are rebuilt from dictionaries. Public report: slime
2230, which asks that samples without an identity no longer fall together silently.

## Example
```python
def advantages_of(samples):
    groups = {}
    for sample in samples:
        groups.setdefault(getattr(sample, "group_index", None), []).append(sample.reward)
    for rewards in groups.values():
        yield torch.tensor(rewards) - torch.tensor(rewards).mean()
```

## Use instead
```python
def advantages_of(samples):
    groups = {}
    for i, sample in enumerate(samples):
        if sample.group_index is None:
            raise ValueError(f"sample {i} has no group_index")
        groups.setdefault(sample.group_index, []).append(sample.reward)
    for rewards in groups.values():
        yield torch.tensor(rewards) - torch.tensor(rewards).mean()
```

## Fix safety
The fix is unsafe: it raises an error that names the first sample without an identity, so that runs stop which went on
with wrong groups. There is no fix where nothing beside the key names the sample.

## How to suppress
`# noqa: GRPO005 - reason`, or `# grpo-lint: ignore[GRPO005] reason`, on the line of the keyed access.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from grpo_lint.gate import BUCKETS, KEYS, PART_STATISTICS, any_word
from grpo_lint.rules._rule import Report, Rule

if TYPE_CHECKING:
    from grpo_lint.flow.facts import FunctionFacts
    from grpo_lint.flow.unset_keys import UnsetKey
    from grpo_lint.model import Fix
    from grpo_lint.project import Cache

RULE = Rule(
    code="GRPO005",
    name="unset-group-key",
    summary="rewards are grouped by an identity that may be None: all samples without one become one group",
    gate=(
        rb"\b(?:uids|uid|group_ids|group_id|groups_ids|prompt_ids|prompt_id|group_indices|group_indexes|group_index|"
        rb"prompt_indices|prompt_index|prompt_uids|question_ids|problem_ids|query_ids|group_idx|group_idxs)\b",
        (BUCKETS + "|" + KEYS).encode(),
        any_word(PART_STATISTICS),
    ),
)


def check(facts: FunctionFacts) -> Iterator[Report]:
    """Yield the keyed accesses by an identity that may be None, unchecked."""
    for key in facts.unset_keys():
        evidence, repair = facts.evidence(key.grouping), partial(_repaired, facts, key)
        yield Report(key.grouping.node, _message(key), evidence, repair=repair)


def _repaired(facts: FunctionFacts, key: UnsetKey, _: Cache) -> Fix:
    from grpo_lint.fixes.unset import raise_if_unset

    return raise_if_unset(facts, key)


def _message(key: UnsetKey) -> str:
    read = ast.unparse(key.read)
    return (
        f"`{ast.unparse(key.grouping.node)}` groups by `{read}`, which may be None: all samples without "
        f"`{key.attribute}` become one group, and are measured against other prompts' rewards; raise an error where "
        f"`{read}` is None"
    )
