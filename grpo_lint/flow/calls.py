"""What calls of tensor libraries and builtins make of rewards and statistics."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace

from grpo_lint.flow import groupings, statistics
from grpo_lint.flow.arguments import has_known_arguments, obscured
from grpo_lint.flow.arithmetic import Arithmetic
from grpo_lint.flow.environment import Record
from grpo_lint.flow.indexing import length_of
from grpo_lint.flow.operations import (
    CONVERSIONS,
    COPIES,
    ELEMENTWISE,
    IDLE,
    OF_LISTS,
    OPERATORS,
    REORDERINGS,
    SPREADINGS,
    STATISTICS,
    Operation,
    integer,
)
from grpo_lint.flow.origins import named_vector
from grpo_lint.flow.part_statistics import reduce_part
from grpo_lint.flow.shapes import is_shape
from grpo_lint.flow.spreads import respread
from grpo_lint.flow.traversal import groupings as groupings_in
from grpo_lint.flow.traversal import has_rows, is_reward_like, vectors
from grpo_lint.flow.values import (
    UNKNOWN,
    Altered,
    Choice,
    Counted,
    Flat,
    GroupCount,
    Grouping,
    Kind,
    LeaveOneOut,
    Length,
    Listed,
    Mapped,
    Parallel,
    Row,
    Scalar,
    Scale,
    Several,
    Statistic,
    Value,
    Vector,
)
from grpo_lint.flow.vocabulary import Vocabulary

Evaluate = Callable[[ast.expr], Value]

_NEW_AXES = frozenset({"unsqueeze", "expand_dims"})
_TRANSPOSITIONS = frozenset({"t", "T", "transpose", "swapaxes", "permute"})
_SHAPES = groupings.RESHAPES | groupings.FLATTENINGS | _NEW_AXES | _TRANSPOSITIONS | {"squeeze"}


@dataclass(frozen=True, slots=True)
class Calls:
    """Evaluates calls whose operand and arguments were evaluated before."""

    vocabulary: Vocabulary
    record: Record
    arithmetic: Arithmetic

    def builtin(self, node: ast.Call) -> Value | None:
        """`len(rewards)`, `getattr(args, "n_samples_per_prompt", 8)`, `int(n)`, `list(rewards)`."""
        if not node.args:
            return None
        first = self.record.values.get(node.args[0], UNKNOWN)
        if isinstance(first, Row):
            return self._of_a_row(node, first)
        if _is_vmap(node):
            return Mapped(node.args[0], first)
        if not isinstance(node.func, ast.Name):
            return None
        match node.func.id:
            case "range" | "enumerate" | "zip":
                return self._gone_over(node.func.id, node, first)
            case "len":
                found = vectors(first)
                return Length(found[0].origin, "") if found else Length(None, ast.unparse(node.args[0]))
            case "getattr" if len(node.args) > 1:
                return self._looked_up(node, node.args[1])
            case "int" | "float" | "max" | "min" if isinstance(first, Scalar | Length | GroupCount):
                return first
            case "list" | "tuple" | "sorted" | "reversed":
                return _collected(node, node.func.id, first)
            case "abs" | "any" | "all":
                self.record.idle.add(node.args[0])
                return None
            case _:
                return None

    def _gone_over(self, name: str, node: ast.Call, first: Value) -> Value:
        """What a loop over `range(n)`, `enumerate(rewards)` or `zip(rewards, means)` takes its items from."""
        if name == "range":
            return Counted()
        if name == "enumerate":
            return Parallel((Counted(), first))
        return Parallel(tuple(self.record.values.get(each, UNKNOWN) for each in node.args))

    def _of_a_row(self, node: ast.Call, row: Row) -> Value | None:
        """`sum(row)`, `len(row)`, `statistics.mean(row)`: of one group's values."""
        match node.func:
            case ast.Name(id="sum") | ast.Attribute(value=ast.Name(id="math"), attr="fsum"):
                return statistics.of_row(Kind.SUM, row, node)
            case ast.Name(id="len"):
                return Scalar(node, frozenset())
            case ast.Name(id="list" | "tuple"):
                return row
            case ast.Attribute(value=ast.Name(id="statistics"), attr=name) | ast.Name(id=name) if name in OF_LISTS:
                return statistics.of_row(Kind(OF_LISTS[name]), row, node)
            case _:
                return None

    def _looked_up(self, node: ast.Call, key: ast.expr) -> Value | None:
        """What `getattr(args, "name")` and `config.get("name")` read: rewards or a number, by the name."""
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
            return None
        return named_vector(node, key.value, self.vocabulary) or Scalar(node, frozenset({key.value}))

    def operation(self, operation: Operation, evaluate: Evaluate) -> Value | None:
        """What an operation gives; None where nothing is known of it."""
        operand = self.record.values.get(operation.operand, UNKNOWN)
        if operation.library == "einops":
            return self._by_pattern(operation, operand, evaluate)
        if operation.name == "get" and not operation.is_function and operation.arguments:
            return self._looked_up(operation.node, operation.arguments[0])
        if is_reward_like(operand):
            value = self._on_rewards(operation, operand, evaluate)
        elif isinstance(operand, Statistic | Scale | LeaveOneOut | Choice) and groupings_in(operand):
            value = self._on_statistic(operation, operand)
        else:
            return self._where(operation)
        return value if value is None or has_known_arguments(operation) else obscured(value, operation)

    def _by_pattern(self, operation: Operation, operand: Value, evaluate: Evaluate) -> Value | None:
        """`reduce`, `rearrange` and `repeat` of einops."""
        if not (is_reward_like(operand) or statistics.is_statistic(operand)):
            return None
        if not has_known_arguments(operation):
            return Altered(operand, operation.node, keeps_shape=False)
        if statistics.is_statistic(operand):
            return respread(operation, operand)
        if operation.name == "rearrange":
            return groupings.regroup(operation, operand, evaluate, self.vocabulary)
        if operation.name == "reduce":
            self.record.idle.add(operation.operand)
            return statistics.reduced_by_pattern(operation, operand, evaluate, self.vocabulary)
        return Altered(operand, operation.node, keeps_shape=False)

    def _where(self, operation: Operation) -> Value | None:
        """`torch.where(mask, advantages, 0)`: values chosen element by element."""
        if operation.name != "where":
            return None
        for argument in operation.arguments:
            value = self.record.values.get(argument, UNKNOWN)
            if is_reward_like(value) or statistics.is_statistic(value):
                return Altered(value, operation.node) if is_reward_like(value) else statistics.inexact(value)
        return None

    def _on_rewards(self, operation: Operation, operand: Value, evaluate: Evaluate) -> Value | None:
        name = operation.name
        if isinstance(operand, Row):
            return self._on_row(operation, operand)
        if name in _SHAPES:
            return self._in_another_shape(operation, operand, evaluate)
        if name in STATISTICS:
            self.record.idle.add(operation.operand)
            return self._reduced(operation, operand)
        if name in ("std_mean", "var_mean"):
            return self._two_statistics(operation, operand)
        if name in OPERATORS and operation.arguments:
            return self.arithmetic.result(operation.node, operation.operand, OPERATORS[name], operation.arguments[0])
        if name in ("size", "numel"):
            return length_of(operand, is_total=name == "numel")
        if name == "tolist":
            return Listed(operand, operation.node)
        if name == "unbind" and integer(operation.argument(0, "dim")) in (None, 0) and has_rows(operand):
            return operand
        if name in IDLE:
            self.record.idle.add(operation.operand)
        return self._converted(operation, operand)

    def _in_another_shape(self, operation: Operation, operand: Value, evaluate: Evaluate) -> Value | None:
        if operation.name in groupings.RESHAPES:
            return groupings.regroup(operation, operand, evaluate, self.vocabulary)
        if operation.name in groupings.FLATTENINGS:
            return self._flattened(operation, operand)
        if operation.name == "squeeze":
            return self._squeezed(operation, operand)
        if operation.name not in _NEW_AXES:
            return self._transposed(operation, operand)
        if integer(operation.argument(0, "dim", "axis")) == 0:
            return groupings.one_row(operand, operation.node, operation.operand, is_one_row=False)
        return self._converted(operation, operand)

    def _on_row(self, operation: Operation, row: Row) -> Value | None:
        """One group's own values: its statistics, and arithmetic with them."""
        if operation.name in STATISTICS:
            self.record.idle.add(operation.operand)
            return statistics.reduce(operation, row)
        if operation.name in OPERATORS and operation.arguments:
            op = OPERATORS[operation.name]
            return self.arithmetic.result(operation.node, operation.operand, op, operation.arguments[0])
        if operation.name in COPIES | CONVERSIONS or operation.name in ("tolist", "flatten", "ravel"):
            return row
        if operation.name in IDLE:
            self.record.idle.add(operation.operand)
        return Altered(row, operation.node, keeps_shape=False)

    def _flattened(self, operation: Operation, operand: Value) -> Value:
        """`grid.view_as(rewards)` has one axis where the rewards have: `grid.view_as(grid)` keeps two."""
        if operation.name not in ("view_as", "reshape_as") or isinstance(operand, Vector):
            return groupings.flatten(operand, operation.node)
        model = self.record.values.get(operation.argument(0, "other") or operation.node, UNKNOWN)
        is_flat = isinstance(model, Vector | Flat)
        return groupings.flatten(operand, operation.node) if is_flat else Altered(operand, operation.node)

    def _transposed(self, operation: Operation, operand: Value) -> Value | None:
        """`grid.t()`, `grid.transpose(0, 1)`, `grid.permute(1, 0)`: of two axes, any swap is the one swap."""
        given = [integer(argument) for argument in operation.arguments]
        is_swap = given == [] or {axis % 2 if axis is not None else axis for axis in given} == {0, 1}
        is_kept = operation.name == "permute" and given and given[0] in (0, -2)
        if not isinstance(operand, Grouping) or not is_swap or is_kept or operation.keywords:
            return self._converted(operation, operand)
        return groupings.transposed(operand, operation.node)

    def _squeezed(self, operation: Operation, operand: Value) -> Value:
        if isinstance(operand, Vector):
            return replace(operand, rank=None)
        removes_row = operation.argument(0, "dim", "axis") is None or integer(operation.argument(0, "dim", "axis")) == 0
        row = removes_row and all(found.rank == 2 and found.size is None for found in groupings_in(operand))
        return groupings.flatten(operand, operation.node) if row else Altered(operand, operation.node)

    def _reduced(self, operation: Operation, operand: Value) -> Value | None:
        part = reduce_part(operation, operand) if isinstance(operand, Vector) else UNKNOWN
        if part is not UNKNOWN:
            return part
        statistic = statistics.reduce(operation, operand)
        if statistic is not UNKNOWN or not isinstance(operand, Vector):
            return statistic
        if operand.rank == 1 or not (operation.arguments or operation.keywords):
            return UNKNOWN
        return Vector(operation.node, operation.node, operand.is_strong, library=operand.library, name=operand.name)

    def _two_statistics(self, operation: Operation, operand: Value) -> Value:
        """`torch.std_mean` and `torch.var_mean`: the spread first; the mean takes no divisor by position."""
        first = replace(operation, name=operation.name.split("_")[0])
        others = (*operation.arguments[:1], *operation.arguments[2:])
        second = replace(operation, name="mean", arguments=others)
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
        if name in ("tolist", "item"):
            return statistics.inexact(operand)
        if name == "sqrt" or (name == "pow" and operation.arguments):
            return statistics.root(operand)
        if name in SPREADINGS:
            return respread(operation, operand)
        if name in OPERATORS and operation.arguments:
            return self.arithmetic.result(operation.node, operation.operand, OPERATORS[name], operation.arguments[0])
        return statistics.inexact(operand) if name in ELEMENTWISE | CONVERSIONS else None


def _collected(node: ast.Call, name: str, first: Value) -> Value | None:
    """`list(rewards)` and `tuple(shape)`: the same items; in another order after `sorted` and `reversed`."""
    if name in ("list", "tuple") and is_shape(first):
        return first
    if not is_reward_like(first):
        return None
    is_same = name == "list" and (isinstance(first, Listed) or _is_list(first))
    return first if is_same else Altered(first, node)


def _is_vmap(node: ast.Call) -> bool:
    """`jax.vmap(function)`, over the first axis of what is given."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name == "vmap" and len(node.args) == 1 and not node.keywords


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
