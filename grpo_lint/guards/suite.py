"""A test module, as a rule about tests sees it: the guards in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from grpo_lint.fixes.tree import Tree
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
_WRITES = frozenset({"write_text", "write_bytes", "write", "writelines"})
_PROGRAMS = frozenset({"check_call", "check_output", "Popen", "system", "invoke", "runpytest"})
_SOURCES = frozenset({"__file__", "getsource", "getsourcelines", "getsourcefile", "getfile"})
_READS = frozenset({"read_text", "read_bytes", "read", "readlines", "getline", "getlines"})
_MOVES = frozenset({"chdir", "isolated_filesystem"})
_GENERATES = re.compile(
    r"codegen|scaffold|render|(?:generate|write|emit|export)_\w*(?:code|source|stub|module|file|binding|package|script)"
)


@dataclass(frozen=True, slots=True, eq=False)
class Assertion:
    """A search of a source text, and the strings that it may be for; of a regular expression, what it stands for."""

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
        tree = Tree.of(self.tree)
        # Of most files nothing more need be known.
        if not any(map(_may_read, tree.parents)) or not any(map(_may_lead_to_source, tree.parents)):
            return
        names = Names.of(tree)
        moves = not _MOVES.isdisjoint(names.calls)
        reader = Reader(names, Parameters(names), replace(Grounds.of(self.source.path), is_left=moves))
        for function in (node for node in tree.parents if isinstance(node, Function)):
            found = [_assertion(search, reader) for search in searches_in(function, names)]
            if (assertions := [each for each in found if each is not None]) and not _uses_otherwise(function, reader):
                yield from _grouped(function, assertions)


def _may_read(node: ast.AST) -> bool:
    """Whether a node is the reading of a file, or asks for the source of an object."""
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name) | ast.alias(name=name):
            return name in _READS or name in _SOURCES
    return False


def _may_lead_to_source(node: ast.AST) -> bool:
    """Whether a node names a source file, or asks for the source of an object."""
    match node:
        case ast.Constant(value=str(text)):
            return text.endswith(".py")
        case ast.Attribute(attr=name) | ast.Name(id=name) | ast.alias(name=name):
            return name in _SOURCES
    return False


def _grouped(function: ast.AST, assertions: list[Assertion]) -> Iterator[Guard]:
    """One guard for each text; those that search for no code are of interest beside those that do."""
    groups: dict[tuple[str, ...], list[Assertion]] = {}
    for assertion in sorted(assertions, key=lambda each: each.search.statement.lineno):
        groups.setdefault(tuple(dict.fromkeys(code.name for code in assertion.codes)), []).append(assertion)
    for group in groups.values():
        codes = dict.fromkeys(code for assertion in group for code in assertion.codes)
        if any(is_code(text) for assertion in group for text in assertion.texts):
            yield Guard(function, tuple(codes), tuple(group))


def _assertion(search: Search, reader: Reader) -> Assertion | None:
    """A search, if it is sure to be one of source texts, for strings that are known."""
    values = reader.values(search.text, search.scope)
    codes = tuple(value for value in values if isinstance(value, Code))
    if len(codes) < len(values):
        return None
    texts = [value.text for value in reader.values(search.needle, search.scope) if isinstance(value, Constant)]
    return Assertion(search, tuple(map(unescaped, texts) if search.is_pattern else texts), codes)


def _uses_otherwise(function: ast.AST, reader: Reader) -> bool:
    """Whether a function runs what it reads, or writes files, of which what it reads may be one."""
    calls = [node for node in walk_nodes(function) if isinstance(node, ast.Call)]
    return any(_makes_files(call) or _runs_text(call, reader) for call in calls)


def _makes_files(call: ast.Call) -> bool:
    name = last_name(call.func)
    runs = name in _PROGRAMS or ast.unparse(call.func) in {"run", "subprocess.run"}
    return runs or name in _WRITES or _GENERATES.search(name.lower()) is not None


def _runs_text(call: ast.Call, reader: Reader) -> bool:
    if last_name(call.func) not in _RUNS or not call.args:
        return False
    values = reader.values(call.args[0], reader.names.scope_at(call))
    return any(isinstance(value, Code) for value in values)
