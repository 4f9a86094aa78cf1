"""What an expression can be known to be.

Values are symbolic and immutable; two values are the same only if they are one object, except where a field says
what to compare (`Vector.origin`, `Vector.version`). Shapes are written (N,) for one value per sample and (P, n) for
P groups of n.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import Enum


class Value:
    """Anything that an expression can be; on its own: nothing is known."""

    __slots__ = ()


UNKNOWN = Value()


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """The sequence whose elements gave a vector's values, one each, in order.

    `sequence` is the iterated expression, `element` the loop variable, `attributes` what was read of each element.
    """

    sequence: ast.expr
    element: str
    attributes: frozenset[str]
    node: ast.AST


@dataclass(frozen=True, slots=True, eq=False)
class Vector(Value):
    """Per-sample rewards, (N,) unless `rank` says otherwise.

    `origin` is where the values come from; `version` is where they were last changed, element by element. `disorder`
    is the step, if any, that put them in another order or left some out, after which `samples` no longer stand
    beside them. `items` is the list that a tensor was built from, where it was built from one. `part` is the grouping
    of which these are one group's values, where they are.
    """

    origin: ast.AST
    version: ast.AST
    is_strong: bool
    samples: Samples | None = None
    library: str | None = None
    is_list: bool = False
    rank: int | None = None
    disorder: ast.AST | None = None
    items: ast.expr | None = None
    name: str = ""
    part: Grouping | None = None


class Layout(Enum):
    """How a grouping makes its groups."""

    CONSTANT_SIZE = "groups of a constant size"
    WHOLE_BATCH = "one group for the whole batch"
    FIXED_STRIDE = "blocks of consecutive samples"
    KEYED = "the samples of one key"
    BATCH = "all samples at once, without a reshape"


@dataclass(frozen=True, slots=True, eq=False)
class Grouping(Value):
    """Values of (N,) laid out as groups by `node`, from the values of the expression `operand`.

    `axis` is the axis along which a group's samples lie, of `rank` axes. `size` is the expression for the group size
    (None for WHOLE_BATCH, and where the size is what `count` groups leave). `is_plain` holds for (P, n) alone: two
    axes, the samples last. `is_transposed` where the axes were swapped after the reshape. `is_one_row` where there is
    one row whatever axes the values had.

    Groupings of one axis are no layout: they tell which of the samples one group's values are (`Vector.part`). `key`
    is what the samples of a group share, and the sizes of groups vary at run time where `is_varying` holds.
    """

    of: Value
    node: ast.expr
    operand: ast.expr
    layout: Layout
    axis: int
    rank: int
    size: ast.expr | None = None
    is_plain: bool = True
    is_transposed: bool = False
    is_one_row: bool = False
    count: ast.expr | None = None
    key: ast.expr | None = None
    is_varying: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Row(Value):
    """The values of one group: a row of `of`, in a loop over its rows or picked by a position."""

    of: Value
    node: ast.AST


@dataclass(frozen=True, slots=True, eq=False)
class Element(Value):
    """One value of a vector, or of a row, in a loop over it."""

    of: Value


class Kind(Enum):
    """What a statistic measures."""

    MEAN = "mean"
    MEDIAN = "median"
    SUM = "sum"
    STD = "std"
    VAR = "var"


class Spread(Enum):
    """The shape of a group statistic."""

    ROWS = "(P,)"
    COLUMN = "(P, 1)"
    GRID = "(P, n)"
    FLAT = "(N,)"
    NUMBER = "()"


@dataclass(frozen=True, slots=True, eq=False)
class Statistic(Value):
    """A statistic of `of` along the group axis.

    `correction` is the divisor's (None where the library, hence the default, is unknown). `is_exact` is False after
    a step that changes the values (a clamp, a product).
    """

    kind: Kind
    of: Value
    node: ast.expr
    spread: Spread
    correction: int | None = None
    library: str | None = None
    is_exact: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Scale(Value):
    """A statistic that values are divided by: `std + eps`. Not exact: `sqrt(var + eps)`, `std.clamp(min=eps)`."""

    std: Value
    eps: ast.expr | None
    is_exact: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class LeaveOneOut(Value):
    """The baseline `(sum - values) / (n - 1)`: the mean of each sample's siblings. `others` is the divisor."""

    total: Value
    values: Value
    others: ast.expr | None


@dataclass(frozen=True, slots=True, eq=False)
class Centred(Value):
    """`values - baseline`, in `node`."""

    values: Value
    baseline: Value
    node: ast.AST


@dataclass(frozen=True, slots=True, eq=False)
class Scaled(Value):
    """`values / scale`, in `node`."""

    values: Value
    scale: Value
    node: ast.AST


@dataclass(frozen=True, slots=True, eq=False)
class Enlarged(Value):
    """`values` times `by` (n), and over `over` (n - 1) where that was done: centred ones are then leave-one-out."""

    values: Value
    by: ast.expr
    over: ast.expr | None
    node: ast.AST


@dataclass(frozen=True, slots=True, eq=False)
class Ratio(Value):
    """The number `by / over`, such as n / (n - 1)."""

    by: ast.expr
    over: ast.expr


@dataclass(frozen=True, slots=True, eq=False)
class Flat(Value):
    """Grouped values back in one axis, (N,), in the order of the samples."""

    of: Value
    node: ast.expr


@dataclass(frozen=True, slots=True, eq=False)
class Listed(Value):
    """`of` as a Python list."""

    of: Value
    node: ast.expr


@dataclass(frozen=True, slots=True, eq=False)
class Altered(Value):
    """Values after a step that is not understood, but keeps what they are about; perhaps not their shape."""

    of: Value
    node: ast.AST
    keeps_shape: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Choice(Value):
    """One of two values: `then` where `test` held (None: something else decided, such as an exception or a loop)."""

    test: ast.expr | None
    then: Value
    orelse: Value


@dataclass(frozen=True, slots=True, eq=False)
class Scalar(Value):
    """A number that has names: `size` for `args.n_samples_per_prompt` has both. `text` is its defining expression."""

    node: ast.expr
    names: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class Length(Value):
    """The number of samples in all: of the vector with this origin, or of the sequence with this text.

    `is_total` where it counts the values of all axes (`numel()`), rather than the length of one. `rank` is the
    vector's, where it is known.
    """

    origin: ast.AST | None
    sequence: str = ""
    is_total: bool = False
    rank: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class GroupCount(Value):
    """The number of samples divided by a group size."""


@dataclass(frozen=True, slots=True, eq=False)
class Several(Value):
    """A tuple, and the expressions of its items where it was written out."""

    items: tuple[Value, ...]
    nodes: tuple[ast.expr, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Table(Value):
    """What is known of a dict that was written out: the values under some of its keys."""

    items: tuple[tuple[str, Value], ...]

    def get(self, key: str) -> Value | None:
        """The value under a key; the last one counts."""
        return dict(self.items).get(key)


@dataclass(frozen=True, slots=True, eq=False)
class Leading(Value):
    """The lengths of all axes of a vector but its last, `rewards.shape[:-1]`: of none where its `rank` is one."""

    rank: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Parallel(Value):
    """What `zip` and `enumerate` go over: an item of each at a time."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Counted(Value):
    """What `range` goes over."""


@dataclass(frozen=True, slots=True, eq=False)
class Position(Value):
    """An integer that counts through something."""


@dataclass(frozen=True, slots=True, eq=False)
class Local(Value):
    """A function defined inside another one."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True, eq=False)
class Mapped(Value):
    """A function that applies `function` to each row of what it is given: `jax.vmap(function)`."""

    function: ast.expr
    value: Value


@dataclass(frozen=True, slots=True, eq=False)
class Each(Value):
    """A list or another iterable, by what its elements are."""

    item: Value


@dataclass(frozen=True, slots=True, eq=False)
class Buckets(Value):
    """A dict of lists: `item` is what was appended to the list of `key`, by the access `node`."""

    item: Value
    key: ast.expr
    node: ast.expr


@dataclass(frozen=True, slots=True, eq=False)
class Bucket(Value):
    """One of those lists, whose items are no rewards themselves: samples, positions, tuples."""

    of: Buckets


@dataclass(frozen=True, slots=True, eq=False)
class PerGroup(Value):
    """Something that holds `item` for each group, or for each sample of it: a dict by key, a tensor by mask."""

    item: Value
