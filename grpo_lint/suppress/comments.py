"""What a file's directives came to, once all other rules have looked at it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from grpo_lint.model import Edit, Finding
from grpo_lint.source import Source
from grpo_lint.suppress.directives import NOQA, Directive, Suppressions
from grpo_lint.suppress.removal import OWN_PREFIX, removal


@dataclass(frozen=True, slots=True)
class Comments:
    """A file's directives; `used` holds each with the code of a finding that it suppresses.

    Only codes of `judged` can be unused: those of the rules that ran. `known` are the codes of all rules.
    """

    source: Source
    directives: tuple[Directive, ...]
    used: frozenset[tuple[Directive, str]]
    judged: frozenset[str]
    known: tuple[str, ...]

    @classmethod
    def of(
        cls,
        source: Source,
        suppressions: Suppressions,
        findings: Iterable[Finding],
        judged: frozenset[str],
        known: tuple[str, ...],
    ) -> Comments:
        """The comments of a file that has these findings, suppressed or not."""
        covering = ((suppressions.covers(finding), finding.code) for finding in findings)
        used = frozenset((directive, code) for directive, code in covering if directive is not None)
        return cls(source, suppressions.directives, used, judged, known)

    def unused(self) -> Iterator[tuple[Directive, tuple[str, ...]]]:
        """The directives that name codes for nothing, with those codes."""
        for directive in self.directives:
            unused = (code for code in directive.codes if (directive, code) not in self.used)
            codes = tuple(code for code in unused if code in self.judged)
            if codes and not directive.is_misplaced:
                yield directive, codes

    def unknown(self) -> Iterator[tuple[Directive, str]]:
        """The codes that are no rule's, with their directives. Those of a `noqa` may be another linter's."""
        for directive in self.directives:
            for code in directive.codes:
                is_ours = directive.keyword != NOQA or code.startswith(OWN_PREFIX)
                if is_ours and code not in self.known:
                    yield directive, code

    def without(self, directive: Directive, codes: tuple[str, ...]) -> tuple[Edit, ...]:
        """The edits that take codes out of a directive, and the directive where no code is left."""
        return removal(self.source, directive, codes)
