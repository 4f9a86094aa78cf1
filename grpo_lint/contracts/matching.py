"""Whether a call passes what a contract wants, and whether what it reads is still what it was."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grpo_lint.contracts.arguments import Passed, Signature, passed
from grpo_lint.contracts.call_site import Breach
from grpo_lint.contracts.calls import Site
from grpo_lint.contracts.expressions import Given, Read, Run, followed, paths_of, plain, reads
from grpo_lint.contracts.order import Change
from grpo_lint.contracts.paths import dotted_path, is_below, readable
from grpo_lint.contracts.subject import Subject, line_of, shown
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.suggestion import did_you_mean

_REORDERING = frozenset(
    "sorted reversed shuffle sample permutation sort reverse argsort flip fliplr flipud roll take index_select gather"
    " topk permute rot90 randperm".split()
)


@dataclass(frozen=True, slots=True, eq=False)
class _Argument:
    """What is passed for a parameter, and what that reads, locals followed."""

    name: str
    given: Given
    reads: tuple[Read, ...]

    def evaluated(self) -> Iterator[ast.AST]:
        """The nodes of the expression, and of what its locals were assigned."""
        yield from walk_nodes(self.given.expression)
        for read in self.reads:
            home = read.run.home(read.path)
            for binding in () if home is None else home.frame.scope.of(read.path):
                if isinstance(binding.value, ast.expr):
                    yield from walk_nodes(binding.value)


@dataclass(frozen=True, slots=True, eq=False)
class Matching:
    """One call of the target, and what it must be passed; `root` is the contract's function as it runs."""

    subject: Subject
    site: Site
    root: Run
    wanted: dict[str, ast.expr]
    paths: frozenset[str]

    @classmethod
    def of(cls, subject: Subject, site: Site, root: Run, wanted: dict[str, ast.expr]) -> Matching:
        """The matching of a call; `paths` are those that the wanted expressions read."""
        paths = frozenset(path for value in wanted.values() for path in paths_of(value))
        return cls(subject, site, root, wanted, paths)

    def breaches(self) -> list[Breach]:
        """What is wrong with the arguments."""
        signature = Signature.of(self.site.meaning)
        given = passed(self.site.call, self.site.run, self.site.meaning, signature)
        if changed := list(self._changed()):  # which is why arguments are not what they were
            return changed
        found = [each for name, value in self.wanted.items() for each in self._argument(name, value, given, signature)]
        if found:
            return found
        arguments = [
            _Argument(name, value, tuple(reads(value.expression, value.run))) for name, value in given.by_name.items()
        ]
        return [*self._out_of_step(arguments), *self._reordered(arguments)]

    def _argument(self, name: str, wanted: ast.expr, given: Passed, signature: Signature | None) -> Iterator[Breach]:
        value = given.by_name.get(name)
        is_taken = signature is None or signature.takes(name)
        if is_taken and value is not None and self._is_same(wanted, value):
            return
        call, callee, must = self.site.call, self.subject.site.callee, f"must be `{shown(wanted)}`"
        if signature is not None and not is_taken:
            close = did_you_mean(name, {*signature.positional, *signature.names})
            yield self.subject.breach(call, f"`{callee}` takes no argument `{name}`, which {must}{close}")
        elif value is not None:
            node = value.expression if value.run is self.site.run else call
            told = f"`{shown(value.expression)}`{self._told(value)}"
            yield self.subject.breach(node, f"`{name}` of `{callee}` {must}, and is {told}")
        elif (left := _left_out(name, wanted, given, signature)) is not None:
            yield self.subject.breach(call, f"`{name}` of `{callee}` {must}{left}")

    def _is_same(self, wanted: ast.expr, given: Given) -> bool:
        if given.run is self.root and plain(wanted) == plain(given.expression):
            return True
        there = followed(wanted, self.root, self.site.entry)
        return ast.dump(there) == ast.dump(followed(given.expression, given.run))

    def _told(self, given: Given) -> str:
        """What a local that is passed was assigned, where that is known."""
        if not isinstance(given.expression, ast.Name):
            return ""
        home = given.run.home(given.expression.id)
        found = () if home is None else home.order.reaching(given.expression.id, given.expression)
        values = [each.value for each in found if isinstance(each.value, ast.expr)]
        return f", which is `{shown(values[0])}`" if len(values) == 1 else ""

    def _changed(self) -> Iterator[Breach]:
        """Parameters bound anew, and attributes set, before the call whose arguments read them."""
        of_elements = {name for value in self.wanted.values() for name in _element_attributes(value)}
        for change in self.root.order.changes_before(self.site.entry):
            if self._is_rebound_parameter(change) and change.path in self._roots:
                text = f"`{change.path}` is bound anew here, before the call whose arguments read it"
                yield self.subject.breach(change.node, text)
            elif "." in change.path and (self._is_of_element(change, of_elements) or self._is_read(change)):
                text = f"`{readable(change.path)}` is set here, before the call whose arguments read it"
                yield self.subject.breach(change.node, text)

    def _is_read(self, change: Change) -> bool:
        return any(change.path == path or is_below(path, change.path) for path in self.paths)

    def _is_of_element(self, change: Change, wanted: set[str]) -> bool:
        """Whether an attribute of that name is set, or an item of what a loop runs over."""
        root, _, rest = change.path.partition(".")
        step = rest.rpartition(".")[2]
        is_of_loop = any(isinstance(each.node, ast.For | ast.AsyncFor) for each in self.root.frame.scope.of(root))
        return step in wanted and (is_of_loop or not step.startswith("["))

    def _is_rebound_parameter(self, change: Change) -> bool:
        is_parameter = any(each.is_parameter for each in self.root.frame.scope.of(change.path))
        return is_parameter and change.binding is not None

    def _out_of_step(self, arguments: Sequence[_Argument]) -> Iterator[Breach]:
        """What changes after one argument read it and before the call."""
        told: set[ast.AST] = set()
        for argument in arguments:
            for read in argument.reads:
                if read.run is not self.root or read.path not in self._roots:
                    continue
                change = self.root.order.changed_between([read.item], read.node, self.site.entry)
                if change is not None and change.node not in told:
                    told.add(change.node)
                    text = f"`{read.path}` changes here, after line {line_of(read.node)} read it for the same call"
                    yield self.subject.breach(change.node, text)

    @property
    def _roots(self) -> set[str]:
        """The locals that the wanted expressions read."""
        return {path.partition(".")[0] for path in self.paths} - {self.root.frame.self_name or ""}

    def _reordered(self, arguments: Sequence[_Argument]) -> Iterator[Breach]:
        """Arguments that the contract does not name, put in another order than those that it does."""
        if not any(isinstance(node, ast.comprehension) for value in self.wanted.values() for node in walk_nodes(value)):
            return
        for argument in arguments:
            if argument.name in self.wanted:
                continue
            for node in (*argument.evaluated(), *self._changing_calls(argument)):
                if _reorders(node):
                    text = f"`{shown(node)}` puts `{argument.name}` in another order than the other arguments"
                    yield self.subject.breach(node, text)

    def _changing_calls(self, argument: _Argument) -> Iterator[ast.AST]:
        """The calls that change, in place, what an argument is made of."""
        for read in argument.reads:
            run = read.run.home(read.path)
            if run is not None and read.path not in self._roots:
                end = self.site.call if run is self.site.run else self.site.entry
                yield from (each.node for each in run.order.changes_before(end) if each.concerns(read.path))


def _left_out(name: str, wanted: ast.expr, given: Passed, signature: Signature | None) -> str | None:
    """What is wrong about an argument that is not seen to be passed; None if its default will do."""
    if given.unread is not None:
        return f"; what `{shown(given.unread)}` passes cannot be told"
    if given.has_unnamed:
        return ", and is not passed by name; what goes by position where the project does not show is not told"
    default = signature.defaults.get(name) if signature is not None else None
    if default is None:
        return ", and is not passed"
    return None if plain(default) == plain(wanted) else f", and is left to its default, `{shown(default)}`"


def _reorders(node: ast.AST) -> bool:
    """Whether an expression gives what it is given in another order, or not all of it."""
    match node:
        case ast.Call(func=function):
            return ast.unparse(function).rpartition(".")[2] in _REORDERING
        case ast.Subscript(slice=ast.Slice(lower=lower, upper=upper, step=step), ctx=ast.Load()):
            return any(part is not None for part in (lower, upper, step))
    return False


def _element_attributes(expression: ast.expr) -> Iterator[str]:
    """The attributes, and items, that a comprehension reads of its elements."""
    targets = [node.target for node in walk_nodes(expression) if isinstance(node, ast.comprehension)]
    variables = {node.id for target in targets for node in walk_nodes(target) if isinstance(node, ast.Name)}
    for node in walk_nodes(expression):
        path = dotted_path(node) if isinstance(node, ast.Attribute | ast.Subscript) else None
        if path is not None and path.partition(".")[0] in variables:
            yield path.rpartition(".")[2]
