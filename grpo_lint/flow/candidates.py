"""Which functions can hold a grouping that feeds a statistic: the others are not walked.

The test is by the words of a function's text, so it can only be too generous. A function counts with the helpers of its
module that it names, since the reshape may stand in one and the centring in another.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from grpo_lint.flow.vocabulary import Vocabulary, is_identity
from grpo_lint.gate import BLOCKS, BUCKETS, KEYS, PART_STATISTICS, SPREADS

_RESHAPES = frozenset({"view", "reshape", "unflatten", "rearrange", "reduce", "unsqueeze", "expand_dims", "newaxis"})
_ROW_INDEX = re.compile(r"\[\s*None\b")
_PARTS = re.compile(f"{BLOCKS}|{BUCKETS}")
_KEYS = re.compile(KEYS)
_COMPARISON = re.compile(r"[<>]")
_SPREADS = frozenset(SPREADS)
_STATISTICS = tuple(f"{name}{more}" for name in ("mean", "median", "sum", "std", "var") for more in ("", "_mean"))
_PART_STATISTICS = frozenset(PART_STATISTICS)
_WORD = re.compile(r"[^\W\d]\w*")

# What a function must have of one kind at least.
_KINDS = (
    frozenset({"reshape", "statistic of a reshape", "rewards"}),
    frozenset({"part", "statistic of a part", "rewards"}),
    frozenset({"groups at hand", "statistic of a part", "rewards"}),
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A function, or a module's own statements, with its name and text."""

    node: ast.AST
    name: str
    text: str


def candidates(pieces: Sequence[Piece], vocabulary: Vocabulary) -> Iterator[ast.AST]:
    """Of pieces of code, those that may hold a finding, alone or with the pieces that they name."""
    words = {piece.node: frozenset(_WORD.findall(piece.text)) for piece in pieces}
    every = frozenset[str]().union(*words.values())
    has_keys = not _SPREADS.isdisjoint(every) or any(is_identity(word) for word in every)
    marks = {piece.node: frozenset(_marks(piece, words[piece.node], vocabulary, has_keys)) for piece in pieces}
    if not _is_enough(frozenset[str]().union(*marks.values())):
        return
    helpers: dict[str, list[Piece]] = {}
    for piece in pieces:
        if piece.name and marks[piece.node]:
            helpers.setdefault(piece.name, []).append(piece)
    named = {node: helpers.keys() & found for node, found in words.items()}
    for piece in pieces:
        if _is_enough(_reached(piece, marks, helpers, named)):
            yield piece.node


def _reached(
    start: Piece,
    marks: Mapping[ast.AST, frozenset[str]],
    helpers: Mapping[str, list[Piece]],
    named: Mapping[ast.AST, Set[str]],
) -> frozenset[str]:
    """The marks of a piece and of all that it may call."""
    found, seen, stack = marks[start.node], {start.node}, [start]
    while stack and not _is_enough(found):
        for name in named[stack.pop().node]:
            new = [helper for helper in helpers[name] if helper.node not in seen]
            seen.update(helper.node for helper in new)
            found = found.union(*(marks[helper.node] for helper in new))
            stack += new
    return found


def _is_enough(marks: Set[str]) -> bool:
    return any(kind <= marks for kind in _KINDS)


def _marks(piece: Piece, words: Set[str], vocabulary: Vocabulary, has_keys: bool) -> Iterator[str]:
    if not _RESHAPES.isdisjoint(words) or ("None" in words and _ROW_INDEX.search(piece.text)):
        yield "reshape"
    if any(word.endswith(_STATISTICS) for word in words):
        yield "statistic of a reshape"
    if _takes_parts(piece, words, has_keys):
        yield "part"
    if vocabulary.is_group_relative and any(_tells_groups(word, vocabulary) for word in words):
        yield "groups at hand"
    if not _PART_STATISTICS.isdisjoint(words):
        yield "statistic of a part"
    if vocabulary.is_mentioned(words):
        yield "rewards"


def _tells_groups(word: str, vocabulary: Vocabulary) -> bool:
    return is_identity(word) or vocabulary.is_group_size(word, is_strong=False)


def _takes_parts(piece: Piece, words: Set[str], has_keys: bool) -> bool:
    if _PARTS.search(piece.text) or (has_keys and _KEYS.search(piece.text)):
        return True
    return not _SPREADS.isdisjoint(words) and _COMPARISON.search(piece.text) is not None
