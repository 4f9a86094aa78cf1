"""A file: its text, its encoding, its newline, and where things stand in it."""

from __future__ import annotations

import ast
import codecs
import io
import re
import tokenize
from bisect import bisect_right
from dataclasses import dataclass

from grpo_lint.model import Position, Range

Placed = ast.expr | ast.stmt | ast.arg
NEWLINE = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Source:
    """A decoded file, cut into rows where Python's tokenizer ends a line.

    `newline` is the file's first newline (a line feed if it has none), `encoding` a codec's name. `has_bom` tells
    whether a UTF-8 byte order mark, which `text` lacks, stood at the start.
    """

    path: str
    text: str
    encoding: str
    has_bom: bool
    newline: str
    line_starts: tuple[int, ...]

    @classmethod
    def decode(cls, path: str, data: bytes) -> Source:
        """Decode as Python would. Raises SyntaxError for an unknown cookie, UnicodeError for bad bytes."""
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        has_bom = data.startswith(codecs.BOM_UTF8)
        codec = "utf-8" if has_bom else encoding
        try:
            text = data.removeprefix(codecs.BOM_UTF8).decode(codec)
        except LookupError as error:  # a codec that makes no text, such as rot13 or hex
            raise SyntaxError(f"unknown encoding: {codec}") from error
        return cls.from_text(path, text, codec, has_bom)

    @classmethod
    def from_text(cls, path: str, text: str, encoding: str = "utf-8", has_bom: bool = False) -> Source:
        breaks = list(NEWLINE.finditer(text))
        starts = (0, *(found.end() for found in breaks))
        return cls(path, text, encoding, has_bom, breaks[0].group() if breaks else "\n", starts)

    def encode(self, text: str) -> bytes:
        """Encode `text` as this file is encoded."""
        return (codecs.BOM_UTF8 if self.has_bom else b"") + text.encode(self.encoding)

    def line(self, row: int) -> str:
        """The text of a row (from 1), without its newline."""
        start = self.line_starts[row - 1]
        end = self.line_starts[row] if row < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def rows(self, first: int, last: int) -> str:
        """The text of rows, with their newlines."""
        end = self.line_starts[last] if last < len(self.line_starts) else len(self.text)
        return self.text[self.line_starts[first - 1] : end]

    def position(self, row: int, utf8_column: int) -> Position:
        """Where `ast` puts something: its columns count UTF-8 bytes from 0."""
        line = self.line(row)
        column = utf8_column if line.isascii() else len(line.encode()[:utf8_column].decode())
        return Position(row, column + 1)

    def range(self, node: Placed) -> Range:
        """The range of a node."""
        end_row, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return Range(self.position(node.lineno, node.col_offset), self.position(end_row, end_column))

    def offset(self, position: Position) -> int:
        """The index in `text` of a position."""
        return self.line_starts[position.row - 1] + position.column - 1

    def with_parentheses(self, inner: Range, whole: Range) -> Range:
        """An expression's range in `whole`, with the parentheses that stand around it alone."""
        start, end, limit = self.offset(inner.start), self.offset(inner.end), self.offset(whole.end)
        while self.text[:start].rstrip().endswith("(") and self.text[end:limit].lstrip().startswith(")"):
            start = len(self.text[:start].rstrip()) - 1
            end += self.text[end:limit].index(")") + 1
        return Range(self._at(start), self._at(end))

    def _at(self, offset: int) -> Position:
        row = bisect_right(self.line_starts, offset)
        return Position(row, offset - self.line_starts[row - 1] + 1)

    def segment(self, node: Placed) -> str:
        """The text of a node, as written."""
        return self.slice(self.range(node))

    def slice(self, range_: Range) -> str:
        """The text in a range, as written."""
        return self.text[self.offset(range_.start) : self.offset(range_.end)]
