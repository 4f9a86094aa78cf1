"""Which functions can hold a grouping that feeds a statistic: the others are not walked.

The test is by the words of a function's text, so it can only be too generous. A function counts with the helpers of its
module that it names, since the reshape may stand in one and the centring in another.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.vocabulary import Vocabulary
from grpo_lint.gate import BLOCKS, BUCKETS, KEYS

_GROUPINGS = frozenset({"view", "reshape", "unflatten", "rearrange", "unsqueeze", "expand_dims", "newaxis"})
_ROW_INDEX = re.compile(r"\[\s*None\b")
_PARTS = re.compile(f"{BLOCKS}|{BUCKETS}|{KEYS}")
_CUTS = frozenset({"split", "chunk", "tensor_split", "array_split", "batched", "chunked", "slice"})
_STATISTICS = tuple(
    f"{name}{more}" for name in ("mean", "median", "sum", "std", "var", "stdev", "variance") for more in ("", "_mean")
)

_SPREADS = ("std", "var", "stdev", "variance", "std_mean", "var_mean")
_WORD = re.compile(r"[^\W\d]\w*")

_ALL = frozenset({"grouping", "statistic", "rewards"})


@dataclass(frozen=True, slots=True)
class Piece:
    """A function, or a module's own statements, with its name and text."""

    node: ast.AST
    name: str
    text: str


def candidates(pieces: Sequence[Piece], vocabulary: Vocabulary) -> Iterator[ast.AST]:
    """Of pieces of code, those that may hold a finding, alone or with the pieces that they name."""
    words = {piece.node: frozenset(_WORD.findall(piece.text)) for piece in pieces}
    marks = {piece.node: frozenset(_marks(piece, words[piece.node], vocabulary)) for piece in pieces}
    if frozenset[str]().union(*marks.values()) < _ALL:
        return
    helpers: dict[str, list[Piece]] = {}
    for piece in pieces:
        if piece.name and marks[piece.node]:
            helpers.setdefault(piece.name, []).append(piece)
    named = {node: helpers.keys() & found for node, found in words.items()}
    for piece in pieces:
        if _reached(piece, marks, helpers, named) == _ALL:
            yield piece.node


def _reached(
    start: Piece,
    marks: Mapping[ast.AST, frozenset[str]],
    helpers: Mapping[str, list[Piece]],
    named: Mapping[ast.AST, Set[str]],
) -> frozenset[str]:
    """The marks of a piece and of all that it may call."""
    found, seen, stack = marks[start.node], {start.node}, [start]
    while stack and found != _ALL:
        for name in named[stack.pop().node]:
            new = [helper for helper in helpers[name] if helper.node not in seen]
            seen.update(helper.node for helper in new)
            found = found.union(*(marks[helper.node] for helper in new))
            stack += new
    return found


def _marks(piece: Piece, words: Set[str], vocabulary: Vocabulary) -> Iterator[str]:
    if _is_grouping(piece, words):
        yield "grouping"
    if any(word.endswith(_STATISTICS) for word in words):
        yield "statistic"
    if vocabulary.is_mentioned(words):
        yield "rewards"


def _is_grouping(piece: Piece, words: Set[str]) -> bool:
    if not _GROUPINGS.isdisjoint(words) or ("None" in words and _ROW_INDEX.search(piece.text)):
        return True
    if any(word.endswith(_SPREADS) for word in words):
        return True
    return _PARTS.search(piece.text) is not None and any(_makes_parts(part) for part in walk_nodes(piece.node))


def _makes_parts(node: ast.AST) -> bool:
    """A slice with two ends, at least one of them computed, a call that cuts up, a quotient, a dict of lists, a key."""
    match node:
        case ast.Slice(lower=ast.expr() as lower, upper=ast.expr() as upper):
            return not (isinstance(lower, ast.Constant) or isinstance(upper, ast.Constant))
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=[first, *_]) if name in _CUTS:
            return not (isinstance(first, ast.Constant) and isinstance(first.value, str))
        case ast.BinOp(op=ast.FloorDiv()) | ast.AugAssign(target=ast.Subscript(), value=ast.List()):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Subscript(slice=key) | ast.Call(args=[key, _]), attr="append")):
            return not isinstance(key, ast.Constant)
        case ast.Call(func=ast.Attribute(attr="groupby")):
            return True
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            return not isinstance(left, ast.Constant) and not isinstance(right, ast.Constant)
        case _:
            return False
