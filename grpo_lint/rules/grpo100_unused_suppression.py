"""# GRPO100 unused-suppression

## What it does
With `--report-unused-suppressions`, or where the rule is selected by its code, reports comments that suppress a rule
for nothing: `# noqa: GRPO001` on a line, or `# grpo-lint: ignore-file[GRPO001]` in a file, where GRPO001 reports
nothing. And codes in such comments that are no rule's.

## Why is this bad
A comment that outlives its finding hides the next one on its line: the reshape that somebody writes there a year later
is accepted unseen, with a reason that was given for other code. A misspelt code suppresses nothing, though its reader
takes it to.

## Example
```python
from grpo_lint.reference import normalize_rewards_by_group


def advantages_of(args, samples: list[Sample]):
    rewards = [sample.reward for sample in samples]
    groups = [sample.group_index for sample in samples]
    return normalize_rewards_by_group(rewards, groups, normalize_std=False)  # noqa: GRPO001 - uniform
```

## Use instead
```python
from grpo_lint.reference import normalize_rewards_by_group


def advantages_of(args, samples: list[Sample]):
    rewards = [sample.reward for sample in samples]
    groups = [sample.group_index for sample in samples]
    return normalize_rewards_by_group(rewards, groups, normalize_std=False)
```

## Fix safety
The fix is safe: it takes out the code, and the comment with its reason where no other code is left in it. Code, other
codes and other comments of the line stay. A code that is no rule's stays too, since it may be a misspelt one. Codes of
rules that do not run, by option or configuration, are not judged.

## How to suppress
`# noqa: GRPO001, GRPO100 - reason` on the line of the comment, or `# grpo-lint: ignore-file[GRPO100] reason` for a
file. GRPO100 itself is never called unused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from grpo_lint.model import Fix, Safety
from grpo_lint.rules._rule import Remark, Rule
from grpo_lint.subjects import COMMENTS

if TYPE_CHECKING:
    from grpo_lint.suppress.comments import Comments
    from grpo_lint.suppress.directives import Directive

RULE = Rule(
    code="GRPO100",
    name="unused-suppression",
    summary="a comment suppresses a rule that reports nothing there (with `--report-unused-suppressions`)",
    gate=(rb"(?i:noqa)[^\r\n]*GRPO|grpo-lint\s*:\s*ignore",),
    subject=COMMENTS,
    on_request=True,
)

_LIKENESS = 0.5  # of codes that have their letters in common, and no digit


def check(comments: Comments) -> Iterator[Remark]:
    """Yield the directives whose codes are reported nowhere that they speak for, and the codes that are unknown."""
    for directive, codes in comments.unused():
        edits = comments.without(directive, codes)
        yield Remark(directive.range, _unused(directive, codes), Fix(Safety.SAFE, _remedy(directive, codes), edits))
    for directive, code in comments.unknown():
        reason = "another rule may be meant"
        yield Remark(directive.range, _unknown(directive, code, comments.known), fix_reason=reason)


def _unused(directive: Directive, codes: tuple[str, ...]) -> str:
    place = "in this file" if directive.is_for_file else "here"
    use = "suppresses nothing" if codes == directive.codes else f"need not name {'it' if len(codes) == 1 else 'them'}"
    return f"{_listed(codes)} {_are(codes)} not reported {place}: this `# {directive.keyword}` {use}"


def _unknown(directive: Directive, code: str, known: tuple[str, ...]) -> str:
    from grpo_lint.suggestion import did_you_mean

    return f"this `# {directive.keyword}` names `{code}`, which is no rule{did_you_mean(code, known, _LIKENESS)}"


def _remedy(directive: Directive, codes: tuple[str, ...]) -> str:
    return "take the comment out" if codes == directive.codes else f"take {_listed(codes)} out of the comment"


def _listed(codes: tuple[str, ...]) -> str:
    *others, last = (f"`{code}`" for code in codes)
    return f"{', '.join(others)} and {last}" if others else last


def _are(codes: tuple[str, ...]) -> str:
    return "is" if len(codes) == 1 else "are"
