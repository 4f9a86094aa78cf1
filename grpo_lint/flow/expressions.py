"""What an expression is, from what its parts are."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from grpo_lint.flow import groupings, statistics
from grpo_lint.flow.arithmetic import Arithmetic
from grpo_lint.flow.calls import Calls
from grpo_lint.flow.elements import element_of
from grpo_lint.flow.environment import Environment, Record
from grpo_lint.flow.facts import ModuleFacts
from grpo_lint.flow.indexing import indexed, length_of
from grpo_lint.flow.nodes import children_of
from grpo_lint.flow.operations import integer, recognise
from grpo_lint.flow.origins import named_after_target, named_vector, vector_from_comprehension
from grpo_lint.flow.parameters import parameter_value
from grpo_lint.flow.parts import Parts
from grpo_lint.flow.shapes import several
from grpo_lint.flow.traversal import groupings as groupings_in
from grpo_lint.flow.traversal import has_rows, is_reward_like, walk
from grpo_lint.flow.values import (
    UNKNOWN,
    Altered,
    Choice,
    GroupCount,
    Kind,
    Leading,
    Length,
    Local,
    Mapped,
    Row,
    Scalar,
    Several,
    Table,
    Value,
    Vector,
)

_LENGTHS = Scalar | Length | GroupCount | Leading

# Evaluates a call of a function of the same module with these values for its operand and arguments, if it is one.
Inline = Callable[[ast.Call, Value, Sequence[Value]], "Value | None"]


def path_of(node: ast.expr) -> str | None:
    """`self.args.n` or `batch["rewards"]` as a key; None for anything that is computed."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr):
            base = path_of(value)
            return f"{base}.{attr}" if base else None
        case ast.Subscript(value=value, slice=ast.Constant(value=str(key))):
            base = path_of(value)
            return f"{base}[{key!r}]" if base else None
        case _:
            return None


@dataclass(slots=True)
class Evaluator:
    """Evaluates expressions in an environment, and records what it sees."""

    module: ModuleFacts
    record: Record
    inline: Inline
    named: dict[str, Value] = field(default_factory=dict)
    arithmetic: Arithmetic = field(init=False)
    calls: Calls = field(init=False)
    parts: Parts = field(init=False)

    def __post_init__(self) -> None:
        self.arithmetic = Arithmetic(self.record)
        self.calls = Calls(self.module.vocabulary, self.record, self.arithmetic)
        self.parts = Parts(self.module.vocabulary, self.module.aliases, self.record)

    def evaluate(self, node: ast.expr, env: Environment) -> Value:
        """The value of an expression."""
        value = self._evaluate(node, env)
        self.record.values[node] = value
        return value

    def _evaluate(self, node: ast.expr, env: Environment) -> Value:
        match node:
            case ast.Name():
                return self._name(node, env)
            case ast.Attribute():
                return self._attribute(node, env)
            case ast.Subscript():
                return self._subscript(node, env)
            case ast.Call():
                return self._call(node, env)
            case ast.BinOp():
                return self._binary(node, node.left, node.op, node.right, env)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.evaluate(test, env)
                return self._either(test, self.evaluate(body, env), self.evaluate(orelse, env))
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                return self._comprehension(node, env)
            case ast.NamedExpr(target=target, value=right):
                self.bind_targets(target, self.evaluate(right, env), node, env, right)
                return env.bindings[target.id].value
            case ast.BoolOp(values=[first, *others]):
                found = [self.evaluate(each, env) for each in (first, *others)]
                return found[0] if isinstance(found[0], Scalar) else UNKNOWN
            case ast.Compare(left=left, comparators=comparators):
                self._compared(node, [left, *comparators], env)
                return UNKNOWN
            case ast.Tuple(elts=items) | ast.List(elts=items):
                return self._display(node, [self.evaluate(item, env) for item in items])
            case ast.Dict():
                return self._table(node, env)
            case ast.Lambda():
                self._lambda(node, env.copy())
                return Local(node)
            case ast.Starred(value=inner) | ast.Await(value=inner) | ast.UnaryOp(operand=inner):
                return self._wrapped(node, self.evaluate(inner, env))
            case ast.Constant(value=int()):
                return Scalar(node, frozenset())
            case _:
                return self._other(node, env)

    def _compared(self, node: ast.Compare, operands: Sequence[ast.expr], env: Environment) -> None:
        """A comparison tells about values and does not carry them on."""
        for operand in operands:
            if is_reward_like(self.evaluate(operand, env)):
                self.record.idle.add(operand)
        self.arithmetic.compare(node, operands)

    def _wrapped(self, node: ast.expr, value: Value) -> Value:
        if isinstance(node, ast.Await) or (isinstance(node, ast.Starred) and not is_reward_like(value)):
            return value
        if integer(node) is not None:
            return Scalar(node, frozenset())
        return Altered(value, node) if is_reward_like(value) else UNKNOWN

    def _lambda(self, node: ast.Lambda, inner: Environment) -> None:
        arguments = node.args
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            value = parameter_value(argument, self.module.vocabulary)
            inner.bind(argument.arg, value, self.record.define(argument.arg, argument, value, None))
        self.evaluate(node.body, inner)

    def _other(self, node: ast.expr, env: Environment) -> Value:
        for child in children_of(node):
            if isinstance(child, ast.expr):
                self.evaluate(child, env)
        return UNKNOWN

    def _display(self, node: ast.Tuple | ast.List, items: list[Value]) -> Value:
        """A tuple; a list only of lengths: a shape."""
        if isinstance(node, ast.List) and not all(isinstance(item, _LENGTHS) for item in items):
            return UNKNOWN
        return several(node.elts, items)

    def _table(self, node: ast.Dict, env: Environment) -> Value:
        """A dict of which only groups and their statistics are remembered: of all else, the keys tell more."""
        items = []
        for key, each in zip(node.keys, node.values, strict=True):
            if key is not None:
                self.evaluate(key, env)
            value = self.evaluate(each, env)
            if isinstance(key, ast.Constant) and isinstance(key.value, str) and groupings_in(value):
                items.append((key.value, value))
        return Table(tuple(items)) if items else UNKNOWN

    def _either(self, test: ast.expr | None, one: Value, other: Value) -> Value:
        if one is UNKNOWN and other is UNKNOWN:
            return UNKNOWN
        return Choice(test, one, other)

    # names, attributes, items

    def _name(self, node: ast.Name, env: Environment) -> Value:
        binding = env.bindings.get(node.id)
        if binding is None:
            return self._by_name(node, node.id, env)
        self.record.loads[node] = binding.definitions
        return binding.value

    def _by_name(self, node: ast.expr, name: str, env: Environment) -> Value:
        """What is not defined here: rewards or a number by its name, the same object at every read of one path."""
        path = path_of(node)
        if path is None:
            return named_vector(node, name, self.module.vocabulary) or Scalar(node, frozenset({name}))
        if path in env.bindings:
            return env.bindings[path].value
        if path not in self.named:
            vector = named_vector(node, name, self.module.vocabulary)
            self.named[path] = vector or self.module.constants.scalar(node, name)
        return self.named[path]

    def _attribute(self, node: ast.Attribute, env: Environment) -> Value:
        base = self.evaluate(node.value, env)
        if node.attr in ("shape", "size") and is_reward_like(base):
            return length_of(base)
        if node.attr in ("T", "mT") and is_reward_like(base):
            return groupings.transposed(base, node)
        if node.attr == "values" and statistics.is_statistic(base, Kind.MEDIAN):
            return base
        if is_reward_like(base) or statistics.is_statistic(base):
            return UNKNOWN
        value = self.parts.column(node) or self._by_name(node, node.attr, env)
        if node.attr == "n" and isinstance(value, Scalar) and isinstance(node.value, ast.Attribute | ast.Name):
            owner = node.value.attr if isinstance(node.value, ast.Attribute) else node.value.id
            return replace(value, names=frozenset({f"{owner}_n"}))
        return value

    def _subscript(self, node: ast.Subscript, env: Environment) -> Value:
        base = self.evaluate(node.value, env)
        index = self.evaluate(node.slice, env)
        part = self.parts.item(node, base)
        if part is not None:
            return part
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            kept = base.get(node.slice.value) if isinstance(base, Table) and path_of(node) not in env.bindings else None
            return self._by_name(node, node.slice.value, env) if kept is None else kept
        return indexed(node, base, index)

    # comprehensions

    def _comprehension(self, node: ast.expr, env: Environment) -> Value:
        assert isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp)
        inner = env.copy()
        iterated: list[Value] = []
        for generator in node.generators:
            iterated.append(self.evaluate(generator.iter, inner))
            self.bind_targets(generator.target, element_of(iterated[-1], generator), generator, inner, None)
            for condition in generator.ifs:
                self.evaluate(condition, inner)
        if isinstance(node, ast.DictComp):
            self.evaluate(node.key, inner)
            return self.parts.mapped(self.evaluate(node.value, inner))
        element = self.evaluate(node.elt, inner)
        if isinstance(node, ast.SetComp):
            return UNKNOWN
        if any(isinstance(part, Row) for part in walk(element)):
            return statistics.of_rows(element, node)
        part = self.parts.gathered(node, iterated, element)
        if part is not None:
            return part
        return vector_from_comprehension(node, iterated, element, self.module.vocabulary) or UNKNOWN

    def bind_targets(
        self, target: ast.expr, value: Value, node: ast.AST, env: Environment, right: ast.expr | None
    ) -> None:
        """Give the names in an assignment's target their values."""
        match target:
            case ast.Tuple(elts=items) | ast.List(elts=items):
                values = value.items if isinstance(value, Several) and len(value.items) == len(items) else None
                for position, item in enumerate(items):
                    self.bind_targets(item, values[position] if values else UNKNOWN, node, env, None)
            case ast.Starred(value=inner):
                self.bind_targets(inner, UNKNOWN, node, env, None)
            case ast.Subscript() if path_of(target) is None:
                self._store_item(target, value, node, env)
            case _:
                self._bind_path(target, value, node, env, right)

    def _bind_path(
        self, target: ast.expr, value: Value, node: ast.AST, env: Environment, right: ast.expr | None
    ) -> None:
        path = path_of(target)
        if not isinstance(target, ast.Name):
            for child in children_of(target):
                if isinstance(child, ast.expr):
                    self.evaluate(child, env)
        if path is None:
            return
        last = target.id if isinstance(target, ast.Name) else getattr(target, "attr", "")
        value = named_after_target(
            value, last, node if right is None else right, right is not None, self.module.vocabulary
        )
        env.bind(path, value, self.record.define(path, node, value, right))

    def _store_item(self, target: ast.Subscript, value: Value, node: ast.AST, env: Environment) -> None:
        """`rewards[order] = …`: the vector's values now stand in an order of their own."""
        base = self.evaluate(target.value, env)
        self.evaluate(target.slice, env)
        path = path_of(target.value)
        held = self.parts.stored(base, value)
        if path and held is not None:
            env.bind(path, held, self.record.define(path, node, held, None))
        elif path and isinstance(base, Several):
            env.bind(path, UNKNOWN, self.record.define(path, node, UNKNOWN, None))
        elif path and isinstance(base, Vector):
            changed = replace(base, version=node, disorder=node, items=None)
            env.bind(path, changed, self.record.define(path, node, changed, None))

    # calls

    def _call(self, node: ast.Call, env: Environment) -> Value:
        operation = recognise(node, self.module.aliases)
        callee = self._callee(node.func, env)
        arguments = [self.evaluate(argument, env) for argument in node.args]
        arguments += [self.evaluate(keyword.value, env) for keyword in node.keywords]
        if isinstance(callee, Mapped):
            arguments = [Row(each, node) if has_rows(each) else each for each in arguments]
        inlined = self.inline(node, callee, arguments)
        if inlined is not None:
            return statistics.of_rows(inlined, node) if isinstance(callee, Mapped) else inlined
        value = self.parts.call(node)
        if value is None:
            value = self.calls.builtin(node)
        if value is None and operation is not None:
            value = self.calls.operation(operation, lambda argument: self.evaluate(argument, env))
        return self._by_callee(node) if value is None else value

    def _callee(self, node: ast.expr, env: Environment) -> Value:
        if isinstance(node, ast.Attribute):
            self.evaluate(node.value, env)
            return UNKNOWN
        return self.evaluate(node, env)

    def _by_callee(self, node: ast.Call) -> Value:
        """A call that is not understood is what it is named after: `self.compute_rewards(batch)` gives rewards."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return named_vector(node, name, self.module.vocabulary) or UNKNOWN

    # arithmetic

    def _binary(self, node: ast.AST, left: ast.expr, op: ast.operator, right: ast.expr, env: Environment) -> Value:
        self.evaluate(left, env)
        self.evaluate(right, env)
        return self.arithmetic.result(node, left, op, right)

    def augmented(self, node: ast.AugAssign, env: Environment) -> Value:
        """The value of `target op= value`."""
        return self._binary(node, node.target, node.op, node.value, env)
