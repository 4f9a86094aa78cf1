"""The arguments of the call that stands for a normalisation."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from grpo_lint.fixes.context import Context
from grpo_lint.fixes.identity import Identity, find_identity
from grpo_lint.fixes.layout import one_line
from grpo_lint.fixes.normalisation import Normalisation, Refusal, Scaling
from grpo_lint.fixes.purity import is_movable, is_pure
from grpo_lint.fixes.region import Region, Site
from grpo_lint.fixes.rewrite import Anchor
from grpo_lint.fixes.tree import Tree, loops_between
from grpo_lint.flow.expressions import path_of
from grpo_lint.flow.facts import Definition, FunctionFacts
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.project import Argument
from grpo_lint.project.calls import InputKind
from grpo_lint.source import Source

_LIST_TENSORS = ("tensor", "as_tensor", "FloatTensor", "Tensor")
_FLOAT32 = ("float", "float32")
_TENSOR_OPTIONS = ("data", "dtype", "device", "requires_grad", "pin_memory")


@dataclass(frozen=True, slots=True)
class Call:
    """The parts of a call to write: rewards, identities, and keyword arguments with their source texts."""

    rewards: str
    identity: Identity
    keywords: tuple[Argument, ...]
    input_kind: InputKind
    folded: ast.stmt | None
    needed: frozenset[str]


def calls_of(
    facts: FunctionFacts, tree: Tree, region: Region, anchors: Sequence[Anchor], context: Context
) -> dict[Site, Call]:
    """The call of every site. A tensor is left out in favour of its list for all of them or for none."""
    calls = {anchor.site: _call(facts, tree, region, anchor, context) for anchor in anchors}
    if len({call.input_kind for call in calls.values()}) > 1:
        calls = {anchor.site: _call(facts, tree, region, anchor, context, may_fold=False) for anchor in anchors}
    return calls


def _call(
    facts: FunctionFacts, tree: Tree, region: Region, anchor: Anchor, context: Context, may_fold: bool = True
) -> Call:
    normalisation = anchor.site.normalisation
    identity = find_identity(facts, tree, normalisation.vector, anchor.statement, context.project, context.wishes)
    rewards, kind, folded, names = _rewards(facts, tree, region, anchor, context.source, may_fold)
    keywords, parts = _keywords(normalisation, context.source)
    _require_stable(facts, tree, region, anchor, parts)
    needed = (
        names | identity.names | {node.id for part in parts for node in walk_nodes(part) if isinstance(node, ast.Name)}
    )
    return Call(rewards, identity, tuple(keywords), kind, folded, frozenset(needed))


def _rewards(
    facts: FunctionFacts, tree: Tree, region: Region, anchor: Anchor, source: Source, may_fold: bool
) -> tuple[str, InputKind, ast.stmt | None, set[str]]:
    """What to pass: the list that a tensor was made from where only a list is wanted back, else what was grouped."""
    normalisation = anchor.site.normalisation
    operand = _operand(normalisation)
    vector = normalisation.vector
    if any(isinstance(node, ast.keyword) and node.arg == "requires_grad" for node in walk_nodes(vector.version)):
        raise Refusal("gradients flow through the rewards")
    if vector.is_list:
        raise Refusal(f"`{ast.unparse(operand)}` is a list here, and its normalised values are not")
    folded = _folded(facts, tree, region, anchor, operand) if may_fold else None
    if folded is not None and vector.items is not None:
        names = _names(vector.items)
        _require_stable(facts, tree, region, anchor, [vector.items])
        return one_line(source.segment(vector.items)), "list", folded, names
    if not isinstance(operand, ast.Name | ast.Attribute) and not is_pure(operand, facts.module.aliases):
        raise Refusal(f"`{ast.unparse(operand)}` would be evaluated in another place")
    _require_stable(facts, tree, region, anchor, [operand])
    kind: InputKind = "array" if normalisation.library == "numpy" else "tensor"
    return one_line(source.segment(operand)), kind, None, _names(operand)


def _operand(normalisation: Normalisation) -> ast.expr:
    """The expression for the raw rewards: what the grouping that tells the size was made of."""
    grouping = normalisation.sized or next(iter(normalisation.groupings), None)
    if grouping is None:
        raise Refusal("the rewards are not grouped")
    operands = {ast.unparse(found.operand) for found in normalisation.groupings}
    if len(operands) > 1:
        raise Refusal("the rewards go by more than one name")
    return grouping.operand


def _folded(facts: FunctionFacts, tree: Tree, region: Region, anchor: Anchor, operand: ast.expr) -> ast.stmt | None:
    """The statement that makes a tensor of a list, if only the region reads the tensor and only a list is wanted back.

    For an operand that makes the tensor itself, the statement that holds it, which goes anyway.
    """
    vector, site = anchor.site.normalisation.vector, anchor.site
    if vector.items is None or not site.wants_list or not _is_float32_tensor(vector.version, facts):
        return None
    if not is_pure(vector.version, facts.module.aliases):
        return None
    if operand is vector.version:
        return tree.statement(operand)
    if not isinstance(operand, ast.Name):
        return None
    definitions = {found.node for found in facts.loads.get(operand, frozenset())}
    if len(definitions) != 1:
        return None
    (node,) = definitions
    if not isinstance(node, ast.Assign) or node.value is not vector.version or node not in tree.blocks:
        return None
    is_movable_there = isinstance(vector.items, ast.Name) or not _has_effects_between(tree, region, node, anchor)
    return node if is_movable_there and _is_read_only_by(facts, tree, region, site, node) else None


def _has_effects_between(tree: Tree, region: Region, start: ast.stmt, anchor: Anchor) -> bool:
    """Whether kept code between a statement and a call could change what the statement's expression gives."""
    for statement in tree.blocks:
        is_between = start.lineno < statement.lineno < anchor.statement.lineno
        if is_between and statement not in region.statements and not isinstance(statement, ast.If):
            return True
    return bool(loops_between(tree, start, anchor.statement))


def _is_float32_tensor(node: ast.AST, facts: FunctionFacts) -> bool:
    """`torch.tensor(rewards)` or with a float32 dtype: what the reference function computes a list in."""
    if not isinstance(node, ast.Call) or facts.module.aliases.library(node.func) != "torch":
        return False
    if len(node.args) > 1 or any(keyword.arg not in _TENSOR_OPTIONS for keyword in node.keywords):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    dtypes = [keyword.value for keyword in node.keywords if keyword.arg == "dtype"]
    is_float32 = all(isinstance(dtype, ast.Attribute) and dtype.attr in _FLOAT32 for dtype in dtypes)
    return name in _LIST_TENSORS and is_float32


def _is_read_only_by(facts: FunctionFacts, tree: Tree, region: Region, site: Site, statement: ast.stmt) -> bool:
    """Whether every use of a statement's name is in the region, an outlet, or the test of a branch of the region."""
    outlets = {node for outlet in site.outlets for node in walk_nodes(outlet.node)}
    for load, definitions in facts.loads.items():
        if all(found.node is not statement for found in definitions):
            continue
        if load in outlets or tree.statement(load) in region.statements:
            continue
        holder = tree.statement(load)
        if not (isinstance(holder, ast.If) and _is_only_of(holder, region)):
            return False
    return True


def _is_only_of(compound: ast.If, region: Region) -> bool:
    inner = [node for node in walk_nodes(compound) if isinstance(node, ast.stmt) and node is not compound]
    return all(node in region.statements or isinstance(node, ast.If | ast.Pass) for node in inner)


def _keywords(normalisation: Normalisation, source: Source) -> tuple[list[Argument], list[ast.expr]]:
    """The keyword arguments, and the expressions that they were taken from."""
    keywords, parts = [], []
    scaling = normalisation.scaling
    keywords.append(Argument("normalize_std", _condition(scaling, source)))
    parts += [test for test, _ in scaling.tests] if scaling else []
    sized = normalisation.sized
    if sized is not None and sized.size is not None:
        keywords.append(Argument("fallback_group_size", one_line(source.segment(sized.size))))
        parts.append(sized.size)
    if normalisation.siblings is not None:
        parts.append(normalisation.siblings)
    if scaling is not None:
        require_number(scaling.eps)
        eps = "0.0" if scaling.eps is None else one_line(source.segment(scaling.eps))
        keywords.append(Argument("eps", eps, is_default_eps(scaling.eps)))
        parts += [scaling.eps] if scaling.eps is not None else []
        keywords.append(Argument("correction", str(scaling.correction), scaling.correction == 1))
    baseline = '"leave_one_out"' if normalisation.is_leave_one_out else '"mean"'
    keywords.append(Argument("baseline", baseline, not normalisation.is_leave_one_out))
    return keywords, parts


def require_number(eps: ast.expr | None) -> None:
    """The epsilon must be one number: a literal, or a name or attribute that nothing shows to be more."""
    if eps is not None and not isinstance(eps, ast.Constant | ast.Name | ast.Attribute):
        raise Refusal(f"`{ast.unparse(eps)}` is not known to be a number")


def is_default_eps(eps: ast.expr | None) -> bool:
    return isinstance(eps, ast.Constant) and isinstance(eps.value, float) and eps.value == 1e-6


def _condition(scaling: Scaling | None, source: Source) -> str:
    """The value of `normalize_std=`."""
    if scaling is None:
        return "False"
    texts = [_test(test, holds, len(scaling.tests) > 1, source) for test, holds in scaling.tests]
    return " and ".join(texts) if texts else "True"


def _test(test: ast.expr, holds: bool, is_joined: bool, source: Source) -> str:
    if not is_movable(test):
        raise Refusal(f"the condition of the scaling, `{ast.unparse(test)}`, calls a function, which a fix would move")
    text = one_line(source.segment(test))
    if not holds:
        is_simple = isinstance(test, ast.Name | ast.Attribute | ast.Call | ast.Constant)
        return f"not {text}" if is_simple else f"not ({text})"
    needs_parentheses = is_joined and isinstance(test, ast.BoolOp | ast.IfExp | ast.Lambda)
    return f"({text})" if needs_parentheses else text


def _require_stable(
    facts: FunctionFacts, tree: Tree, region: Region, anchor: Anchor, parts: Sequence[ast.expr]
) -> None:
    """What the call reads must mean there what it meant where it was read before."""
    last = anchor.statement.end_lineno or anchor.statement.lineno
    for part in parts:
        if any(isinstance(node, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom) for node in walk_nodes(part)):
            raise Refusal(f"`{ast.unparse(part)}` does more than compute a value")
        for node in (node for node in walk_nodes(part) if isinstance(node, ast.Name)):
            reaching = {found.node for found in facts.loads.get(node, frozenset())}
            loops = loops_between(tree, node, anchor.statement)
            if not reaching.isdisjoint(region.statements):
                raise Refusal(f"`{node.id}` is itself a step of the normalisation")
            paths = [path for each in walk_nodes(part) if isinstance(each, ast.expr) and (path := path_of(each))]
            for definition in facts.definitions:
                if (
                    any(path == definition.name or path.startswith(f"{definition.name}.") for path in paths)
                    and definition.name.split(".")[0].split("[")[0] == node.id
                    and definition.node not in reaching | region.statements
                    and (node.lineno < getattr(definition.node, "lineno", 0) <= last or _is_in(loops, definition, tree))
                ):
                    raise Refusal(f"`{node.id}` changes on line {getattr(definition.node, 'lineno', 0)}")


def _is_in(loops: Sequence[ast.AST], definition: Definition, tree: Tree) -> bool:
    return any(loop in tree.ancestors(definition.node) for loop in loops)


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in walk_nodes(node) if isinstance(part, ast.Name)}
