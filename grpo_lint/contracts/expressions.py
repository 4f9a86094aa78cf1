"""Whether two expressions are the same: up to their layout, the names of comprehension variables, and locals."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from grpo_lint.contracts.order import Change, Order, is_copy
from grpo_lint.contracts.paths import dotted_path
from grpo_lint.contracts.scopes import Binding, target_names
from grpo_lint.contracts.unit import Frame
from grpo_lint.flow.nodes import walk_nodes

_DEPTH = 25
_NAMES = 500  # that are followed in one expression: each may stand for one that has it twice


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """An expression and the run of the function that it stands in."""

    expression: ast.expr
    run: Run


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A function as it runs: `given` are the arguments of the call that runs it, where they are known.

    `outer` is the run of the function around it, `depth` the number of calls between it and the contract's function,
    which is `is_root`.
    """

    frame: Frame
    order: Order
    given: Mapping[str, Given] = field(default_factory=dict)
    outer: Run | None = None
    depth: int = 0

    @property
    def is_root(self) -> bool:
        return self.depth == 0

    def home(self, name: str) -> Run | None:
        """The run whose local a name is; None for the names of the module and of Python."""
        run: Run | None = self
        while run is not None and not run.frame.scope.of(name):
            run = run.outer
        return run


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """A name that an expression reads, once locals are followed to where they were assigned.

    `item` is the path of what is read of it: of `batch` in `batch["uid"]`, that.
    """

    path: str
    node: ast.AST
    run: Run
    item: str


def plain(expression: ast.expr) -> str:
    """A text that two expressions share if they are the same up to layout and the names of variables in them."""
    return ast.dump(_Rewriting(None).expression(expression, {}, 0))


def followed(expression: ast.expr, run: Run, at: ast.AST | None = None) -> ast.expr:
    """An expression with locals replaced by what they were assigned, if nothing that they rest on changed since."""
    return _Rewriting(_Following(run, at)).expression(expression, {}, 0)


def spelled(expression: ast.expr, run: Run) -> ast.expr:
    """An expression as `followed` gives it, with its own variables and spellings kept."""
    return _Rewriting(_Following(run, None), unifies=False).expression(expression, {}, 0)


def reads(expression: ast.expr, run: Run) -> Iterator[Read]:
    """The paths that an expression reads, through the locals that it may see; each place once."""
    yield from _reads(expression, run, 0, set())


def _reads(expression: ast.expr, run: Run, depth: int, seen: set[tuple[ast.AST, int]]) -> Iterator[Read]:
    nodes = walk_nodes(expression)
    hidden = {name for node in nodes for name in _variables(node)}
    items = {node.value: dotted_path(node) for node in nodes if isinstance(node, ast.Subscript)}
    for node in nodes:
        if not isinstance(node, ast.Name) or node.id in hidden or not isinstance(node.ctx, ast.Load):
            continue
        if (node, id(run)) in seen:
            continue
        seen.add((node, id(run)))
        home = run.home(node.id)
        yield Read(node.id, node, run, items.get(node) or node.id)
        if home is None or depth > _DEPTH:
            continue
        for binding in home.order.reaching(node.id, node) if home is run else home.frame.scope.of(node.id):
            inner = _value_of(binding, home)
            if inner is not None:
                yield from _reads(inner.expression, inner.run, depth + 1, seen)


def _value_of(binding: Binding, run: Run) -> Given | None:
    """The expression that a binding gives a name."""
    if binding.is_parameter:
        return run.given.get(binding.name)
    if isinstance(binding.value, ast.expr):
        if _is_empty_list(binding.value) and (filled := _filled(binding, run.frame)):
            return Given(filled, run)
        return Given(binding.value, run)
    return None


@dataclass(frozen=True, slots=True, eq=False)
class _Following:
    """Replaces names by what they were assigned."""

    run: Run
    at: ast.AST | None
    followed: list[ast.Name] = field(default_factory=list)

    def value(self, node: ast.Name, depth: int) -> Given | str | None:
        """What a name was assigned; a text for a local that cannot be followed; None to leave it as it is."""
        home = self.run.home(node.id)
        if home is None or depth > _DEPTH or len(self.followed) > _NAMES:
            return None
        self.followed.append(node)
        use = self.at or node
        is_own = home is self.run
        bindings = home.order.reaching(node.id, use) if is_own else home.frame.scope.of(node.id)
        if len(bindings) == 1 and is_copy(bindings[0]):
            return None
        given = _value_of(bindings[0], home) if len(bindings) == 1 else None
        if given is not None and not (is_own and _is_changed(bindings[0], given, home, use)):
            return given
        return None if home.is_root else f"{node.id} in {home.frame.name}"


def _is_changed(binding: Binding, given: Given, run: Run, use: ast.AST) -> bool:
    """Whether the value of a binding, or what it was made of, is changed before a use."""
    if binding.is_parameter:
        return run.order.changed_between([binding.name], binding.node, use) is not None
    filled = given.expression is not binding.value
    own = None if filled else run.order.changed_between([binding.name], binding.node, use)
    return own is not None or change_of(given.expression, run, binding.node, use) is not None


def change_of(expression: ast.expr, run: Run, start: ast.AST, end: ast.AST) -> Change | None:
    """What changes one of the things that an expression reads, between two nodes of its function."""
    paths = [path for path in paths_of(expression) if run.frame.scope.of(path.partition(".")[0]) or "." in path]
    return run.order.changed_between(paths, start, end) if paths else None


def paths_of(expression: ast.expr) -> list[str]:
    """The longest chains of attributes that an expression reads, its own variables left out."""
    hidden = {name for node in walk_nodes(expression) for name in _variables(node)}
    chains = [path for node in walk_nodes(expression) if isinstance(node, ast.expr) and (path := dotted_path(node))]
    found = [path for path in dict.fromkeys(chains) if path.partition(".")[0] not in hidden]
    return [path for path in found if not any(other.startswith(f"{path}.") for other in found)]


def _variables(node: ast.AST) -> Iterator[str]:
    """The variables that a comprehension or lambda has for itself."""
    if isinstance(node, ast.comprehension):
        yield from target_names(node.target)
    elif isinstance(node, ast.Lambda):
        yield from (each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs))


@dataclass(frozen=True, slots=True, eq=False)
class _Rewriting:
    """Copies an expression: locals followed if that is wanted, variables numbered and spellings made one."""

    following: _Following | None
    unifies: bool = True

    def expression(self, node: ast.expr, bound: Mapping[str, str], depth: int) -> ast.expr:
        match node:
            case ast.Name(id=name):
                return self._name(node, bound, depth) if name not in bound else ast.Name(bound[name], ast.Load())
            case ast.NamedExpr(value=value):
                return self.expression(value, bound, depth)
            case ast.Constant(value=value):
                return ast.Constant(value)
            case ast.Call(
                func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str(attribute))], keywords=[]
            ) if self.unifies:
                return ast.Attribute(self.expression(owner, bound, depth), attribute, ast.Load())
            case ast.Call(func=ast.Name(id="list"), args=[ast.GeneratorExp() as inner], keywords=[]) if self.unifies:
                return self.expression(ast.ListComp(inner.elt, inner.generators), bound, depth)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(node, bound, depth)
            case ast.Lambda():
                return self._lambda(node, bound, depth)
            case ast.Compare(
                left=left,
                ops=[ast.In() | ast.NotIn() as word],
                comparators=[ast.List(elts=items) | ast.Set(elts=items)],
            ) if self.unifies:
                return self._same(ast.Compare(left, [word], [ast.Tuple(items, ast.Load())]), bound, depth)
        return self._same(node, bound, depth)

    def _same(self, node: ast.expr, bound: Mapping[str, str], depth: int) -> ast.expr:
        fields = {name: self._field(value, bound, depth) for name, value in ast.iter_fields(node)}
        if "ctx" in fields:
            fields["ctx"] = ast.Load()
        copy: ast.expr = type(node)(**fields)  # type: ignore[arg-type]
        return copy

    def _field(self, value: object, bound: Mapping[str, str], depth: int) -> object:
        if isinstance(value, list):
            return [self._field(each, bound, depth) for each in value]
        if isinstance(value, ast.expr):
            return self.expression(value, bound, depth)
        if isinstance(value, ast.keyword):
            return ast.keyword(value.arg, self.expression(value.value, bound, depth))
        return value

    def _name(self, node: ast.Name, bound: Mapping[str, str], depth: int) -> ast.expr:
        found = None if self.following is None else self.following.value(node, depth)
        if isinstance(found, Given):
            followed = [] if self.following is None else self.following.followed
            inner = _Rewriting(_Following(found.run, None, followed), self.unifies)
            return inner.expression(found.expression, {}, depth + 1)
        return ast.Name(found or node.id, ast.Load())

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, bound: Mapping[str, str], depth: int
    ) -> ast.expr:
        inner = dict(bound)
        generators = []
        for each in node.generators:
            sequence = self.expression(each.iter, inner, depth)
            inner |= self._renamed(inner, list(target_names(each.target)))
            target = self.expression(each.target, inner, depth)
            tests = [self.expression(test, inner, depth) for test in each.ifs]
            generators.append(ast.comprehension(target, sequence, tests, each.is_async))
        if isinstance(node, ast.DictComp):
            return ast.DictComp(
                self.expression(node.key, inner, depth), self.expression(node.value, inner, depth), generators
            )
        return type(node)(self.expression(node.elt, inner, depth), generators)

    def _renamed(self, bound: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
        return {name: f"variable {len(bound) + i}" if self.unifies else name for i, name in enumerate(names)}

    def _lambda(self, node: ast.Lambda, bound: Mapping[str, str], depth: int) -> ast.expr:
        names = list(_variables(node))
        inner = {**bound, **self._renamed(bound, names)}
        arguments = ast.arguments([], [ast.arg(inner[name]) for name in names], None, [], [], None, [])
        return ast.Lambda(arguments, self.expression(node.body, inner, depth))


def _is_empty_list(value: ast.expr) -> bool:
    match value:
        case ast.List(elts=[]) | ast.Call(func=ast.Name(id="list"), args=[], keywords=[]):
            return True
    return False


def _filled(binding: Binding, frame: Frame) -> ast.ListComp | None:
    """The comprehension that a list stands for which one loop fills, element by element."""
    touched = [node for node in frame.live_nodes if _touches(node, binding.name)]
    loops = [node for node in frame.live_nodes if isinstance(node, ast.For) and _appends(node, binding.name)]
    if len(touched) != 1 or len(loops) != 1 or loops[0].orelse:
        return None
    loop = loops[0]
    own = [each for each in loop.body if any(touched[0] is node for node in walk_nodes(each))]
    tests: list[ast.expr] = []
    if len(own) == 1 and isinstance(own[0], ast.If) and not own[0].orelse:
        tests, own = [own[0].test], own[0].body
    match own:
        case [ast.Expr(value=ast.Call(args=[element], keywords=[]) as call)] if call is touched[0]:
            return ast.ListComp(element, [ast.comprehension(loop.target, loop.iter, tests, 0)])
    return None


def _touches(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner))):
            return owner == name
        case ast.Subscript(value=ast.Name(id=owner), ctx=ast.Store() | ast.Del()):
            return owner == name
    return False


def _appends(loop: ast.For, name: str) -> bool:
    for node in walk_nodes(loop):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="append")) if owner == name:
                return True
    return False
