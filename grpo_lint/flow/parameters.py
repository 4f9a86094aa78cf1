"""What a parameter is, by its name and its annotation."""

from __future__ import annotations

import ast

from grpo_lint.flow.values import Scalar, Value, Vector
from grpo_lint.flow.vocabulary import Vocabulary


def parameter_value(argument: ast.arg, words: Vocabulary) -> Value:
    """Rewards if it is named like them, else a number."""
    if not words.is_reward(argument.arg):
        return Scalar(ast.copy_location(ast.Name(argument.arg, ast.Load()), argument), frozenset({argument.arg}))
    library, is_list = _annotated_container(argument.annotation)
    return Vector(
        argument,
        argument,
        words.is_strong_reward(argument.arg),
        library=library,
        is_list=is_list,
        rank=1 if is_list else None,
        name=argument.arg,
    )


def _annotated_container(annotation: ast.expr | None) -> tuple[str | None, bool]:
    """The tensor library that a parameter's annotation names, and whether it is a list."""
    if annotation is None:
        return None, False
    text = ast.unparse(annotation).strip("'\"")
    if "|" in text or text.startswith(("Optional", "Union")):
        return None, False
    head = text.split("[")[0].split(".")[-1]
    if head in ("Tensor", "FloatTensor") and "jax" not in text:
        return "torch", False
    if head in ("ndarray", "NDArray"):
        return "numpy", False
    return None, head in ("list", "List", "Sequence", "tuple", "Tuple")
