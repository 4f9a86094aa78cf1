"""Follows the expressions of a test module to strings, paths, and the text of source files."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from grpo_lint.guards import places
from grpo_lint.guards.names import Function, Names, last_name, parameters_of, targets_of
from grpo_lint.guards.parameters import Parameters
from grpo_lint.guards.values import (
    CASE,
    ITEM,
    UNKNOWN,
    Bound,
    Code,
    Constant,
    Handle,
    Imported,
    Items,
    Own,
    Place,
    Record,
    Scope,
    Value,
)

_DEPTH = 24
_CALL_DEPTH = 5  # added by a call of a helper, which may call itself
_LIMIT = 64  # of values of one expression

# What still searches the text, or a part of it.
_OF_TEXT = frozenset({
    "lower", "upper", "casefold", "strip", "lstrip", "rstrip", "replace", "split", "rsplit", "splitlines", "partition",
    "rpartition", "removeprefix", "removesuffix", "expandtabs", "decode", "encode", "group", "groups", "read",
    "readlines", "readline",
})  # fmt: skip
_AROUND_TEXT = frozenset({"str", "list", "tuple", "set", "sorted", "reversed", "dedent", "cleandoc", "iter", "next"})
_PATHS = frozenset({"Path", "PurePath", "PosixPath", "PurePosixPath", "joinpath", "join"})
_SAME_PLACE = frozenset({
    "resolve", "absolute", "expanduser", "as_posix", "abspath", "realpath", "normpath", "fspath", "relpath", "str",
})  # fmt: skip
_READS = frozenset({"read_text", "read_bytes"})
_SOURCES = frozenset({"getsource", "getsourcelines"})
_FILES = frozenset({"getsourcefile", "getfile"})
_ELEMENTS = frozenset({"param", "tuple", "list", "set", "sorted", "frozenset"})


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """Reads one module's expressions. `depth` counts the steps on the way to the expression that is asked for."""

    names: Names
    parameters: Parameters
    grounds: places.Grounds
    depth: int = 0
    known: dict[tuple[ast.expr, Scope], tuple[Value, ...]] = field(default_factory=dict)  # a memo

    def values(self, node: ast.expr, scope: Scope) -> tuple[Value, ...]:
        """What an expression may stand for; nothing more while that is being asked: `text = text.lower()`."""
        if self.depth > _DEPTH:
            return (UNKNOWN,)
        if (node, scope) not in self.known:
            self.known[node, scope] = ()
            inner = replace(self, depth=self.depth + 1)
            found = tuple(dict.fromkeys(inner._values(node, scope)))
            self.known[node, scope] = found[:_LIMIT] or (UNKNOWN,)
        return self.known[node, scope]

    def _values(self, node: ast.expr, scope: Scope) -> Iterator[Value]:
        match node:
            case ast.Constant(value=str(text)):
                yield Constant(text)
            case ast.Constant(value=bytes(data)):
                yield Constant(data.decode("latin-1"))
            case ast.Name():
                yield from self._of_name(node, scope)
            case ast.Attribute():
                yield from self._of_attribute(node, scope)
            case ast.Call():
                yield from self._of_call(node, scope)
            case ast.Subscript():
                yield from self._of_subscript(node, scope)
            case ast.IfExp(body=body, orelse=orelse):
                yield from (*self.values(body, scope), *self.values(orelse, scope))
            case _:
                yield from self._of_composite(node, scope)

    def _of_composite(self, node: ast.expr, scope: Scope) -> Iterator[Value]:
        match node:
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                yield from self._joined([left, right], scope)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                yield from self._added([left, right], scope)
            case ast.JoinedStr(values=parts):
                inner = [part.value if isinstance(part, ast.FormattedValue) else part for part in parts]
                yield from self._added(inner, scope)
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                yield Items(tuple(Bound(item, scope) for item in items if not isinstance(item, ast.Starred)))
            case ast.Dict(keys=keys, values=values):
                yield Record({
                    str(key.value): Bound(value, scope)
                    for key, value in zip(keys, values, strict=True)
                    if isinstance(key, ast.Constant)
                })  # fmt: skip
            case (
                ast.ListComp(elt=element, generators=[generator])
                | ast.GeneratorExp(elt=element, generators=[generator])
            ):
                inner_scope = Scope(node, scope, targets_of(generator.target, generator.iter, scope))
                yield from self.values(element, inner_scope)
            case ast.NamedExpr(value=value) | ast.Await(value=value):
                yield from self.values(value, scope)

    # names

    def _of_name(self, node: ast.Name, scope: Scope | None) -> Iterator[Value]:
        if node.id == "__file__":
            yield self.grounds.own
        while scope is not None:
            if node.id in scope.given:
                yield from self.each(scope.given[node.id])
                return
            if found := self.names.reaching(node, scope):
                for binding in found:
                    yield from self._of_binding(binding.value, binding.statement, binding.path, scope)
                return
            if isinstance(scope.holder, Function) and node.id in parameters_of(scope.holder):
                yield from self._of_parameter(node.id, scope.holder)
                return
            scope = scope.parent

    def _of_binding(
        self, value: object, statement: ast.stmt, path: tuple[int | str, ...], scope: Scope
    ) -> Iterator[Value]:
        match value:
            case ast.alias(name=name):
                yield Imported(_dotted(name, statement, value.asname))
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield Own(value)
            case ast.expr():
                yield from self.of(Bound(value, scope, path))

    def _of_parameter(self, name: str, function: Function) -> Iterator[Value]:
        bounds = self.parameters.of(name, function)
        if bounds:
            yield from self.each(bounds)
        elif places.names_project_folder(name):
            yield Place(".")

    def each(self, bounds: Sequence[Bound]) -> Iterator[Value]:
        for bound in bounds[:_LIMIT]:
            yield from self.of(bound)

    def of(self, bound: Bound) -> tuple[Value, ...]:
        """What a name may stand for that is bound so."""
        values = self.values(bound.node, bound.scope)
        for selector in bound.path:
            values = tuple(inner for value in values for inner in self._selected(value, selector))
        return values

    def _selected(self, value: Value, selector: int | str) -> tuple[Value, ...]:
        match value:
            case Items(items=items) if selector == ITEM:
                return tuple(self.each(items))
            case Items(items=items) if selector == CASE:
                return tuple(self.each([_unwrapped(item) for item in items]))
            case Items(items=items) if isinstance(selector, int) and -len(items) <= selector < len(items):
                return self.of(items[selector])
            case Record(fields=fields) if selector == ITEM:
                return tuple(map(Constant, fields))
            case Code():
                return (value,)
            case Handle(place=place) if selector == ITEM:
                return (self._code(place, ast.Constant(place.path)),)
        return (UNKNOWN,)

    # attributes and subscripts

    def _of_attribute(self, node: ast.Attribute, scope: Scope) -> Iterator[Value]:
        if isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}:
            owner = self.names.class_of(node)
            bounds = tuple(self.names.attributes(owner, node.attr)) if owner is not None else ()
            yield from self.each(bounds)
            return
        for value in self.values(node.value, scope):
            yield from self._attribute(value, node.attr)

    def _attribute(self, value: Value, name: str) -> tuple[Value, ...]:
        match value:
            case Record(fields=fields) if name in fields:
                return self.of(fields[name])
            case Place() if name == "parent":
                return (places.parent(value),)
            case Place() if name == "parents":
                return (value,)
            case Imported(dotted=dotted) if name in {"__file__", "origin"}:
                place = places.file_of_module(dotted)
                return (place or UNKNOWN,)
            case Imported(dotted=dotted):
                return (Imported(f"{dotted}.{name}"),)
        return (Place("."),) if name in {"rootpath", "rootdir"} else (UNKNOWN,)

    def _of_subscript(self, node: ast.Subscript, scope: Scope) -> Iterator[Value]:
        index = _literal(node.slice)
        for value in self.values(node.value, scope):
            match value:
                case Code():
                    yield value
                case Place() if isinstance(index, int) and _is_parents(node.value):
                    yield places.parent(value, index + 1)
                case Record(fields=fields) if str(index) in fields:
                    yield from self.of(fields[str(index)])
                case Items() if isinstance(index, int):
                    yield from self._selected(value, index)
                case _:
                    yield UNKNOWN

    # paths and strings

    def paths(self, node: ast.expr, scope: Scope) -> Iterator[Place | None]:
        """The paths that an expression may stand for; None for one that is not the project's."""
        for value in self.values(node, scope):
            match value:
                case Place():
                    yield value
                case Constant(text=text):
                    yield places.joined(text)
                case Imported(dotted=dotted) if dotted.isupper() or dotted.rpartition(".")[2].isupper():
                    yield Place(".")
                case _:
                    yield None

    def _joined(self, parts: Sequence[ast.expr], scope: Scope) -> Iterator[Value]:
        heads: list[Place | None] = [Place(".")]
        for part in parts:
            tails = list(self.paths(part, scope))
            heads = [head and tail and places.joined(head.path, tail.path) for head in heads for tail in tails][:_LIMIT]
        yield from (head or UNKNOWN for head in heads)

    def _added(self, parts: Sequence[ast.expr], scope: Scope) -> Iterator[Value]:
        """Strings that are put together; a path among them makes a path of them, code makes code."""
        sums: list[Value] = [Constant("")]
        for part in parts:
            values = self.values(part, scope)
            sums = [_sum(left, right) for left in sums for right in values][:_LIMIT]
        yield from sums

    # calls

    def _of_call(self, node: ast.Call, scope: Scope) -> Iterator[Value]:
        name = last_name(node.func)
        arguments = [each for each in node.args if not isinstance(each, ast.Starred)]
        operand = node.func.value if isinstance(node.func, ast.Attribute) else None
        first = arguments[0] if arguments else None
        if name in _READS and operand is not None:
            yield from self._read(node, operand, scope)
        elif name in _SOURCES and first is not None:
            yield Code(self._name(first, scope), None, node) if self._is_of_project(first, scope) else UNKNOWN
        elif name in _FILES and first is not None:
            yield from (self._attribute(value, "__file__")[0] for value in self.values(first, scope))
        elif name == "open":
            yield from self._opened(node, operand if first is None or _is_mode(first) else first, scope)
        elif name in _PATHS and (name != "join" or _is_path_module(operand)):
            head = [operand] if name == "joinpath" and operand is not None else []
            yield from self._joined([*head, *arguments], scope)
        else:
            yield from self._of_other_call(node, name, operand, arguments, scope)

    def _of_other_call(
        self, node: ast.Call, name: str, operand: ast.expr | None, arguments: Sequence[ast.expr], scope: Scope
    ) -> Iterator[Value]:
        own = [value for value in self.values(node.func, scope) if isinstance(value, Own)]
        about = arguments[0] if arguments else None
        if own:
            for value in own:
                yield from self._of_own_call(value, node, scope)
        elif name in _SAME_PLACE and isinstance(place := self._one(operand, about, scope), Place | Code):
            yield place
        elif name in {"cwd", "getcwd"}:
            yield Place(".")
        elif (
            name in {"dirname", "with_name"}
            and (place := self._one(operand, about, scope))
            and isinstance(place, Place)
        ):
            yield from [places.parent(place)] if name == "dirname" else self._renamed(place, arguments, scope)
        elif name == "files" and about is not None:  # of importlib.resources
            yield from (
                places.joined(*value.text.split("."))
                for value in self.values(about, scope)
                if isinstance(value, Constant)
            )
        elif name == "import_module" and about is not None:
            yield from (Imported(value.text) for value in self.values(about, scope) if isinstance(value, Constant))
        elif name in _ELEMENTS and not self._is_text(about, scope):
            yield Items(tuple(Bound(each, scope) for each in arguments)) if name == "param" else UNKNOWN
        else:
            yield from self._derived(node, name, operand, arguments, scope)

    def _derived(
        self, node: ast.Call, name: str, operand: ast.expr | None, arguments: Sequence[ast.expr], scope: Scope
    ) -> Iterator[Value]:
        """What a method or function makes of a text, a sequence or an object."""
        if name in _OF_TEXT and operand is not None:
            for value in self.values(operand, scope):
                yield self._part(value, name, node)
        elif name in {"items", "values"} and operand is not None:
            for value in self.values(operand, scope):
                yield _entries(value, name) if isinstance(value, Record) else UNKNOWN
        elif name in _AROUND_TEXT | {"join"} and arguments:
            yield from self.values(arguments[0], scope)
        elif name in {"search", "match", "sub", "findall", "finditer"} and arguments:
            texts = (value for each in arguments for value in self.values(each, scope))
            yield from (value for value in texts if isinstance(value, Code))
        elif name[:1].isupper() or name in {"dict", "namedtuple"}:
            made_by = [value.dotted for value in self.values(node.func, scope) if isinstance(value, Imported)]
            yield Record(self._given((), node, scope), "".join(made_by[:1]))

    def _part(self, value: Value, method: str, read: ast.Call) -> Value:
        match value:
            case Code():
                return value
            case Handle(place=place) if method.startswith("read"):
                return self._code(place, read)
        return UNKNOWN

    def _of_own_call(self, own: Own, node: ast.Call, scope: Scope) -> Iterator[Value]:
        if isinstance(own.node, ast.ClassDef):
            yield Record(self._given(_fields(own.node), node, scope))
            return
        given = {name: (bound,) for name, bound in self._given(parameters_of(own.node), node, scope).items()}
        inner = replace(self.names.scope(own.node), given=given)
        for result in self.parameters.results(own.node):
            yield from replace(self, depth=self.depth + _CALL_DEPTH).values(result, inner)

    def _given(self, names: Sequence[str], node: ast.Call, scope: Scope) -> dict[str, Bound]:
        given = {name: Bound(value, scope) for name, value in zip(names, node.args, strict=False)}
        return given | {each.arg: Bound(each.value, scope) for each in node.keywords if each.arg is not None}

    def _one(self, operand: ast.expr | None, about: ast.expr | None, scope: Scope) -> Value | None:
        """The one value that `x.resolve()` or `abspath(x)` is about."""
        for node in (about, operand):
            values = self.values(node, scope) if node is not None else ()
            if len(values) == 1 and isinstance(values[0], Place | Code):
                return values[0]
        return None

    def _renamed(self, place: Place, arguments: Sequence[ast.expr], scope: Scope) -> Iterator[Value]:
        for value in self.values(arguments[0], scope) if arguments else ():
            yield places.joined(places.parent(place).path, value.text) if isinstance(value, Constant) else UNKNOWN

    # reads

    def _read(self, node: ast.Call, operand: ast.expr, scope: Scope) -> Iterator[Value]:
        for place in self.paths(operand, scope):
            yield self._code(place, node)

    def _opened(self, node: ast.Call, operand: ast.expr | None, scope: Scope) -> Iterator[Value]:
        if operand is None or _is_written(node):
            return
        for place in self.paths(operand, scope):
            yield Handle(place) if place is not None else UNKNOWN

    def _code(self, place: Place | None, read: ast.expr) -> Value:
        if place is None or not self.grounds.is_source(place):
            return UNKNOWN
        return Code(self.grounds.shown(place), place, read)

    def _is_text(self, node: ast.expr | None, scope: Scope) -> bool:
        return node is not None and any(isinstance(value, Code) for value in self.values(node, scope))

    def _is_of_project(self, node: ast.expr, scope: Scope) -> bool:
        """Whether an object whose source is asked for is imported, and not made by the test itself."""
        match node:
            case ast.Attribute(value=value) | ast.Subscript(value=value):
                return self._is_of_project(value, scope)
            case ast.Call(func=function, args=[first, *_]) if last_name(function) in {"type", "unwrap", "getattr"}:
                return self._is_of_project(first, scope)
        dotted = [self._origin(value) for value in self.values(node, scope)]
        return all(name and places.is_of_project(name) for name in dotted)

    def _origin(self, value: Value) -> str:
        return value.dotted if isinstance(value, Imported) else value.made_by if isinstance(value, Record) else ""

    def _name(self, node: ast.expr, scope: Scope) -> str:
        """What to call an object whose source is read."""
        match self.values(node, scope):
            case (Imported(dotted=dotted),):
                return dotted.lstrip(".")
        return ast.unparse(node)


def _dotted(name: str, statement: ast.stmt, alias: str | None) -> str:
    if isinstance(statement, ast.ImportFrom):
        return (
            f"{'.' * statement.level}{statement.module or ''}.{name}".replace("..", ".")
            if statement.level
            else f"{statement.module}.{name}"
        )
    return name if alias else name.partition(".")[0]


def _sum(left: Value, right: Value) -> Value:
    match left, right:
        case Constant(text=""), _:
            return right
        case _, Constant(text=""):
            return left
        case Constant(text=head), Constant(text=tail):
            return Constant(head + tail)
        case Place(path=head), Constant(text=tail) | Place(path=tail):
            return places.joined(head + tail)
        case (Code(), Constant() | Code()):
            return left
    return UNKNOWN


def _entries(record: Record, name: str) -> Items:
    if name == "values":
        return Items(tuple(record.fields.values()))
    pairs = (
        Bound(ast.Tuple([ast.Constant(key), bound.node], ast.Load()), bound.scope)
        for key, bound in record.fields.items()
    )
    return Items(tuple(pairs))


def _unwrapped(item: Bound) -> Bound:
    match item.node:
        case ast.Call(func=function, args=[first, *_]) if last_name(function) == "param":
            return Bound(first, item.scope)
    return item


def _fields(owner: ast.ClassDef) -> list[str]:
    """The names of a class's fields in the order in which its constructor takes them."""
    for node in owner.body:
        if isinstance(node, Function) and node.name == "__init__":
            return parameters_of(node)
    return [
        node.target.id for node in owner.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]


def _literal(node: ast.expr) -> object:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return -value
    return None


def _is_parents(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "parents"


def _is_path_module(operand: ast.expr | None) -> bool:
    return operand is not None and ast.unparse(operand) in {"os.path", "path", "osp", "posixpath"}


def _is_mode(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and set(node.value) <= set("rwabxt+U")


def _is_written(node: ast.Call) -> bool:
    modes = [each for each in (*node.args, *(keyword.value for keyword in node.keywords)) if _is_mode(each)]
    return any(isinstance(mode, ast.Constant) and set(str(mode.value)) & set("wax+") for mode in modes)
