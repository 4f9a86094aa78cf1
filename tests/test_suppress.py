from __future__ import annotations

import pytest

from grpo_lint.model import Finding, Position, Range
from grpo_lint.suppress import Suppressions, read_suppressions


def finding(first: int = 1, last: int | None = None, code: str = "GRPO001") -> Finding:
    return Finding(code, "a-rule", "message", Range(Position(first, 5), Position(last or first, 20)))


def is_suppressed(text: str, of: Finding | None = None) -> bool:
    return read_suppressions(text).covers(of or finding()) is not None


@pytest.mark.parametrize(
    ("why", "text"),
    [
        ("no comment", "x = 1\n"),
        ("no directive", "x = 1  # a comment\n"),
        ("another code", "x = 1  # noqa: E501\n"),
        ("a longer code", "x = 1  # noqa: GRPO0011\n"),
        ("a prefix", "x = 1  # noqa: GRPO0\n"),
        ("letters only", "x = 1  # noqa: GRPO\n"),
        ("everything", "x = 1  # noqa: ALL\n"),
        ("bare", "x = 1  # noqa\n"),
        ("a reason, no code", "x = 1  # noqa: the sampler repeats GRPO001\n"),
        ("codes are upper-case", "x = 1  # noqa: grpo001\n"),
        ("codes behind a colon", "x = 1  # noqa GRPO001\n"),
        ("another word", "x = 1  # noqa-file: GRPO001\n"),
        ("another word", "x = 1  # noqas: GRPO001\n"),
        ("talk of it", "x = 1  # see noqa: GRPO001\n"),
        ("for a whole file, for others", "x = 1  # flake8: noqa: GRPO001\n"),
        ("in a string", 'x = "# noqa: GRPO001"\n'),
        ("in a string", "x = '# grpo-lint: ignore[GRPO001]'\n"),
        ("in a docstring", '"""\n# noqa: GRPO001\n"""\n'),
        ("the line below", "x = 1\n# noqa: GRPO001\n"),
        ("bare", "x = 1  # grpo-lint: ignore\n"),
        ("empty", "x = 1  # grpo-lint: ignore[]\n"),
        ("another code", "x = 1  # grpo-lint: ignore[GRPO002]\n"),
        ("codes are upper-case", "x = 1  # grpo-lint: ignore[grpo001]\n"),
        ("not closed", "x = 1  # grpo-lint: ignore[GRPO001\n"),
        ("another verb", "x = 1  # grpo-lint: disable[GRPO001]\n"),
        ("another word", "x = 1  # grpo-lint: ignore-next[GRPO001]\n"),
        ("another tool", "x = 1  # type: ignore[GRPO001]\n"),
        ("not read by Python", "x = (\n  # noqa: GRPO001"),
        ("empty", ""),
    ],
)
def test_does_not_suppress(why: str, text: str) -> None:
    assert not is_suppressed(text), why


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa: GRPO001",
        "#noqa:GRPO001",
        "#  noqa : GRPO001",
        "# NOQA: GRPO001",
        "# NoQA: GRPO001",
        "# noqa: GRPO001 - the sampler repeats each prompt exactly",
        "# noqa: GRPO001: a reason",
        "# noqa: GRPO001- a reason",
        "# noqa: E501, GRPO001",
        "# noqa: E501,GRPO001",
        "# noqa: E501 GRPO001",
        "# noqa: GRPO001, E501 - a reason",
        "# type: ignore  # noqa: GRPO001",
        "# noqa: E501  # noqa: GRPO001",
        "# noqa: GRPO001  # expect: GRPO002",
        "# noqa  # grpo-lint: ignore[GRPO001]",
        "# grpo-lint: ignore[GRPO001]",
        "#grpo-lint:ignore[GRPO001]",
        "# grpo-lint: ignore[GRPO001, GRPO002] a reason",
        "# grpo-lint: ignore[GRPO002,GRPO001]",
        "# grpo-lint: ignore [ GRPO001 ]",
        "# a reason # grpo-lint: ignore[GRPO001]",
    ],
)
def test_suppresses(comment: str) -> None:
    assert is_suppressed(f"x = 1  {comment}\n")
    assert is_suppressed(f"x = 1  {comment}")
    assert not is_suppressed(f"x = 1  {comment}\n", finding(2))


@pytest.mark.parametrize(("row", "expected"), [(1, False), (2, True), (3, False), (4, True), (5, False)])
def test_only_the_first_and_the_last_line_count(row: int, expected: bool) -> None:
    lines = ["a = 0", "x = f(", "    1,", ")", "b = 0"]
    lines[row - 1] += "  # noqa: GRPO001"
    assert is_suppressed("\n".join(lines), finding(2, 4)) is expected


@pytest.mark.parametrize(
    ("text", "first", "last", "expected"),
    [
        # where a formatter puts the comment of a line that it breaks
        ("x = f(g(1), 2)  # noqa: GRPO001\n", 1, 1, True),
        ("x = f(g(1),\n  2\n)  # noqa: GRPO001\n", 1, 1, True),
        ("x = (\n  f(g(1))\n  .h()\n)  # noqa: GRPO001\n", 2, 2, True),
        ("x = (\n  f(g(1))\n  .h()\n)  # noqa: GRPO001", 2, 3, True),
        ("if f(\n  g(1)\n):  # noqa: GRPO001\n  x\n", 2, 2, True),
        ("x = 1; y = '''\n'''  # noqa: GRPO001\n", 1, 1, True),
        ("x = 1; \\\n  y = 2  # noqa: GRPO001\n", 1, 1, True),
        # elsewhere in a statement, and in others
        ("x = f(  # noqa: GRPO001\n  g(1),\n  2\n)\n", 2, 2, False),
        ("x = f(\n  g(1),\n  # noqa: GRPO001\n  2\n)\n", 2, 2, False),
        ("x = f(\n  1,  # noqa: GRPO001\n  2\n)\n", 1, 1, False),
        ("y = 1\nx = 2  # noqa: GRPO001\n", 1, 1, False),
        ("y = 1\n\n# a note\nx = 2  # noqa: GRPO001\n", 1, 1, False),
        ("y = 1\n# noqa: GRPO001\n", 1, 1, False),
        ("if x:\n  y\n  # noqa: GRPO001\n", 2, 2, False),
        ("if x:\n  y\nelse:  # noqa: GRPO001\n  z\n", 2, 2, False),
        ("def f():\n  x\n  y  # noqa: GRPO001\n", 1, 3, True),
        ("def f():\n  x\n  y  # noqa: GRPO001\n", 2, 2, False),
    ],
)
def test_at_the_end_of_a_statement_it_speaks_for_all_of_it(text: str, first: int, last: int, expected: bool) -> None:
    assert is_suppressed(text, finding(first, last)) is expected


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_rows_are_pythons(newline: str) -> None:
    text = newline.join(['a = """', "", '"""', "b = 1\f", "c = '\u2028'  # noqa: GRPO001", ""])
    assert [row for row in range(1, 8) if is_suppressed(text, finding(row))] == [5]


def test_a_form_feed_or_a_backslash_does_not_shift_rows() -> None:
    assert is_suppressed("a = 1 + \\\n  2\n\f\nx = 1  # noqa: GRPO001\n", finding(4))


def test_directives_up_to_a_syntax_error_count() -> None:
    assert is_suppressed("x = 1  # noqa: GRPO001\ny = '''\n")


def test_what_is_used_is_returned_and_where_it_stands() -> None:
    text = "é = 1  # x  # noqa: E501, GRPO001, GRPO001 - a reason\ny = 2  # grpo-lint: ignore[GRPO002]\n"
    suppressions = read_suppressions(text)
    used = suppressions.covers(finding(1))
    assert used is suppressions.directives[0]
    assert used.codes == ("E501", "GRPO001")
    assert used.range == Range(Position(1, 13), Position(1, 43))
    assert suppressions.covers(finding(2)) is None
    assert suppressions.covers(finding(2, code="GRPO002")) is suppressions.directives[1]


@pytest.mark.parametrize(
    "comment",
    ["# noqa: GRPO001", "# noqa: E501", "# grpo-lint: ignore[GRPO002]", "# a comment", "# flake8: noqa", "# see noqa"],
)
def test_no_hint(comment: str) -> None:
    assert read_suppressions(f"x = 1  {comment}\n").hint(finding()) is None


@pytest.mark.parametrize("comment", ["# noqa", "#NOQA", "# noqa: fine", "# noqa: grpo001", "# noqa - GRPO001"])
def test_the_hint_says_what_to_write_for_noqa(comment: str) -> None:
    hint = read_suppressions(f"\nx = 1  {comment}\n").hint(finding(2))
    assert hint == "line 2: this `# noqa` names no whole code and suppresses nothing here: write `# noqa: GRPO001`"


@pytest.mark.parametrize("comment", ["# grpo-lint: ignore", "# grpo-lint:ignore[]", "# grpo-lint: ignore[grpo001]"])
def test_the_hint_says_what_to_write_for_our_own(comment: str) -> None:
    hint = read_suppressions(f"x = 1  {comment}\n").hint(finding())
    assert hint == (
        "line 1: this `# grpo-lint: ignore` names no whole code and suppresses nothing here: "
        "write `# grpo-lint: ignore[GRPO001]`"
    )


def test_a_hint_speaks_of_the_findings_own_lines() -> None:
    assert read_suppressions("x = 1\ny = 2  # noqa\n").hint(finding(1)) is None


def test_without_a_word_of_ours_nothing_is_tokenized() -> None:
    assert read_suppressions("'''" * 7) == Suppressions()


# for a whole file


@pytest.mark.parametrize(
    "text",
    [
        "# grpo-lint: ignore-file[GRPO001] - the sampler is exact\nx = 1\ny = 1\n",
        "x = 1\ny = 1\n# grpo-lint: ignore-file[GRPO001]",
        "x = 1\ndef f():\n    y = 1\n    # grpo-lint:ignore-file [GRPO002, GRPO001] why\n",
        "x = 1\ny = f(\n    # grpo-lint: ignore-file[GRPO001]\n    1)\n",
        "# a note # grpo-lint: ignore-file[GRPO001]\n",
        "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n# grpo-lint: ignore-file[GRPO001]\n",
        "# noqa: E501  # grpo-lint: ignore-file[GRPO001]\n",
    ],
)
@pytest.mark.parametrize("row", [1, 2, 40])
def test_a_directive_on_its_own_line_may_speak_for_the_file(text: str, row: int) -> None:
    assert is_suppressed(text, finding(row))
    assert not is_suppressed(text, finding(row, code="GRPO003"))


@pytest.mark.parametrize(
    ("why", "text"),
    [
        ("behind code", "x = 1  # grpo-lint: ignore-file[GRPO001]\n"),
        ("behind code", "f(  # grpo-lint: ignore-file[GRPO001]\n  1)\n"),
        ("bare", "# grpo-lint: ignore-file\n"),
        ("a prefix", "# grpo-lint: ignore-file[GRPO]\n"),
        ("everything", "# grpo-lint: ignore-file[ALL]\n"),
        ("another code", "# grpo-lint: ignore-file[GRPO002]\n"),
        ("another word", "# grpo-lint: ignore-files[GRPO001]\n"),
        ("a docstring", '"""\n# grpo-lint: ignore-file[GRPO001]\n"""\n'),
        ("for others", "# ruff: noqa: GRPO001\n"),
    ],
)
def test_does_not_speak_for_the_file(why: str, text: str) -> None:
    assert not is_suppressed(text, finding(1)), why
    assert not is_suppressed(text, finding(7)), why


def test_one_of_the_line_answers_before_one_of_the_file() -> None:
    of_file, of_line = (
        suppressions := read_suppressions("# grpo-lint: ignore-file[GRPO001]\nx = 1  # noqa: GRPO001\n")
    ).directives
    assert suppressions.covers(finding(2)) is of_line
    assert suppressions.covers(finding(3)) is of_file


def test_the_hints_for_a_file() -> None:
    bare = read_suppressions("x = 1\n# grpo-lint: ignore-file\n").hint(finding(9))
    assert bare == (
        "line 2: this `# grpo-lint: ignore-file` names no whole code and suppresses nothing here: "
        "write `# grpo-lint: ignore-file[GRPO001]`"
    )
    misplaced = read_suppressions("x = 1  # grpo-lint: ignore-file[GRPO001]\n")
    assert misplaced.hint(finding(9)) == (
        "line 1: this `# grpo-lint: ignore-file` stands behind code and suppresses nothing: put it on a line of its own"
    )
    assert misplaced.hint(finding(9, code="GRPO002")) is None


@pytest.mark.parametrize(
    ("comment", "extent"),
    [
        ("# noqa: GRPO001", "# noqa: GRPO001"),
        ("# noqa: GRPO001 - a reason ", "# noqa: GRPO001 - a reason"),
        ("# noqa: GRPO001 - see #12, C# too  # type: ignore", "# noqa: GRPO001 - see #12, C# too"),
        ("# noqa: GRPO001# type: ignore", "# noqa: GRPO001"),
        ("# noqa: GRPO001 #type: ignore", "# noqa: GRPO001"),
        ("# grpo-lint: ignore[GRPO001] a reason # x", "# grpo-lint: ignore[GRPO001] a reason"),
    ],
)
def test_a_reason_ends_where_another_comment_begins(comment: str, extent: str) -> None:
    text = f"x = 1  {comment}\n"
    (directive,) = read_suppressions(text).directives
    assert text[directive.extent.start.column - 1 : directive.extent.end.column - 1] == extent
