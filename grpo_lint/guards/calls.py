"""What a call in a test module gives: a path, an open file, the text of a source file or a part of it, an object."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from grpo_lint.guards import places
from grpo_lint.guards.names import Function, last_name, parameters_of
from grpo_lint.guards.values import (
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

if TYPE_CHECKING:
    from grpo_lint.guards.reader import Reader

_CALL_DEPTH = 5  # added by a call of a helper, which may call itself

# What still searches the text, or a part of it.
_OF_TEXT = frozenset({
    "lower", "upper", "casefold", "strip", "lstrip", "rstrip", "replace", "split", "rsplit", "splitlines", "partition",
    "rpartition", "removeprefix", "removesuffix", "expandtabs", "decode", "encode", "group", "groups", "read",
    "readlines", "readline",
})  # fmt: skip
_AROUND_TEXT = frozenset({
    "str", "list", "tuple", "set", "sorted", "reversed", "dedent", "cleandoc", "iter", "next", "join",
})  # fmt: skip
_MATCHED = frozenset({"search", "match", "sub", "findall", "finditer"})
_PATHS = frozenset({"Path", "PurePath", "PosixPath", "PurePosixPath", "joinpath", "join"})
_SAME_PLACE = frozenset({
    "resolve", "absolute", "expanduser", "as_posix", "abspath", "realpath", "normpath", "fspath", "relpath", "str",
})  # fmt: skip
_READS = frozenset({"read_text", "read_bytes"})
_SOURCES = frozenset({"getsource", "getsourcelines"})
_FILES = frozenset({"getsourcefile", "getfile"})
_OF_OBJECT = frozenset({"type", "unwrap", "getattr"})


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A call, its last name, what it is a method of, and its positional arguments, of which `first` is the first."""

    node: ast.Call
    scope: Scope
    reader: Reader
    name: str
    operand: ast.expr | None
    arguments: tuple[ast.expr, ...]

    @property
    def first(self) -> ast.expr | None:
        return self.arguments[0] if self.arguments else None

    def of(self, node: ast.expr | None) -> tuple[Value, ...]:
        """What an expression beside the call may stand for."""
        return self.reader.values(node, self.scope) if node is not None else ()

    def strings(self, node: ast.expr | None) -> list[str]:
        return [value.text for value in self.of(node) if isinstance(value, Constant)]

    def given(self, names: Sequence[str]) -> dict[str, Bound]:
        """What is passed for parameters of these names, and by keyword."""
        given = {name: Bound(value, self.scope) for name, value in zip(names, self.node.args, strict=False)}
        return given | {each.arg: Bound(each.value, self.scope) for each in self.node.keywords if each.arg is not None}


def values_of(node: ast.Call, scope: Scope, reader: Reader) -> Iterator[Value]:
    """What a call may give; nothing where that is not known."""
    arguments = tuple(each for each in node.args if not isinstance(each, ast.Starred))
    operand = node.func.value if isinstance(node.func, ast.Attribute) else None
    call = Call(node, scope, reader, last_name(node.func), operand, arguments)
    for kind in (_of_own, _read, _place, _text, _object):
        if values := tuple(kind(call)):
            yield from values
            return


def _of_own(call: Call) -> Iterator[Value]:
    """What a function of the module gives, and an instance of a class of the module."""
    for value in call.of(call.node.func):
        match value:
            case Own(node=ast.ClassDef() as made):
                yield Record(call.given(_fields(made)))
            case Own(node=ast.FunctionDef() | ast.AsyncFunctionDef() as function):
                yield from _results(function, call)


def _results(function: Function, call: Call) -> Iterator[Value]:
    reader = call.reader
    given = {name: (bound,) for name, bound in call.given(parameters_of(function)).items()}
    inner = replace(reader.names.scope(function), given=given)
    for result in reader.parameters.results(function):
        yield from replace(reader, depth=reader.depth + _CALL_DEPTH).values(result, inner)


def _read(call: Call) -> Iterator[Value]:
    """The text of a file or object, and open files."""
    match call:
        case Call(name=name, operand=ast.expr() as operand) if name in _READS:
            for place in call.reader.paths(operand, call.scope):
                yield call.reader.code(place, call.node)
        case Call(name=name, first=ast.expr() as first) if name in _SOURCES:
            is_known = _is_of_project(first, call)
            yield Code(_name(first, call), None, call.node) if is_known else UNKNOWN
        case Call(name="open"):
            yield from _opened(call)


def _opened(call: Call) -> Iterator[Value]:
    path = call.operand if call.first is None or _is_mode(call.first) else call.first
    if path is None or _is_written(call.node):
        yield UNKNOWN
        return
    for place in call.reader.paths(path, call.scope):
        yield Handle(place) if place is not None else UNKNOWN


def _is_of_project(node: ast.expr, call: Call) -> bool:
    """Whether an object whose source is asked for is imported, and not made by the test itself."""
    match node:
        case ast.Attribute(value=value) | ast.Subscript(value=value):
            return _is_of_project(value, call)
        case ast.Call(func=function, args=[first, *_]) if last_name(function) in _OF_OBJECT:
            return _is_of_project(first, call)
    return all(places.is_of_project(_origin(value)) for value in call.of(node))


def _origin(value: Value) -> str:
    """The dotted name of what is imported, or of the imported class of an instance."""
    match value:
        case Imported(dotted=dotted) | Record(made_by=dotted):
            return dotted
    return ""


def _name(node: ast.expr, call: Call) -> str:
    """What to call an object whose source is read."""
    match call.of(node):
        case (Imported(dotted=dotted),):
            return dotted
    return ast.unparse(node)


def _place(call: Call) -> Iterator[Value]:
    """Paths."""
    match call:
        case Call(name=name) if name in _PATHS and (name != "join" or _is_path_module(call.operand)):
            head = [call.operand] if name == "joinpath" and call.operand is not None else []
            yield from call.reader.joined([*head, *call.arguments], call.scope)
        case Call(name=name) if name in _SAME_PLACE:
            yield from _same(call)
        case Call(name="dirname"):
            yield from (places.parent(value) for value in _same(call) if isinstance(value, Place))
        case Call(name="with_name"):
            names = call.strings(call.first)
            folders = [places.parent(value) for value in call.of(call.operand) if isinstance(value, Place)]
            yield from (places.joined(folder.path, name) for folder in folders for name in names)
        case Call(name="cwd" | "getcwd"):
            yield Place(".")
        case Call(name="files"):  # of importlib.resources
            yield from (places.joined(*dotted.split(".")) for dotted in call.strings(call.first))
        case Call(name=name, first=ast.expr() as first) if name in _FILES:
            yield from (found for value in call.of(first) for found in call.reader.attribute(value, "__file__"))


def _same(call: Call) -> Iterator[Place | Code]:
    """What `x.resolve()` or `abspath(x)` is about, if that is one thing."""
    for node in (call.first, call.operand):
        match call.of(node):
            case (Place() | Code() as value,):
                yield value
                return


def _text(call: Call) -> Iterator[Value]:
    """What is made of a text, or is a part of it."""
    if call.name in _OF_TEXT and call.operand is not None:
        yield from (_part(value, call) for value in call.of(call.operand))
    elif call.name in _AROUND_TEXT:
        yield from call.of(call.first)
    elif call.name in _MATCHED:
        texts = (value for each in call.arguments for value in call.of(each))
        yield from (value for value in texts if isinstance(value, Code))


def _part(value: Value, call: Call) -> Value:
    match value:
        case Code():
            return value
        case Handle(place=place) if call.name.startswith("read"):
            return call.reader.code(place, call.node)
    return UNKNOWN


def _object(call: Call) -> Iterator[Value]:
    """Modules, instances, cases and what is in a dictionary."""
    match call:
        case Call(name="import_module"):
            yield from map(Imported, call.strings(call.first))
        case Call(name="param"):
            yield Items(tuple(Bound(each, call.scope) for each in call.arguments))
        case Call(name="items" | "values", operand=ast.expr() as operand):
            yield from (_entries(value, call.name) for value in call.of(operand) if isinstance(value, Record))
        case Call(name=name) if name[:1].isupper() or name == "dict":
            made_by = [value.dotted for value in call.of(call.node.func) if isinstance(value, Imported)]
            yield Record(call.given(()), "".join(made_by[:1]))


def _entries(record: Record, name: str) -> Items:
    if name == "values":
        return Items(tuple(record.fields.values()))
    pairs = ((ast.Tuple([ast.Constant(key), bound.node], ast.Load()), bound) for key, bound in record.fields.items())
    return Items(tuple(Bound(pair, bound.scope) for pair, bound in pairs))


def _fields(owner: ast.ClassDef) -> list[str]:
    """The names of a class's fields in the order in which its constructor takes them."""
    for node in owner.body:
        if isinstance(node, Function) and node.name == "__init__":
            return parameters_of(node)
    declared = (node.target for node in owner.body if isinstance(node, ast.AnnAssign))
    return [target.id for target in declared if isinstance(target, ast.Name)]


def _is_path_module(operand: ast.expr | None) -> bool:
    return operand is not None and ast.unparse(operand) in {"os.path", "path", "osp", "posixpath"}


def _is_mode(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and set(node.value) <= set("rwabxt+U")


def _is_written(node: ast.Call) -> bool:
    modes = [each for each in (*node.args, *(keyword.value for keyword in node.keywords)) if _is_mode(each)]
    return any(isinstance(mode, ast.Constant) and set(str(mode.value)) & set("wax+") for mode in modes)
