"""The part of a function that a repair replaces: from the groupings, along every use, to where flat values leave it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from grpo_lint.fixes.normalisation import Normalisation, Refusal, recognise
from grpo_lint.fixes.obstacles import blocked_reason
from grpo_lint.fixes.parts import is_complete, is_part
from grpo_lint.fixes.tree import Tree
from grpo_lint.flow.aliases import Aliases
from grpo_lint.flow.facts import Definition, FunctionFacts
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.operations import recognise as recognise_operation
from grpo_lint.flow.traversal import alternatives, share_origin, vectors
from grpo_lint.flow.values import (
    Enlarged,
    Flat,
    Grouping,
    Listed,
    Scaled,
    Value,
    Vector,
)

# What gives the same storage, or may, in another shape.
_VIEWS = frozenset(
    "view reshape unflatten flatten ravel view_as reshape_as squeeze unsqueeze expand_dims expand expand_as "
    "broadcast_to detach contiguous numpy from_numpy as_tensor asarray to float cpu".split()
)


@dataclass(frozen=True, slots=True, eq=False)
class Outlet:
    """Where flat normalised values leave the region: an expression, and the name under it if it only unpacks one."""

    node: ast.expr
    core: ast.expr
    is_listed: bool


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """One call to write: for a name, in place of its definitions, or for one expression.

    `outlets` are what then becomes the bare name (or its `.tolist()`). `makes_list` tells whether the definitions, or
    the expression, give a list; `wants_list` whether nothing but lists is made of the values, here or in the outlets.
    """

    normalisation: Normalisation
    name: str | None
    definitions: tuple[ast.stmt, ...]
    outlets: tuple[Outlet, ...]
    makes_list: bool
    wants_list: bool


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """All that goes: the statements to remove, and the calls to write in their place."""

    statements: frozenset[ast.stmt]
    sites: tuple[Site, ...]


@dataclass(slots=True)
class _Search:
    """Follows the grouped values of one vector to their ends."""

    facts: FunctionFacts
    tree: Tree
    loads: dict[ast.AST, list[ast.Name]]
    inner: dict[ast.stmt, Definition] = field(default_factory=dict)
    flat: dict[ast.stmt, Definition] = field(default_factory=dict)
    outlets: list[Outlet] = field(default_factory=list)
    outside: list[tuple[ast.Name, Definition]] = field(default_factory=list)
    blocked: list[ast.expr] = field(default_factory=list)
    seen: set[ast.expr] = field(default_factory=set)

    def follow(self, start: ast.expr) -> None:
        """Climb from an expression to the assignment, the outlet or the foreign use that it ends in."""
        node = self._climb(start)
        if node in self.seen:
            return
        self.seen.add(node)
        statement = self.tree.statement(node)
        definition = self._definition(node, statement)
        if definition is not None:
            self._enter(definition, statement, node)
        elif is_complete(self.facts.value(node)):
            self.outlets.append(self._outlet(node))
        else:
            self.blocked.append(node)

    def _climb(self, node: ast.expr) -> ast.expr:
        while True:
            parent = self.tree.parents.get(node)
            is_step = isinstance(parent, ast.Attribute) and is_part(self.facts.value(parent))
            if isinstance(parent, ast.Attribute | ast.keyword) and not is_step:
                parent = self.tree.parents.get(parent)
                if not isinstance(parent, ast.Call):
                    return node
            if not isinstance(parent, ast.expr) or not is_part(self.facts.value(parent)):
                return node
            if is_complete(self.facts.value(node)) and not self._goes_on(node, parent):
                return node
            node = parent

    def _goes_on(self, node: ast.expr, parent: ast.expr) -> bool:
        """Whether `parent` is one more step of the normalisation of values that are flat already."""
        value, made = self.facts.value(node), self.facts.value(parent)
        return any(
            (isinstance(each, Scaled | Enlarged) and _is_same(each.values, value))
            or (isinstance(each, Listed | Flat) and _is_same(each.of, value))
            or (isinstance(each, Grouping) and _is_same(each.of, value))
            for each in alternatives(made)
        )

    def _definition(self, node: ast.expr, statement: ast.stmt) -> Definition | None:
        """The definition that an expression is the whole right side of."""
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=right) if right is node:
                pass
            case ast.AnnAssign(target=ast.Name(id=name), value=right) if right is node:
                pass
            case ast.AugAssign(target=ast.Name(id=name) as target, value=right) if node in (right, target):
                pass
            case ast.Expr(value=right) if right is node:
                return next((found for found in self.facts.definitions if found.node is statement), None)
            case _:
                return None
        return next((found for found in self.facts.definitions if found.node is statement and found.name == name), None)

    def _enter(self, definition: Definition, statement: ast.stmt, node: ast.expr) -> None:
        if statement in self.inner or statement in self.flat:
            return
        if not is_part(definition.value):
            self.blocked.append(node)
            return
        (self.flat if is_complete(definition.value) else self.inner)[statement] = definition
        for load in self.loads.get(statement, ()):
            if load in self._targets(statement):
                continue
            if statement in self.flat and not self._is_step(load):
                self.outside.append((load, definition))
            else:
                self.follow(load)

    def _targets(self, statement: ast.stmt) -> tuple[ast.expr, ...]:
        return (statement.target,) if isinstance(statement, ast.AugAssign) else ()

    def _is_step(self, load: ast.Name) -> bool:
        """Whether a use of flat values is one more step of their normalisation."""
        statement = self.tree.statement(load)
        if isinstance(statement, ast.AugAssign) and statement.target is load:
            return any(
                isinstance(found.value, Scaled | Enlarged)
                for found in self.facts.definitions
                if found.node is statement
            )
        parent = self.tree.parents.get(load)
        if isinstance(parent, ast.Attribute):
            parent = self.tree.parents.get(parent)
        if not isinstance(parent, ast.expr) or not self._goes_on(load, parent):
            return False
        return not isinstance(self.facts.value(parent), Listed | Flat)

    def _outlet(self, node: ast.expr) -> Outlet:
        is_listed, core = False, node
        while True:
            value = self.facts.value(core)
            if not isinstance(value, Flat | Listed) or not isinstance(core, ast.Call):
                return Outlet(node, core, is_listed)
            is_listed = is_listed or isinstance(value, Listed)
            core = _operand(core, self.facts.module.aliases)


def find_region(facts: FunctionFacts, tree: Tree, grouping: Grouping) -> Region:
    """The region of the rewards that a grouping is made of. Raises Refusal."""
    search = _Search(facts, tree, _loads_by_definition(facts))
    for start in _starts(facts, grouping):
        search.follow(start)
    if search.blocked:
        raise Refusal(blocked_reason(search.blocked[0], facts, tree))
    statements = frozenset({*search.inner, *search.flat})
    _require_no_change_in_place(facts, tree, statements, vectors(grouping))
    _require_no_change_by_another_name(facts, statements)
    sites = tuple(_sites(search))
    if len(sites) > 1 and any(_changed_in_place(statement) for statement in statements):
        raise Refusal("the rewards are changed in place and used in more than one form")
    if not sites:
        raise Refusal("the normalised rewards are not used in a way that is understood")
    return Region(statements, sites)


def _require_no_change_in_place(
    facts: FunctionFacts, tree: Tree, statements: frozenset[ast.stmt], owned: tuple[Vector, ...]
) -> None:
    """`grid -= mean` on a view also centres the vector under it, which somebody else may hold."""
    for statement in sorted(statements, key=lambda found: found.lineno):
        for node in walk_nodes(statement):
            match node:
                case ast.Call(func=ast.Attribute(attr=name)) if name.endswith("_") and not isinstance(
                    statement, ast.Expr
                ):
                    raise Refusal(f"`{name}` on line {statement.lineno} works in place")
        target = _changed_in_place(statement)
        if target is None or not any(isinstance(each, Grouping | Vector) for each in alternatives(facts.value(target))):
            continue
        for vector in owned:
            if isinstance(vector.origin, ast.arg | ast.Attribute | ast.Subscript):
                raise Refusal(
                    f"line {statement.lineno} centres `{ast.unparse(vector.origin)}` in place for its owner too"
                )
        _require_no_other_holder(facts, tree, statements, statement, owned)


def _require_no_other_holder(
    facts: FunctionFacts,
    tree: Tree,
    statements: frozenset[ast.stmt],
    changing: ast.stmt,
    owned: tuple[Vector, ...],
) -> None:
    """Outside of the region, the vector may be looked at (`len(rewards)`, `rewards.shape`), and not handed on."""
    origins = {id(vector.origin) for vector in owned}
    for load in facts.loads:
        value = facts.value(load)
        if not isinstance(value, Vector) or value.is_list or id(value.origin) not in origins:
            continue
        holder = tree.statement(load)
        if holder not in statements and not isinstance(holder, ast.If):
            raise Refusal(f"line {changing.lineno} centres `{load.id}` in place, which line {load.lineno} reads too")


def _require_no_change_by_another_name(facts: FunctionFacts, statements: frozenset[ast.stmt]) -> None:
    """`half = mean` and `half *= 0.5` change the mean as well, which the data flow does not follow."""
    shared: set[str] = set()
    for statement in statements:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                base = _storage(value)
                if isinstance(base, ast.Name) and base.id != name and is_part(facts.value(base)):
                    shared |= {name, base.id}
    for statement in statements:
        target = _changed_in_place(statement)
        if isinstance(target, ast.Name) and target.id in shared:
            raise Refusal(f"`{target.id}` is changed in place on line {statement.lineno}, under another name too")


def _storage(node: ast.expr) -> ast.expr:
    """What a chain of views is a view of."""
    while True:
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=arguments) if name in _VIEWS:
                is_function = isinstance(value, ast.Name) and value.id in ("torch", "np", "numpy") and arguments
                node = arguments[0] if is_function else value
            case ast.Attribute(value=value) | ast.Subscript(value=value):
                node = value
            case _:
                return node


def _changed_in_place(statement: ast.stmt) -> ast.expr | None:
    match statement:
        case ast.AugAssign(target=target):
            return target
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=target))):
            return target
        case _:
            return None


def _is_same(one: Value, other: Value) -> bool:
    return one is other or (isinstance(one, Flat) and _is_same(one.of, other))


def _operand(call: ast.Call, aliases: Aliases) -> ast.expr:
    """What a flattening or `.tolist()` is applied to: the object of a method, else the first argument."""
    operation = recognise_operation(call, aliases)
    if operation is not None:
        return operation.operand
    return call.args[0] if call.args else call.func


def _starts(facts: FunctionFacts, grouping: Grouping) -> Iterator[ast.expr]:
    """The groupings of the same rewards in the function's own text, whether or not a rule reports them."""
    for node, value in facts.values.items():
        is_here = any(isinstance(part, Grouping) and part.node is node for part in alternatives(value))
        if is_here and share_origin(value, grouping) and facts.owns(node):
            yield node


def _loads_by_definition(facts: FunctionFacts) -> dict[ast.AST, list[ast.Name]]:
    table: dict[ast.AST, list[ast.Name]] = {}
    for load, definitions in facts.loads.items():
        for node in {definition.node for definition in definitions}:
            table.setdefault(node, []).append(load)
    return table


def _sites(search: _Search) -> Iterator[Site]:
    yield from _named_sites(search)
    for outlet in search.outlets:
        if not isinstance(outlet.core, ast.Name):
            normalisation = recognise(search.facts.value(outlet.node))
            yield Site(normalisation, None, (), (outlet,), outlet.is_listed, outlet.is_listed)


def _named_sites(search: _Search) -> Iterator[Site]:
    """Sites for names: their uses grouped by the definitions that reach them."""
    uses: dict[frozenset[ast.stmt], list[ast.Name | Outlet]] = {}
    for outlet in search.outlets:
        if isinstance(outlet.core, ast.Name):
            uses.setdefault(_reaching(search, outlet.core), []).append(outlet)
    for load, _ in search.outside:
        if load not in [use for found in uses.values() for use in found]:
            uses.setdefault(_reaching(search, load), []).append(load)
    seen: set[ast.stmt] = set()
    for statements, found in uses.items():
        if not seen.isdisjoint(statements):
            raise Refusal("the rewards are used between the steps of their normalisation")
        seen |= statements
        yield from _sites_of_name(search, statements, found)


def _reaching(search: _Search, load: ast.Name) -> frozenset[ast.stmt]:
    known = {**search.inner, **search.flat}
    nodes = [found.node for found in search.facts.loads.get(load, frozenset())]
    return frozenset(node for node in nodes if isinstance(node, ast.stmt) and node in known)


def _sites_of_name(search: _Search, statements: frozenset[ast.stmt], uses: list[ast.Name | Outlet]) -> Iterator[Site]:
    known = {**search.inner, **search.flat}
    outlets = tuple(use for use in uses if isinstance(use, Outlet))
    first = uses[0]
    load = first.core if isinstance(first, Outlet) else first
    name = load.id if isinstance(load, ast.Name) else ""
    ordered = tuple(sorted(statements, key=lambda statement: statement.lineno))
    makes_list = _makes_list(search, ordered)
    wants_list = makes_list or all(isinstance(use, Outlet) and use.is_listed for use in uses)
    try:
        normalisation = recognise(search.facts.value(load))
    except Refusal:
        if not _may_be_separate(search, load, statements):
            raise
    else:
        yield Site(normalisation, name, ordered, outlets, makes_list, wants_list)
        return
    for statement in ordered:
        yield Site(recognise(known[statement].value), name, (statement,), outlets, makes_list, wants_list)
        outlets = ()


def _makes_list(search: _Search, statements: tuple[ast.stmt, ...]) -> bool:
    """Whether the definitions give lists. Raises Refusal where some do and some do not."""
    kinds = {statement in search.flat and isinstance(search.flat[statement].value, Listed) for statement in statements}
    if len(kinds) > 1:
        raise Refusal("the normalised rewards are a list on one way and none on another")
    return kinds == {True}


def _may_be_separate(search: _Search, load: ast.expr, statements: frozenset[ast.stmt]) -> bool:
    """Whether each definition can have a call of its own: none builds on another, and what else arrives is flat too."""
    if any(_reads_another(search, statement, statements) for statement in statements):
        return False
    reaching = search.facts.loads.get(load, frozenset()) if isinstance(load, ast.Name) else frozenset()
    is_alone = {found.node for found in reaching} == statements
    return (is_alone and len(statements) > 1) or (not is_alone and statements <= search.flat.keys())


def _reads_another(search: _Search, statement: ast.stmt, statements: frozenset[ast.stmt]) -> bool:
    return any(
        not _reaching(search, node).isdisjoint(statements - {statement})
        for node in walk_nodes(statement)
        if isinstance(node, ast.Name) and node in search.facts.loads
    )
