"""Mutations of what stands in statements: names, locals for parts, annotations, operators, arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from random import Random

from naming import equals, is_neutral
from programs import (
    Function,
    blocks_of,
    body_after_docstring,
    calls_in,
    identifiers,
    mark,
    marks,
    name_called,
    outer_functions,
    variables,
)
from purity import effects

# names


def rename_variables(tree: ast.Module, random: Random) -> None:
    """Parameters and locals get other names of the same standing."""
    keywords = {each.arg for each in ast.walk(tree) if isinstance(each, ast.keyword)}
    top_level = {name.id for name in variables(tree, ast.Load)}
    for function in outer_functions(tree):
        taken = identifiers(function) | top_level
        for name in sorted(_renamable(function) - keywords):
            free = [new for new in equals(name) if new not in taken]
            if free and random.random() < 0.5:
                taken.add(new := random.choice(free))
                _rename(function, name, new)


def _renamable(function: Function) -> set[str]:
    """What a function binds by nothing but assignments, loops and parameters."""
    parameters = {each.arg for each in ast.walk(function) if isinstance(each, ast.arg)}
    bound = parameters | {name.id for name in variables(function, ast.Store)}
    fixed = {"self", "cls", "_"}
    for node in ast.walk(function):
        match node:
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                fixed.update(names)
            case ast.FunctionDef(name=str(name)) | ast.ClassDef(name=str(name)) | ast.ExceptHandler(name=str(name)):
                fixed.add(name)
            case ast.alias(name=name, asname=asname):
                fixed.add(asname or name.split(".")[0])
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                fixed.add(name)
    return bound - fixed


def _rename(function: Function, old: str, new: str) -> None:
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id == old:
            node.id = new
        elif isinstance(node, ast.arg) and node.arg == old:
            node.arg = new


# locals for parts of expressions

# No literals: a name for an axis or a flag is not followed, and hardly ever there.
_TAKEN_OUT = (ast.Call, ast.BinOp, ast.Attribute, ast.Subscript, ast.Compare)


def extract_locals(tree: ast.Module, random: Random) -> None:
    """A part of a statement gets a name of its own above it."""
    imported = _imported(tree)
    for function in outer_functions(tree):
        for block in list(blocks_of(function)):
            for statement in list(block):
                parts = [] if len(effects(statement)) > 1 else _parts(statement, imported)
                if parts and random.random() < 0.4:
                    name = _new_name(function)
                    assignment = ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None))
                    assignment.value = _replaced(random.choice(parts), ast.Name(name, ast.Load()))
                    block.insert(block.index(statement), assignment)


def _imported(tree: ast.Module) -> set[str]:
    aliases = (each for each in ast.walk(tree) if isinstance(each, ast.alias))
    return {(each.asname or each.name).split(".")[0] for each in aliases}


def _new_name(function: Function) -> str:
    taken = identifiers(function)
    return next(name for number in range(1000) if (name := f"held{number}") not in taken)


Slot = tuple[ast.AST, str, "int | None"]


def _parts(statement: ast.stmt, imported: set[str]) -> list[Slot]:
    """The parts of a statement that are always evaluated, once, and may get a name."""
    slots = [slot for slot in _slots_in(statement) if isinstance(_at(slot), _TAKEN_OUT)]
    # Nobody gives `rewards.append(reward)` as a whole a name: it is called for what it does.
    is_called_for_itself = isinstance(statement, ast.Expr)
    return [
        slot
        for slot in slots
        if _root(_at(slot)) not in imported and not (is_called_for_itself and slot[0] is statement)
    ]


def _slots_in(statement: ast.stmt) -> list[Slot]:
    field = "iter" if isinstance(statement, ast.For) else "value"
    is_known = isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return | ast.Expr | ast.For)
    return list(_slots_below(statement, field)) if is_known and getattr(statement, field) is not None else []


def _root(node: ast.AST) -> str:
    """Where an attribute starts: `torch.float` is no value that a program gives a name."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _slots_below(parent: ast.AST, field: str) -> Iterator[Slot]:
    value = getattr(parent, field)
    slots: list[Slot] = [(parent, field, at) for at in range(len(value))] if isinstance(value, list) else []
    for slot in slots or [(parent, field, None)]:
        node = _at(slot)
        if not isinstance(node, ast.expr | ast.keyword):
            continue
        if isinstance(node, ast.expr) and not _is_counted(parent):
            yield slot
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield from _slots_below(node.func, "value")
        for below in _evaluated_fields(node):
            yield from _slots_below(node, below)


def _is_counted(parent: ast.AST) -> bool:
    """Whether something stands in `len(…)`: of which things there are so many is told by the name that stands there."""
    return isinstance(parent, ast.Call) and name_called(parent) == "len"


def _evaluated_fields(node: ast.AST) -> tuple[str, ...]:
    """The fields of an expression that are evaluated in any case, once, without what it binds."""
    match node:
        case ast.Call():
            return ("args", "keywords")
        case ast.BinOp():
            return ("left", "right")
        case ast.Compare(ops=[_]):
            return ("left", "comparators")
        case ast.UnaryOp():
            return ("operand",)
        case ast.Attribute() | ast.keyword() | ast.Starred():
            return ("value",)
        case ast.Subscript():
            return ("value", "slice")
        case ast.Tuple() | ast.List():
            return ("elts",)
        case ast.Slice():
            return ("lower", "upper", "step")
        case ast.IfExp():
            return ("test",)
        case _:
            return ()


def _at(slot: Slot) -> ast.AST:
    parent, field, index = slot
    value = getattr(parent, field)
    return value if index is None else value[index]


def _replaced(slot: Slot, new: ast.expr) -> ast.expr:
    parent, field, index = slot
    old = _at(slot)
    assert isinstance(old, ast.expr)
    if index is None:
        setattr(parent, field, new)
    else:
        getattr(parent, field)[index] = new
    return old


def inline_locals(tree: ast.Module, random: Random) -> None:
    """A local that only the next statement reads gives way to its value, unless its name tells something."""
    for function in outer_functions(tree):
        for block in list(blocks_of(function)):
            for statement in list(block[:-1]):
                following = block[block.index(statement) + 1]
                slot = _one_use(statement, following, function)
                if slot is not None and random.random() < 0.6:
                    assert isinstance(statement, ast.Assign)
                    _replaced(slot, statement.value)
                    block.remove(statement)


def _one_use(statement: ast.stmt, following: ast.stmt, function: Function) -> Slot | None:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if is_neutral(name):
            uses = [each for each in ast.walk(function) if isinstance(each, ast.Name) and each.id == name]
        case _:
            return None
    if len(uses) != 2 or effects(value) or effects(following) or isinstance(following, ast.AnnAssign):
        return None
    found = [slot for slot in _slots_in(following) if _at(slot) in uses]
    return found[0] if found else None


# annotations and docstrings


def annotate(tree: ast.Module, random: Random) -> None:
    """Parameters, locals and results get annotations that say nothing."""
    for function in outer_functions(tree):
        for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs):
            if argument.annotation is None and argument.arg not in ("self", "cls") and random.random() < 0.5:
                argument.annotation = ast.Name("object", ast.Load())
        if function.returns is None and random.random() < 0.5:
            function.returns = ast.Constant("object")
        opened = {
            name for each in ast.walk(function) if isinstance(each, ast.Global | ast.Nonlocal) for name in each.names
        }
        for block in blocks_of(function):
            for at, statement in enumerate(block):
                match statement:
                    case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if name not in opened:
                        if random.random() < 0.4:
                            block[at] = ast.AnnAssign(target, ast.Name("object", ast.Load()), value, 1)


def add_docstrings(tree: ast.Module, random: Random) -> None:
    """Functions and classes get docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, Function | ast.ClassDef) and not body_after_docstring(node) and random.random() < 0.5:
            node.body.insert(0, ast.Expr(ast.Constant("What it does.\n\nAnd how.\n")))


# operators

_IN_PLACE = ast.Sub | ast.Div | ast.Add | ast.Mult


def use_in_place_operators(tree: ast.Module, random: Random) -> None:
    """`x = x - y` becomes `x -= y`."""
    for function in outer_functions(tree):
        for block in blocks_of(function):
            for at, statement in enumerate(block):
                match statement:
                    case ast.Assign(
                        targets=[ast.Name(id=name) as target], value=ast.BinOp(left=ast.Name(id=left), op=op) as value
                    ) if name == left and isinstance(op, _IN_PLACE) and random.random() < 0.7:
                        block[at] = ast.AugAssign(target, op, value.right)
                        mark(block[at], *marks(value), *marks(statement))


def spell_out_operators(tree: ast.Module, random: Random) -> None:
    """`x -= y` becomes `x = x - y`."""
    for function in outer_functions(tree):
        for block in blocks_of(function):
            for at, statement in enumerate(block):
                match statement:
                    case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                        if random.random() < 0.7:
                            made = ast.BinOp(ast.Name(name, ast.Load()), op, value)
                            mark(made, *marks(statement))
                            block[at] = ast.Assign([target], made)


# arguments

_REDUCTIONS = frozenset({"mean", "sum", "median"})
_SPREADS = frozenset({"std", "var"})


def reorder_keywords(tree: ast.Module, random: Random) -> None:
    """Keyword arguments come in another order."""
    for call in calls_in(tree):
        if len(call.keywords) > 1 and all(each.arg is not None for each in call.keywords):
            random.shuffle(call.keywords)


def respell_axes(tree: ast.Module, random: Random) -> None:
    """`grid.mean(dim=1, keepdim=True)` becomes `grid.mean(1, keepdim=True)` or `grid.mean(1, True)`, and back."""
    for call in calls_in(tree):
        if name_called(call) not in _REDUCTIONS | _SPREADS or random.random() < 0.4:
            continue
        before = _operands(call)
        match call.keywords:
            case [ast.keyword(arg="dim" | "axis", value=axis), *others] if len(call.args) == before:
                call.args.append(axis)
                call.keywords = others
        match call.keywords:
            case [ast.keyword(arg="keepdim", value=keeps)] if len(call.args) == before + 1:
                if name_called(call) in _REDUCTIONS and random.random() < 0.5:
                    call.args.append(keeps)
                    call.keywords = []


def name_axes(tree: ast.Module, random: Random) -> None:
    """`grid.mean(1, True)` becomes `grid.mean(dim=1, keepdim=True)`."""
    for call in calls_in(tree):
        before = _operands(call)
        if name_called(call) not in _REDUCTIONS | _SPREADS or len(call.args) <= before or random.random() < 0.4:
            continue
        if any(isinstance(each, ast.Starred) for each in call.args) or _is_of_arrays(call):
            continue
        names = ("dim", "keepdim") if name_called(call) in _REDUCTIONS else ("dim", "unbiased", "keepdim")
        given = [ast.keyword(name, value) for name, value in zip(names, call.args[before:], strict=False)]
        if len(call.args) - before <= len(names):
            call.args, call.keywords = call.args[:before], [*given, *call.keywords]


def _operands(call: ast.Call) -> int:
    """How many arguments of a statistic are what it is of: one of a function of a library, none of a method."""
    is_library = isinstance(call.func, ast.Attribute) and _root(call.func) in ("torch", "np", "jnp", "mx", "statistics")
    return 1 if is_library or isinstance(call.func, ast.Name) else 0


def _is_of_arrays(call: ast.Call) -> bool:
    """Whether it may be NumPy's, whose names are others: by a keyword of theirs, or where nothing tells."""
    return "torch" not in ast.unparse(call.func) and not any(each.arg in ("dim", "keepdim") for each in call.keywords)
