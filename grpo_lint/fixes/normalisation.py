"""From what the data flow saw to the one normalisation that it amounts to, or the reason why it amounts to none."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from grpo_lint.flow.statistics import library_of
from grpo_lint.flow.traversal import alternatives, is_grouped, walk
from grpo_lint.flow.values import (
    Altered,
    Centred,
    Choice,
    Enlarged,
    Flat,
    Grouping,
    Kind,
    Layout,
    LeaveOneOut,
    Listed,
    Scale,
    Scaled,
    Spread,
    Statistic,
    Value,
    Vector,
)


class Refusal(Exception):
    """Why there is no fix, in one clause that names the user's own code."""


@dataclass(frozen=True, slots=True)
class Scaling:
    """Division by `std + eps`; `tests` are the conditions, all to hold, under which it happens (negated where
    False).
    """

    eps: ast.expr | None
    correction: int
    tests: tuple[tuple[ast.expr, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class Normalisation:
    """Rewards centred on their group's mean, or their siblings' mean, and perhaps scaled.

    `siblings` is where a leave-one-out baseline counts the group again.
    """

    vector: Vector
    groupings: tuple[Grouping, ...]
    library: str
    is_leave_one_out: bool = False
    scaling: Scaling | None = None
    siblings: ast.expr | None = None

    @property
    def sized(self) -> Grouping | None:
        """The grouping that tells the group size."""
        return next((found for found in self.groupings if found.size is not None), None)


def recognise(value: Value) -> Normalisation:
    """The normalisation that a value is the result of. Raises Refusal."""
    match value:
        case Flat(of=of) | Listed(of=of):
            return recognise(of)
        case Choice():
            return _conditional(value)
        case Scaled():
            return _scaled(value, ())
        case Centred():
            return _centred(value)
        case Enlarged():
            return _enlarged(value)
        case Altered(node=node):
            raise Refusal(f"the step `{_text(node)}` is not understood")
        case _:
            raise Refusal("the rewards are not centred in a way that is understood")


def _conditional(value: Choice) -> Normalisation:
    """Scaled under a condition, centred in any case."""
    tests, scaled, centred = _unfold(value)
    base = recognise(centred)
    if not isinstance(scaled, Scaled) or scaled.values is not centred or base.scaling is not None:
        raise Refusal("the branches normalise in different ways")
    return _scaled(scaled, tests)


def _unfold(value: Choice) -> tuple[tuple[tuple[ast.expr, bool], ...], Value, Value]:
    """The conditions of a choice that leads to scaled values, those values, and the centred ones otherwise."""
    if value.test is None:
        raise Refusal("the normalisation differs between the ways that lead here")
    then, orelse = _bare(value.then), _bare(value.orelse)
    if isinstance(then, Scaled):
        return ((value.test, True),), then, orelse
    if isinstance(orelse, Scaled):
        return ((value.test, False),), orelse, then
    if isinstance(then, Choice):
        tests, scaled, centred = _unfold(then)
        if centred is orelse:
            return ((value.test, True), *tests), scaled, centred
    raise Refusal("the branches normalise in different ways")


def _bare(value: Value) -> Value:
    return _bare(value.of) if isinstance(value, Flat | Listed) else value


def _scaled(value: Scaled, tests: tuple[tuple[ast.expr, bool], ...]) -> Normalisation:
    centred = _bare(value.values)
    base = recognise(centred)
    if base.scaling is not None:
        raise Refusal("the rewards are scaled twice")
    std, eps = _std_and_eps(value.scale)
    _require_same_groups(std, centred, base)
    _require_matching_shape(centred, std)
    library = std.library or base.library
    if std.correction not in (0, 1):
        why = "" if std.library else ": nothing tells torch from NumPy"
        raise Refusal(f"the divisor of `{_text(std.node)}` is not known{why}")
    scaling = Scaling(eps, std.correction, tests)
    return replace(base, scaling=scaling, library=_supported(library), groupings=_merged(base.groupings, std))


def _std_and_eps(scale: Value) -> tuple[Statistic, ast.expr | None]:
    match scale:
        case Scale(std=Statistic(kind=Kind.STD, is_exact=True) as std, eps=eps, is_exact=True):
            return std, eps
        case Statistic(kind=Kind.STD, is_exact=True):
            return scale, None
        case _:
            raise Refusal("the rewards are not divided by a plain std + eps")


def _require_same_groups(std: Statistic, centred: Value, base: Normalisation) -> None:
    """The raw groups have the std of the centred ones; leave-one-out multiplies it by k / (k - 1)."""
    of = std.of
    regrouped = of if isinstance(of, Grouping) and of.of is centred else None
    if of is centred or regrouped is not None:
        if base.is_leave_one_out:
            raise Refusal(f"`{_text(std.node)}` is the std of leave-one-out advantages, not of the rewards")
        if regrouped is not None:
            _require_size(regrouped, base)
        return
    if isinstance(of, Centred | Scaled | Enlarged | Altered):
        raise Refusal(f"`{_text(std.node)}` is taken of other values than those it scales")
    other = _raw(of)
    if other.vector.version is not base.vector.version:
        raise Refusal(f"`{_text(std.node)}` is taken of other rewards than those it scales")
    for grouping in other.groupings:
        _require_size(grouping, base)


def _require_size(grouping: Grouping, base: Normalisation) -> None:
    sized = base.sized
    if grouping.size is None or sized is None or sized.size is None:
        return
    if ast.unparse(grouping.size) != ast.unparse(sized.size):
        raise Refusal(f"mean and std use different group sizes, `{_text(sized.size)}` and `{_text(grouping.size)}`")


def _centred(value: Centred) -> Normalisation:
    match value.baseline:
        case Statistic(kind=Kind.MEAN, is_exact=True, of=of) as mean:
            _require_matching_shape(value.values, mean)
            is_leave_one_out, siblings = False, None
        case LeaveOneOut(total=Statistic(kind=Kind.SUM, is_exact=True, of=of) as mean, values=values, others=others):
            _require_siblings(of, others)
            _require_matching_shape(values, mean)
            if _raw(values).vector.version is not _raw(of).vector.version:
                raise Refusal("the leave-one-out baseline leaves out other values than it sums")
            is_leave_one_out, siblings = True, others
        case Statistic(node=node):
            raise Refusal(f"`{_text(node)}` is not a plain mean")
        case _:
            raise Refusal("the baseline is not a plain mean of the group")
    raw, baseline = _raw(value.values), _raw(of)
    if raw.vector.version is not baseline.vector.version:
        raise Refusal("the baseline is the mean of other rewards than those it is subtracted from")
    joined = replace(raw, groupings=tuple(dict.fromkeys((*raw.groupings, *baseline.groupings))))
    for grouping in joined.groupings:
        _require_size(grouping, joined)
    library = _supported(mean.library or library_of(of))
    return replace(joined, library=library, is_leave_one_out=is_leave_one_out, siblings=siblings)


def _enlarged(value: Enlarged) -> Normalisation:
    """`(rewards - mean) * n / (n - 1)` is what leaving each sample out of its own baseline gives."""
    base = recognise(value.values)
    if value.over is None:
        raise Refusal(f"the step `{_text(value.node)}` is not understood")
    if base.scaling is not None or base.is_leave_one_out:
        raise Refusal(f"the step `{_text(value.node)}` is not understood after the ones before it")
    if base.sized is None or base.sized.size is None or ast.unparse(value.by) != ast.unparse(base.sized.size):
        raise Refusal(f"`{_text(value.by)}` in `{_text(value.node)}` is not known to be the group size")
    return replace(base, is_leave_one_out=True, siblings=value.over)


def _require_siblings(of: Value, others: ast.expr | None) -> None:
    """`(sum - rewards) / (n - 1)`, with the group's own size for n."""
    sizes = {ast.unparse(found.size) for found in walk(of) if isinstance(found, Grouping) and found.size is not None}
    match others:
        case ast.BinOp(left=left, op=ast.Sub(), right=ast.Constant(value=1)) if ast.unparse(left) in sizes:
            return
        case _:
            raise Refusal("the leave-one-out baseline is not divided by the group size less one")


def _require_matching_shape(values: Value, statistic: Statistic) -> None:
    """(P, n) goes with a column or a grid, (N,) with what was repeated to (N,)."""
    fitting = (Spread.COLUMN, Spread.GRID) if is_grouped(values) else (Spread.FLAT,)
    if statistic.spread not in fitting:
        raise Refusal(f"`{_text(statistic.node)}` does not line up with the values it is applied to")


def _raw(value: Value) -> Normalisation:
    """Rewards before any statistic: one vector, flat or in one or more layouts of the same group size."""
    found = alternatives(value)
    layouts = tuple(each for each in found if isinstance(each, Grouping))
    flat = [each for each in found if isinstance(each, Vector)]
    if len(layouts) + len(flat) < len(found):
        raise Refusal("the rewards take a form that is not understood before they are centred")
    sources = [*flat]
    for grouping in layouts:
        _require_plain(grouping)
        if not isinstance(grouping.of, Vector):
            raise Refusal(f"`{_text(grouping.operand)}` is no plain vector of rewards")
        sources.append(grouping.of)
    if any(source.version is not sources[0].version for source in sources):
        raise Refusal("the rewards differ between the branches")
    return Normalisation(sources[0], layouts, "")


def _require_plain(grouping: Grouping) -> None:
    if grouping.layout is Layout.CONSTANT_SIZE and grouping.size is None:
        raise Refusal(f"`{_text(grouping.node)}` does not name the group size")
    if not grouping.is_plain:
        raise Refusal(f"`{_text(grouping.node)}` has a layout other than one row for each group")


def _merged(groupings: tuple[Grouping, ...], std: Statistic) -> tuple[Grouping, ...]:
    others = tuple(found for found in walk(std.of) if isinstance(found, Grouping))
    return tuple(dict.fromkeys((*groupings, *others)))


def _supported(library: str | None) -> str:
    """Torch is assumed where nothing tells: the mean, and so the result, is the same in NumPy."""
    if library in ("jax", "mlx"):
        raise Refusal(f"the rewards are {library.upper()} values, which `normalize_rewards_by_group` does not take")
    return library or "torch"


def _text(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 60 else text[:57] + "..."
