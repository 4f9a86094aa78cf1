"""Arithmetic on rewards and statistics: where centring and scaling are seen, and noted."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace

from grpo_lint.flow import statistics
from grpo_lint.flow.environment import Record
from grpo_lint.flow.facts import Normalising, Role
from grpo_lint.flow.part_statistics import concern_each_other, held, is_only_of_parts, single
from grpo_lint.flow.traversal import groupings, is_reward_like, vectors
from grpo_lint.flow.values import (
    UNKNOWN,
    Altered,
    Centred,
    Element,
    GroupCount,
    Leading,
    LeaveOneOut,
    Length,
    Scale,
    Scaled,
    Several,
    Value,
    Vector,
)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Evaluates operators, and notes each centring and scaling in the record."""

    record: Record

    def result(self, node: ast.AST, left_node: ast.expr, op: ast.operator, right_node: ast.expr) -> Value:
        """The value of `left op right`, whose operands were evaluated before."""
        left = held(self.record.values.get(left_node, UNKNOWN))
        right = held(self.record.values.get(right_node, UNKNOWN))
        if is_only_of_parts(right) and is_reward_like(values := single(left)):
            self._note_part(node, op, values, right)
            return self._changed(node, values, right)
        found: Value | None = None
        match op:
            case ast.Sub():
                found = self._subtraction(node, left, right)
            case ast.Div():
                found = self._division(node, left_node, left, right, right_node)
            case ast.Add() if isinstance(left, Several | Leading) and isinstance(right, Several):
                return _joined_shapes(left, left_node, right)
            case ast.Add():
                found = statistics.add(left, right, right_node) or statistics.add(right, left, left_node)
            case ast.Pow():
                return self._power(node, left, left_node, right_node)
            case ast.MatMult():
                mixed = [each for each in (left, right) if isinstance(each, Vector)]
                return replace(mixed[0], version=node, disorder=node, items=None) if mixed else UNKNOWN
            case ast.FloorDiv():
                return GroupCount() if isinstance(left, Length) else UNKNOWN
            case ast.Mult() if left_node is right_node or ast.dump(left_node) == ast.dump(right_node):
                self.record.idle.update((left_node, right_node))
            case ast.Mult():
                found = statistics.multiply(node, left, right, right_node)
                found = found or statistics.multiply(node, right, left, left_node)
        return found if found is not None else self._changed(node, left, right)

    def _note_part(self, node: ast.AST, op: ast.operator, left: Value, right: Value) -> None:
        """Values less or over a number of their group: the values stay what they are, one group's or the batch's."""
        if not concern_each_other(left, right):
            return
        if isinstance(op, ast.Sub) and statistics.is_baseline(right):
            self._note(node, Role.BASELINE, left, right)
        elif isinstance(op, ast.Div) and statistics.is_scale(right):
            self._note(node, Role.SCALE, left, right)

    def compare(self, node: ast.Compare, operands: Sequence[ast.expr]) -> None:
        """Note a spread that is compared with a number: it decides what is done with the values."""
        for operand in operands:
            spread = self.record.values.get(operand, UNKNOWN)
            if is_only_of_parts(spread) and statistics.is_scale(spread):
                self._note(node, Role.FILTER, vectors(spread)[0], spread)

    def _subtraction(self, node: ast.AST, left: Value, right: Value) -> Value | None:
        found = statistics.subtract(node, left, right)
        if isinstance(found, Centred):
            self._note(node, Role.BASELINE, left, right)
        return found

    def _division(
        self, node: ast.AST, left_node: ast.expr, left: Value, right: Value, right_node: ast.expr
    ) -> Value | None:
        found = statistics.divide(node, left, right, left_node, right_node)
        if isinstance(found, Scaled):
            self._note(node, Role.SCALE, left, right)
            self.record.scaled[left_node] = node
        return found

    def _note(self, node: ast.AST, role: Role, values: Value, statistic: Value) -> None:
        self.record.normalisings.append(Normalising(node, role, values, statistic, groupings(statistic)))

    def _power(self, node: ast.AST, left: Value, left_node: ast.expr, exponent: ast.expr) -> Value:
        if isinstance(exponent, ast.Constant) and exponent.value == 0.5:
            return statistics.root(left)
        if is_reward_like(left):
            self.record.idle.add(left_node)
            return Altered(left, node)
        return UNKNOWN

    def _changed(self, node: ast.AST, left: Value, right: Value) -> Value:
        """Rewards after arithmetic with something else."""
        for value in (left, right):
            if isinstance(value, Vector):
                joined = node if value.is_list else value.disorder
                return replace(value, version=node, items=None, disorder=joined)
        for value in (left, right):
            if isinstance(value, Element):
                return Element(self._changed(node, value.of, UNKNOWN))
            if is_reward_like(value):
                return Altered(value, node)
        for value in (left, right):
            if statistics.is_statistic(value) or isinstance(value, LeaveOneOut | Scale):
                return statistics.inexact(value)
        return UNKNOWN


def _joined_shapes(left: Several | Leading, left_node: ast.expr, right: Several) -> Value:
    """`rewards.shape[:-1] + (-1, n)`."""
    first = Several((left,), (left_node,)) if isinstance(left, Leading) else left
    return Several(first.items + right.items, first.nodes + right.nodes)
