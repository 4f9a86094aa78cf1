"""Parts of a vector that are one group's values: slices, blocks, masks, and the lists of a dict by key."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from grpo_lint.flow.aliases import Aliases
from grpo_lint.flow.elements import first, is_iterable
from grpo_lint.flow.environment import Record
from grpo_lint.flow.lineage import resolved
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.operations import CONVERSIONS, COPIES, integer
from grpo_lint.flow.part_statistics import aggregate, is_of_part, python_statistic, single
from grpo_lint.flow.strides import quotient_of, stride_of
from grpo_lint.flow.traversal import alternatives, is_grouped, is_reward_like, vectors
from grpo_lint.flow.values import (
    UNKNOWN,
    Bucket,
    Buckets,
    Choice,
    Each,
    Element,
    Grouping,
    Layout,
    PerGroup,
    Row,
    Scalar,
    Several,
    Value,
    Vector,
)
from grpo_lint.flow.vocabulary import Vocabulary, counts_prompts, is_identity, names_prompts

_GATHERINGS = CONVERSIONS | COPIES | {"stack", "cat", "concatenate", "hstack"}
_SAME_ELEMENTS = frozenset({"list", "tuple", "sorted", "reversed", "tqdm", "iter"})


@dataclass(frozen=True, slots=True)
class Parts:
    """Finds the parts of vectors, whose indices and iterables were evaluated before."""

    vocabulary: Vocabulary
    aliases: Aliases
    record: Record

    def _value(self, node: ast.expr) -> Value:
        return self.record.values.get(node, UNKNOWN)

    # items

    def item(self, node: ast.Subscript, base: Value) -> Value | None:
        """What `base[index]` is, if it is one group's values or what is kept for a group; else None."""
        buckets, mapped = first(base, Buckets), first(base, PerGroup)
        if buckets is not None:
            return self._bucket(buckets, node)
        if mapped is not None:
            return mapped.item
        if not is_reward_like(base) or is_grouped(base) or isinstance(base, Element | Row):
            return self.column(node)
        source = vectors(base)[0]
        if source.part is not None:
            return replace(source, version=node, disorder=node, items=None, part=None)
        part = self._block(node, source) or self._selection(node, source)
        return None if part is None else _part(source, node, part)

    def _block(self, node: ast.Subscript, source: Vector) -> Grouping | None:
        """`rewards[i * n : (i + 1) * n]`."""
        stride = stride_of(node.slice, self.record.loads)
        if stride is None or not self._is_group_size(stride.size, source, may_be_unknown=stride.is_multiple):
            return None
        return _grouping(source, node, node.value, Layout.FIXED_STRIDE, size=stride.size)

    def _selection(self, node: ast.Subscript, source: Vector) -> Grouping | None:
        """`rewards[ids == i]`, or `rewards[positions]` with the positions of a bucket."""
        bucket = first(self._value(node.slice), Bucket)
        if bucket is not None:
            return self._keyed(source, bucket.of.node, bucket.of.key, node.value)
        mask = resolved(node.slice, self.record.loads)
        match mask:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                for keys, wanted in ((left, right), (right, left)):
                    if self._is_loop_variable(wanted):
                        return self._keyed(source, node, keys, node.value)
                return None
            case _:
                return None

    def _is_loop_variable(self, node: ast.expr) -> bool:
        definitions = self.record.loads.get(node, frozenset()) if isinstance(node, ast.Name) else frozenset()
        return any(isinstance(found.node, ast.For | ast.comprehension) for found in definitions)

    def _keyed(self, source: Vector, node: ast.expr, key: ast.expr, operand: ast.expr) -> Grouping:
        """Samples of one key: a key that is a quotient of positions makes groups by position."""
        quotient = quotient_of(key, self.record.loads)
        if quotient is None or not self._is_group_size(quotient.size, source, may_be_unknown=False):
            return _grouping(source, node, operand, Layout.KEYED, key=key, is_varying=True)
        return _grouping(
            source,
            quotient.node,
            operand,
            Layout.FIXED_STRIDE,
            size=quotient.size,
            key=quotient.node,
            is_varying=not quotient.is_direct,
        )

    def _is_group_size(self, size: ast.expr, source: Vector, may_be_unknown: bool) -> bool:
        """Whether a step has a group size's name; or, in code about prompts, one that is not known to be another's."""
        words, names = self.vocabulary, _names(size, self._value(size))
        if any(words.is_group_size(name, source.is_strong) for name in names):
            return True
        if not (may_be_unknown and source.is_strong and words.is_about_prompts):
            return False
        literal = integer(size)
        return literal > 2 if literal is not None else not any(words.is_other_axis(name) for name in names)

    def _bucket(self, buckets: Buckets, node: ast.expr) -> Value:
        """One list of a dict: a vector where its items are rewards."""
        if not is_reward_like(buckets.item):
            return Bucket(buckets)
        source = vectors(buckets.item)[0]
        return _part(source, node, self._keyed(source, buckets.node, buckets.key, buckets.node), is_list=True)

    # a table by columns

    def column(self, node: ast.Subscript | ast.Attribute) -> Value | None:
        """`frame.groupby("uid")["reward"]`, or `.reward`."""
        match node:
            case (
                ast.Subscript(
                    value=ast.Call(func=ast.Attribute(attr="groupby"), args=[key, *_]),
                    slice=ast.Constant(value=str(column)),
                )
                | ast.Attribute(
                    value=ast.Call(func=ast.Attribute(attr="groupby"), args=[key, *_]),
                    attr=column,
                )
            ) if self.vocabulary.is_reward(column):
                is_strong = self.vocabulary.is_strong_reward(column)
                source = Vector(node, node, is_strong, library="pandas", rank=1, disorder=node, name=column)
                return _part(source, node, self._keyed(source, node, key, node))
            case _:
                return None

    # a dict of lists

    def filled(self, node: ast.AST) -> Iterator[tuple[ast.expr, Buckets]]:
        """The dict that `groups[key].append(item)`, also through `setdefault`, or `groups[key] += [item]` fills."""
        match node:
            case ast.Call(func=ast.Attribute(value=access, attr="append"), args=[item]):
                pass
            case ast.AugAssign(target=access, op=ast.Add(), value=ast.List(elts=[item])):
                pass
            case _:
                return
        match access:
            case ast.Subscript(value=container, slice=key) if not isinstance(key, ast.Constant | ast.Slice):
                yield container, Buckets(self._appended(item), key, access)
            case ast.Call(func=ast.Attribute(value=container, attr="setdefault"), args=[key, _]):
                yield container, Buckets(self._appended(item), key, access)

    def _appended(self, item: ast.expr) -> Value:
        """What is appended: a sample's reward as such, also inside a tuple."""
        value = self._value(item)
        if isinstance(value, Several):
            return Several(tuple(single(part) for part in value.items))
        return single(value)

    # iterables

    def call(self, node: ast.Call) -> Value | None:
        """What a call gives that iterates, cuts up or reduces parts; None for any other."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if isinstance(node.func, ast.Attribute):
            of_dict = self._of_dict(node.func.value, name, node)
            of_groups = aggregate(node, self._value(node.func.value))
            if of_dict is not None or of_groups is not None:
                return of_dict if of_dict is not None else of_groups
        arguments = [self._value(argument) for argument in node.args]
        if name in _SAME_ELEMENTS and arguments and is_iterable(arguments[0]):
            return arguments[0]
        if name in _GATHERINGS:
            return self._gathered(node, arguments) or self._number(node, name)
        return self._cut(node, name) or python_statistic(node, arguments, self.aliases) or self._number(node, name)

    def _of_dict(self, owner: ast.expr, method: str, node: ast.Call) -> Value | None:
        value = self._value(owner)
        buckets, mapped = first(value, Buckets), first(value, PerGroup)
        if buckets is None and mapped is None:
            return None
        item = self._bucket(buckets, node) if buckets is not None else mapped.item if mapped is not None else UNKNOWN
        match method:
            case "values":
                return Each(item)
            case "items":
                return Each(Several((UNKNOWN, item)))
            case "get" | "pop" if node.args:
                return item
            case _:
                return None

    def _gathered(self, node: ast.Call, arguments: Sequence[Value]) -> Value | None:
        """`torch.tensor(positions)` of a bucket is that bucket, and `torch.stack(rewards)` its rewards in a tensor."""
        operand = self._value(node.func.value) if isinstance(node.func, ast.Attribute) else UNKNOWN
        values = [value for value in (*arguments[:1], operand) if first(value, Bucket) is not None]
        if values:
            return values[0]
        library = self.aliases.library(node.func)
        if arguments and (blocks := first(arguments[0], Each)) is not None:
            return _stacked(node, blocks, node.args[0])
        match arguments:
            case [Vector(part=Grouping(), is_list=True) as listed, *_] if library:
                return replace(listed, version=node, library=library, is_list=False)
            case _:
                return None

    def _cut(self, node: ast.Call, name: str) -> Value | None:
        """`rewards.split(n)`, `torch.chunk(rewards, total // n)`, `batched(rewards, n)`: blocks one after another."""
        match name, node:
            case "split" | "chunk" | "tensor_split" | "array_split" | "batched" | "chunked", ast.Call(
                args=[operand, how, *_]
            ):
                pass
            case "split" | "chunk" | "tensor_split", ast.Call(func=ast.Attribute(value=operand), args=[how, *_]):
                pass
            case _:
                return None
        source = self._value(operand)
        if not isinstance(source, Vector) or source.part is not None:
            return None
        size = self._block_size(name, node, how)
        is_sized = size is not None and self._is_group_size(size, source, may_be_unknown=False)
        if not is_sized and not (size is None and source.is_strong and _counts_prompts(how)):
            return None
        part = _part(source, node, _grouping(source, node, operand, Layout.FIXED_STRIDE, size=size))
        return Each(part)

    def _block_size(self, name: str, node: ast.Call, how: ast.expr) -> ast.expr | None:
        """The size of each block: given, or the total divided by it is how many blocks there are."""
        is_numpy = self.aliases.library(node.func) in ("numpy", "jax")
        if name in ("batched", "chunked") or (name == "split" and not is_numpy):
            return how
        match resolved(how, self.record.loads):
            case ast.BinOp(op=ast.FloorDiv(), right=size):
                return size
            case _:
                return None

    def _number(self, node: ast.Call, name: str) -> Value | None:
        """`float(mean)`, `reward.item()`: the same number."""
        operand = node.args[0] if node.args else getattr(node.func, "value", None)
        if operand is None or name not in ("float", "item", "tolist", "transform", *CONVERSIONS):
            return None
        value = self._value(operand)
        return value if is_of_part(value) or isinstance(value, Element) else None

    # comprehensions

    def gathered(
        self, node: ast.ListComp | ast.GeneratorExp, iterated: Sequence[Value], element: Value
    ) -> Value | None:
        """What a comprehension over a bucket, over blocks or of one key's samples gathers; None for any other."""
        if is_of_part(element) or (isinstance(element, Vector) and element.part is not None):
            return Each(element)
        values = single(element)
        if not is_reward_like(values):
            return None
        bucket = first(iterated[0], Bucket)
        source = vectors(values)[0]
        if bucket is not None:
            return _part(source, node, self._keyed(source, bucket.of.node, bucket.of.key, node.elt), is_list=True)
        key = _key_of_filter(node)
        return None if key is None else _part(source, node, self._keyed(source, node, key, node.elt), is_list=True)

    def mapped(self, value: Value) -> Value:
        """What `{key: value for …}` is: something that holds one group's values, or a statistic of them, by key."""
        is_part = isinstance(value, Vector) and value.part is not None
        return PerGroup(value) if is_part else self.stored(UNKNOWN, value) or UNKNOWN

    def stored(self, target: Value, value: Value) -> PerGroup | None:
        """What holds statistics after `means[key] = mean`; None where the value is no statistic of a part."""
        if not is_of_part(value) and not (isinstance(value, Several) and any(map(is_of_part, value.items))):
            return None
        known = first(target, PerGroup)
        return PerGroup(value if known is None or known.item is value else Choice(None, value, known.item))


def _stacked(node: ast.Call, blocks: Each, operand: ast.expr) -> Value | None:
    """`torch.stack(rewards.split(n))`: a row for each block."""
    match blocks.item, node.func:
        case Vector(part=Grouping(layout=Layout.FIXED_STRIDE) as part), ast.Attribute(
            attr="stack" | "array" | "vstack"
        ):
            return replace(part, axis=1, rank=2)
        case _:
            return None


def _counts_prompts(how: ast.expr) -> bool:
    """`num_prompts` or `len(prompts)`: as many blocks as there are prompts."""
    match how:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
            return names_prompts(name)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return counts_prompts(name)
        case _:
            return False


def _part(source: Vector, node: ast.AST, grouping: Grouping, is_list: bool = False) -> Vector:
    return Vector(
        source.origin,
        node,
        source.is_strong,
        library=None if is_list else source.library,
        is_list=is_list,
        rank=1 if is_list else source.rank,
        disorder=node,
        name=source.name,
        part=grouping,
    )


def _grouping(
    source: Vector,
    node: ast.expr,
    operand: ast.expr,
    layout: Layout,
    size: ast.expr | None = None,
    key: ast.expr | None = None,
    is_varying: bool = False,
) -> Grouping:
    whole = replace(source, part=None)
    return Grouping(whole, node, operand, layout, 0, 1, size, is_plain=False, key=key, is_varying=is_varying)


def _names(node: ast.expr, value: Value) -> frozenset[str]:
    """The names of a size: of `args.n_samples`, that of the attribute too where nothing else is known of it."""
    names = frozenset[str]().union(*(found.names for found in alternatives(value) if isinstance(found, Scalar)))
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return names | {name}
        case _:
            return names


def _key_of_filter(node: ast.ListComp | ast.GeneratorExp) -> ast.expr | None:
    """The identity of the samples in `[r for r, uid in zip(rewards, uids) if uid == wanted]`."""
    parts = [part for generator in node.generators for part in walk_nodes(generator.target)]
    targets = {part.id for part in parts if isinstance(part, ast.Name)}
    for condition in node.generators[0].ifs:
        match condition:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                for key in (left, right):
                    if _is_identity_of(key, targets):
                        return key
    return None


def _is_identity_of(key: ast.expr, targets: set[str]) -> bool:
    match key:
        case ast.Name(id=name):
            return name in targets and is_identity(name)
        case ast.Attribute(value=ast.Name(id=owner), attr=name):
            return owner in targets and is_identity(name)
        case _:
            return False
