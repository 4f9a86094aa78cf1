"""Proposes the contract of a call that is there now."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from grpo_lint.contracts.arguments import Signature, passed
from grpo_lint.contracts.call_site import CallSite, ContractError, Result
from grpo_lint.contracts.calls import Calls, Search
from grpo_lint.contracts.checking import breaches_of
from grpo_lint.contracts.effects import Orders
from grpo_lint.contracts.expressions import spelled
from grpo_lint.contracts.names import Meaning
from grpo_lint.contracts.replacement import function_of, missing_function
from grpo_lint.contracts.scopes import target_names
from grpo_lint.contracts.subject import Subject
from grpo_lint.contracts.unit import Frame, Unit
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.model import Finding
from grpo_lint.syntax import parse_expression

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


@dataclass(frozen=True, slots=True)
class Callees:
    """The dotted names of what a function calls, in the order of the text: all that are known, and functions elsewhere.

    `of_other_files` are functions of other files of the project, and those that grpo-lint brings.
    """

    known: tuple[str, ...]
    of_other_files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Inferred:
    """The contract that a call keeps now, and what it could not keep, with the reasons."""

    site: CallSite
    left_out: tuple[str, ...]


def callees(site: CallSite, orders: Orders) -> Callees:
    """What the function of a site calls; what the site says of that is not looked at.

    Raises ContractError where there is no such function.
    """
    names = orders.names
    frame = _frame(site, names.unit)
    called = [names.meanings(node.func, frame) for node in frame.live_nodes if isinstance(node, ast.Call)]
    known = [each[0] for each in called if len(each) == 1 and each[0].is_known and each[0].frame is None]
    dotted = [each for each in known if "." in each.name and not each.name.startswith("builtins.")]
    elsewhere = (each.name for each in dotted if _is_of_project(each, names.unit))
    return Callees(tuple(dict.fromkeys(each.name for each in dotted)), tuple(dict.fromkeys(elsewhere)))


def _is_of_project(meaning: Meaning, unit: Unit) -> bool:
    is_function = isinstance(meaning.node, ast.FunctionDef | ast.AsyncFunctionDef)
    is_elsewhere = meaning.module is not None and meaning.module.path != unit.module.path
    return (is_function and is_elsewhere) or meaning.name.startswith("grpo_lint.")


def infer(site: CallSite, orders: Orders, findings: Sequence[Finding], codes: Sequence[str]) -> Inferred:
    """The contract that a call keeps now: its arguments, what becomes of the result, the codes that are absent.

    `findings` are what rules about functions report in the file, `codes` theirs. Raises ContractError where there is no
    such call.
    """
    frame = _frame(site, orders.names.unit)
    target = orders.names.target(site.calls)
    if target is None:
        raise ContractError(f"`{site.calls}` is not defined in the project{orders.names.nearest(site.calls)}")
    search = Search(orders, target)
    calls = search.calls(search.run(frame))
    if not any(True for _ in calls.every()):
        raise ContractError(f"`{site.function}` does not call `{site.calls}`")
    bare = replace(site, arguments=(), result=None, absent=())
    left: list[str] = []
    kept: list[tuple[str, str]] = []
    for pair in _arguments(calls):
        if told := breaches_of(replace(bare, arguments=(*kept, pair)), orders):
            left.append(f"`{pair[0]}`, since line {told[0].range.start.row}: {told[0].message}")
        else:
            kept.append(pair)
    results = {each: breaches_of(replace(bare, result=each), orders) for each in Result}
    held = [each for each, told in results.items() if not told]
    if not held:
        told = results[Result.USED]
        left.append(f"`result`, since line {told[0].range.start.row}: {told[0].message}")
    absent = [each for each in codes if not breaches_of(replace(bare, absent=(each,)), orders, findings)]
    left += [f"`{code}` of `absent`, which is reported now" for code in codes if code not in absent]
    whole = replace(bare, arguments=tuple(kept), result=held[0] if held else None, absent=tuple(absent))
    return Inferred(whole, tuple(left))


def _frame(site: CallSite, unit: Unit) -> Frame:
    found = function_of(Subject(site, unit))
    if found is None:
        raise ContractError(missing_function(Subject(site, unit)).message)
    return unit.frame(*found)


def _arguments(calls: Calls) -> Iterator[tuple[str, str]]:
    """The arguments of the first call, as the contract's function would write them."""
    site = next(calls.every())
    given = passed(site.call, site.run, site.meaning, Signature.of(site.meaning))
    for name, each in given.by_name.items():
        text = ast.unparse(spelled(each.expression, each.run))
        if _is_expression(text) and not _variables_read(each.expression, each.run.frame):
            yield name, text


def _variables_read(expression: ast.expr, frame: Frame) -> set[str]:
    """The variables of a comprehension around a call that one of its arguments reads: they are the comprehension's."""
    around = [node for node in frame.live_nodes if isinstance(node, _COMPREHENSIONS) and node is not expression]
    holding = [node for node in around if expression in walk_nodes(node)]
    own = {name for node in holding for each in node.generators for name in target_names(each.target)}
    return own & {node.id for node in walk_nodes(expression) if isinstance(node, ast.Name)}


def _is_expression(text: str) -> bool:
    try:
        parse_expression(text)
    except SyntaxError:  # a local of a helper
        return False
    return True
