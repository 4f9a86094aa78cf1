"""Mutations of where statements and functions stand: their order, the blocks, functions and classes around them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from random import Random

from programs import (
    Function,
    blocks_of,
    body_after_docstring,
    calls_in,
    identifiers,
    name_called,
    outer_functions,
    variables,
)
from purity import only_assigns

# the order of statements


def swap_statements(tree: ast.Module, random: Random) -> None:
    """Neighbours that have nothing to do with each other change places."""
    for function in outer_functions(tree):
        for block in blocks_of(function):
            for at in range(len(block) - 1):
                if random.random() < 0.7 and _are_independent(block[at], block[at + 1]):
                    block[at], block[at + 1] = block[at + 1], block[at]


def _are_independent(first: ast.stmt, second: ast.stmt) -> bool:
    if not (only_assigns(first) and only_assigns(second)):
        return False
    written = [{name.id for name in variables(each, ast.Store)} for each in (first, second)]
    named = [{name.id for name in variables(each, ast.Store, ast.Load)} for each in (first, second)]
    return written[0].isdisjoint(named[1]) and written[1].isdisjoint(named[0])


# blocks around statements


def wrap_in_blocks(tree: ast.Module, random: Random) -> None:
    """Some statements of a function come to stand in a block that is always run, once."""
    has_torch = "torch" in identifiers(tree)
    for function in outer_functions(tree):
        for block in _wrappable_blocks(function):
            first = body_after_docstring(function) if block is function.body else 0
            if len(block) > first and random.random() < 0.4:
                start = random.randrange(first, len(block))
                end = random.randrange(start + 1, len(block) + 1)
                block[start:end] = [_block_around(block[start:end], random, has_torch)]


def _wrappable_blocks(function: Function) -> list[list[ast.stmt]]:
    """All but those of classes, and those with a declaration, which must come before what it is about.

    Nor those with functions: one that stands below a condition is not known to the functions above it.
    """
    of_classes = [each.body for each in ast.walk(function) if isinstance(each, ast.ClassDef)]
    return [
        block
        for block in blocks_of(function)
        if block not in of_classes and not any(isinstance(each, Function | ast.Global | ast.Nonlocal) for each in block)
    ]


def _block_around(statements: list[ast.stmt], random: Random, has_torch: bool) -> ast.stmt:
    blocks = ["if True:\n    pass", "try:\n    pass\nfinally:\n    pass"]
    if has_torch:
        blocks.append("with torch.no_grad():\n    pass")
    made = ast.parse(random.choice(blocks)).body[0]
    assert isinstance(made, ast.If | ast.Try | ast.With)
    made.body = statements
    return made


def wrap_functions_in_blocks(tree: ast.Module, random: Random) -> None:
    """Functions of the module come to stand under a condition."""
    for at, node in enumerate(tree.body):
        if isinstance(node, Function) and random.random() < 0.5:
            tree.body[at] = ast.If(ast.Constant(True), [node], [])


# functions around functions


def wrap_in_function(tree: ast.Module, random: Random) -> None:
    """The module's functions come to stand in a function that makes them."""
    inner = [node for node in tree.body if isinstance(node, Function)]
    if not inner or _is_used_outside({each.name for each in inner}, tree, inner):
        return
    names = ast.Tuple([ast.Name(each.name, ast.Load()) for each in inner], ast.Load())
    outer = _function("build", [*inner, ast.Return(names)])
    tree.body = [*(node for node in tree.body if node not in inner), outer]


def wrap_each_in_function(tree: ast.Module, random: Random) -> None:
    """Functions that no other one needs come to stand each in one of its own."""
    for at, node in enumerate(tree.body):
        if isinstance(node, Function) and random.random() < 0.5 and not _is_used_outside({node.name}, tree, [node]):
            tree.body[at] = _function(f"make_{node.name}", [node, ast.Return(ast.Name(node.name, ast.Load()))])


def _is_used_outside(names: set[str], tree: ast.Module, inner: Sequence[ast.stmt]) -> bool:
    return any(not names.isdisjoint(identifiers(node)) for node in tree.body if node not in inner)


def _function(name: str, body: list[ast.stmt]) -> ast.FunctionDef:
    template = ast.parse(f"def {name}():\n    pass").body[0]
    assert isinstance(template, ast.FunctionDef)
    template.body = body
    return template


# functions and methods


def make_methods(tree: ast.Module, random: Random) -> None:
    """Functions become methods of a class, and call each other through `self`."""
    moved = _movable(tree)
    if not moved:
        return
    names = {each.name for each in moved}
    for function in moved:
        if "self" not in identifiers(function):
            (function.args.posonlyargs or function.args.args).insert(0, ast.arg("self"))
        for call in calls_in(function):
            if isinstance(call.func, ast.Name) and call.func.id in names:
                call.func = ast.Attribute(ast.Name("self", ast.Load()), call.func.id, ast.Load())
    owner = ast.parse("class Wrapped:\n    pass").body[0]
    assert isinstance(owner, ast.ClassDef)
    owner.body = list(moved)
    tree.body = [*(node for node in tree.body if node not in moved), owner]


def _movable(tree: ast.Module) -> list[Function]:
    """The functions that are only called, and only by each other."""
    called = {name_called(call) for call in calls_in(tree)}
    moved = [node for node in tree.body if isinstance(node, Function) and _may_have_self(node, node.name in called)]
    while True:
        names = {each.name for each in moved}
        fixed = {name for node in tree.body for name in names if not _only_calls(name, node, node in moved)}
        if not fixed:
            return moved
        moved = [each for each in moved if each.name not in fixed]


def _only_calls(name: str, node: ast.stmt, is_moved: bool) -> bool:
    """Whether a statement of the module has nothing to do with a name, or, if it is moved too, only calls it."""
    reads = [each for each in variables(node, ast.Load, ast.Store) if each.id == name]
    called = [call.func for call in calls_in(node)]
    return not reads or (is_moved and all(each in called for each in reads))


def _may_have_self(function: Function, is_called: bool) -> bool:
    """Whether a function can take its object: it has no `self`, or, where nobody has to leave it out, has it first."""
    parameters = [*function.args.posonlyargs, *function.args.args]
    is_first = bool(parameters) and parameters[0].arg == "self" and not is_called
    has_classes = any(isinstance(each, ast.ClassDef) for each in ast.walk(function))
    return (is_first or "self" not in identifiers(function)) and not has_classes and not function.decorator_list


def make_functions(tree: ast.Module, random: Random) -> None:
    """Methods that are only called through `self` become functions of the module with a parameter `self`."""
    for owner in [node for node in tree.body if isinstance(node, ast.ClassDef)]:
        moved = _leaving(owner, tree)
        owner.body = [node for node in owner.body if node not in moved]
        tree.body[tree.body.index(owner) + 1 : tree.body.index(owner) + 1] = moved
        names = {each.name for each in moved}
        for call in calls_in(owner) + [call for each in moved for call in calls_in(each)]:
            match call.func:
                case ast.Attribute(value=ast.Name(id="self"), attr=name) if name in names:
                    call.func = ast.Name(name, ast.Load())
                    call.args.insert(0, ast.Name("self", ast.Load()))


def _leaving(owner: ast.ClassDef, tree: ast.Module) -> list[Function]:
    """The methods that may leave a class: none that calls one which stays, since outside `self` may be anything."""
    moved = [node for node in owner.body if isinstance(node, Function) and _may_leave(node, tree)]
    if len(moved) == len(owner.body):
        moved = moved[1:]  # a class needs a body
    while True:
        staying = {node.name for node in owner.body if isinstance(node, Function) and node not in moved}
        bound = [each for each in moved if any(name_called(call) in staying for call in calls_in(each))]
        if not bound:
            return moved
        moved = [each for each in moved if each not in bound]


def _may_leave(method: Function, tree: ast.Module) -> bool:
    has_self = [each.arg for each in method.args.args[:1]] == ["self"] and not method.decorator_list
    if not has_self or method.name.startswith("__") or "super" in identifiers(method):
        return False
    called = [call.func for call in calls_in(tree)]
    named = [each for each in ast.walk(tree) if _names(each, method.name) and each is not method]
    return all(each in called and _is_through_self(each) for each in named)


def _names(node: ast.AST, name: str) -> bool:
    return name in (getattr(node, "attr", None), getattr(node, "id", None), getattr(node, "name", None))


def _is_through_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


# other code beside

_UNRELATED = """\
def joined(words, separator=", "):
    return separator.join(str(word) for word in words)

class Counter2:
    total: int = 0

    def add(self, amount):
        self.total += amount
        return self.total
"""


def add_unrelated(tree: ast.Module, random: Random) -> None:
    """A function and a class that have nothing to do with the others come before one of them."""
    places = [at for at, node in enumerate(tree.body) if isinstance(node, Function | ast.ClassDef)]
    if places and not {"joined", "Counter2"} & identifiers(tree):
        at = random.choice(places)
        tree.body[at:at] = ast.parse(_UNRELATED).body
