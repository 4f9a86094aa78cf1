"""Which functions can hold a grouping that feeds a statistic: the others are not walked.

The test is by the words of a function's text, so it can only be too generous. A function counts with the helpers of its
module that it names, since the reshape may stand in one and the centring in another.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from grpo_lint.flow.foreign import centring_among, grouping_among
from grpo_lint.flow.vocabulary import IDENTITY_NAMES, Vocabulary
from grpo_lint.gate import COLLECTIONS, CUTS, KEYS, OTHER_BLOCKS, OTHER_BUCKETS, PART_STATISTICS, SPREADS
from grpo_lint.search import occurs

_RESHAPES = frozenset({"view", "reshape", "unflatten", "rearrange", "unsqueeze", "expand_dims", "newaxis"})
_EINOPS = frozenset({"reduce"})  # which groups in files that have einops
_ROW_INDEX = re.compile(r"\[[(\s]*None\b")
_PART_WORDS = frozenset({*CUTS, *COLLECTIONS})
_PARTS = f"{OTHER_BLOCKS}|{OTHER_BUCKETS}".encode()
_COMPARISON = re.compile(r"[<>]")
_SPREADS = frozenset(SPREADS)
_STATISTICS = tuple(f"{name}{more}" for name in ("mean", "median", "sum", "std", "var") for more in ("", "_mean"))
_PART_STATISTICS = frozenset(PART_STATISTICS)
_WORD = re.compile(r"\w+")
_NO_WORD = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}

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


@dataclass(frozen=True, slots=True)
class _Signs:
    """Of all words of a module: which of them group and tell groups, and whether a comparison may be one of keys."""

    reshapes: frozenset[str]
    groups: frozenset[str]
    has_keys: bool
    centring: frozenset[str]
    grouping: frozenset[str]

    @classmethod
    def of(cls, words: Set[str], vocabulary: Vocabulary, imported: Set[str]) -> _Signs:
        identities = IDENTITY_NAMES & words
        sizes = (word for word in words if vocabulary.is_group_relative and vocabulary.is_group_size(word, False))
        groups = identities | frozenset(sizes) if vocabulary.is_group_relative else frozenset[str]()
        reshapes = _RESHAPES | _EINOPS if "einops" in words else _RESHAPES
        has_keys = bool(identities) or not _SPREADS.isdisjoint(words)
        return cls(reshapes, groups, has_keys, centring_among(imported), grouping_among(imported))


def candidates(pieces: Sequence[Piece], vocabulary: Vocabulary, imported: Set[str]) -> Iterator[ast.AST]:
    """Of pieces of code, those that may hold a finding, alone or with the pieces that they name.

    `imported` are names of other modules' functions: they may group or take a statistic if their name says so.
    """
    words = {piece.node: _words(piece.text) for piece in pieces}
    signs = _Signs.of(frozenset[str]().union(*words.values()), vocabulary, imported)
    marks = {piece.node: frozenset(_marks(piece, words[piece.node], vocabulary, signs)) for piece in pieces}
    if not _is_enough(frozenset[str]().union(*marks.values())):
        return
    helpers: dict[str, list[Piece]] = {}
    for piece in pieces:
        if piece.name and marks[piece.node]:
            helpers.setdefault(piece.name, []).append(piece)
    named = {node: helpers.keys() & found for node, found in words.items()}
    for piece in pieces:
        # a helper is only followed where it is handed rewards, which the function itself must name
        if "rewards" in marks[piece.node] and _is_enough(_reached(piece, marks, helpers, named)):
            yield piece.node


def _words(text: str) -> frozenset[str]:
    """The words of a text: plain text is cut up at half the price."""
    return frozenset(text.translate(_NO_WORD).split() if text.isascii() else _WORD.findall(text))


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


def _marks(piece: Piece, words: Set[str], vocabulary: Vocabulary, signs: _Signs) -> Iterator[str]:
    if not (signs.reshapes | signs.grouping).isdisjoint(words) or ("None" in words and _ROW_INDEX.search(piece.text)):
        yield "reshape"
    if any(word.endswith(_STATISTICS) for word in words) or not signs.centring.isdisjoint(words):
        yield "statistic of a reshape"
    if _takes_parts(piece, words, signs):
        yield "part"
    if not signs.groups.isdisjoint(words):
        yield "groups at hand"
    if not (_PART_STATISTICS | signs.centring).isdisjoint(words):
        yield "statistic of a part"
    if vocabulary.is_mentioned(words):
        yield "rewards"


def _takes_parts(piece: Piece, words: Set[str], signs: _Signs) -> bool:
    if (
        not _PART_WORDS.isdisjoint(words)
        or (signs.has_keys and KEYS in piece.text)
        or occurs(_PARTS, piece.text.encode(errors="replace"))
    ):
        return True
    return not _SPREADS.isdisjoint(words) and _COMPARISON.search(piece.text) is not None
