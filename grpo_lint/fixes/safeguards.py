"""What must not stand in a function for its text to be rewritten: reads, bindings and changes that line order hides."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set

from grpo_lint.fixes.normalisation import Refusal
from grpo_lint.fixes.purity import is_log, is_pure
from grpo_lint.fixes.region import Region, Site
from grpo_lint.fixes.rewrite import Anchor
from grpo_lint.fixes.tree import Tree, loops_between
from grpo_lint.flow.facts import FunctionFacts
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.values import Value, Vector

_SCOPES = ast.JoinedStr | ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_FLOW = ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom


def require_plain_region(tree: Tree, region: Region, anchors: Sequence[Anchor]) -> None:
    """The steps and the calls must stand in one function, at its own time, and must bind nothing by the way."""
    places = [*region.statements, *(anchor.statement for anchor in anchors)]
    if len({tree.function(place) for place in places}) > 1:
        raise Refusal("the steps of the normalisation stand in several functions")
    if tree.function(anchors[0].statement) is not tree.root:
        raise Refusal("the normalisation stands in an inner function, which may run later or for other values")
    for outlet in (outlet for site in region.sites for outlet in site.outlets):
        if tree.function(outlet.node) is not tree.function(anchors[0].statement):
            raise Refusal(f"the values are used in an inner function on line {outlet.node.lineno}")
        if any(isinstance(found, _SCOPES) for found in _around(tree, outlet.node)):
            raise Refusal(f"the values are used in a comprehension or f-string on line {outlet.node.lineno}")
    _require_no_shared_storage(tree, region)
    nodes = [*region.statements, *(outlet.node for site in region.sites for outlet in site.outlets)]
    for part in (part for node in nodes for part in walk_nodes(node)):
        if isinstance(part, _FLOW):
            raise Refusal(f"`{ast.unparse(part)}` does more than compute a value")


def _require_no_shared_storage(tree: Tree, region: Region) -> None:
    """Two flat forms of one tensor share its storage; two calls do not, so neither may be changed in place."""
    names = {site.name for site in region.sites}
    names |= {
        target.id
        for site in region.sites
        for outlet in site.outlets
        if isinstance(holder := tree.statement(outlet.node), ast.Assign)
        for target in holder.targets
        if isinstance(target, ast.Name)
    }
    if len(region.sites) < 2 and len(names) < 2:
        return
    for node in walk_nodes(tree.root):
        match node:
            case ast.AugAssign(target=ast.Name(id=name)) if name in names:
                raise Refusal(f"`{name}` is changed in place on line {node.lineno}, in all its forms")
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if name in names:
                if method.endswith("_"):
                    raise Refusal(f"`{name}` is changed in place on line {node.lineno}, in all its forms")


def _around(tree: Tree, node: ast.AST) -> Iterator[ast.AST]:
    """The expressions around a node, up to its statement."""
    for found in tree.ancestors(node):
        if isinstance(found, ast.stmt):
            return
        yield found


def require_all_reads_known(
    facts: FunctionFacts, tree: Tree, region: Region, removed: Set[ast.stmt], anchors: Sequence[Anchor]
) -> None:
    """No name whose definition goes may be read where the data flow does not look: an inner function, a handler."""
    rewritten = {anchor.site.name for anchor in anchors}
    names = {found.name for found in facts.definitions if found.node in removed} - rewritten
    gone = {node for part in _replaced(region, removed) for node in walk_nodes(part)}
    for node in walk_nodes(tree.root):
        if not isinstance(node, ast.Name) or node.id not in names | rewritten or node in gone:
            continue
        if isinstance(node.ctx, ast.Del):
            raise Refusal(f"`{node.id}` is deleted on line {node.lineno}")
        is_read = isinstance(node.ctx, ast.Load)
        if is_read and node.id in rewritten and tree.function(node) is not tree.function(anchors[0].statement):
            raise Refusal(f"`{node.id}` is read in an inner function on line {node.lineno}")
        if is_read and (node not in facts.loads or _is_read_elsewhere(tree, node, removed)) and node.id in names:
            raise Refusal(f"`{node.id}` is also read on line {node.lineno}")


def _replaced(region: Region, removed: Set[ast.stmt]) -> Iterator[ast.AST]:
    yield from removed
    yield from (outlet.node for site in region.sites for outlet in site.outlets)


def _is_read_elsewhere(tree: Tree, node: ast.Name, removed: Set[ast.stmt]) -> bool:
    """In another function than the region's, or in a part that runs after an exception or a return."""
    first = next(iter(removed))
    if tree.function(node) is not tree.function(first):
        return True
    for statement in tree.chain(tree.statement(node)):
        block = tree.blocks.get(statement)
        if block is None:
            continue
        is_handler = isinstance(block.holder, ast.ExceptHandler)
        is_final = statement in getattr(block.holder, "finalbody", ())
        if (is_handler or is_final) and statement not in removed:
            return True
    return False


def require_names_kept(tree: Tree, needed: Set[str], anchors: Sequence[Anchor]) -> None:
    """What the calls read, and what they write, must be bound by plain assignments alone."""
    written = {anchor.site.name for anchor in anchors if anchor.site.name}
    for name, line in _odd_bindings(tree.root):
        if name in needed | written:
            raise Refusal(f"`{name}` is bound or deleted on line {line}")
    for anchor in anchors:
        for other in anchors:
            is_later = other is not anchor and other.statement.lineno > anchor.statement.lineno
            if is_later and anchor.site.name in _read_by(other.site):
                raise Refusal(f"`{anchor.site.name}` would be normalised twice")


def _read_by(site: Site) -> set[str]:
    names: set[str] = set()
    for grouping in site.normalisation.groupings:
        names |= {node.id for node in walk_nodes(grouping.operand) if isinstance(node, ast.Name)}
    return names


def _odd_bindings(root: ast.AST) -> Iterator[tuple[str, int]]:
    for node in walk_nodes(root):
        match node:
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield name, node.lineno
            case ast.ExceptHandler(name=str(name)):
                yield name, node.lineno
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from ((alias.asname or alias.name.split(".")[0], node.lineno) for alias in names)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                yield from ((name, node.lineno) for name in names)
            case ast.Name(id=name, ctx=ast.Del()):
                yield name, node.lineno


def require_only_read(facts: FunctionFacts, tree: Tree, region: Region, anchors: Sequence[Anchor]) -> None:
    """Before the call, the rewards may be looked at and computed with, under any name, but not handed on or changed."""
    origins = {id(anchor.site.normalisation.vector.origin) for anchor in anchors}
    last = max(anchor.statement.end_lineno or 0 for anchor in anchors)
    replaced = {node for part in _replaced(region, region.statements) for node in walk_nodes(part)}
    for load in walk_nodes(tree.root):
        if not isinstance(load, ast.Name | ast.Attribute) or load in replaced:
            continue
        value = facts.value(load)
        is_rewards = isinstance(value, Vector) and id(value.origin) in origins
        is_before = load.lineno <= last or any(loops_between(tree, load, anchor.statement) for anchor in anchors)
        if not is_rewards or not is_before:
            continue
        if _is_changed_in_place(load, tree):
            _require_followed(load, facts, tree.statement(load), anchors)
        elif not _is_only_read(load, facts, tree):
            raise Refusal(f"`{ast.unparse(load)}` is handed on or changed on line {load.lineno}")


def _is_changed_in_place(load: ast.expr, tree: Tree) -> bool:
    """`x *= 2`, `x.mul_(2)`, `x.sort()`: a method whose result nobody wants is called for what it changes."""
    parent = tree.parents[load]
    if isinstance(parent, ast.AugAssign):
        return parent.target is load
    call = tree.parents[parent]
    if not (isinstance(parent, ast.Attribute) and isinstance(call, ast.Call) and call.func is parent):
        return False
    return parent.attr.endswith("_") or (isinstance(tree.parents[call], ast.Expr) and not is_log(parent.attr))


def _require_followed(load: ast.expr, facts: FunctionFacts, at: ast.stmt, anchors: Sequence[Anchor]) -> None:
    """The data flow follows a change of the grouped name; one under another name changes the grouped rewards too."""
    is_followed = any(found.node is at for found in facts.definitions)
    for operand in (found.operand for anchor in anchors for found in anchor.site.normalisation.groupings):
        is_own = isinstance(load, ast.Name) and isinstance(operand, ast.Name) and load.id == operand.id
        if is_own and is_followed:
            continue
        definitions = facts.loads.get(operand, frozenset()) if isinstance(operand, ast.Name) else frozenset()
        lines = [getattr(found.node, "lineno", 0) for found in definitions]
        if is_own or not lines or load.lineno > min(lines):
            raise Refusal(f"`{ast.unparse(load)}` is handed on or changed on line {load.lineno}")


def require_plain_filling(facts: FunctionFacts, tree: Tree, anchors: Sequence[Anchor]) -> None:
    """A list of rewards that a loop fills has the order of the loop only where nothing else is done with it by then."""
    for loop in {anchor.site.normalisation.vector.origin for anchor in anchors}:
        filling = [found for found in facts.definitions if found.node is not loop and _is_filled_by(found.value, loop)]
        for name in {found.name for found in filling if isinstance(found.node, ast.Expr)}:
            _require_only_filled(tree, name, loop)


def _is_filled_by(value: Value, loop: ast.AST) -> bool:
    return isinstance(loop, ast.For) and isinstance(value, Vector) and value.version is loop


def _require_only_filled(tree: Tree, name: str, loop: ast.AST) -> None:
    last = getattr(loop, "end_lineno", 0)
    found = [node for node in walk_nodes(tree.root) if isinstance(node, ast.Name) and node.id == name]
    made = [node for node in found if isinstance(node.ctx, ast.Store) and node.lineno < getattr(loop, "lineno", 0)]
    start = max((node.lineno for node in made), default=0)
    for node in found:
        if start <= node.lineno <= last and not _is_filling(node, tree):
            raise Refusal(f"`{name}` is used on line {node.lineno}, while it is being filled")


def _is_filling(node: ast.Name, tree: Tree) -> bool:
    match tree.parents[node]:
        case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=value):
            return target is node and not isinstance(value, ast.NamedExpr)
        case ast.Attribute(attr=method):
            return method == "append"
        case ast.Call(func=ast.Name(id=function)):
            return function == "len" or is_log(function)
        case ast.FormattedValue():
            return True
        case _:
            return False


def _is_only_read(node: ast.AST, facts: FunctionFacts, tree: Tree) -> bool:
    """Whether what stands around a read of the rewards keeps to looking and computing."""
    parent = tree.parents[node]
    match parent:
        case ast.Attribute(ctx=ast.Load()):
            call = tree.parents[parent]
            is_method = isinstance(call, ast.Call) and call.func is parent
            return is_pure(call, facts.module.aliases) if is_method else parent.attr != "data"
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if is_log(name):
            return True
        case ast.Call():
            return is_pure(parent, facts.module.aliases) and all(keyword.arg != "out" for keyword in parent.keywords)
        case ast.keyword(arg=name):
            return name != "out" and _is_only_read(parent, facts, tree)
        case ast.Subscript(ctx=ctx):
            return isinstance(ctx, ast.Load)
        case ast.Assign(targets=targets):
            return all(isinstance(target, ast.Name) for target in targets)
        case ast.Tuple() | ast.List() | ast.Starred():
            return _is_only_read(parent, facts, tree)
        case ast.Return() | ast.comprehension() | ast.For() | ast.expr() | ast.If() | ast.Assert() | ast.AugAssign():
            return not isinstance(parent, ast.Dict | ast.Await | ast.Yield | ast.Lambda)
        case _:
            return isinstance(parent, ast.Expr)
