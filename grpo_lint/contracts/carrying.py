"""Whether an expression carries a call's result on: the very values, or, where that is enough, anything made of it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from grpo_lint.contracts.call_site import Result
from grpo_lint.contracts.calls import Calls
from grpo_lint.contracts.containers import held_parts, stored_path
from grpo_lint.contracts.paths import dotted_path, is_below
from grpo_lint.contracts.scopes import children_of, own_nodes, target_names

# Functions and methods that give the values that they are given, in the same order.
_PASSING = frozenset(
    "list tuple dict iter zip enumerate cast tensor as_tensor from_numpy array asarray asanyarray stack Tensor"
    " FloatTensor copy deepcopy cat concat concatenate hstack chain from_iterable create_task ensure_future wait_for"
    " shield gather".split()
)
_PASSING_METHODS = frozenset(
    "tolist cpu cuda to detach clone copy float double half bfloat16 numpy contiguous requires_grad_ view reshape"
    " flatten ravel squeeze unsqueeze type astype item items values result".split()
)
_PASSING_BUILTINS = frozenset({"list", "tuple", "dict", "iter", "zip", "enumerate"})
_NUMBERS = frozenset({"float"})
# Types of numbers that keep no fractions.
_WHOLE = ("int", "uint", "long", "short", "bool")
# What a value tells of itself, other than its values.
_ASIDE = frozenset("shape dtype device size ndim requires_grad grad_fn nbytes itemsize __class__ __len__".split())
# Calls that only tell of what they are given.
_TELLING = frozenset("print len repr str type id isinstance format sum min max abs round zeros_like ones_like".split())
_LIKE = frozenset({"zeros_like", "ones_like", "empty_like"})
_LOGGING = frozenset("debug info warning error exception critical log warn".split())


@dataclass(frozen=True, slots=True, eq=False)
class Carrying:
    """What carries the result while the paths in `held` do. `gives` tells it of helpers.

    Where `is_made` is not set, it is about an earlier result: calls give none of it.
    """

    calls: Calls
    wants: Result
    held: frozenset[str]
    gives: Callable[[ast.Call, frozenset[str]], bool]
    is_made: bool = True

    def of_earlier(self, held: frozenset[str]) -> Carrying:
        """What carries the results of earlier rounds of a loop, which these paths hold."""
        return replace(self, held=held, is_made=False)

    def passes(self, node: ast.expr) -> bool:
        """Whether an expression carries what is wanted."""
        return self.carries(node) if self.wants is Result.RETURNED else self.touches(node)

    def is_source(self, node: ast.Call) -> bool:
        """Whether a call gives the result itself."""
        if not self.is_made:
            return False
        if any(site.call is node for site in self.calls.sites):
            return True
        return self.calls.leads_there(node) and self.gives(node, frozenset())

    def touches(self, node: ast.expr) -> bool:
        """Whether an expression reads the result at all."""
        stack: list[ast.AST] = [node]
        while stack:
            each = stack.pop()
            if isinstance(each, ast.Call) and self.is_source(each):
                return True
            if isinstance(each, ast.Name | ast.Attribute | ast.Subscript) and self._is_held(each):
                return True
            if each not in self.calls.run.frame.dead and not isinstance(each, ast.Lambda) and not _is_aside(each):
                stack += children_of(each)
        return False

    def _is_held(self, node: ast.expr) -> bool:
        path = stored_path(node)
        return path is not None and isinstance(getattr(node, "ctx", None), ast.Load) and self.holds(path)

    def holds(self, path: str) -> bool:
        """Whether the result is at a path, or below it."""
        return any(each == path or is_below(each, path) for each in self.held)

    def carries(self, node: ast.expr) -> bool:
        """Whether an expression gives the very values of the result, alone or among others."""
        match node:
            case ast.Call():
                return self._call_carries(node)
            case ast.Name():
                return self.holds(node.id)
            case ast.Attribute(value=value, attr=name):
                path = dotted_path(node)
                if path is None:
                    return isinstance(value, ast.Call) and name not in _ASIDE and self.carries(value)
                return self.holds(path) or (name not in _ASIDE and dotted_path(value) in self.held)
            case ast.Subscript(value=value, slice=ast.Slice(lower=None, upper=None, step=None)):
                return self.carries(value)
            case ast.Subscript():
                path = stored_path(node)
                return path is not None and ".[" in path and self.holds(path)
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
                return any(self.carries(each) for each in parts)
            case ast.Dict() | ast.BinOp(op=ast.BitOr()):
                return bool(held_parts(node, self))
            case ast.BinOp(op=ast.Add(), left=left, right=right) if self._is_list(left) or self._is_list(right):
                return self.carries(left) or self.carries(right)
            case ast.Starred(value=value) | ast.Await(value=value) | ast.NamedExpr(value=value):
                return self.carries(value)
            case ast.IfExp(body=body, orelse=orelse):
                return self._choice_carries(body, orelse)
            case ast.BoolOp(op=operator, values=values):
                return self.carries(values[0] if isinstance(operator, ast.Or) else values[-1])
            case ast.ListComp(elt=element) | ast.GeneratorExp(elt=element) | ast.DictComp(value=element):
                return self._comprehension_carries(node.generators, element)
        return False

    def _is_list(self, node: ast.expr) -> bool:
        """Whether an expression is a list that is written out, or a local that starts as one."""
        if isinstance(node, ast.Name):
            values = [each.value for each in self.calls.run.frame.scope.of(node.id)]
            return any(isinstance(each, ast.List | ast.ListComp) for each in values)
        return isinstance(node, ast.List | ast.ListComp)

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
        if any(_is_whole(each) for each in arguments) or _returns_errors(node):
            return False
        match node.func:
            case ast.Name(id="dict" | "OrderedDict") if node.keywords:
                return bool(held_parts(node, self))
            case ast.Name(id="sum") if len(node.args) == 2 and self._is_list(node.args[1]):
                return self.carries(node.args[0])
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

    def _comprehension_carries(self, generators: Sequence[ast.comprehension], element: ast.expr) -> bool:
        """`[float(r) for r in rewards]`: each value once, in order; or the call itself, for each item."""
        inner, own = self, frozenset[str]()
        for generator in generators:
            held = inner.variables(generator.target, generator.iter)
            if (own and not held) or ((own or held) and generator.ifs):
                return False  # some values are left out, or there more than once
            own = held
            inner = replace(inner, held=(inner.held - frozenset(target_names(generator.target))) | held)
        match element:
            case ast.Call(func=ast.Name(id=name), args=[ast.Name() as value], keywords=[]) if name in _NUMBERS:
                return inner.carries(value)
            case ast.Name() | ast.Tuple() | ast.List() | ast.Dict():
                return (bool(own) or self._makes(element)) and inner.carries(element)
        return not own and self._makes(element) and inner.carries(element)

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
                return name in _PASSING | _PASSING_METHODS | _LOGGING | _LIKE or _is_class_name(name)
        return False

    def is_spent_by_statement(self, node: ast.expr) -> bool:
        """Whether a statement that is one expression does something with the result."""
        call = node.value if isinstance(node, ast.Await) else node
        if not isinstance(call, ast.Call) or self.is_source(call) or self._only_passes(call):
            return False
        return self.touches(call)


def _is_aside(node: ast.AST) -> bool:
    """Whether a node tells of its parts something else than their values."""
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in _LIKE or name in ("len", "isinstance", "type", "id", "size")
    return isinstance(node, ast.Attribute) and node.attr in _ASIDE


def _is_whole(node: ast.expr) -> bool:
    """Whether an argument names a type of whole numbers: `torch.long`, `"int64"`."""
    text = node.value if isinstance(node, ast.Constant) else ast.unparse(node) if _is_plain(node) else ""
    return isinstance(text, str) and text.rpartition(".")[2].startswith(_WHOLE) and not text.endswith("_")


def _is_plain(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) or (isinstance(node, ast.Name) and node.id in ("int", "bool"))


def _returns_errors(call: ast.Call) -> bool:
    """Whether a call gives an error as if it were a result."""
    return any(each.arg == "return_exceptions" and not _is_false(each.value) for each in call.keywords)


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value


def _is_class_name(name: str) -> bool:
    return name.lstrip("_")[:1].isupper() and not name.isupper()
