"""From a module's syntax tree to the facts of its functions."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache

from grpo_lint.flow.aliases import LIBRARIES, Aliases
from grpo_lint.flow.candidates import Piece, candidates
from grpo_lint.flow.constants import Constants, LookUp, unknown
from grpo_lint.flow.effects import matters
from grpo_lint.flow.environment import Environment, Record
from grpo_lint.flow.facts import Declarations, Function, FunctionFacts, ModuleFacts
from grpo_lint.flow.foreign import Helper
from grpo_lint.flow.interpreter import Interpreter
from grpo_lint.flow.statements import walk_statements
from grpo_lint.flow.vocabulary import Vocabulary
from grpo_lint.source import Source

FindFunction = Callable[[ast.expr], "tuple[Function, ast.Module] | None"]
_BLOCKS = ast.If | ast.Try | ast.With | ast.For | ast.While | ast.Match


def analyse(
    source: Source,
    tree: ast.Module,
    words: Vocabulary,
    is_gated: bool = True,
    declarations: Declarations | None = None,
    look_up: LookUp = unknown,
    find_function: FindFunction = lambda _: None,
) -> Iterator[FunctionFacts]:
    """The facts of a module's functions and of its own statements; if gated, of those that may hold a finding."""
    owners = dict(_entries(tree.body, ""))
    pieces = [Piece(tree, "", _own_text(source, tree)), *(_piece(source, function) for function in owners)]
    words = words.for_candidates(source.text)
    wanted = list(candidates(pieces, words, _imported(tree))) if is_gated else [piece.node for piece in pieces]
    if not wanted:
        return
    aliases = Aliases.of(tree)
    module = ModuleFacts(
        source=source,
        tree=tree,
        aliases=aliases,
        vocabulary=words.for_text(source.text),
        functions=_functions(tree.body),
        methods=_methods(tree),
        constants=Constants.of(tree, aliases, look_up),
        declarations=declarations,
        find_helper=_helpers(source, words, find_function),
    )
    for node in wanted:
        if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef):
            owner = "" if isinstance(node, ast.Module) else owners[node]
            yield _walk(module, node, dict(module.methods.get(owner, {})))


def _helpers(source: Source, words: Vocabulary, find: FindFunction) -> Callable[[ast.expr], Helper | None]:
    """What gives the helpers of other modules, with what is known of each module."""

    @lru_cache(maxsize=8)
    def facts_of(tree: ast.Module) -> ModuleFacts:
        aliases = Aliases.of(tree)
        constants = Constants.of(tree, aliases, unknown)
        return ModuleFacts(source, tree, aliases, words, _functions(tree.body), _methods(tree), constants)

    def helper(node: ast.expr) -> Helper | None:
        found = find(node)
        return None if found is None else Helper(found[0], facts_of(found[1]))

    return helper


def _piece(source: Source, function: Function) -> Piece:
    return Piece(function, function.name, source.rows(function.lineno, function.end_lineno or function.lineno))


def _imported(tree: ast.Module) -> frozenset[str]:
    """The names that the top level of a module imports from others that are no library of tensors."""
    statements = [
        *tree.body,
        *(inner for node in tree.body if isinstance(node, _BLOCKS) for inner in _statements_in(node)),
    ]
    return frozenset(
        alias.asname or alias.name
        for node in statements
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] not in LIBRARIES
        for alias in node.names
    )


def _own_text(source: Source, tree: ast.Module) -> str:
    own = [node for node in tree.body if not _is_entry(node)]
    return "\n".join(source.rows(node.lineno, node.end_lineno or node.lineno) for node in own)


def _functions(body: list[ast.stmt]) -> dict[str, Function]:
    """Functions by their names; none of those that several branches of a block define, since only one is taken."""
    own = {node.name: node for node in body if isinstance(node, Function)}
    blocks = [node for node in body if isinstance(node, _BLOCKS)]
    below = [node for node, owner in _entries(list(blocks), "") if not owner]
    names = Counter([*own, *(node.name for node in below)])
    return own | {node.name: node for node in below if names[node.name] == 1}


def _methods(tree: ast.Module) -> dict[str, dict[str, Function]]:
    return {node.name: _functions(node.body) for node in walk_statements(tree) if isinstance(node, ast.ClassDef)}


def _entries(body: list[ast.stmt], owner: str) -> Iterator[tuple[Function, str]]:
    """The functions that are walked by themselves: all but those inside another, which their own function walks."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node, owner
        elif isinstance(node, ast.ClassDef):
            yield from _entries(node.body, node.name)
        elif isinstance(node, _BLOCKS):
            yield from _entries(list(_statements_in(node)), owner)


def _statements_in(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements right below a compound one, in all its branches."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            yield from child.body


def _walk(module: ModuleFacts, function: Function | ast.Module, methods: dict[str, Function]) -> FunctionFacts:
    record, env = Record(), Environment()
    interpreter = Interpreter(module, record, methods, () if isinstance(function, ast.Module) else (function,))
    if isinstance(function, ast.Module):
        interpreter.run([node for node in function.body if not _is_entry(node)], env)
    else:
        interpreter.bind_parameters(function, env)
        interpreter.run(function.body, env)
    return FunctionFacts(
        module=module,
        function=function,
        normalisings=tuple(found for found in record.normalisings if matters(found, function, record)),
        values=record.values,
        loads=record.loads,
        definitions=tuple(record.definitions.values()),
        foreign_calls=frozenset(record.foreign_calls),
    )


def _is_entry(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
