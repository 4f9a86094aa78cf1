"""Whether a text is a piece of code: a call, an argument, an import, the head of a definition, or a part of these."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from textwrap import dedent

from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.syntax import parse_quietly

FRAGMENT, OMITTED = "_f", "_x"  # what is called where only arguments are given, and stands for what is left out
_LENGTH_LIMIT = 4_000  # of a text that is somebody's needle, and not a page
_HEADS = ("def ", "class ", "async def ", "if ", "elif ", "while ", "for ", "with ", "except ")
_CLOSING = {"(": ")", "[": "]", "{": "}"}

# `README.md`, `slime/ray/rollout.py` and `example.com` parse, as attributes of names.
_SUFFIXES = frozenset({
    "py", "pyi", "md", "rst", "txt", "toml", "cfg", "ini", "json", "jsonl", "yaml", "yml", "sh", "html", "csv", "com",
    "org", "io",
})  # fmt: skip
_FILE_OR_ADDRESS = re.compile(rf"[\w./\\~*-]*\.(?:{'|'.join(sorted(_SUFFIXES))})\W*|\w+://.*")
_CALL = re.compile(r"[\w\])]\(")  # "rights (reserved)" is none
_SUBSCRIPT = re.compile(r"[\w\])]\[")  # "usage: name [option]" has none
_ORDER = ast.Eq | ast.NotEq | ast.Lt | ast.LtE | ast.Gt | ast.GtE  # "what is left" and "not in use" parse, too


def is_code(text: str) -> bool:
    """Whether a text is code, or a fragment of it, and more than a plain word."""
    tree = parsed(text)
    return tree is not None and any(_is_telling(node, text) for node in walk_nodes(tree))


def has_call(text: str) -> bool:
    """Whether a text is a piece of code with a call, a keyword argument or an import in it."""
    return any(_is_of_call(node) for tree in readings(text) for node in walk_nodes(tree))


def _is_of_call(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == FRAGMENT:
        return bool(node.keywords)
    return isinstance(node, ast.Call | ast.Import | ast.ImportFrom)


def parsed(text: str) -> ast.Module | None:
    """The tree of a piece of code, completed where it is a fragment; None where it is no code."""
    return next(readings(text), None)


def readings(text: str) -> Iterator[ast.Module]:
    """All trees that a piece of code may be: `size=n` is an assignment, and an argument."""
    text = dedent(text).strip()
    if not text or text.startswith("#") or len(text) > _LENGTH_LIMIT or _FILE_OR_ADDRESS.fullmatch(text):
        return
    for candidate in dict.fromkeys(_completions(text)):
        try:
            tree = parse_quietly(candidate)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        yield tree


def _completions(text: str) -> Iterator[str]:
    """A text as it stands, with what a fragment lacks, and as the arguments of a call."""
    whole = closed(text)
    ended = closed(_ended(text))
    yield text
    yield from (whole, ended)
    if text.endswith(":") or text.startswith(_HEADS):
        head = whole.removesuffix(":")
        yield from (f"{head}: pass", f"{head}(): pass", f"if x: pass\n{head}: pass", f"try: pass\n{head}: pass")
    if text.startswith("@"):
        yield f"{whole}\ndef f(): pass"
    yield f"_f({ended})"
    yield f"_f({{{ended}}})"
    yield f"_x{ended}"


def _ended(text: str) -> str:
    """With something behind an operator at the end, and without a comma there."""
    if text.endswith(","):
        return text[:-1]
    if text.endswith((" and", " or", " not", " in", " is", " import", " if", " else", " return")):
        return f"{text} _x"
    return f"{text}_x" if re.search(r"(?:[-+*/%=<>|&^@.~]|:=)$", text) else text


def closed(text: str) -> str:
    """With the brackets closed that it opens, and those opened that it closes."""
    opened: list[str] = []
    before = ""
    for bracket in _brackets(text):
        if bracket in _CLOSING:
            opened.append(_CLOSING[bracket])
        elif opened:
            opened.pop()
        else:
            before = {")": "_f(", "]": "[", "}": "{"}[bracket] + before
    return before + text + "".join(reversed(opened))


def _brackets(text: str) -> Iterator[str]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.OP and token.string in "()[]{}":
                yield token.string
    except (tokenize.TokenError, SyntaxError):  # at the end of the text, within brackets
        return


def _is_telling(node: ast.AST, text: str) -> bool:
    """Whether a node is what prose does not have."""
    match node:
        case ast.Call(func=ast.Name(id="_f"), keywords=keywords):
            return bool(keywords)
        case ast.Call():
            return _CALL.search(text) is not None
        case ast.Attribute(attr=attribute):
            return len(attribute) > 1 and attribute != "_x" and attribute not in _SUFFIXES
        case ast.Subscript():
            return _SUBSCRIPT.search(text) is not None
        case ast.Name(id=name):
            return "_" in name.strip("_")
        case ast.Compare(ops=operators):
            return any(isinstance(operator, _ORDER) for operator in operators)
        case ast.AnnAssign(value=value):
            return value is not None
        case ast.Assign(targets=[ast.Name(id=name)]):  # a version is data
            return not (name.startswith("__") and name.endswith("__"))
        case ast.FunctionDef(name=name):
            return name != "f" or "def " in text
    return isinstance(node, _TELLING)


_TELLING = (
    ast.Import,
    ast.ImportFrom,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Assign,
    ast.AugAssign,
    ast.NamedExpr,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.Lambda,
    ast.Raise,
)


def unescaped(pattern: str) -> str:
    """About what a regular expression stands for: the text with its escapes undone and its wildcards as names."""
    text = re.sub(r"\\[sS][*+?]?|\\[bBAZ]|[$^]", " ", pattern)
    text = re.sub(r"(?:\\[wdS]|\.|\[[^]]*\])[*+]\??", "x", text)
    text = re.sub(r"\(\?[:=!<imsx]+", "(", text)
    return re.sub(r"\\(.)", r"\1", text).strip()
