"""Whether a function that the project already has takes the call that a repair would write."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from grpo_lint.syntax import parse_expression

InputKind: TypeAlias = Literal["list", "tensor", "array"]

ROLLOUT_IDS = "rollout_ids"
# The first parameters must be what the call passes there: `(args, samples)` is another function of the same name.
REWARD_WORDS = ("reward", "score", "return", "value")
GROUP_WORDS = ("group", "uid", "prompt")
KINDS: dict[str, frozenset[str]] = {
    **dict.fromkeys(("list", "List", "MutableSequence"), frozenset({"list"})),
    **dict.fromkeys(("Sequence", "Iterable", "Collection"), frozenset({"list"})),
    **dict.fromkeys(("Tensor", "FloatTensor"), frozenset({"tensor"})),
    **dict.fromkeys(("ndarray", "NDArray"), frozenset({"array"})),
    **dict.fromkeys(("ArrayLike",), frozenset({"array", "list"})),
    **dict.fromkeys(("tuple", "Tuple", "dict", "Dict", "None", "float", "int", "bool", "str", "set"), frozenset()),
}


@dataclass(frozen=True, slots=True)
class Argument:
    """A keyword argument that a call needs: its value's source text, and whether that is the reference's default."""

    name: str
    value: str
    is_default: bool = False


@dataclass(frozen=True, slots=True)
class Fit:
    """How a call fits: the arguments to leave out, and those meant by position that only go by keyword."""

    left_out: frozenset[str] = frozenset()
    by_keyword: frozenset[str] = frozenset()


def accepts_call(
    function: ast.FunctionDef, positional: int, keywords: Sequence[Argument], input_kind: InputKind
) -> Fit | None:
    """How `function(rewards, group_indices[, rollout_ids], **keywords)` fits its signature; None where it does not."""
    arguments = function.args
    names = [parameter.arg for parameter in (*arguments.posonlyargs, *arguments.args)]
    if not _takes_rewards_and_groups(names) or not _takes_kind(function, input_kind):
        return None
    by_name = {parameter.arg for parameter in (*arguments.args, *arguments.kwonlyargs)} - set(names[:2])
    placed = _place_rollout_ids(names, by_name, positional)
    kept = [_keep(argument, by_name, arguments) for argument in keywords]
    if None in kept:
        return None
    left_out = {argument.name for argument, is_kept in zip(keywords, kept, strict=True) if not is_kept}
    given = {*names[:2], *({ROLLOUT_IDS} if positional > 2 else set()), *(argument.name for argument in keywords)}
    if set(_required(arguments)) - (given - left_out - placed.left_out):
        return None
    return Fit(placed.left_out | left_out, placed.by_keyword)


def _takes_rewards_and_groups(names: Sequence[str]) -> bool:
    return len(names) >= 2 and _has_word(names[0], REWARD_WORDS) and _has_word(names[1], GROUP_WORDS)


def _has_word(name: str, words: Sequence[str]) -> bool:
    return any(word in name.lower() for word in words)


def _place_rollout_ids(names: Sequence[str], by_name: set[str], positional: int) -> Fit:
    if positional < 3 or names[2:3] == [ROLLOUT_IDS]:
        return Fit()
    if ROLLOUT_IDS in by_name:
        return Fit(by_keyword=frozenset({ROLLOUT_IDS}))
    return Fit(left_out=frozenset({ROLLOUT_IDS}))


def _keep(argument: Argument, by_name: set[str], arguments: ast.arguments) -> bool | None:
    """Whether the call passes the argument; None where it must and cannot."""
    if argument.name in by_name:
        default = _defaults(arguments).get(argument.name)
        return default is None or not is_same_value(default, argument.value)
    if argument.is_default or argument.name == ROLLOUT_IDS:
        return False
    return True if arguments.kwarg is not None else None


def _defaults(arguments: ast.arguments) -> dict[str, ast.expr]:
    parameters = [*arguments.posonlyargs, *arguments.args]
    pairs = zip(reversed(parameters), reversed(arguments.defaults), strict=False)
    keyword_pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    found = {parameter.arg: default for parameter, default in pairs}
    return found | {parameter.arg: default for parameter, default in keyword_pairs if default is not None}


def _required(arguments: ast.arguments) -> Iterator[str]:
    defaults = _defaults(arguments)
    for parameter in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if parameter.arg not in defaults:
            yield parameter.arg


def is_same_value(default: ast.expr, text: str) -> bool:
    """Whether two literals have one value, however they are spelled; other expressions never do."""
    try:
        first, second = ast.literal_eval(default), ast.literal_eval(parse_expression(text))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    # True == 1, but `correction=True` is not how anyone spells 1.
    return bool(first == second) and isinstance(first, bool) == isinstance(second, bool)


def _takes_kind(function: ast.FunctionDef, kind: InputKind) -> bool:
    """Whether no annotation of the rewards or of the result speaks against the kind."""
    first = [*function.args.posonlyargs, *function.args.args][0].annotation
    return all(annotation is None or _allows(annotation, kind) for annotation in (first, function.returns))


def _allows(annotation: ast.expr, kind: InputKind) -> bool:
    kinds = [KINDS.get(head) for head in _heads(annotation)]
    return any(known is None or kind in known for known in kinds)


def _heads(annotation: ast.expr) -> Iterator[str]:
    """The names of an annotation's alternatives, without what stands in their brackets."""
    match annotation:
        case ast.Constant(value=str(text)):
            try:
                yield from _heads(parse_expression(text.strip()))
            except (SyntaxError, ValueError, RecursionError):
                yield text
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            yield from (*_heads(left), *_heads(right))
        case ast.Subscript(value=head, slice=argument):
            yield from _subscripted(ast.unparse(head).rpartition(".")[2], argument)
        case _:
            yield ast.unparse(annotation).rpartition(".")[2]


def _subscripted(name: str, argument: ast.expr) -> Iterator[str]:
    items = argument.elts if isinstance(argument, ast.Tuple) else [argument]
    if name in {"Optional", "Union"}:
        yield from (head for item in items for head in _heads(item))
    elif name == "Annotated":
        yield from _heads(items[0])
    else:
        yield name
