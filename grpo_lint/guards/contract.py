"""The contract that a guard means: of the one call that its texts are pieces of."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grpo_lint.contracts import CallSite, ContractError, check
from grpo_lint.contracts.arguments import Signature
from grpo_lint.contracts.names import Names
from grpo_lint.contracts.sources import read_source
from grpo_lint.contracts.unit import Unit
from grpo_lint.fixes.layout import one_line
from grpo_lint.fixes.normalisation import Refusal
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.guards.clues import Account, Candidate, account_of, candidates_in
from grpo_lint.guards.names import Function
from grpo_lint.guards.places import Grounds
from grpo_lint.guards.reshapes import code_of_reshape
from grpo_lint.guards.suite import Assertion, Guard
from grpo_lint.guards.values import Place
from grpo_lint.project import Cache, Project
from grpo_lint.project.roots import marked_folder


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """A call that all texts are about: the function that it stands in, and what each text says."""

    function: str
    node: Function
    owner: ast.ClassDef | None
    candidate: Candidate
    accounts: tuple[Account, ...]

    def is_named(self) -> bool:
        """Whether a text says what is called, and not only with which arguments."""
        return any(account.names_it for account in self.accounts)


@dataclass(frozen=True, slots=True)
class Target:
    """The file that is searched, relative to the project's root, and the class or function of it, if not all of it."""

    file: str
    scope: str = ""

    def is_about(self, function: str) -> bool:
        return f"{function}.".startswith(f"{self.scope}." if self.scope else "")


def contract_of(guard: Guard, grounds: Grounds, cache: Cache) -> CallSite:
    """The contract that holds where all assertions of a guard do. Raises Refusal."""
    texts = [(_text(assertion), assertion.search.is_absent) for assertion in guard.assertions]
    target = _target(guard, grounds, cache)
    present = [text for text, is_absent in texts if not is_absent]
    if not present:
        raise Refusal("only absences are asserted, which no contract of a call states by itself")
    absent = [_code(text) for text, is_absent in texts if is_absent]
    try:
        source, tree = read_source(target.file, grounds.root)
        unit = Unit.of(source, tree, Project.for_file(source.path, cache))
        match = _the_match(present, tree, target)
        site = _site(match, unit, target.file)
        return _required(replace(site, absent=tuple(sorted(set(absent)))), grounds)
    except ContractError as error:
        raise Refusal(str(error)) from error


def _text(assertion: Assertion) -> str:
    """The one string that an assertion is about. Raises Refusal."""
    search, line = assertion.search, assertion.search.statement.lineno
    if not search.is_plain:
        raise Refusal(f"the assertion on line {line} says more than that a text is there, or is not")
    if not isinstance(search.needle, ast.Constant) or len(assertion.texts) != 1:
        raise Refusal(f"`{ast.unparse(search.needle)}` stands for other texts, which need contracts of their own")
    return assertion.texts[0]


def _target(guard: Guard, grounds: Grounds, cache: Cache) -> Target:
    """What is read. Raises Refusal."""
    if marked_folder(grounds.path) is None:
        raise Refusal("no pyproject.toml, setup.py or .git says where the project's root is")
    code, *others = {(code.name, code.place): code for code in guard.codes}.values()
    if others:
        raise Refusal("several files are read, and a contract is of one")
    if code.place is not None:
        path, scope = grounds.file_of(code.place), ""
    else:
        path, scope = _file_of_object(code.name, Project.for_file(grounds.path, cache))
    file = grounds.shown(Place(Path(path).as_posix()))
    if file.startswith(("/", "../")) or not path.is_file():
        raise Refusal(f"`{file}` is not found in the project")
    return Target(file, scope)


def _file_of_object(dotted: str, project: Project) -> tuple[Path, str]:
    """The file of a module, and the name of an object in it. Raises Refusal."""
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        path = project.resolve_module(".".join(parts[:length]))
        if path is not None:
            return path, ".".join(parts[length:])
    raise Refusal(f"the file of `{dotted}` is not found in the project")


def _code(text: str) -> str:
    """The rule that knows what a text must not do. Raises Refusal."""
    code = code_of_reshape(text)
    if code is None:
        raise Refusal(f"`{text}` is no reshape of rewards that a rule reports: nothing states its absence")
    return code


def _the_match(texts: Sequence[str], tree: ast.Module, target: Target) -> Match:
    """The one call that the texts are about. Raises Refusal."""
    imports = tuple(node for node in walk_nodes(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    found: list[Match] = []
    nearest: tuple[int, str] = (0, f"`{texts[0]}` is no piece of a call in a function of `{target.file}`")
    for name, node, owner in _functions(tree.body, ""):
        for candidate in candidates_in(node, imports) if target.is_about(name) else ():
            accounts = [account_of(text, candidate) for text in texts]
            known = tuple(account for account in accounts if account is not None)
            if len(known) == len(texts):
                found.append(Match(name, node, owner, candidate, known))
            elif len(known) > nearest[0]:
                called = ast.unparse(candidate.call.func)
                nearest = len(known), f"`{texts[accounts.index(None)]}` is no piece of the call of `{called}`"
    found = [match for match in found if match.is_named()] or found
    if len(found) > 1:
        raise Refusal(f"`{target.file}` has {len(found)} calls that the texts may be about")
    if not found:
        raise Refusal(nearest[1])
    return found[0]


def _functions(
    body: Sequence[ast.stmt], prefix: str, owner: ast.ClassDef | None = None
) -> Iterator[tuple[str, Function, ast.ClassDef | None]]:
    for node in body:
        if isinstance(node, Function):
            yield f"{prefix}{node.name}", node, owner
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{prefix}{node.name}.", node)


def _site(match: Match, unit: Unit, file: str) -> CallSite:
    """The contract of a call. Raises Refusal."""
    call = match.candidate.call
    written = ast.unparse(call.func)
    meanings = Names(unit).meanings(call.func, unit.frame(match.node, match.owner))
    if len(meanings) != 1 or not meanings[0].is_known or meanings[0].name.startswith("builtins."):
        raise Refusal(f"what `{written}` is cannot be told from `{file}`")
    signature = Signature.of(meanings[0])
    parameters = () if signature is None else signature.positional
    arguments: dict[str, ast.expr] = {}
    for position in sorted({each for account in match.accounts for each in account.positions}):
        if position >= len(parameters) or any(isinstance(each, ast.Starred) for each in call.args):
            raise Refusal(f"the parameters of `{written}` are not known")
        arguments[parameters[position]] = call.args[position]
    said = {name for account in match.accounts for name in account.keywords}
    arguments |= {each.arg: each.value for each in call.keywords if each.arg in said and each.arg is not None}
    texts = tuple((name, one_line(unit.source.segment(node))) for name, node in arguments.items())
    results = [account.result for account in match.accounts if account.result is not None]
    return CallSite(file, match.function, meanings[0].name, texts, results[0] if results else None)


def _required(site: CallSite, grounds: Grounds) -> CallSite:
    """The contract, if it holds; without what becomes of the result where it is only that. Raises Refusal."""
    breaches = check(site, grounds.root)
    if not breaches:
        return site
    if site.result is not None and not check(weaker := replace(site, result=None), grounds.root):
        return weaker
    raise Refusal(f"the contract that the texts mean does not hold: {breaches[0].message}")
