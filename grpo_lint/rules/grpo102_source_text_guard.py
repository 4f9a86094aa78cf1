"""# GRPO102 source-text-guard

## What it does
Reports a test that reads a source file of the project as text and asserts that pieces of code are in it, or are not.

## Why is this bad
Such a test guards a call site by its spelling. A formatter that breaks the line, a renamed local or a keyword given by
position makes it fail, though nothing changed; and it passes if the same words stand in a comment, in dead code, or in
another function than the one that trains. A defect in another spelling passes as well: `not in` knows only the spelling
that was there when the test was written.

## Example
```python
SOURCE = Path(__file__).parents[1] / "my_rl" / "rollout.py"


def test_rewards_are_grouped_by_prompt():
    source = SOURCE.read_text()
    assert "advantages = group_rewards(" in source
    assert "group_ids=[sample.group_index for sample in samples]" in source
    assert "rewards.view(-1, rewards.shape[-1])" not in source
```

## Use instead
```python
from grpo_lint.testing import assert_call_site


def test_rewards_are_grouped_by_prompt():
    assert_call_site(
        file="my_rl/rollout.py",
        function="RolloutManager.post_process",
        calls="my_rl.grouping.group_rewards",
        arguments={"group_ids": "[sample.group_index for sample in samples]"},
        result="used",
        absent=["GRPO002"],
    )
```

## Fix safety
The fix is unsafe: the test then checks the call, and no longer the text. Its environment needs grpo-lint, and a
constant that held the file's path may be left without use. There is a fix where the asserted texts are an import, a
call or arguments of one call that exactly one function of the file makes, and reshapes that must be absent. Where a
text is anything else, the test is reported only.

Texts that are not code (a licence, a version, a README) are quiet, as are tests of files that they write or generate
themselves, of their own helpers and of other people's packages.

## How to suppress
`# noqa: GRPO102 - reason`, or `# grpo-lint: ignore[GRPO102] reason`, on the line of the first assertion.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from grpo_lint.model import Mark
from grpo_lint.rules._rule import Remark, Rule
from grpo_lint.subjects import TESTS

if TYPE_CHECKING:
    from grpo_lint.guards import Guard, Suite
    from grpo_lint.model import Fix
    from grpo_lint.project import Cache

RULE = Rule(
    code="GRPO102",
    name="source-text-guard",
    summary="a test guards a call site by searching the text of a source file",
    gate=(
        rb"\b(?:read_text|read_bytes|readlines|read|getsource|getsourcelines)\b",
        rb"assert|\bfail\b|\braise\b",
        rb"\.py\b|__file__|\bgetsource",
    ),
    subject=TESTS,
)


def check(suite: Suite) -> Iterator[Remark]:
    """Yield each function's searches of one source text, at the first of them."""
    for guard in suite.guards():
        statement = guard.first.search.statement
        place = statement.test if isinstance(statement, ast.If) else statement
        evidence, repair = _evidence(suite, guard), partial(_repaired, suite, guard)
        yield Remark(suite.source.range(place), _message(guard), evidence=evidence, repair=repair)


def _repaired(suite: Suite, guard: Guard, cache: Cache) -> Fix:
    from grpo_lint.guards.rewriting import mended

    return mended(suite, guard, cache)


def _message(guard: Guard) -> str:
    first, *others = dict.fromkeys(code.name for code in guard.codes)
    more = f" and {len(others)} more" if others else ""
    search = _shortened(ast.unparse(guard.first.search.node))
    return f"`{search}` searches the text of `{first}`{more}: {_harm(guard)}; {_remedy(guard)}"


def _shortened(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:60].rstrip()} … {text[-17:].lstrip()}"


def _harm(guard: Guard) -> str:
    if all(assertion.search.is_absent for assertion in guard.assertions):
        return "it passes on the same code in any other spelling"
    return "it fails on a line break and passes on dead code"


def _remedy(guard: Guard) -> str:
    if guard.mentions_call():
        return "say what must be called, and how, with `assert_call_site`"
    return "test what the code does, or say what it must call with `assert_call_site`"


def _evidence(suite: Suite, guard: Guard) -> tuple[Mark, ...]:
    reads = [code.read for code in guard.codes if hasattr(code.read, "lineno")]
    searches = [assertion.search.statement for assertion in guard.assertions]
    marks = {
        *(Mark(suite.source.range(read), "the source is read as text") for read in reads),
        *(Mark(suite.source.range(each), "searched for code") for each in searches if not isinstance(each, ast.If)),
    }
    return tuple(sorted(marks))
