"""How black breaks a line that is too long.

Follows black 24.3 (`transform_line`, `delimiter_split`, `right_hand_split`) for lines without comments: first at the
delimiters of the highest priority, where the line stands in brackets; else at the last brackets that help. Parentheses
that black may add (around the value of an assignment or a `return`, around a conditional expression) are tokens
without text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from grpo_lint.fixes.layout.tokens import Token, is_unary, joined, makes_tuple, pairs_of

COMPREHENSION, COMMA, TERNARY, LOGIC, STRING, COMPARATOR, DOT = 20, 18, 16, 14, 12, 10, 1
MATH = {"|": 9, "^": 8, "&": 7, "<<": 6, ">>": 6, "+": 5, "-": 5, "*": 4, "/": 4, "//": 4, "%": 4, "@": 4, "**": 2}
COMPARATORS = frozenset({"<", ">", "==", "!=", "<=", ">="})
COMMA_TOKEN = Token("", ",", "operator")


@dataclass(frozen=True, slots=True)
class Style:
    """The line length, and the indentation of the statement and of one level more."""

    line_length: int
    indent: str
    unit: str

    def indentation(self, depth: int) -> str:
        return self.indent + self.unit * depth


@dataclass(frozen=True, slots=True)
class Line:
    """A line to be: its tokens, its depth below the statement, and whether it stands in brackets.

    `must_split` where it may not stay whole.
    """

    tokens: tuple[Token, ...]
    depth: int = 0
    in_brackets: bool = False
    must_split: bool = False

    @property
    def text(self) -> str:
        return joined(self.tokens)


@dataclass(frozen=True, slots=True)
class Split:
    """A line cut at a pair of brackets."""

    head: Line
    body: Line
    tail: Line
    opening: Token
    closing: int

    @property
    def parts(self) -> tuple[Line, ...]:
        return tuple(part for part in (self.head, self.body, self.tail) if part.tokens)

    @property
    def is_optional(self) -> bool:
        return not self.opening.text


class CannotSplitError(Exception):
    """A way to break a line does not apply to it."""


def break_line(line: Line, style: Style, forced: bool = False) -> list[Line]:
    """The lines that black would make of one; the line itself where nothing helps."""
    if not line.must_split and not _has_magic_comma(line) and is_short(line, style):
        return [line]
    if line.in_brackets:
        try:
            return _broken(delimiter_split(line), line, style, forced)
        except CannotSplitError:
            pass
    try:
        result = _broken(_right_hand_splits(line, style, forced), line, style, forced)
    except CannotSplitError:
        return [line]
    return _second_opinion(line, result, style, forced)


def _broken(parts: Sequence[Line], line: Line, style: Style, forced: bool) -> list[Line]:
    if any(part.text == line.text for part in parts):
        raise CannotSplitError
    return [final for part in parts for final in break_line(part, style, forced)]


def _second_opinion(line: Line, result: list[Line], style: Style, forced: bool) -> list[Line]:
    """Where the first line is still too long, optional parentheses are used if they make all lines short."""
    has_optional = any(not token.text for token in line.tokens)
    if forced or not has_optional or is_short(result[0], style):
        return result
    try:
        second = _broken(_right_hand_splits(line, style, True), line, style, True)
    except CannotSplitError:
        return result
    return second if all(is_short(part, style) for part in second) else result


def width(text: str) -> int:
    """How wide a formatter takes a text to be: a tab counts as four, a wide character as two."""
    text = text.expandtabs(4)
    return len(text) if text.isascii() else sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def is_short(line: Line, style: Style, spare: int = 0) -> bool:
    text = line.text
    return "\n" not in text and width(style.indentation(line.depth)) + width(text) <= style.line_length - spare


def _has_magic_comma(line: Line) -> bool:
    pairs = pairs_of(line.tokens)
    return any(_is_magic(line.tokens, index, pairs) for index in range(1, len(line.tokens)))


def _is_magic(tokens: Sequence[Token], closing: int, pairs: dict[int, int]) -> bool:
    if tokens[closing].kind != "close" or tokens[closing - 1].text != "," or closing not in pairs:
        return False
    return not makes_tuple(tokens, pairs[closing], closing, pairs)


def delimiters_of(tokens: Sequence[Token]) -> dict[int, int]:
    """By the index of a token after which a line may break outside of all brackets: with which priority."""
    found: dict[int, int] = {}
    depth, loops, lambdas, is_comprehension = 0, 0, 0, False
    for index, token in enumerate(tokens):
        depth -= token.kind == "close"
        if depth == 0:
            if loops and token.text == "in":
                loops -= 1
            elif lambdas and token.text == ":":
                lambdas -= 1
            elif not loops and not lambdas:
                _mark(found, tokens, index, is_comprehension)
                is_comprehension |= token.text == "for"
                loops += token.text == "for"
            lambdas += token.text == "lambda"
        depth += token.kind == "open"
    return found


def _mark(found: dict[int, int], tokens: Sequence[Token], index: int, is_comprehension: bool) -> None:
    if tokens[index].text == ",":
        found[index] = COMMA
    elif index:
        priority = _priority_before(tokens, index, is_comprehension)
        if priority:
            found[index - 1] = max(priority, found.get(index - 1, 0))


def _priority_before(tokens: Sequence[Token], index: int, is_comprehension: bool) -> int:
    token, before = tokens[index], tokens[index - 1]
    match token.text:
        case ".":
            return DOT if before.kind == "close" else 0
        case "async":
            return COMPREHENSION
        case "for":
            return 0 if before.text == "async" else COMPREHENSION
        case "if":
            return COMPREHENSION if is_comprehension else TERNARY
        case "else":
            return TERNARY
        case "and" | "or":
            return LOGIC
        case "is":
            return COMPARATOR
        case "in":
            return 0 if before.text == "not" else COMPARATOR
        case "not":
            return COMPARATOR if _is_not_in(tokens, index) else 0
    if token.kind == "string":
        return STRING if before.kind == "string" else 0
    if token.text in COMPARATORS:
        return COMPARATOR
    return 0 if is_unary(tokens, index) else MATH.get(token.text, 0)


def _is_not_in(tokens: Sequence[Token], index: int) -> bool:
    return index + 1 < len(tokens) and tokens[index + 1].text == "in" and tokens[index - 1].text != "is"


def delimiter_split(line: Line) -> list[Line]:
    """Break at every delimiter of the highest priority, and end an enumeration with a comma."""
    last = len(line.tokens) - 1
    delimiters = {index: priority for index, priority in delimiters_of(line.tokens).items() if index != last}
    if not delimiters:
        raise CannotSplitError
    priority = max(delimiters.values())
    cuts = [index + 1 for index, value in sorted(delimiters.items()) if value == priority]
    if priority == DOT and len(cuts) == 1:
        raise CannotSplitError
    pieces = [line.tokens[start:end] for start, end in zip([0, *cuts], [*cuts, last + 1], strict=True)]
    if priority == COMMA and pieces[-1][-1].text != ",":
        pieces[-1] = (*pieces[-1], COMMA_TOKEN)
    return [Line(piece, line.depth, True) for piece in pieces]


def _right_hand_splits(line: Line, style: Style, forced: bool) -> list[Line]:
    """Break at the last brackets; at earlier ones, where the rest then fits and the first line would not."""
    for omitted in _omissions(line, style):
        parts = _omit_optional(_split_at_last(line, omitted), line, style, forced, omitted)
        if is_short(parts[0], style):
            return parts
    return _omit_optional(_split_at_last(line, frozenset()), line, style, forced, frozenset())


def _omissions(line: Line, style: Style) -> Iterator[frozenset[int]]:
    """Growing sets of closing brackets at which not to break."""
    tokens, pairs = line.tokens, pairs_of(line.tokens)
    if not _has_magic_comma(line):
        yield frozenset()
    omitted: frozenset[int] = frozenset()
    inner: set[int] = set()
    length, opening, closing = width(style.indentation(line.depth)), -1, -1
    for index in reversed(range(len(tokens))):
        length += width(tokens[index].prefix + tokens[index].text)
        if length > style.line_length:
            return
        if opening >= 0:
            if index == opening:
                opening = -1
            elif tokens[index].kind == "close":
                if _is_magic(tokens, index, pairs):
                    return
                inner.add(index)
        elif tokens[index].kind == "close":
            if index and tokens[index - 1].kind == "open":
                inner.add(index)
                continue
            if closing >= 0:
                omitted, inner = omitted | {closing} | inner, set()
                yield omitted
            if _is_magic(tokens, index, pairs):
                return
            if tokens[index].text:
                opening, closing = pairs.get(index, -1), index


def _split_at_last(line: Line, omitted: frozenset[int]) -> Split:
    """Cut at the last pair of brackets that holds something and is not omitted."""
    tokens, pairs = line.tokens, pairs_of(line.tokens)
    index = len(tokens) - 1
    while index >= 0:
        if tokens[index].kind == "close" and index not in omitted:
            opening = pairs.get(index)
            if opening is None:
                break
            if index - opening > 1:
                return _cut(line, opening, index)
            index = opening
        index -= 1
    raise CannotSplitError


def _cut(line: Line, opening: int, closing: int) -> Split:
    tokens = line.tokens
    inside = tokens[opening + 1 : closing]
    is_display = not (opening > 0 and tokens[opening - 1].ends_value)
    body = Line(inside, line.depth + 1, True, must_split=_must_split(inside, is_display))
    head = Line(tokens[: opening + 1], line.depth)
    tail = Line(tokens[closing:], line.depth)
    return Split(head, body, tail, tokens[opening], closing)


def _must_split(tokens: Sequence[Token], is_display: bool) -> bool:
    """A list or tuple that is broken has one element per line, and so has what ends with a comma."""
    has_trailing = tokens[-1].text == ","
    delimiters = [priority for index, priority in delimiters_of(tokens).items() if index != len(tokens) - 1]
    if not delimiters:
        return False
    return max(delimiters) == COMMA and (has_trailing or is_display)


def _omit_optional(split: Split, line: Line, style: Style, forced: bool, omitted: frozenset[int]) -> list[Line]:
    """The parts of a split; of one at optional parentheses, those of a split without them where that reads better."""
    if not forced and split.is_optional and _can_omit(split, style):
        without = frozenset({split.closing}) | omitted
        try:
            inner = _split_at_last(line, without)
            if not _is_better_after_equal(split, style) or _prefers_inner(inner, split, style):
                return _omit_optional(inner, line, style, forced, without)
        except CannotSplitError:
            if len(split.body.tokens) < 2 and not is_short(split.body, style):
                raise
    return [part for part in _visible(split).parts if part.tokens]


def _visible(split: Split) -> Split:
    if not split.is_optional:
        return split
    head = (*split.head.tokens[:-1], replace(split.head.tokens[-1], text="("))
    tail = (replace(split.tail.tokens[0], text=")"), *split.tail.tokens[1:])
    return replace(split, head=replace(split.head, tokens=head), tail=replace(split.tail, tokens=tail))


def _is_better_after_equal(split: Split, style: Style) -> bool:
    """Whether the parentheses follow a `=` whose target has brackets of its own and fits."""
    head = split.head.tokens
    if len(head) < 2 or head[-2].text != "=":
        return False
    has_brackets = any(token.kind in {"open", "close"} for token in head[:-1])
    return has_brackets and is_short(split.head, style, 1) and not _has_magic_comma(split.head)


def _prefers_inner(inner: Split, split: Split, style: Style) -> bool:
    equals = [sum(token.text == "=" for token in part.head.tokens) for part in (split, inner)]
    if equals[0] > 1 and equals[0] > equals[1]:
        return False
    for token in reversed(inner.head.tokens):
        if token.text == "=":
            break
        if token.kind == "close":
            return True
    return equals[1] > 0 and is_short(inner.head, style)


def _can_omit(split: Split, style: Style) -> bool:
    """Whether the body reads well without optional parentheses around it."""
    tokens = split.body.tokens
    priorities = list(delimiters_of(tokens).values())
    if not priorities:
        return True
    if priorities.count(max(priorities)) > 1:
        return False
    if max(priorities) == DOT:
        return True
    if tokens[0].kind == "open" and tokens[1].kind != "close" and _can_omit_opening(split.body, style):
        return True
    is_index = tokens[-1].text == "]" and _is_trailer(tokens)
    if tokens[-1].kind != "close" or is_index or tokens[-2].kind == "open":
        return False
    return _can_omit_closing(split.body, style)


def _is_trailer(tokens: Sequence[Token]) -> bool:
    opening = pairs_of(tokens).get(len(tokens) - 1, 0)
    return opening > 0 and tokens[opening - 1].ends_value


def _can_omit_opening(line: Line, style: Style) -> bool:
    """Whether what follows the first bracket's end fits a line, or has brackets to break at."""
    closing = pairs_of(line.tokens).get(0)
    remainder, length = False, width(style.indentation(line.depth))
    for index, token in enumerate(line.tokens):
        remainder |= index == closing
        if remainder:
            length += width(token.prefix + token.text)
            if length > style.line_length:
                return False
            remainder = token.kind != "open"
    return True


def _can_omit_closing(line: Line, style: Style) -> bool:
    """Whether what precedes the last bracket fits a line, or has brackets to break at."""
    opening = pairs_of(line.tokens).get(len(line.tokens) - 1, -1)
    before = line.tokens[: opening + 1]
    length = width(style.indentation(line.depth)) + width("".join(token.prefix + token.text for token in before))
    return any(token.kind == "open" for token in before[:-1]) or length <= style.line_length
