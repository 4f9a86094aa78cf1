"""The second parser's look at a repaired text."""

from __future__ import annotations

import pytest

from grpo_lint.source import Source
from grpo_lint.verify import require_readable

BEFORE = Source.from_text("a.py", "def f(x):\n    return x\n\n\ndef g(x):\n    return x\n")


def test_a_text_without_changes_is_not_read() -> None:
    require_readable(BEFORE, BEFORE)


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    # why\n    return (\n        x\n    )\n",
        "class A:\n    @property\n    def f(self):\n        return 1\n",
        "def f(x):\r\n\treturn x + 1\r\n",
        "class A:\r\n    def f(self):\r\n        x = 1\r\n\r\n        return x\r\n",
        'class A:\n\tdef f(self):\n\t\treturn """\nat the margin\n"""\n',
        "def f(x):\r    return x + 1\r",
        "class A:\r    def f(self):\r        return 1\r",
        "def outer():\n    async def inner():\n        return 'ü'\n\n    return inner\n",
    ],
)
def test_rewritten_functions_are_read_back(text: str) -> None:
    require_readable(BEFORE, Source.from_text("a.py", text))


def test_a_text_that_libcst_reads_differently_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import libcst

    parse = libcst.parse_module
    monkeypatch.setattr(libcst, "parse_module", lambda text: parse(text.replace("return", "return 1 +")))
    with pytest.raises(ValueError, match="differently"):
        require_readable(BEFORE, Source.from_text("a.py", "def f(x):\n    return x + 2\n"))


def test_a_text_that_the_encoding_cannot_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="latin-1"):
        require_readable(BEFORE, Source.from_text("a.py", "from 群 import f\n", encoding="latin-1"))
