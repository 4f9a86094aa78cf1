"""A test module, as a rule about tests sees it: the guards in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.guards.likeness import has_call, is_code, unescaped
from grpo_lint.guards.names import Function, Names, last_name
from grpo_lint.guards.parameters import Parameters
from grpo_lint.guards.places import Grounds
from grpo_lint.guards.reader import Reader
from grpo_lint.guards.searches import Search, searches_in
from grpo_lint.guards.values import Code, Constant

if TYPE_CHECKING:
    from grpo_lint.config import Config
    from grpo_lint.source import Source

# A test that runs a text, or may have made the file itself, is not about what stands in it.
_RUNS = frozenset({"exec", "eval", "compile", "parse", "parse_module"})
_WRITES = frozenset({"write_text", "write_bytes", "write", "writelines", "chdir"})
_GENERATES = re.compile(
    r"codegen|scaffold|render|(?:generate|write|emit|export)_\w*(?:code|source|stub|module|file|binding|package|script)"
)


@dataclass(frozen=True, slots=True, eq=False)
class Assertion:
    """A search of a source text for strings of which one at least is code."""

    search: Search
    texts: tuple[str, ...]
    codes: tuple[Code, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Guard:
    """The assertions of one function on one text, or on one of several."""

    function: ast.AST
    codes: tuple[Code, ...]
    assertions: tuple[Assertion, ...]

    @property
    def first(self) -> Assertion:
        return self.assertions[0]

    def mentions_call(self) -> bool:
        """Whether a call, an import or an argument is searched for."""
        return any(has_call(text) for assertion in self.assertions for text in assertion.texts)


@dataclass(frozen=True, slots=True, eq=False)
class Suite:
    """A file of tests: its text, its tree, and the configuration that holds for it."""

    source: Source
    tree: ast.Module
    config: Config

    def guards(self) -> Iterator[Guard]:
        """The guards of a call site that search the text of a source file, in the order of the text."""
        names = Names.of(self.tree)
        reader = Reader(names, Parameters(names), Grounds.of(self.source.path))
        for function in (node for node in walk_nodes(self.tree) if isinstance(node, Function)):
            found = [_assertion(search, reader) for search in searches_in(function, names)]
            if (assertions := [each for each in found if each is not None]) and not _uses_otherwise(function, reader):
                yield from _grouped(function, assertions)


def _grouped(function: ast.AST, assertions: list[Assertion]) -> Iterator[Guard]:
    """One guard for each text; those that search for no code are of interest beside those that do."""
    groups: dict[tuple[str, ...], list[Assertion]] = {}
    for assertion in sorted(assertions, key=lambda each: each.search.statement.lineno):
        groups.setdefault(tuple(dict.fromkeys(code.name for code in assertion.codes)), []).append(assertion)
    for group in groups.values():
        codes = dict.fromkeys(code for assertion in group for code in assertion.codes)
        if any(_mentions_code(assertion) for assertion in group):
            yield Guard(function, tuple(codes), tuple(group))


def _assertion(search: Search, reader: Reader) -> Assertion | None:
    """A search, if it is sure to be one of source texts, for strings that are known."""
    values = reader.values(search.text, search.scope)
    codes = tuple(value for value in values if isinstance(value, Code))
    if len(codes) < len(values):
        return None
    texts = [value.text for value in reader.values(search.needle, search.scope) if isinstance(value, Constant)]
    return Assertion(search, tuple(texts), codes)


def _mentions_code(assertion: Assertion) -> bool:
    is_pattern = assertion.search.is_pattern
    return any(is_code(unescaped(text) if is_pattern else text) for text in assertion.texts)


def _uses_otherwise(function: ast.AST, reader: Reader) -> bool:
    """Whether a function runs what it reads, or writes files, of which what it reads may be one."""
    calls = [node for node in walk_nodes(function) if isinstance(node, ast.Call)]
    return any(_makes_files(call) or _runs_text(call, reader) for call in calls)


def _makes_files(call: ast.Call) -> bool:
    name = last_name(call.func)
    return name in _WRITES or _GENERATES.search(name.lower()) is not None


def _runs_text(call: ast.Call, reader: Reader) -> bool:
    if last_name(call.func) not in _RUNS or not call.args:
        return False
    values = reader.values(call.args[0], reader.names.scope_at(call))
    return any(isinstance(value, Code) for value in values)
