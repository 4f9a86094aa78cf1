"""Whether an expression carries a call's result on: the very values, or, where that is enough, anything made of it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from grpo_lint.contracts.call_site import Result
from grpo_lint.contracts.calls import Calls
from grpo_lint.contracts.mutation import dotted_path
from grpo_lint.contracts.scopes import own_nodes, target_names

# Functions and methods that give the values that they are given, in the same order.
_PASSING = frozenset(
    "list tuple dict iter zip enumerate cast tensor as_tensor from_numpy array asarray asanyarray stack Tensor"
    " FloatTensor copy deepcopy".split()
)
_PASSING_METHODS = frozenset(
    "tolist cpu cuda to detach clone copy float double half bfloat16 numpy contiguous requires_grad_ view reshape"
    " flatten ravel squeeze unsqueeze type astype item items values result".split()
)
_PASSING_BUILTINS = frozenset({"list", "tuple", "dict", "iter", "zip", "enumerate"})
_NUMBERS = frozenset({"float", "int"})
# Calls that only tell of what they are given.
_TELLING = frozenset("print len repr str type id isinstance format sum min max abs round".split())
_LOGGING = frozenset("debug info warning error exception critical log warn".split())


@dataclass(frozen=True, slots=True, eq=False)
class Carrying:
    """What carries the result while the paths in `held` do. `gives` tells it of helpers."""

    calls: Calls
    wants: Result
    held: frozenset[str]
    gives: Callable[[ast.Call, frozenset[str]], bool]

    def passes(self, node: ast.expr) -> bool:
        """Whether an expression carries what is wanted."""
        return self.carries(node) if self.wants is Result.RETURNED else self.touches(node)

    def is_source(self, node: ast.Call) -> bool:
        """Whether a call gives the result itself."""
        if any(site.call is node for site in self.calls.sites):
            return True
        return self.calls.leads_there(node) and self.gives(node, frozenset())

    def touches(self, node: ast.expr) -> bool:
        """Whether an expression reads the result at all."""
        for each in own_nodes([node], self.calls.run.frame.dead):
            if isinstance(each, ast.Call) and self.is_source(each):
                return True
            if isinstance(each, ast.Name | ast.Attribute | ast.Subscript) and self._is_held(each):
                return True
        return False

    def _is_held(self, node: ast.expr) -> bool:
        path = stored_path(node)
        return path is not None and isinstance(getattr(node, "ctx", None), ast.Load) and self.holds(path)

    def holds(self, path: str) -> bool:
        """Whether the result is at a path, or below it."""
        return any(each == path or each.startswith((f"{path}.", f"{path}[")) for each in self.held)

    def carries(self, node: ast.expr) -> bool:
        """Whether an expression gives the very values of the result, alone or among others."""
        match node:
            case ast.Call():
                return self._call_carries(node)
            case ast.Name():
                return self.holds(node.id)
            case ast.Attribute(value=value):
                path = dotted_path(node)
                return path is not None and (self.holds(path) or (dotted_path(value) or "") in self.held)
            case ast.Subscript(value=value, slice=ast.Slice(lower=None, upper=None, step=None)):
                return self.carries(value)
            case ast.Subscript():
                path = stored_path(node)
                return path is not None and "[" in path and self.holds(path)
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
                return any(self.carries(each) for each in parts)
            case ast.Dict(values=values):
                return any(self.carries(each) for each in values)
            case ast.Starred(value=value) | ast.Await(value=value) | ast.NamedExpr(value=value):
                return self.carries(value)
            case ast.IfExp(body=body, orelse=orelse):
                return self._choice_carries(body, orelse)
            case ast.BoolOp(op=operator, values=values):
                return self.carries(values[0] if isinstance(operator, ast.Or) else values[-1])
            case ast.ListComp(elt=element) | ast.GeneratorExp(elt=element):
                return self._comprehension_carries(node, element)
            case ast.DictComp(value=value):
                return self._comprehension_carries(node, value)
        return False

    def _choice_carries(self, body: ast.expr, orelse: ast.expr) -> bool:
        """Both branches must, if the call was made before; where one makes it, that one."""
        dead = self.calls.run.frame.dead
        live = [each for each in (body, orelse) if each not in dead]
        making = [each for each in live if self._makes(each)]
        return all(self.carries(each) for each in making or live)

    def _makes(self, node: ast.expr) -> bool:
        inner = own_nodes([node], self.calls.run.frame.dead)
        return any(isinstance(each, ast.Call) and self.is_source(each) for each in inner)

    def _call_carries(self, node: ast.Call) -> bool:
        if self.is_source(node):
            return True
        if node in self.calls.helpers:
            given = self.calls.helpers[node].run.given
            held = frozenset(
                name for name, each in given.items() if each.run is self.calls.run and self.carries(each.expression)
            )
            return bool(held) and self.gives(node, held)
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        match node.func:
            case ast.Attribute(value=owner, attr=method) if method in _PASSING_METHODS and self.carries(owner):
                return True
            case ast.Name(id=name) if name in _PASSING_BUILTINS and not self._is_builtin(name):
                return False
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in _PASSING or _is_class_name(name):
                return any(self.carries(each) for each in arguments)
            case ast.Attribute(attr="_replace" | "replace"):
                return any(self.carries(each) for each in arguments)
        return False

    def _is_builtin(self, name: str) -> bool:
        """Whether a name is Python's own here."""
        frame = self.calls.run.frame
        return frame.binding_frame(name) is None and not frame.unit.scope.of(name)

    def _comprehension_carries(self, node: ast.ListComp | ast.GeneratorExp | ast.DictComp, element: ast.expr) -> bool:
        """`[float(r) for r in rewards]`: each value once, in order."""
        if len(node.generators) != 1 or node.generators[0].ifs:
            return False
        generator = node.generators[0]
        held = self.variables(generator.target, generator.iter)
        hidden = frozenset(target_names(generator.target))
        inner = Carrying(self.calls, self.wants, (self.held - hidden) | held, self.gives)
        match element:
            case ast.Call(func=ast.Name(id=name), args=[value], keywords=[]) if name in _NUMBERS:
                return isinstance(value, ast.Name) and inner.carries(value)
            case ast.Name() | ast.Tuple() | ast.List() | ast.Dict():
                return bool(held) and inner.carries(element)
        return False

    def variables(self, target: ast.expr, sequence: ast.expr) -> frozenset[str]:
        """The variables of a loop over a sequence that hold the result's values."""
        match sequence:
            case ast.Call(func=ast.Name(id="zip"), args=args) if isinstance(target, ast.Tuple) and len(args) == len(
                target.elts
            ):
                pairs = zip(target.elts, args, strict=True)
                return frozenset(name for part, each in pairs for name in self.variables(part, each))
            case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]) if isinstance(target, ast.Tuple):
                return self.variables(target.elts[-1], inner)
        return frozenset(target_names(target)) if self.passes(sequence) else frozenset()

    def is_spent_in(self, node: ast.expr) -> bool:
        """Whether some function takes the result for more than passing it on or telling of it."""
        for each in own_nodes([node], self.calls.run.frame.dead):
            if isinstance(each, ast.Call) and not self.is_source(each) and not self._only_passes(each):
                given = [*each.args, *(keyword.value for keyword in each.keywords)]
                if any(self.touches(argument) for argument in given):
                    return True
        return False

    def _only_passes(self, call: ast.Call) -> bool:
        match call.func:
            case ast.Name(id=name):
                return name in _PASSING or name in _TELLING or name in _NUMBERS or _is_class_name(name)
            case ast.Attribute(attr=name):
                return name in _PASSING | _PASSING_METHODS | _LOGGING or _is_class_name(name)
        return False

    def is_spent_by_statement(self, node: ast.expr) -> bool:
        """Whether a statement that is one expression does something with the result."""
        call = node.value if isinstance(node, ast.Await) else node
        if not isinstance(call, ast.Call) or self.is_source(call) or self._only_passes(call):
            return False
        return self.touches(call)


def stored_path(node: ast.expr) -> str | None:
    """Where an assignment stores: `out.rewards`, `out['rewards']`; for `out[i]` and `out[:]`, `out`."""
    match node:
        case ast.Subscript(value=value, slice=ast.Constant(value=key)):
            owner = stored_path(value)
            return None if owner is None else f"{owner}[{key!r}]"
        case ast.Subscript(value=value):
            return stored_path(value)
        case ast.Attribute(value=value, attr=name):
            owner = stored_path(value)
            return None if owner is None else f"{owner}.{name}"
        case ast.Name(id=name):
            return name
    return None


def element_paths(path: str, value: ast.expr, carrying: Carrying) -> Iterator[str]:
    """The paths that hold the result once a value is stored at a path."""
    match value:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) if not any(isinstance(each, ast.Starred) for each in parts):
            yield from (f"{path}[{i}]" for i, each in enumerate(parts) if carrying.passes(each))
        case ast.Dict(keys=keys, values=values) if all(isinstance(key, ast.Constant) for key in keys):
            for key, each in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant) and carrying.passes(each):
                    yield f"{path}[{key.value!r}]"
        case ast.Name() | ast.Attribute() | ast.Subscript() if (source := stored_path(value)) is not None:
            below = [each for each in carrying.held if each.startswith((f"{source}.", f"{source}["))]
            if below and source not in carrying.held:
                yield from (path + each.removeprefix(source) for each in below)
            elif carrying.passes(value):
                yield path
        case _:
            if carrying.passes(value):
                yield path


def _is_class_name(name: str) -> bool:
    return name.lstrip("_")[:1].isupper() and not name.isupper()
