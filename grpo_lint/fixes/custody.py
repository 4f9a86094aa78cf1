"""Whether the samples stay what they were, and in their order, from the reading of their rewards to the call.

The samples, their elements and all that may hold them are followed by name, wherever in the function: one name is then
one thing. Looking at them is harmless, and so is an iteration; a call that is not known may change what it is given.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto

from grpo_lint.fixes.normalisation import Refusal
from grpo_lint.fixes.purity import is_function_of_values, is_log, is_method_of_values
from grpo_lint.fixes.tree import Tree, loops_between
from grpo_lint.flow.expressions import path_of
from grpo_lint.flow.facts import FunctionFacts
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.traversal import is_reward_like
from grpo_lint.flow.values import Samples

# Builtins that give a number, a truth or a text of what they are given; those that give its elements.
_LOOKS = frozenset(
    "len range sum any all isinstance print bool str repr hash id type float int round hasattr min max abs".split()
)
_PASSES = frozenset("enumerate zip list tuple set frozenset iter next sorted reversed getattr dict".split())
_SAMPLE_READERS = frozenset("get_reward_value get_reward reward_value index count copy get keys values items".split())
_STORES = ast.Store | ast.Del


class Use(Enum):
    """What the expression around a mention makes of it."""

    LOOK = auto()
    PASS_ON = auto()
    CHANGE = auto()


@dataclass(frozen=True, slots=True, eq=False)
class Mention:
    """One place that names the samples or what may hold them.

    `change` is what may change them there, `holders` are the names that may hold them from there on.
    """

    name: ast.Name
    change: ast.AST | None
    holders: frozenset[str]


@dataclass(frozen=True, slots=True)
class Custody:
    """Follows the samples of one sequence through a function. `identities` are what tells a sample's prompt."""

    facts: FunctionFacts
    tree: Tree
    samples: Samples
    identities: frozenset[str]

    @property
    def path(self) -> str:
        return path_of(self.samples.sequence) or ast.unparse(self.samples.sequence)

    @property
    def root(self) -> str:
        return next(node.id for node in walk_nodes(self.samples.sequence) if isinstance(node, ast.Name))

    def mentions(self) -> Iterator[Mention]:
        """Every mention of the samples and of what may hold them."""
        by_name: dict[str, list[ast.Name]] = {}
        for node in walk_nodes(self.tree.root):
            if isinstance(node, ast.Name):
                by_name.setdefault(node.id, []).append(node)
        seen: set[str] = set()
        stack = sorted(self._owners(by_name))
        while stack:
            name = stack.pop()
            if name in seen:
                continue
            seen.add(name)
            for node in by_name.get(name, ()):
                mention = self._mention(node)
                yield mention
                stack += sorted(mention.holders - seen)

    def _owners(self, by_name: dict[str, list[ast.Name]]) -> set[str]:
        """The sequence's own name, and the names that it was taken from: changing those may change it."""
        found, stack = set[str](), [self.root]
        while stack:
            name = stack.pop()
            if name not in found:
                found.add(name)
                stores = (node for node in by_name.get(name, ()) if isinstance(node.ctx, ast.Store))
                sources = (source for node in stores for source in _sources(node, self.tree))
                stack += [part.id for part in sources if not self._is_called_or_looked_at(part)]
        return found

    def _is_called_or_looked_at(self, name: ast.Name) -> bool:
        parent = self.tree.parents[name]
        is_callee = isinstance(parent, ast.Call) and parent.func is name
        return is_callee or (isinstance(parent, ast.expr) and self._use(name, parent) is Use.LOOK)

    # one mention

    def _mention(self, name: ast.Name) -> Mention:
        """Climb from a name as far as what it gives may still be the samples."""
        node: ast.AST = name
        change: ast.AST | None = (
            name if isinstance(self.tree.parents[name], ast.AugAssign) and _is_stored(name) else None
        )
        holders = set[str]()
        while not _is_stored(node) and (parent := self.tree.parents.get(node)) is not None:
            use = self._use(node, parent)
            if use is Use.CHANGE and change is None:
                change = parent
            holders |= set(_holders(node, parent))
            if use is Use.LOOK or isinstance(parent, ast.stmt | ast.comprehension):
                break
            node = parent
        if change is not None or holders:
            holders |= set(_functions_around(name, self.tree))
        return Mention(name, change, frozenset(holders))

    def _use(self, node: ast.AST, parent: ast.AST) -> Use:
        match parent:
            case ast.Attribute():
                return self._use_of_attribute(parent)
            case ast.Call():
                return self._use_in_call(node, parent)
            case ast.Subscript(value=value):
                return self._use_of_item(parent) if value is node else Use.LOOK
            case ast.Compare() | ast.FormattedValue() | ast.UnaryOp(op=ast.Not()) | ast.Slice():
                return Use.LOOK
            case ast.IfExp(test=test) if test is node:
                return Use.LOOK
            case ast.comprehension(iter=iterated) if iterated is not node:
                return Use.LOOK
            case ast.expr() | ast.comprehension() | ast.keyword() | ast.arguments():
                is_handed_out = isinstance(parent, ast.Yield | ast.YieldFrom)
                return Use.CHANGE if is_handed_out else self._unless_rewards(parent)
            case ast.withitem() | ast.ClassDef():
                return Use.CHANGE
            case ast.Assign(value=ast.expr() as value) | ast.AnnAssign(value=ast.expr() as value):
                return Use.LOOK if is_reward_like(self.facts.value(value)) else Use.PASS_ON
            case ast.If() | ast.While() | ast.Assert() | ast.Expr() | ast.Return() | ast.Raise():
                return Use.LOOK
            case _:
                return Use.PASS_ON

    def _unless_rewards(self, node: ast.AST) -> Use:
        """The rewards that were read off the samples are numbers: who changes them changes no sample."""
        return Use.LOOK if isinstance(node, ast.expr) and is_reward_like(self.facts.value(node)) else Use.PASS_ON

    def _use_of_attribute(self, node: ast.Attribute) -> Use:
        if node.attr.startswith("__"):
            return Use.CHANGE
        if isinstance(node.ctx, _STORES):
            is_kept = node.attr not in self.identities and f".{node.attr}" not in self.path
            return Use.LOOK if is_kept else Use.CHANGE
        is_read = node.attr in self.identities and not _is_callee(node, self.tree)
        return Use.LOOK if is_read else self._unless_rewards(node)

    def _use_of_item(self, node: ast.Subscript) -> Use:
        if not isinstance(node.ctx, _STORES):
            return self._unless_rewards(node)
        match node.slice:
            case ast.Constant(value=str(key)) if key not in self.identities and f"[{key!r}]" not in self.path:
                return Use.LOOK
            case _:
                return Use.CHANGE

    def _use_in_call(self, node: ast.AST, call: ast.Call) -> Use:
        if call.func is node:
            is_known = isinstance(node, ast.Attribute) and _is_reader(node.attr)
            return self._unless_rewards(call) if is_known else Use.CHANGE
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        is_builtin = isinstance(call.func, ast.Name) and not any(each.arg == "key" for each in call.keywords)
        if (is_builtin and name in _LOOKS) or is_log(name):
            return Use.LOOK
        is_known = (is_builtin and name in _PASSES) or is_function_of_values(call, self.facts.module.aliases)
        return self._unless_rewards(call) if is_known else Use.CHANGE


def require_unchanged(
    facts: FunctionFacts, tree: Tree, samples: Samples, at: ast.stmt, identities: frozenset[str]
) -> None:
    """Between the reading of the rewards and a call at `at`, the samples must stay what they were. Raises Refusal."""
    custody = Custody(facts, tree, samples, identities)
    is_between = _between(tree, samples, at)
    for definition in facts.definitions:
        if definition.name in (custody.path, custody.root) and is_between(definition.node):
            raise Refusal(f"`{custody.path}` is bound again on line {_line(definition.node)}")
    given: ast.AST | None = None
    for mention in custody.mentions():
        if mention.change is None:
            continue
        is_in_loop = _is_step_of_reading(mention.change, samples, tree)
        if (is_between(mention.name) and not _is_deferred(mention.name, tree)) or is_in_loop:
            raise Refusal(f"{_called(mention, custody)} is changed on line {_line(mention.change)}, or may be")
        is_leaving = isinstance(tree.statement(mention.name), ast.Return | ast.Raise)
        is_reading = samples.node in tree.ancestors(mention.name)
        if not is_leaving and not is_reading and _is_given(mention) and not is_between(mention.name):
            given = given or mention.change
    if given is not None and _position(given) < _end(samples.node):
        _require_no_call(facts, tree, custody.path, given, is_between)


def _between(tree: Tree, samples: Samples, at: ast.stmt) -> Callable[[ast.AST], bool]:
    loops = loops_between(tree, samples.node, at)
    first, last = _end(samples.node), _end(at)

    def is_between(node: ast.AST) -> bool:
        return any(loop in tree.ancestors(node) for loop in loops) or first < _position(node) <= last

    return is_between


def _require_no_call(
    facts: FunctionFacts, tree: Tree, path: str, given: ast.AST, is_between: Callable[[ast.AST], bool]
) -> None:
    """Who was given the samples may have kept them, and may change them at any call."""
    for node in walk_nodes(tree.root):
        if isinstance(node, ast.Call) and is_between(node) and not _is_known(node, facts):
            raise Refusal(f"`{path}` is handed on on line {_line(given)}, and line {node.lineno} may change it")


def _is_known(call: ast.Call, facts: FunctionFacts) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    is_builtin = isinstance(call.func, ast.Name) and name in _LOOKS | _PASSES
    return is_builtin or is_log(name) or name in _SAMPLE_READERS or is_function_of_values(call, facts.module.aliases)


def _called(mention: Mention, custody: Custody) -> str:
    name = mention.name.id
    return f"`{custody.path}`" if name == custody.root else f"`{name}`, which may hold or come from `{custody.path}`,"


def _is_step_of_reading(change: ast.AST, samples: Samples, tree: Tree) -> bool:
    """In a loop that reads the rewards, a call may give the reward; one that stands alone changes something."""
    if not isinstance(samples.node, ast.For) or samples.node not in tree.ancestors(change):
        return False
    if not isinstance(change, ast.Call):
        return True
    is_append = isinstance(change.func, ast.Attribute) and change.func.attr == "append"
    return isinstance(tree.parents[change], ast.Expr) and not is_append


def _is_deferred(name: ast.Name, tree: Tree) -> bool:
    """In an inner function, which changes something where it is called."""
    return any(True for _ in _functions_around(name, tree))


def _functions_around(name: ast.Name, tree: Tree) -> Iterator[str]:
    for node in tree.ancestors(name):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node is not tree.root:
            yield node.name


def _is_given(mention: Mention) -> bool:
    """Whether the samples are an argument of a call, rather than what is called."""
    call = mention.change
    return isinstance(call, ast.Call) and all(node is not mention.name for node in walk_nodes(call.func))


def _is_reader(method: str) -> bool:
    return method in _SAMPLE_READERS or is_method_of_values(method) or is_log(method)


def _is_callee(node: ast.AST, tree: Tree) -> bool:
    parent = tree.parents[node]
    return isinstance(parent, ast.Call) and parent.func is node


def _is_stored(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), _STORES)


# who holds what


def _holders(node: ast.AST, parent: ast.AST) -> Iterator[str]:
    """The names that hold a value by what stands around it: targets, and the object whose method was given it."""
    match parent:
        case ast.Assign(targets=targets):
            yield from (name for target in targets for name in _names(target))
        case ast.NamedExpr(target=target) | ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            yield from _names(target)
        case ast.For(target=target) | ast.AsyncFor(target=target) | ast.comprehension(target=target):
            yield from _names(target)
        case ast.withitem(optional_vars=ast.expr() as target):
            yield from _names(target)
        case ast.Match(cases=cases):
            yield from (name for case in cases for name in _captured(case.pattern))
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.Call(func=ast.Attribute(value=owner) as function) if function is not node:
            yield from _names(owner)


def _names(node: ast.AST) -> Iterator[str]:
    yield from (part.id for part in walk_nodes(node) if isinstance(part, ast.Name))


def _captured(pattern: ast.pattern) -> Iterator[str]:
    for part in walk_nodes(pattern):
        match part:
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield name


def _sources(target: ast.Name, tree: Tree) -> Iterator[ast.Name]:
    """The names in the expression that a name is given its value from."""
    for parent in tree.ancestors(target):
        match parent:
            case ast.Assign(value=value) | ast.AugAssign(value=value) | ast.NamedExpr(value=value):
                pass
            case ast.AnnAssign(value=ast.expr() as value):
                pass
            case ast.For(iter=value) | ast.AsyncFor(iter=value) | ast.comprehension(iter=value):
                pass
            case ast.withitem(context_expr=value):
                pass
            case ast.Tuple() | ast.List() | ast.Starred():
                continue
            case _:
                return
        yield from (part for part in walk_nodes(value) if isinstance(part, ast.Name) and not _is_stored(part))
        return


def _position(node: ast.AST) -> tuple[int, int]:
    return _line(node), getattr(node, "col_offset", 0)


def _end(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0)


def _line(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 0))
