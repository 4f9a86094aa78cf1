"""From lifted normalisations of one text to a fix: their edits, and those of the imports, which they share."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set

from grpo_lint.fixes.imports import ImportChange, change_imports
from grpo_lint.fixes.lift import Lift
from grpo_lint.fixes.origin import NORMALISER
from grpo_lint.model import Edit, Fix, Safety


def assemble(lifts: Sequence[Lift]) -> Fix:
    """One fix of normalisations whose edits do not overlap, and that import the normaliser from the same module."""
    first = lifts[0]
    safety = min((lift.safety for lift in lifts), key=[Safety.UNSAFE, Safety.SAFE].index)
    edits = [edit for lift in lifts for edit in lift.edits]
    message = f"group by `{first.identity}` with `{NORMALISER}`"
    return Fix(safety, message, tuple(sorted([*edits, *_import_edits(lifts)])), first.origin)


def _import_edits(lifts: Sequence[Lift]) -> tuple[Edit, ...]:
    """As if the normalisations were lifted one after another: where an import goes depends on those that are there."""
    first = lifts[0]
    added = None if first.origin is None else (first.origin, NORMALISER)
    removals = list(_removals(lifts))
    changes = [ImportChange(added, removals[0]), *(ImportChange(remove=names) for names in removals[1:] if names)]
    context, tree = first.context, first.facts.module.tree
    return change_imports(context.source, tree, changes, context.project, context.line_length)


def _removals(lifts: Sequence[Lift]) -> Iterator[frozenset[str]]:
    """For each normalisation, the imported names that nothing reads any more once it and those before it are lifted."""
    imported, reads = lifts[0].facts.module.aliases.names, lifts[0].context.reads
    read = Counter[str]()
    gone: set[ast.AST] = set()
    needed = frozenset[str]()
    for lift in lifts:
        names = [node.id for node in lift.gone if isinstance(node, ast.Name)]
        read.update(names)
        gone |= lift.gone
        needed |= lift.needed
        unread = {name for name in set(names) - needed if name in imported and read[name] == reads.names[name]}
        yield frozenset(name for name in unread if not _is_mentioned(name, reads.texts, gone))


def _is_mentioned(name: str, texts: Mapping[ast.AST, str], gone: Set[ast.AST]) -> bool:
    return any(name in text and node not in gone for node, text in texts.items())
