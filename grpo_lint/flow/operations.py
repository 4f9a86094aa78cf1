"""Calls of tensor libraries in one form, whether spelled as a method or as a function."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from grpo_lint.flow.aliases import Aliases

_OPERAND_NAMES = ("input", "a", "x", "tensor", "arr", "self")

MEANS = {"mean": "mean", "nanmean": "mean", "median": "median", "nanmedian": "median"}
STATISTICS = {
    **MEANS,
    "sum": "sum",
    "nansum": "sum",
    "std": "std",
    "nanstd": "std",
    "var": "var",
    "nanvar": "var",
}
# Functions of lists, of the standard library's `statistics`.
OF_LISTS = {"mean": "mean", "fmean": "mean", "median": "median"}

# The same values, in the same order and shape.
COPIES = frozenset({"clone", "detach", "contiguous", "copy", "requires_grad_", "detach_"})
# The same values in another type or place.
CONVERSIONS = frozenset(
    "to float double half bfloat16 cuda cpu type astype numpy float_ as_tensor asarray ascontiguousarray array tensor "
    "from_numpy FloatTensor Tensor DoubleTensor asanyarray".split()
)
# Other values, each from the one at its place.
ELEMENTWISE = frozenset(
    "clamp clamp_ clip clip_ nan_to_num nan_to_num_ abs abs_ tanh sigmoid exp log mul mul_ neg where masked_fill "
    "masked_fill_ maximum minimum round relu pow sqrt square fillna softplus".split()
)
# The same values in another order, or only some of them.
REORDERINGS = frozenset(
    "gather index_select take sort flip roll masked_select permute shuffle randperm unique cat concat "
    "concatenate stack hstack vstack topk argsort scatter scatter_ narrow all_gather reduce "
    "pad_across_processes take_along_axis compress gather_for_metrics all_gather_object reorder "
    "select_indices t T transpose swapaxes repeat tile".split()
)
# Of a statistic: the same numbers in another shape.
SPREADINGS = frozenset(
    "repeat_interleave repeat expand_as expand broadcast_to tile unsqueeze expand_dims view reshape squeeze "
    "flatten ravel view_as rearrange".split()
)
OPERATORS: dict[str, ast.operator] = {
    **dict.fromkeys(("sub", "sub_", "subtract"), ast.Sub()),
    **dict.fromkeys(("div", "div_", "divide", "true_divide"), ast.Div()),
    **dict.fromkeys(("add", "add_"), ast.Add()),
}
# What tells about values without carrying them on.
IDLE = frozenset("abs abs_ absolute square square_ pow max min amax amin norm any all histogram argmax argmin".split())


@dataclass(frozen=True, slots=True)
class Operation:
    """`operand.name(arguments, keywords)`; `library` is None for a method, `is_function` tells the spelling.

    A double-starred argument is a keyword named `**`.
    """

    name: str
    operand: ast.expr
    arguments: tuple[ast.expr, ...]
    keywords: tuple[tuple[str, ast.expr], ...]
    library: str | None
    node: ast.Call
    is_function: bool

    def keyword(self, *names: str) -> ast.expr | None:
        """The keyword argument with one of these names."""
        return next((value for name, value in self.keywords if name in names), None)

    def argument(self, position: int, *names: str) -> ast.expr | None:
        """The argument at a position after the operand, or with one of these names."""
        by_name = self.keyword(*names)
        if by_name is not None:
            return by_name
        return self.arguments[position] if position < len(self.arguments) else None


def recognise(call: ast.Call, aliases: Aliases) -> Operation | None:
    """The operation that a call is, if it can be one; None for star-arguments before the operand and bare names."""
    keywords = tuple((keyword.arg or "**", keyword.value) for keyword in call.keywords)
    library = aliases.library(call.func)
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name) if library:
            return _as_function(name, call, keywords, library)
        case ast.Attribute(value=operand, attr=name):
            return Operation(name, operand, tuple(call.args), keywords, None, call, False)
        case ast.Name(id=name) if name in STATISTICS and name.startswith("nan"):
            return _as_function(name, call, keywords, None)
        case _:
            return None


def _as_function(
    name: str, call: ast.Call, keywords: tuple[tuple[str, ast.expr], ...], library: str | None
) -> Operation | None:
    if isinstance(call.func, ast.Name) and library == "einops" and name not in ("rearrange", "reduce", "repeat"):
        return None
    if call.args:
        return Operation(name, call.args[0], tuple(call.args[1:]), keywords, library, call, True)
    for key, value in keywords:
        if key in _OPERAND_NAMES:
            rest = tuple(pair for pair in keywords if pair[0] != key)
            return Operation(name, value, (), rest, library, call, True)
    return None


def integer(node: ast.expr | None) -> int | None:
    """The value of an integer literal, also a negative one."""
    match node:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int(value)):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return -value
        case _:
            return None


def truth(node: ast.expr | None) -> bool | None:
    """The value of True or False."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, bool) else None


def axes(node: ast.expr | None) -> tuple[int, ...] | None:
    """The axes that an argument names: an integer or a tuple of them; None if it is neither."""
    if isinstance(node, ast.Tuple | ast.List):
        found = [integer(item) for item in node.elts]
        return tuple(axis for axis in found if axis is not None) if None not in found else None
    axis = integer(node)
    return None if axis is None else (axis,)
