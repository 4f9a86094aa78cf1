"""The tokens of an expression or of a one-line statement."""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

OPENING = frozenset("([{")
CLOSING = frozenset(")]}")
LAYOUT = frozenset(
    {tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
)
# Words after which a bracket starts an expression of its own, and an operator has no left operand.
VALUE_WORDS = frozenset({"None", "True", "False"})

Kind: TypeAlias = Literal["open", "close", "name", "number", "string", "operator"]


@dataclass(frozen=True, slots=True)
class Token:
    """A token: the space before it, as written, and its text (empty for a parenthesis that is only possible).

    `start` is its offset, `breaks` whether a line break stands before it.
    """

    prefix: str
    text: str
    kind: Kind
    start: int = 0
    breaks: bool = False

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def ends_value(self) -> bool:
        """Whether a value can end with this token, so that what follows is a call, an index or a binary operator."""
        return self.kind in {"close", "number", "string"} or (
            self.kind == "name" and (self.text in VALUE_WORDS or not keyword.iskeyword(self.text))
        )


def tokens_of(text: str) -> tuple[Token, ...]:
    """The tokens of a text in brackets or without line breaks; comments and line breaks are left out."""
    starts = [0, *(found.end() for found in re.finditer("\r\n|\r|\n", text))]
    found: list[Token] = []
    row = 1
    for kind, start, end, last_row in _spans(text, starts):
        previous_end = found[-1].end if found else 0
        is_broken = bool(found) and _row(starts, start) != row
        prefix = "" if is_broken else text[previous_end:start]
        found.append(Token(prefix, text[start:end], kind, start, is_broken))
        row = last_row
    return tuple(found)


def _spans(text: str, starts: Sequence[int]) -> Iterator[tuple[Kind, int, int, int]]:
    """Kind, start, end and last row of each token; an f-string is one token, also where Python makes it several."""
    depth, begin = 0, 0
    for item in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
        if item.type in LAYOUT:
            continue
        name = tokenize.tok_name[item.type]
        start = starts[item.start[0] - 1] + item.start[1]
        if name in {"FSTRING_START", "TSTRING_START"}:
            begin = start if depth == 0 else begin
            depth += 1
        elif name in {"FSTRING_END", "TSTRING_END"}:
            depth -= 1
            if depth == 0:
                yield "string", begin, starts[item.end[0] - 1] + item.end[1], item.end[0]
        elif depth == 0:
            yield _kind(item), start, starts[item.end[0] - 1] + item.end[1], item.end[0]


def _row(starts: Sequence[int], offset: int) -> int:
    return sum(1 for start in starts if start <= offset)


def _kind(item: tokenize.TokenInfo) -> Kind:
    match item.type:
        case tokenize.NAME:
            return "name"
        case tokenize.NUMBER:
            return "number"
        case tokenize.STRING:
            return "string"
    return "open" if item.string in OPENING else "close" if item.string in CLOSING else "operator"


def pairs_of(tokens: Sequence[Token]) -> dict[int, int]:
    """The index of each bracket's partner, both ways; brackets without a partner are not in it."""
    pairs: dict[int, int] = {}
    stack: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind == "open":
            stack.append(index)
        elif token.kind == "close" and stack:
            opening = stack.pop()
            pairs[opening], pairs[index] = index, opening
    return pairs


def joined(tokens: Sequence[Token]) -> str:
    """The text of a line that starts with the first of the tokens."""
    first = "".join(token.text for token in tokens[:1])
    return first + "".join(token.prefix + token.text for token in tokens[1:])


def one_line(text: str) -> str:
    """An expression on one line, as black would write it; its comments are left out.

    Spacing is decided only where a line break was; everything else stays as written. Trailing commas go, except those
    that make a tuple.
    """
    if "\n" not in text and "\r" not in text:
        return text
    tokens = tokens_of("(" + re.sub("\r\n|\r", "\n", text) + "\n)")[1:-1]
    dropped = _served_breaks(tokens)
    kept = [token for index, token in enumerate(tokens) if index not in dropped]
    closers = {index + 1 for index in dropped}
    after = [_without_space(token) if index in closers else token for index, token in enumerate(tokens)]
    kept = [token for index, token in enumerate(after) if index not in dropped]
    depths = _brackets_around(kept)
    spaced = [
        replace(token, prefix=_space_between(kept, index, depths[index])) if token.breaks else token
        for index, token in enumerate(kept)
    ]
    return joined(spaced)


def _without_space(token: Token) -> Token:
    return token if token.breaks else replace(token, prefix="")


def _served_breaks(tokens: Sequence[Token]) -> frozenset[int]:
    """The indices of trailing commas that make no tuple."""
    pairs = pairs_of(tokens)
    trailing = [closing for closing in pairs if tokens[closing].kind == "close" and tokens[closing - 1].text == ","]
    return frozenset(index - 1 for index in trailing if not makes_tuple(tokens, pairs[index], index, pairs))


def makes_tuple(tokens: Sequence[Token], opening: int, closing: int, pairs: dict[int, int]) -> bool:
    """Whether the trailing comma in these brackets is what makes a tuple of one: `(a,)`, `x[a,]`."""
    is_trailer = opening > 0 and tokens[opening - 1].ends_value
    if tokens[opening].text == "{" or is_trailer != (tokens[opening].text == "["):
        return False
    index, commas = opening + 1, 0
    while index < closing:
        commas += tokens[index].text == ","
        index = pairs[index] + 1 if tokens[index].kind == "open" and index in pairs else index + 1
    return commas == 1


def _brackets_around(tokens: Sequence[Token]) -> list[str]:
    """For each token, the bracket that it stands in: "call", "index", "group", "[", "{" or nothing."""
    around: list[str] = []
    stack = [""]
    for index, token in enumerate(tokens):
        if token.kind == "close" and len(stack) > 1:
            stack.pop()
        around.append(stack[-1])
        if token.kind == "open":
            is_trailer = index > 0 and tokens[index - 1].ends_value
            names = {"(": "call" if is_trailer else "group", "[": "index" if is_trailer else "["}
            stack.append(names.get(token.text, token.text))
    return around


def _space_between(tokens: Sequence[Token], index: int, around: str) -> str:
    """The space that black puts before a token, where a line break was."""
    if index == 0:
        return ""
    before, token = tokens[index - 1], tokens[index]
    if before.kind == "open" or token.kind == "close" or "." in (before.text, token.text):
        return ""
    if before.text == ",":
        return " "
    if token.text in {",", ":"} or (token.kind == "open" and token.text != "{" and before.ends_value):
        return ""
    if around == "call" and "=" in (before.text, token.text):
        return ""
    if before.text == ":" and around == "index":
        return ""
    return "" if is_unary(tokens, index - 1) else " "


def is_unary(tokens: Sequence[Token], index: int) -> bool:
    """Whether a token is an operator without a left operand: `-x`, `*args`, `**options`."""
    if tokens[index].text not in {"-", "+", "~", "*", "**"}:
        return False
    return index == 0 or not tokens[index - 1].ends_value
