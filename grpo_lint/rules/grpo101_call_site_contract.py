"""# GRPO101 call-site-contract

## What it does
Reports a call site that no longer keeps the contract that the configuration has of it: what the function must call,
with which arguments, what must become of the result, and which rules must report nothing there.

## Why is this bad
A normaliser may be right, and tested, while its caller is not: a revert of the call leaves every unit test green.
Projects guard such calls by searching the caller's source text, since importing it needs an inference engine that
their CI has not (slime 2230). Those guards fail on a line break, and pass on dead code. A contract resolves names
through imports, follows arguments through locals and the result to where it is returned, and imports nothing.

## Example
With this entry in `pyproject.toml`:
```toml
[[tool.grpo-lint.call-sites]]
file = "lab/rollout.py"
function = "post_process"
calls = "lab.grouping.normalize_rewards_by_group"
arguments = { group_indices = "[sample.group_index for sample in samples]" }
result = "returned"
```
this function keeps the call and loses its result:
```python
from lab.grouping import normalize_rewards_by_group


def post_process(args, samples):
    rewards = [sample.reward for sample in samples]
    groups = [sample.group_index for sample in samples]
    normalized = normalize_rewards_by_group(rewards, groups)
    return rewards
```

## Use instead
```python
from lab.grouping import normalize_rewards_by_group


def post_process(args, samples):
    rewards = [sample.reward for sample in samples]
    groups = [sample.group_index for sample in samples]
    return normalize_rewards_by_group(rewards, groups)
```

## Fix safety
There is no fix: whether the code or the contract is to change is for its maintainers to say.
`grpo-lint contracts infer` proposes the contract of a call as it is now.

## How to suppress
Take the entry out of `call-sites`, or change it to what holds now. `# noqa: GRPO101 - reason` hides a breach on its
line from `grpo-lint`, and not from `grpo-lint contracts`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from grpo_lint.rules._rule import Remark, Rule
from grpo_lint.subjects import CALL_SITES

if TYPE_CHECKING:
    from grpo_lint.contracts.call_sites import CallSites

RULE = Rule(
    code="GRPO101",
    name="call-site-contract",
    summary="a configured call site no longer calls what it must, as it must",
    gate=(),
    fixable=False,
    subject=CALL_SITES,
)


def check(call_sites: CallSites) -> Iterator[Remark]:
    """Yield the breaches of the contracts that the configuration has of a file."""
    for entry, breach in call_sites.breaches:
        yield Remark(breach.range, breach.message, fix_reason=f"change the code, or the contract ({entry})")
