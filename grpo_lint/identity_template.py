"""The configured expression of a sample's prompt: a template, with {sample} for the sample."""

from __future__ import annotations

import ast
import builtins
import warnings

from grpo_lint.syntax import parse_expression

SAMPLE = "{sample}"

_MAX_LENGTH, _MAX_DEPTH = 500, 50  # what is written into code must not make it too deep to be analysed
_REFUSED = {
    ast.Lambda: "a lambda",
    ast.NamedExpr: "an assignment",
    ast.ListComp: "a comprehension",
    ast.SetComp: "a comprehension",
    ast.DictComp: "a comprehension",
    ast.GeneratorExp: "a comprehension",
    ast.Yield: "a yield",
    ast.YieldFrom: "a yield",
    ast.Await: "an await",
}


def gather(template: str, element: str, sequence: str) -> str:
    """The comprehension that gives the identities of the samples of a sequence, in their order."""
    return f"[{_filled(template, element)} for {element} in {sequence}]"


def attributes_of(template: str) -> frozenset[str]:
    """The attributes, or keys, that a template reads."""
    nodes = _nodes(template)
    keys = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return frozenset((*keys, *(node.attr for node in nodes if isinstance(node, ast.Attribute))))


def builtins_of(template: str) -> frozenset[str]:
    """The names that a template reads besides the sample: all are Python's own."""
    return frozenset(node.id for node in _nodes(template) if isinstance(node, ast.Name)) - {_stand_in(template)}


def complaint_of(template: str) -> str | None:
    """What is wrong with a template: it may read the sample, and no name besides that a file need not know."""
    shown = repr(template if len(template) <= 80 else f"{template[:79]}…")
    if SAMPLE not in template:
        return f"{shown} does not name {SAMPLE}, such as '{SAMPLE}.group_index' does"
    if len(template) > _MAX_LENGTH:
        return f"{shown} is longer than {_MAX_LENGTH} characters"
    if not template.isprintable() or "\\" in template:
        return f"{shown} has a backslash, a line break or another character that is not printed"
    try:
        complaint = _complaint_of_tree(template)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        complaint = f"is no expression such as '{SAMPLE}.group_index'"
    return f"{shown} {complaint}" if complaint else None


def _complaint_of_tree(template: str) -> str | None:
    """What is wrong with an expression. Raises what `compile` raises for one that has no place in a comprehension."""
    if _depth(parse_expression(_filled(template, "sample"))) > _MAX_DEPTH:
        return f"is nested more than {_MAX_DEPTH} levels deep"
    nodes = _nodes(template)
    for node in nodes:
        if type(node) in _REFUSED:
            return f"holds {_REFUSED[type(node)]}, and should be a plain expression"
        if isinstance(node, ast.Attribute) and node.attr.startswith("__") and not node.attr.endswith("__"):
            return f"reads {node.attr!r}, which Python calls otherwise in a class"
    if sum(isinstance(node, ast.Name) and node.id == _stand_in(template) for node in nodes) != template.count(SAMPLE):
        return f"has a {SAMPLE} that is not read, being in a string or part of another word"
    if others := builtins_of(template) - vars(builtins).keys():
        return f"reads {min(others)!r}, which not every file knows"
    if isinstance(nodes[0], ast.Tuple) and not _is_compiled(template):
        return "has commas outside of brackets: put it in parentheses"
    return None if _is_compiled(template) else f"is no expression such as '{SAMPLE}.group_index'"


def _is_compiled(template: str) -> bool:
    """Whether Python takes the template where a repair puts it, to which a comment or a tuple may be fatal."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(gather(template, _stand_in(template), "()"), SAMPLE, "eval")
    except SyntaxError:
        return False
    return True


def _nodes(template: str) -> list[ast.AST]:
    return list(ast.walk(parse_expression(_filled(template, _stand_in(template)))))


def _filled(template: str, name: str) -> str:
    return template.strip().replace(SAMPLE, name)


def _stand_in(template: str) -> str:
    """A name for the sample that the template has not by itself."""
    name = "sample"
    while name in template.replace(SAMPLE, ""):
        name += "_"
    return name


def _depth(root: ast.AST) -> int:
    depth, level = 0, [root]
    while level:
        depth, level = depth + 1, [child for node in level for child in ast.iter_child_nodes(node)]
    return depth
