"""Where an import goes."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from grpo_lint.fixes.imports.rows import Change
from grpo_lint.fixes.imports.sections import Natural, Section, module_key, name_key, section_of
from grpo_lint.fixes.imports.statements import (
    Statement,
    comments_of,
    docstring_end,
    from_statement,
    has_inner_comments,
    head_blocks,
    next_construct,
    rewritten,
    written,
)
from grpo_lint.project.roots import Parties

Key: TypeAlias = "tuple[Section, bool, Natural]"
DEFINITIONS = ("def ", "class ", "@", "async def ")
PRAGMA = re.compile(r"#!|#.*coding[:=]|#\s*(ruff|mypy|flake8|pylint|isort|pyright|fmt)\s*:")
LICENCE = re.compile(r"copyright|licen[cs]e|spdx|all rights reserved", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Newcomer:
    """The import to add, and what decides its place; `given` are its rows where it was written before."""

    module: str
    name: str
    parties: Parties
    line_length: int
    given: tuple[str, ...] = ()
    is_from: bool = True

    @property
    def rows(self) -> tuple[str, ...]:
        return self.given or from_statement(self.module, [self.name], line_length=self.line_length)

    @property
    def key(self) -> Key:
        return section_of(self.module, self.parties), self.is_from, module_key(self.module)

    def key_of(self, statement: Statement) -> Key:
        section = section_of(statement.module, self.parties)
        return section, statement.is_from, module_key(statement.module)

    def is_kin(self, statement: Statement) -> bool:
        """Whether the statement imports from the same top-level package."""
        return statement.module.partition(".")[0] == self.module.partition(".")[0]


def added(texts: Sequence[str], tree: ast.Module, module: str, name: str, parties: Parties, line_length: int) -> Change:
    """The change that adds `from module import name`."""
    new = Newcomer(module, name, parties, line_length)
    blocks = head_blocks(texts, tree)
    mates = [statement for block in blocks for statement in block if statement.is_from and statement.module == module]
    if mates:
        return _beside_mates(texts, mates, new)
    return into_block(texts, _choose(blocks, new), new) if blocks else _first_import(texts, tree, new)


def _beside_mates(texts: Sequence[str], mates: Sequence[Statement], new: Newcomer) -> Change:
    """Extend a statement of the same module; isort sorts those with `as` and those without in one sequence."""
    key = name_key(new.name)
    earlier = [mate for mate in mates if name_key(mate.node.names[0].name) <= key]
    later = [mate for mate in mates if mate not in earlier]
    near = [*earlier[-1:], *later[:1]] if any(mate.has_alias for mate in mates) else list(reversed(mates))
    for mate in near:
        if is_extensible(texts, mate):
            names = sorted([*written(mate), new.name], key=lambda name: name_key(name.partition(" ")[0]))
            return Change(mate.start, mate.end, rewritten(texts, mate, names, new.line_length))
    # A name with a comment of its own precedes the others, whatever its letters.
    after = earlier or [mate for mate in mates if any(comments_of(texts, mate))]
    at = after[-1].end if after else mates[0].start
    return Change(at, at, new.rows)


def is_extensible(texts: Sequence[str], mate: Statement) -> bool:
    """Whether a statement can take more names without taking their comments from those that it has."""
    if not mate.is_alone or mate.is_star or (mate.has_alias and len(mate.node.names) == 1):
        return False
    has_own_comment = len(mate.node.names) == 1 and mate.end - mate.start == 1 and any(comments_of(texts, mate))
    return not has_own_comment and not has_inner_comments(texts, mate)


def _choose(blocks: Sequence[Sequence[Statement]], new: Newcomer) -> Sequence[Statement]:
    """The first block with an import of the same package, or of the same section; else the last one."""
    kin = [block for block in blocks if any(new.is_kin(statement) for statement in block)]
    same = [block for block in blocks if any(new.key_of(statement)[0] == new.key[0] for statement in block)]
    return (kin or same or [blocks[-1]])[0]


def into_block(texts: Sequence[str], block: Sequence[Statement], new: Newcomer) -> Change:
    """The change that puts the newcomer among the statements of a run."""
    keys = [new.key_of(statement) for statement in block]
    if keys == sorted(keys):
        at = sum(key < new.key for key in keys)
        same = [index for index, key in enumerate(keys) if key[0] == new.key[0]]
        return _between(texts, block, at, same, new)
    group = _group(texts, block, new)
    if not group:
        before = [index for index, key in enumerate(keys) if key[0] <= new.key[0]]
        return _between(texts, block, before[-1] + 1 if before else 0, (), new)
    inner = [keys[index][1:] for index in group]
    at = group[0] + sum(key < new.key[1:] for key in inner) if inner == sorted(inner) else group[-1] + 1
    return _between(texts, block, at, group, new)


def _group(texts: Sequence[str], block: Sequence[Statement], new: Newcomer) -> list[int]:
    """The paragraph of imports in which the newcomer stands among its like; empty where there is none."""
    groups: list[list[int]] = []
    for index, statement in enumerate(block):
        is_apart = index == 0 or any(not text.strip() for text in texts[block[index - 1].end : statement.top])
        groups = [*groups, [index]] if is_apart else [*groups[:-1], [*groups[-1], index]]
    kin = [group for group in groups if any(new.is_kin(block[index]) for index in group)]
    same = [group for group in groups if any(new.key_of(block[index])[0] == new.key[0] for index in group)]
    return (kin or same or [[]])[-1]


def _between(texts: Sequence[str], block: Sequence[Statement], at: int, group: Sequence[int], new: Newcomer) -> Change:
    """Insert before the statement `at`; one blank row parts the newcomer from those that are not of its group."""
    if at - 1 in group:
        row = block[at - 1].end
        return Change(row, row, new.rows)
    if at in group:
        row, comment = _top(texts, block[at]), block[at].top < block[at].start
        is_commented = comment and row < block[at].start
        return Change(row, row, (*new.rows, "") if is_commented else new.rows)
    if at:
        row = block[at - 1].end
        return Change(row, row, ("", *new.rows))
    row = _top(texts, block[at])
    return Change(row, row, (*new.rows, ""))


def _top(texts: Sequence[str], statement: Statement) -> int:
    """Where a statement begins with its comments; those at the very top are the file's."""
    return statement.start if statement.top == 0 else statement.top


def _first_import(texts: Sequence[str], tree: ast.Module, new: Newcomer) -> Change:
    """After the docstring, or the comments at the top of the file."""
    start = docstring_end(tree.body) or _header_end(texts)
    rest = next((index for index in range(start, len(texts)) if texts[index].strip()), None)
    above = ("",) if start else ()
    if rest is None:
        return Change(start, len(texts), (*above, *new.rows, ""))
    blank = 2 if next_construct(texts, rest).startswith(DEFINITIONS) else 1
    return Change(start, rest, (*above, *new.rows, *("",) * blank))


def _header_end(texts: Sequence[str]) -> int:
    """Where the shebang, the cookie, the licence and the comments that a blank row parts from the code end."""
    end = 0
    for start, stop in _comment_paragraphs(texts):
        is_apart = stop >= len(texts) or not texts[stop].strip()
        is_licence = any(LICENCE.search(text) for text in texts[start:stop])
        if is_licence or (start == 0 and is_apart):
            end = stop
        elif start == 0:
            end = next((index for index in range(stop) if not PRAGMA.match(texts[index])), stop)
    return end


def _comment_paragraphs(texts: Sequence[str]) -> list[tuple[int, int]]:
    paragraphs: list[tuple[int, int]] = []
    for index, text in enumerate(texts):
        if text.startswith("#"):
            is_next = bool(paragraphs) and paragraphs[-1][1] == index
            start = paragraphs.pop()[0] if is_next else index
            paragraphs.append((start, index + 1))
        elif text.strip():
            break
    return paragraphs
