"""Whether a contract's function is there, and whether something else takes its place, or that of what it calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from grpo_lint.contracts.call_site import Breach, ContractError
from grpo_lint.contracts.names import Names
from grpo_lint.contracts.subject import Subject
from grpo_lint.contracts.unit import Frame, statements_of
from grpo_lint.suggestion import did_you_mean

Method = tuple["ast.FunctionDef | ast.AsyncFunctionDef", "ast.ClassDef | None"]


def function_of(subject: Subject) -> Method | None:
    """The contract's function and its class. Raises ContractError if there are several."""
    found = subject.unit.functions(subject.site.function)
    if len(found) > 1:
        lines = " and ".join(str(node.lineno) for node, _ in found)
        times = "twice" if len(found) == 2 else f"{len(found)} times"
        raise ContractError(f"`{subject.site.function}` is defined {times} in {subject.site.file}, on lines {lines}")
    return found[0] if found else None


def missing_function(subject: Subject) -> Breach:
    """What to say of a function that is not there."""
    site = subject.site
    every = dict(_qualified_names(subject.unit.module.tree.body, ""))
    must = f", which must call `{site.calls}`" if site.calls else ""
    if isinstance(every.get(site.function), ast.ClassDef):
        what = f"`{site.function}` in `{site.file}` is a class: name one of its methods{must}"
        return subject.breach(every[site.function], what)
    functions = [name for name, node in every.items() if not isinstance(node, ast.ClassDef)]
    last = site.function.rpartition(".")[2]
    same = [name for name in functions if name.rpartition(".")[2] == last]
    close = f": did you mean {same[0]!r}?" if len(same) == 1 else did_you_mean(site.function, functions)
    what = f"`{site.file}` has no function `{site.function}`{must}{close}"
    return subject.breach(every.get(site.function.rpartition(".")[0]), what)


def _qualified_names(body: Sequence[ast.stmt], prefix: str) -> Iterator[tuple[str, ast.stmt]]:
    for node in statements_of(body):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{prefix}{node.name}", node
            yield from _qualified_names(node.body, f"{prefix}{node.name}.")


def replaced_function(
    subject: Subject, function: ast.FunctionDef | ast.AsyncFunctionDef, owner: ast.ClassDef | None
) -> Iterator[Breach]:
    """Where something else takes the function's name, or may."""
    site, unit = subject.site, subject.unit
    body = unit.module.tree.body if owner is None else owner.body
    is_local = owner is None and "." in site.function
    places: list[ast.AST] = [] if is_local else list(_other_bindings(body, function.name))
    if owner is not None:
        places += [node for node in unit.replacements(function.name) if _is_of_class(node, owner)]
        places += [each.node for each in unit.scope.of(owner.name) if each.node is not owner]
        places += [each for each in owner.body if getattr(each, "name", None) == "__getattribute__"]
    for node in places:
        text = f"`{site.function}` may be replaced here, and what must call `{site.callee}` is then not what runs"
        yield subject.breach(node, text)


def _is_of_class(node: ast.AST, owner: ast.ClassDef) -> bool:
    """Whether an attribute is set on a class or, by its own methods, on an object of it."""
    base = _base(node)
    last = ast.unparse(base).rpartition(".")[2] if base is not None else None
    is_inside = owner.lineno <= getattr(node, "lineno", 0) <= (owner.end_lineno or 0)
    return last == owner.name or (is_inside and last in ("self", "cls"))


def _other_bindings(body: Sequence[ast.stmt], name: str) -> Iterator[ast.AST]:
    """The statements of a body that bind a name, other than its definition."""
    for node in statements_of(body):
        match node:
            case ast.Assign(targets=targets) | ast.Delete(targets=targets):
                bound = any(isinstance(each, ast.Name) and each.id == name for each in targets)
            case ast.AnnAssign(target=ast.Name(id=target), value=ast.expr()):
                bound = target == name
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                bound = any((each.asname or each.name) == name for each in names)
            case _:
                bound = False
        if bound:
            yield node


def replaced_target(subject: Subject, names: Names, frame: Frame) -> Iterator[Breach]:
    """Where something else takes the name of what is called, in its module."""
    site = subject.site
    for node in subject.unit.replacements(site.callee):
        base = _base(node)
        is_module = base is not None and "sys.modules" in ast.unparse(base)
        found = () if base is None else names.meanings(base, frame)
        is_of_self = isinstance(base, ast.Name) and base.id == "self" and names.is_method(site.calls)
        if base is None or is_module or is_of_self or any(each.place is not None or each.is_known for each in found):
            text = f"`{site.callee}` is replaced here, so the call may not be one of `{site.calls}`"
            yield subject.breach(node, text)


def _base(node: ast.AST) -> ast.expr | None:
    """What an attribute is set on; None for the globals."""
    match node:
        case ast.Subscript(value=ast.Attribute(value=value, attr="__dict__") | ast.Call(args=[value])):
            return value
        case ast.Attribute(value=value):
            return value
        case ast.Call(args=[value, ast.Constant(), *_]):
            return value
    return None
