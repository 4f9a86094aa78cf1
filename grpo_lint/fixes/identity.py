"""The expression that tells each sample's prompt, and how sure it is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from grpo_lint.fixes.custody import require_unchanged
from grpo_lint.fixes.normalisation import Refusal
from grpo_lint.fixes.tree import Tree
from grpo_lint.flow.facts import Definition, FunctionFacts
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.values import Samples, Vector
from grpo_lint.flow.vocabulary import is_identity
from grpo_lint.identity_template import attributes_of, builtins_of, gather
from grpo_lint.model import Safety
from grpo_lint.project import Project

GROUP_INDEX, ROLLOUT_ID = "group_index", "rollout_id"

_TOKEN_COMPANIONS = frozenset({"completion_ids", "attention_mask", "prompt_mask", "completion_mask"})
_TOKEN_NAMES = frozenset({"prompt_ids", "prompt_id", "query_ids", "question_ids", "index", "indices"})
_PREFERRED = ("uids", "uid", "group_ids", "group_indices", "group_index", "prompt_uids", "prompt_ids")
_ITERATOR = re.compile(r"\b(?:Async)?(?:Iterator|Generator)\b")
_POSITIONS = frozenset("range arange argsort randperm nonzero where topk sort enumerate linspace unique".split())
_PADDINGS = frozenset("pad pad_sequence cat concat concatenate stack hstack vstack".split())


@dataclass(frozen=True, slots=True)
class Identity:
    """The source text of the group identities, of the rollout ids where they are proven too, and the names they
    read.
    """

    group_indices: str
    rollout_ids: str | None
    safety: Safety
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the configuration says of identities.

    `group_index` is the expression of a sample's prompt, with {sample} for the sample, where it is not `group_index`.
    """

    group_index: str | None = None
    rollout_ids: bool = True

    def gathered(self, samples: Samples) -> str:
        """The group identities of samples, in their order."""
        if self.group_index is None:
            return _gathered(samples, GROUP_INDEX)
        return gather(self.group_index, samples.element, ast.unparse(samples.sequence))

    @property
    def attributes(self) -> frozenset[str]:
        """The attributes, or keys, of a sample that tell its identities."""
        if self.group_index is None:
            return frozenset({GROUP_INDEX, ROLLOUT_ID})
        return frozenset({ROLLOUT_ID}) | attributes_of(self.group_index)

    @property
    def builtins(self) -> frozenset[str]:
        """What the configured expression reads besides the sample."""
        return builtins_of(self.group_index) if self.group_index else frozenset()


def find_identity(
    facts: FunctionFacts, tree: Tree, vector: Vector, at: ast.stmt, project: Project, wishes: Wishes
) -> Identity:
    """The identity to group by in a call at the statement `at`. Raises Refusal."""
    if vector.disorder is not None:
        raise Refusal(
            f"the rewards are reordered, selected or joined on line {_line(vector.disorder)}, "
            "so the samples' identities no longer stand beside them"
        )
    if vector.samples is not None:
        _require_identity_kept(facts, wishes.attributes)
        require_unchanged(facts, tree, vector.samples, at, wishes.attributes)
        proven = _proven(facts, vector.samples, project, wishes)
        if proven is not None:
            return proven
    named = _named(facts, tree, at)
    if named is not None:
        return Identity(named, None, Safety.UNSAFE, frozenset({named}))
    if vector.samples is not None:
        sequence = ast.unparse(vector.samples.sequence)
        raise Refusal(f"nothing proves that the elements of `{sequence}` have a `{GROUP_INDEX}`")
    raise Refusal("no identity of the samples' prompts is in scope")


# proven by what the elements of the sequence are


def _proven(facts: FunctionFacts, samples: Samples, project: Project, wishes: Wishes) -> Identity | None:
    annotation = _annotation(facts, samples.sequence)
    _require_repeatable(facts, samples.sequence, annotation)
    if annotation is not None:
        has_group, has_rollout = _declared(facts, samples, annotation, project)
    else:
        is_local = _is_local(facts, samples.sequence)
        read = _attributes_read_of_local(facts, samples.sequence) if is_local else frozenset[str]()
        read = read if is_local else _attributes_read(facts.module.tree, samples.sequence)
        has_group, has_rollout = GROUP_INDEX in read, ROLLOUT_ID in read
    if not has_group and wishes.group_index is None:
        return None
    _require_builtins(facts, wishes.builtins)
    rollout_ids = _gathered(samples, ROLLOUT_ID) if has_rollout and wishes.rollout_ids else None
    names = frozenset(node.id for node in walk_nodes(samples.sequence) if isinstance(node, ast.Name))
    return Identity(wishes.gathered(samples), rollout_ids, Safety.SAFE, names)


def _require_repeatable(facts: FunctionFacts, sequence: ast.expr, annotation: ast.expr | None) -> None:
    """The call iterates the sequence again, which an iterator does not survive."""
    rights = [found.right for found in facts.loads.get(sequence, ())] if isinstance(sequence, ast.Name) else []
    is_iterator = annotation is not None and _ITERATOR.search(ast.unparse(annotation)) is not None
    for right in rights:
        match right:
            case ast.GeneratorExp() | ast.Call(func=ast.Name(id="filter" | "map" | "iter" | "zip" | "reversed")):
                is_iterator = True
    if is_iterator:
        raise Refusal(f"`{ast.unparse(sequence)}` can be iterated only once")


def _gathered(samples: Samples, attribute: str) -> str:
    element = samples.element
    return f"[{element}.{attribute} for {element} in {ast.unparse(samples.sequence)}]"


def _annotation(facts: FunctionFacts, sequence: ast.expr) -> ast.expr | None:
    """The annotation of the parameter or local that is iterated, if that is its one definition."""
    if not isinstance(sequence, ast.Name):
        return None
    definitions = {found.node: found for found in facts.loads.get(sequence, frozenset())}
    if len(definitions) != 1:
        return None
    (node,) = definitions
    return node.annotation if isinstance(node, ast.arg | ast.AnnAssign) else None


def _declared(facts: FunctionFacts, samples: Samples, annotation: ast.expr, project: Project) -> tuple[bool, bool]:
    module = project.module(tree=facts.module.tree)
    if module is None:
        return False, False
    reads = samples.attributes | _attributes_read(facts.function, samples.sequence, with_called=True)
    reads -= {GROUP_INDEX, ROLLOUT_ID}
    return (
        project.proves_attribute(annotation, reads, module, GROUP_INDEX),
        project.proves_attribute(annotation, reads, module, ROLLOUT_ID),
    )


def _is_local(facts: FunctionFacts, sequence: ast.expr) -> bool:
    """Whether a sequence is made in the function: then other functions' sequences of that name are other ones."""
    definitions = facts.loads.get(sequence, frozenset()) if isinstance(sequence, ast.Name) else frozenset()
    return any(not isinstance(found.node, ast.arg) for found in definitions)


def _attributes_read_of_local(facts: FunctionFacts, sequence: ast.expr) -> frozenset[str]:
    """The attributes read of the elements of this very sequence: where the same definitions reach its name."""
    wanted = {found.node for found in facts.loads.get(sequence, ())} if isinstance(sequence, ast.Name) else set()
    read: set[str] = set()
    for node in walk_nodes(facts.function):
        for target, iterated, scope in _iterations(node):
            if isinstance(target, ast.Name) and isinstance(iterated, ast.Name):
                reaching = {found.node for found in facts.loads.get(iterated, ())}
                read |= set(_attributes_of(target.id, scope)) if reaching == wanted else set()
    return frozenset(read)


def _require_identity_kept(facts: FunctionFacts, attributes: frozenset[str]) -> None:
    for node in walk_nodes(facts.function):
        if isinstance(node, ast.Attribute) and node.attr in attributes and _is_stored(node):
            raise Refusal(f"line {node.lineno} changes `{ast.unparse(node)}`")
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("setattr", "delattr"):
            raise Refusal(f"line {node.lineno} sets attributes by their names")


def _require_builtins(facts: FunctionFacts, names: frozenset[str]) -> None:
    """What the configured expression reads must be Python's own in this function."""
    scopes = (walk_nodes(facts.function), _own_nodes(facts.module.tree)) if names else ()
    for node in (node for scope in scopes for node in scope):
        for name in names.intersection(_bound(node)):
            raise Refusal(f"the configured `group-index` reads `{name}`, which line {_line(node)} binds")


def _own_nodes(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes of a module that are not inside a function or class."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            pending += ast.iter_child_nodes(node)


def _bound(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.ExceptHandler(name=str(name)):
            return (name,)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            return (name,)
        case ast.alias(name=name, asname=other):
            return (other or name.partition(".")[0],)
    return ()


def _is_stored(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Store | ast.Del)


def _attributes_read(root: ast.AST, sequence: ast.expr, with_called: bool = False) -> frozenset[str]:
    """The attributes read of the elements of sequences of this name, in every loop and comprehension below `root`.

    What is called gives no value when it is read: a method `group_index()` is no attribute that tells the prompt.
    """
    wanted = ast.unparse(sequence)
    read: set[str] = set()
    for node in walk_nodes(root):
        for target, iterated, scope in _iterations(node):
            if isinstance(target, ast.Name) and ast.unparse(iterated) == wanted:
                read |= set(_attributes_of(target.id, scope, with_called))
    return frozenset(read)


def _iterations(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr, ast.AST]]:
    if isinstance(node, ast.For | ast.AsyncFor):
        target, iterated = node.target, node.iter
        if isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Name) and iterated.func.id == "enumerate":
            target = target.elts[-1] if isinstance(target, ast.Tuple) else target
            iterated = iterated.args[0] if iterated.args else iterated
        yield target, iterated, node
    if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp):
        for generator in node.generators:
            yield generator.target, generator.iter, node


def _attributes_of(name: str, scope: ast.AST, with_called: bool = False) -> Iterator[str]:
    nodes = walk_nodes(scope)
    called = set[ast.expr]() if with_called else {node.func for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Name(id=owner), attr=attribute, ctx=ast.Load()) if owner == name:
                if node not in called:
                    yield attribute


# only named like an identity


def _named(facts: FunctionFacts, tree: Tree, at: ast.stmt) -> str | None:
    """A parameter or local, bound before the call, whose name is one for prompt identities."""
    names = _all_names(tree.root)
    has_tokens = not _TOKEN_COMPANIONS.isdisjoint(names)
    found = {
        definition.name
        for definition in facts.definitions
        if is_identity(definition.name)
        and not (has_tokens and definition.name in _TOKEN_NAMES)
        and _is_bound_before(definition, at, tree)
        and not _is_position(definition)
    }
    usable = [name for name in found if not _is_padded(name, tree.root) and _is_unambiguous(name, facts)]
    return min(usable, key=_preference) if usable else None


def _preference(name: str) -> tuple[int, str]:
    return (_PREFERRED.index(name) if name in _PREFERRED else len(_PREFERRED), name)


def _all_names(root: ast.AST) -> frozenset[str]:
    names = {node.arg for node in walk_nodes(root) if isinstance(node, ast.arg)}
    return frozenset(names | {node.id for node in walk_nodes(root) if isinstance(node, ast.Name)})


def _is_bound_before(definition: Definition, at: ast.stmt, tree: Tree) -> bool:
    """Bound in the call's own function: at its top, or earlier in a block around the call."""
    node = definition.node
    if isinstance(node, ast.arg):
        return tree.function(node) is tree.function(at)
    if not isinstance(node, ast.Assign | ast.AnnAssign):
        return False
    holders = [tree.blocks[statement].holder for statement in tree.chain(at) if statement in tree.blocks]
    return node in tree.blocks and tree.blocks[node].holder in holders and node.lineno < at.lineno


def _is_position(definition: Definition) -> bool:
    """An `index` that was read off samples is unique to each; one that was counted or sorted is a position."""
    if definition.right is None:
        return False
    for node in walk_nodes(definition.right):
        match node:
            case ast.Attribute(attr="index" | "indices" | "sample_index"):
                return True
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name in _POSITIONS:
                return True
    return False


def _is_padded(name: str, root: ast.AST) -> bool:
    """Whether a name is padded, concatenated or stacked somewhere: then it holds token ids, or other samples' too."""
    for node in walk_nodes(root):
        match node:
            case ast.Call(func=ast.Attribute(attr=callee) | ast.Name(id=callee)) if callee in _PADDINGS:
                if any(isinstance(part, ast.Name) and part.id == name for part in walk_nodes(node)):
                    return True
    return False


def _is_unambiguous(name: str, facts: FunctionFacts) -> bool:
    return sum(definition.name == name for definition in facts.definitions) == 1


def _line(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 0))
