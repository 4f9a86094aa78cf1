"""What an expression is, from what its parts are."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from grpo_lint.flow import groupings, statistics
from grpo_lint.flow.environment import Environment, Record
from grpo_lint.flow.facts import ModuleFacts, Normalising, Role
from grpo_lint.flow.operations import (
    CONVERSIONS,
    COPIES,
    DEVIATIONS,
    ELEMENTWISE,
    REORDERINGS,
    STATISTICS,
    Operation,
    integer,
    recognise,
)
from grpo_lint.flow.origins import element_of, named_vector, vector_from_comprehension
from grpo_lint.flow.values import (
    UNKNOWN,
    Altered,
    Centred,
    Choice,
    GroupCount,
    LeaveOneOut,
    Length,
    Listed,
    Local,
    Scalar,
    Scale,
    Scaled,
    Several,
    Spread,
    Statistic,
    Value,
    Vector,
    is_reward_like,
    vectors,
)
from grpo_lint.flow.values import groupings as groupings_in

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
    named: dict[str, Value]
    inline: Inline

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
                value = self.evaluate(right, env)
                env.bind(target.id, value, self.record.define(target.id, node, value, right))
                return value
            case ast.Tuple(elts=items) | ast.List(elts=items):
                return self._display(node, [self.evaluate(item, env) for item in items])
            case ast.Lambda():
                self.evaluate(node.body, env.copy())
                return Local(node)
            case ast.Starred(value=inner) | ast.Await(value=inner) | ast.UnaryOp(operand=inner):
                return self._wrapped(node, self.evaluate(inner, env))
            case ast.Constant(value=int()):
                return Scalar(node, frozenset())
            case _:
                return self._other(node, env)

    def _wrapped(self, node: ast.expr, value: Value) -> Value:
        if isinstance(node, ast.Await):
            return value
        return Altered(value, node) if is_reward_like(value) else UNKNOWN

    def _other(self, node: ast.expr, env: Environment) -> Value:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.evaluate(child, env)
        return UNKNOWN

    def _display(self, node: ast.Tuple | ast.List, items: list[Value]) -> Value:
        return Several(tuple(items)) if isinstance(node, ast.Tuple) else UNKNOWN

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
            self.named[path] = vector or Scalar(node, frozenset({name}))
        return self.named[path]

    def _attribute(self, node: ast.Attribute, env: Environment) -> Value:
        base = self.evaluate(node.value, env)
        if node.attr in ("shape", "size") and is_reward_like(base):
            return Length(vectors(base)[0].origin) if vectors(base) else UNKNOWN
        if node.attr == "T" and is_reward_like(base):
            return Altered(base, node)
        if is_reward_like(base) or statistics.is_statistic(base):
            return UNKNOWN
        value = self._by_name(node, node.attr, env)
        if node.attr == "n" and isinstance(value, Scalar) and isinstance(node.value, ast.Attribute | ast.Name):
            owner = node.value.attr if isinstance(node.value, ast.Attribute) else node.value.id
            return replace(value, names=value.names | {f"{owner}_n"})
        return value

    def _subscript(self, node: ast.Subscript, env: Environment) -> Value:
        base = self.evaluate(node.value, env)
        self.evaluate(node.slice, env)
        match node.slice:
            case ast.Constant(value=str(key)):
                return self._by_name(node, key, env)
            case ast.Constant(value=int(position)) if isinstance(base, Several):
                return base.items[position] if -len(base.items) <= position < len(base.items) else UNKNOWN
        if isinstance(base, Length) and integer(node.slice) in (0, -1):
            return base
        if isinstance(base, Statistic | Scale):
            return self._indexed_statistic(node, base)
        return self._indexed_rewards(node, base) if is_reward_like(base) else UNKNOWN

    def _indexed_statistic(self, node: ast.Subscript, base: Value) -> Value:
        """`mean[:, None]` is the same numbers as a column; any other index picks some."""
        if isinstance(base, Statistic) and _adds_axis_behind(node.slice):
            return replace(base, spread=Spread.COLUMN if base.spread is Spread.ROWS else base.spread)
        return UNKNOWN

    def _indexed_rewards(self, node: ast.Subscript, base: Value) -> Value:
        if _adds_axis_in_front(node.slice):
            return groupings.one_row(base, node, node.value)
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int):
            return UNKNOWN
        if isinstance(base, Vector):
            return replace(base, version=node, disorder=node, items=None)
        return Altered(base, node)

    # comprehensions

    def _comprehension(self, node: ast.expr, env: Environment) -> Value:
        assert isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp)
        inner = env.copy()
        iterated: list[Value] = []
        for generator in node.generators:
            iterated.append(self.evaluate(generator.iter, inner))
            self.bind_targets(generator.target, element_of(iterated[-1]), generator, inner, None)
            for condition in generator.ifs:
                self.evaluate(condition, inner)
        if isinstance(node, ast.DictComp):
            self.evaluate(node.key, inner)
            self.evaluate(node.value, inner)
            return UNKNOWN
        element = self.evaluate(node.elt, inner)
        if isinstance(node, ast.SetComp):
            return UNKNOWN
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
                self._store_item(target, node, env)
            case _:
                self._bind_path(target, value, node, env, right)

    def _bind_path(
        self, target: ast.expr, value: Value, node: ast.AST, env: Environment, right: ast.expr | None
    ) -> None:
        path = path_of(target)
        if not isinstance(target, ast.Name):
            for child in ast.iter_child_nodes(target):
                if isinstance(child, ast.expr):
                    self.evaluate(child, env)
        if path is None:
            return
        last = target.id if isinstance(target, ast.Name) else getattr(target, "attr", "")
        value = self._named_after_target(value, last, node, right)
        env.bind(path, value, self.record.define(path, node, value, right))

    def _named_after_target(self, value: Value, name: str, node: ast.AST, right: ast.expr | None) -> Value:
        """A name tells what an unknown value is: `rewards = model(batch)` is rewards, `n = f()` a number."""
        if isinstance(value, Scalar):
            return replace(value, names=value.names | {name})
        if isinstance(value, Vector):
            is_strong = value.is_strong or self.module.vocabulary.is_strong_reward(name)
            return replace(value, is_strong=is_strong, name=value.name or name)
        if value is not UNKNOWN and not isinstance(value, Several):
            return value
        source = right if right is not None else node
        found = named_vector(source, name, self.module.vocabulary)
        if found is None and right is not None and not isinstance(value, Several):
            return Scalar(right, frozenset({name}))
        return value if found is None or isinstance(value, Several) else found

    def _store_item(self, target: ast.Subscript, node: ast.AST, env: Environment) -> None:
        """`rewards[order] = …`: the vector's values now stand in an order of their own."""
        base = self.evaluate(target.value, env)
        self.evaluate(target.slice, env)
        path = path_of(target.value)
        if path and isinstance(base, Vector):
            changed = replace(base, version=node, disorder=node, items=None)
            env.bind(path, changed, self.record.define(path, node, changed, None))

    # calls

    def _call(self, node: ast.Call, env: Environment) -> Value:
        operation = recognise(node, self.module.aliases)
        callee = self._callee(node.func, env)
        arguments = [self.evaluate(argument, env) for argument in node.args]
        arguments += [self.evaluate(keyword.value, env) for keyword in node.keywords]
        inlined = self.inline(node, callee, arguments)
        if inlined is not None:
            return inlined
        builtin = self._builtin(node, env)
        if builtin is not None:
            return builtin
        if operation is not None:
            operand = self.record.values.get(operation.operand, UNKNOWN)
            value = self._operation(operation, operand, env)
            if value is not None:
                return value
        return self._by_callee(node, env)

    def _callee(self, node: ast.expr, env: Environment) -> Value:
        if isinstance(node, ast.Attribute):
            self.evaluate(node.value, env)
            return UNKNOWN
        return self.evaluate(node, env)

    def _builtin(self, node: ast.Call, env: Environment) -> Value | None:
        """`len(rewards)`, `getattr(args, "n_samples_per_prompt", 8)`, `int(n)`, `list(rewards)`."""
        if not (isinstance(node.func, ast.Name) and node.args):
            return None
        first = self.record.values.get(node.args[0], UNKNOWN)
        match node.func.id:
            case "len":
                found = vectors(first)
                return Length(found[0].origin, "") if found else Length(None, ast.unparse(node.args[0]))
            case "getattr" if len(node.args) > 1:
                key = node.args[1]
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    return named_vector(node, key.value, self.module.vocabulary) or Scalar(node, frozenset({key.value}))
                return None
            case "int" | "float" | "max" | "min" if isinstance(first, Scalar | Length | GroupCount):
                return first
            case "list" | "tuple" if is_reward_like(first):
                return first if isinstance(first, Listed) or _is_list(first) else Listed(first, node)
            case "sorted" | "reversed" if is_reward_like(first):
                return Altered(first, node)
            case _:
                return None

    def _operation(self, operation: Operation, operand: Value, env: Environment) -> Value | None:
        if operation.name == "get" and not operation.is_function and operation.arguments:
            key = operation.arguments[0]
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                return named_vector(operation.node, key.value, self.module.vocabulary) or Scalar(
                    operation.node, frozenset({key.value})
                )
        if is_reward_like(operand):
            return self._on_rewards(operation, operand, env)
        if isinstance(operand, Statistic | Scale | LeaveOneOut | Choice) and groupings_in(operand):
            return self._on_statistic(operation, operand)
        return self._where(operation)

    def _where(self, operation: Operation) -> Value | None:
        """`torch.where(mask, advantages, 0)`: values chosen element by element."""
        if operation.name != "where":
            return None
        for argument in operation.arguments:
            value = self.record.values.get(argument, UNKNOWN)
            if is_reward_like(value) or statistics.is_statistic(value):
                return Altered(value, operation.node) if is_reward_like(value) else statistics.inexact(value)
        return None

    def _on_rewards(self, operation: Operation, operand: Value, env: Environment) -> Value | None:
        name = operation.name
        if name in groupings.RESHAPES:
            return groupings.regroup(operation, operand, lambda node: self.evaluate(node, env), self.module.vocabulary)
        if name in groupings.FLATTENINGS:
            return groupings.flatten(operand, operation.node)
        if name in ("unsqueeze", "expand_dims") and integer(operation.argument(0, "dim", "axis")) == 0:
            return groupings.one_row(operand, operation.node, operation.operand)
        if name == "squeeze":
            return self._squeezed(operation, operand)
        if name in STATISTICS:
            return self._reduced(operation, operand)
        if name in ("std_mean", "var_mean"):
            return self._two_statistics(operation, operand)
        if name in ("sub", "sub_", "subtract") and operation.arguments:
            return self._arithmetic(operation.node, operation.operand, ast.Sub(), operation.arguments[0])
        if name in ("div", "div_", "divide", "true_divide") and operation.arguments:
            return self._arithmetic(operation.node, operation.operand, ast.Div(), operation.arguments[0])
        if name in ("size", "numel"):
            found = vectors(operand)
            return Length(found[0].origin) if found else None
        if name == "tolist":
            return Listed(operand, operation.node)
        if name in DEVIATIONS:
            self.record.deviations.add(operation.operand)
        return self._converted(operation, operand)

    def _squeezed(self, operation: Operation, operand: Value) -> Value:
        if isinstance(operand, Vector):
            return replace(operand, rank=None)
        row = all(found.rank == 2 and found.size is None for found in groupings_in(operand))
        return groupings.flatten(operand, operation.node) if row else Altered(operand, operation.node)

    def _reduced(self, operation: Operation, operand: Value) -> Value | None:
        statistic = statistics.reduce(operation, operand)
        if statistic is not UNKNOWN or not isinstance(operand, Vector):
            return statistic
        if operand.rank == 1 or not (operation.arguments or operation.keywords):
            return UNKNOWN
        return Vector(operation.node, operation.node, operand.is_strong, library=operand.library, name=operand.name)

    def _two_statistics(self, operation: Operation, operand: Value) -> Value:
        """`torch.std_mean` and `torch.var_mean`: the spread first."""
        first = replace(operation, name=operation.name.split("_")[0])
        second = replace(operation, name="mean")
        return Several((statistics.reduce(first, operand), statistics.reduce(second, operand)))

    def _converted(self, operation: Operation, operand: Value) -> Value | None:
        name, node = operation.name, operation.node
        if name in COPIES and not isinstance(operand, Listed):
            return operand
        if not isinstance(operand, Vector):
            return self._converted_form(operation, operand)
        if name in CONVERSIONS:
            return _rebuilt(operation, operand)
        if name in REORDERINGS:
            return replace(operand, version=node, disorder=node, items=None)
        if name in ELEMENTWISE:
            return replace(operand, version=node, items=None)
        if name in ("zeros_like", "ones_like", "empty_like", "full_like"):
            return Vector(node, node, operand.is_strong, library=operand.library, rank=operand.rank)
        return None

    def _converted_form(self, operation: Operation, operand: Value) -> Value | None:
        """Grouped or normalised rewards after a conversion or an element-wise step: still about the same rewards."""
        known = operation.name in CONVERSIONS | ELEMENTWISE | REORDERINGS or operation.name == "where"
        return Altered(operand, operation.node) if known else None

    def _on_statistic(self, operation: Operation, operand: Value) -> Value | None:
        name = operation.name
        if name in COPIES:
            return operand
        if name == "sqrt" or (name == "pow" and operation.arguments):
            return statistics.root(operand)
        if name in ("add", "add_") and operation.arguments:
            right = self.record.values.get(operation.arguments[0], UNKNOWN)
            return statistics.add(operand, right, operation.arguments[0])
        spread = (
            "repeat_interleave repeat expand_as expand broadcast_to tile unsqueeze expand_dims view reshape "
            "squeeze flatten ravel view_as"
        ).split()
        if name in spread:
            return statistics.respread(operation, operand)
        if name in ("sub", "subtract") and operation.arguments:
            return self._arithmetic(operation.node, operation.operand, ast.Sub(), operation.arguments[0])
        return statistics.inexact(operand) if name in ELEMENTWISE | CONVERSIONS else None

    def _by_callee(self, node: ast.Call, env: Environment) -> Value:
        """A call that is not understood is what it is named after: `self.compute_rewards(batch)` gives rewards."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return named_vector(node, name, self.module.vocabulary) or UNKNOWN

    # arithmetic

    def _binary(self, node: ast.AST, left: ast.expr, op: ast.operator, right: ast.expr, env: Environment) -> Value:
        self.evaluate(left, env)
        self.evaluate(right, env)
        return self._arithmetic(node, left, op, right)

    def augmented(self, node: ast.AugAssign, env: Environment) -> Value:
        """The value of `target op= value`."""
        return self._binary(node, node.target, node.op, node.value, env)

    def _arithmetic(self, node: ast.AST, left_node: ast.expr, op: ast.operator, right_node: ast.expr) -> Value:
        left = self.record.values.get(left_node, UNKNOWN)
        right = self.record.values.get(right_node, UNKNOWN)
        found: Value | None = None
        match op:
            case ast.Sub():
                found = self._subtraction(node, left, right)
            case ast.Div():
                found = self._division(node, left, right, right_node)
            case ast.Add():
                found = statistics.add(left, right, right_node) or statistics.add(right, left, left_node)
            case ast.Pow():
                return self._power(node, left, left_node, right_node)
            case ast.FloorDiv():
                return GroupCount() if isinstance(left, Length) else UNKNOWN
            case ast.Mult() if left_node is right_node or ast.dump(left_node) == ast.dump(right_node):
                self.record.deviations.update((left_node, right_node))
        return found if found is not None else self._changed(node, left, right)

    def _subtraction(self, node: ast.AST, left: Value, right: Value) -> Value | None:
        found = statistics.subtract(node, left, right)
        if isinstance(found, Centred):
            self._note(node, Role.BASELINE, left, right)
        return found

    def _division(self, node: ast.AST, left: Value, right: Value, right_node: ast.expr) -> Value | None:
        found = statistics.divide(node, left, right, right_node)
        if isinstance(found, Scaled):
            self._note(node, Role.SCALE, left, right)
        return found

    def _note(self, node: ast.AST, role: Role, values: Value, statistic: Value) -> None:
        self.record.normalisings.append(Normalising(node, role, values, statistic, groupings_in(statistic)))

    def _power(self, node: ast.AST, left: Value, left_node: ast.expr, exponent: ast.expr) -> Value:
        if isinstance(exponent, ast.Constant) and exponent.value == 0.5:
            return statistics.root(left)
        if is_reward_like(left):
            self.record.deviations.add(left_node)
            return Altered(left, node)
        return UNKNOWN

    def _changed(self, node: ast.AST, left: Value, right: Value) -> Value:
        """Rewards after arithmetic with something else."""
        for value in (left, right):
            if isinstance(value, Vector):
                return replace(value, version=node, items=None, rank=value.rank)
        for value in (left, right):
            if is_reward_like(value):
                return Altered(value, node)
        for value in (left, right):
            if statistics.is_statistic(value) or isinstance(value, LeaveOneOut | Scale):
                return statistics.inexact(value)
        return UNKNOWN


def _rebuilt(operation: Operation, operand: Vector) -> Vector:
    """A vector in another container: `torch.tensor(rewards)`, `rewards.numpy()`, `rewards.float()`."""
    library = operation.library or operand.library
    if operation.name == "numpy":
        library = "numpy"
    items = operation.operand if operation.is_function and operand.is_list else None
    rank = 1 if operand.is_list else operand.rank
    return replace(operand, version=operation.node, library=library, is_list=False, items=items, rank=rank)


def _is_list(value: Value) -> bool:
    return isinstance(value, Vector) and value.is_list


def _is_none(node: ast.expr) -> bool:
    """`None` or `np.newaxis`."""
    return (isinstance(node, ast.Constant) and node.value is None) or (
        isinstance(node, ast.Attribute) and node.attr == "newaxis"
    )


def _is_everything(node: ast.expr) -> bool:
    return (isinstance(node, ast.Slice) and node.lower is None and node.upper is None and node.step is None) or (
        isinstance(node, ast.Constant) and node.value is Ellipsis
    )


def _adds_axis_in_front(index: ast.expr) -> bool:
    if isinstance(index, ast.Tuple):
        return len(index.elts) == 2 and _is_none(index.elts[0]) and _is_everything(index.elts[1])
    return _is_none(index)


def _adds_axis_behind(index: ast.expr) -> bool:
    return (
        isinstance(index, ast.Tuple)
        and len(index.elts) == 2
        and _is_everything(index.elts[0])
        and _is_none(index.elts[1])
    )
