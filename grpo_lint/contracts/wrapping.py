"""Whether what a function returns is what its callers get: decorators, generators, coroutines that nobody awaits."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from grpo_lint.contracts.call_site import Breach
from grpo_lint.contracts.mutation import mutations_of
from grpo_lint.contracts.names import Names
from grpo_lint.contracts.scopes import FUNCTIONS, own_nodes, positional_names
from grpo_lint.contracts.subject import Subject
from grpo_lint.contracts.unit import Frame
from grpo_lint.flow.nodes import walk_nodes

# Decorators that give something else than the function's result, or fail for samples.
_REPLACING = frozenset({"cache", "lru_cache", "contextmanager", "asynccontextmanager"})


def lost_by_wrapping(subject: Subject, names: Names, frame: Frame) -> Iterator[Breach]:
    """Where something stands between the function's result and its callers."""
    function = frame.function
    if isinstance(function, ast.Lambda):
        return
    called = f"what `{subject.site.function}` returns"
    for decorator in function.decorator_list:
        if _is_replacing(decorator, frame, names):
            text = f"`{ast.unparse(decorator)}` stands between {called} and its callers"
            yield subject.breach(decorator, text)
    yield from _coroutines_returned(subject, names, frame)
    if isinstance(function, ast.AsyncFunctionDef):
        for call in _calls_without_await(walk_nodes(subject.unit.module.tree), function.name):
            yield subject.breach(call, f"`{subject.site.function}` is awaited nowhere here: {called} is lost")
    owner = frame.owner
    for decorator in [] if owner is None else owner.decorator_list:
        if _sets_on_class(decorator, function.name, names):
            text = f"`{ast.unparse(decorator)}` sets another `{function.name}` on the class"
            yield subject.breach(decorator, text)


def _coroutines_returned(subject: Subject, names: Names, frame: Frame) -> Iterator[Breach]:
    """Where an asynchronous function takes the coroutine that a call makes for the result that it waits for."""
    target = names.target(subject.site.calls)
    if not isinstance(frame.function, ast.AsyncFunctionDef) or not isinstance(
        getattr(target, "node", None), ast.AsyncFunctionDef
    ):
        return
    waited = [node.value for node in frame.live_nodes if isinstance(node, ast.Await)]
    taken = [each for node in frame.live_nodes if isinstance(node, ast.Call) for each in node.args]
    names_taken = {each.id for each in (*waited, *taken) if isinstance(each, ast.Name)}
    for node in frame.live_nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if name not in names_taken:
                yield from _unawaited(subject, names, frame, call)
            case ast.Return(value=ast.Call() as call):
                yield from _unawaited(subject, names, frame, call)


def _unawaited(subject: Subject, names: Names, frame: Frame, call: ast.Call) -> Iterator[Breach]:
    target, found = names.target(subject.site.calls), names.meanings(call.func, frame)
    if target is not None and len(found) == 1 and found[0].key == target.key:
        text = f"`{subject.site.callee}` is called here and not awaited: its result is a coroutine that nothing runs"
        yield subject.breach(call, text)


def _is_replacing(decorator: ast.expr, frame: Frame, names: Names) -> bool:
    function = frame.function
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    last = ast.unparse(called).rpartition(".")[2]
    if last in _REPLACING:
        return True
    if last == "staticmethod":
        return positional_names(function)[:1] == ["self"]
    return any(_drops_the_result(each.node) for each in names.meanings(called, None) if each.node is not None)


def _drops_the_result(decorator: ast.AST) -> bool:
    """Whether a decorator of the project gives something that does not return what the decorated function gives.

    One that returns what it is given, as a registration does, is none; else a function in it must call a parameter of
    one around it, and return that.
    """
    if not isinstance(decorator, ast.FunctionDef):
        return False
    functions = [node for node in walk_nodes(decorator) if isinstance(node, ast.FunctionDef)]
    given = {name for each in functions for name in positional_names(each)}
    returned = [node.value for each in functions for node in own_nodes(each.body) if isinstance(node, ast.Return)]
    if any(isinstance(value, ast.Name) and value.id in given for value in returned):
        return False
    callers = [each for each in functions if _calls_any(each, given)]
    return not any(_returns_call(node, given, each) for each in callers for node in own_nodes(each.body))


def _calls_any(function: ast.FunctionDef, given: set[str]) -> bool:
    return any(_is_call_of(node, given) for node in own_nodes(function.body))


def _is_call_of(node: ast.AST, given: set[str]) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in given


def _returns_call(node: ast.AST, given: set[str], function: ast.FunctionDef) -> bool:
    """Whether a `return` gives the call itself, or a name that holds it whole."""
    if not isinstance(node, ast.Return) or node.value is None:
        return False
    nodes = own_nodes(function.body)
    held = {
        target.id
        for each in nodes
        if isinstance(each, ast.Assign) and _is_call_of(each.value, given)
        for target in each.targets
        if isinstance(target, ast.Name)
    }
    held -= {mutation.path.partition(".")[0] for each in nodes for mutation in mutations_of(each)}
    return _is_call_of(node.value, given) or (isinstance(node.value, ast.Name) and node.value.id in held)


def _calls_without_await(nodes: Sequence[ast.AST], name: str) -> Iterator[ast.Call]:
    """The calls of a coroutine that are neither awaited nor handed to something that may run them."""
    taken = {node.value for node in nodes if isinstance(node, ast.Await)}
    taken |= {each for node in nodes if isinstance(node, ast.Call) for each in node.args}
    for node in nodes:
        is_lost = isinstance(node, ast.Call) and node not in taken
        if is_lost and isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == name:
            yield node


def _sets_on_class(decorator: ast.expr, name: str, names: Names) -> bool:
    """Whether a class decorator of the project sets an attribute of that name."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    for meaning in names.meanings(called, None):
        for node in walk_nodes(meaning.node) if isinstance(meaning.node, FUNCTIONS) else ():
            match node:
                case ast.Attribute(attr=attribute, ctx=ast.Store()) if attribute == name:
                    return True
                case ast.Call(func=ast.Name(id="setattr"), args=[_, ast.Constant(value=attribute), *_]) if (
                    attribute == name
                ):
                    return True
    return False
