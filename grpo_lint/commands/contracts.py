"""`grpo-lint contracts`: the contracts of call sites, whether they hold, and a proposal for a call that is there."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grpo_lint.commands import CLEAN, FINDINGS, INCOMPLETE
from grpo_lint.commands._parser import Parser
from grpo_lint.report import ReportOptions, printable
from grpo_lint.report.summary import number_of
from grpo_lint.suggestion import did_you_mean

if TYPE_CHECKING:
    from grpo_lint.config import Config
    from grpo_lint.contracts import CallSite
    from grpo_lint.contracts.effects import Orders

_EPILOG = """\
`grpo-lint contracts infer FILE::FUNCTION` proposes the contract of a call that is there now, as an entry for the
configuration. `grpo-lint` reports breaches, too, in the files that it checks and as `select`, `exclude` and comments
allow; this command checks every entry, whatever they say.

exit status: 0 all hold, 1 one does not, 2 one could not be checked
"""
_INFER = "Propose the contract of a call as it is now, as an entry for the configuration."
_INFER_EPILOG = """\
Without --calls, that is the one function of another file of the project that the function calls, or among several
normalize_rewards_by_group.
"""
_NORMALISER = "normalize_rewards_by_group"


def run(words: list[str]) -> int:
    return _infer(words[1:]) if words[:1] == ["infer"] else _list(words)


def _list(words: list[str]) -> int:
    parser = Parser("grpo-lint contracts", "List the contracts of call sites and say whether they hold.", _EPILOG)
    parser.add_argument(
        "path", nargs="?", default=".", metavar="PATH", help="whose configuration to read (default: the current folder)"
    )
    path = Path(parser.read(words).path).absolute()
    if not path.exists():
        close = did_you_mean(path.name, ["infer"])
        parser.error(f"{printable(repr(words[0]))} is neither a path nor `infer`{close}")
    config = _config_of(path)
    if config is None:
        return INCOMPLETE
    if not config.call_sites:
        where = "there is no configuration" if config.file is None else f"{_shown(config.file)} has no `call-sites`"
        sys.stdout.write(f"No contracts: {printable(where)}.\n")
        return CLEAN
    states = list(_states(config))
    for state in states:
        sys.stdout.writelines(printable(line) + "\n" for line in state.lines())
    sys.stdout.write(f"{printable(_shown(config.file))}: {_summary(states)}" if config.file else _summary(states))
    return (
        INCOMPLETE if any(each.error for each in states) else FINDINGS if any(each.told for each in states) else CLEAN
    )


@dataclass(frozen=True, slots=True)
class _State:
    """An entry of the configuration: what breaks its contract, or why it cannot be checked."""

    number: int
    name: str
    told: tuple[str, ...] = ()
    error: str | None = None

    def lines(self) -> Iterator[str]:
        state = "cannot be checked" if self.error else "broken" if self.told else "holds"
        yield f"{self.name}: {state}"
        yield from (f"  {each}" for each in ([self.error] if self.error else self.told))


def _states(config: Config) -> Iterator[_State]:
    """The states of all entries, in their order."""
    from grpo_lint.contracts import CallSite
    from grpo_lint.contracts.sources import outcomes
    from grpo_lint.project import Cache

    entries = list(enumerate(config.call_sites, 1))
    sites = [(number, each) for number, each in entries if isinstance(each, CallSite)]
    found = {each.number: each for each in outcomes(sites, config.root, Cache())}
    for number, entry in entries:
        if isinstance(entry, CallSite):
            outcome, path = found[number], _shown(config.root.absolute() / entry.file)
            told = (
                f"{path}:{each.range.start.row}:{each.range.start.column}: {each.message}" for each in outcome.breaches
            )
            yield _State(number, f"{entry} calls {entry.calls}", tuple(told), outcome.error)
        else:
            yield _State(number, f"entry {number}", error=entry.reason)


def _shown(path: Path) -> str:
    return ReportOptions(str(Path.cwd())).displayed(str(path))


def _summary(states: list[_State]) -> str:
    holding = sum(not each.told and not each.error for each in states)
    unfit = sum(each.error is not None for each in states)
    end = f", {unfit} cannot be checked" if unfit else ""
    return f"{number_of(len(states), 'contract')}: {holding} held, {len(states) - holding - unfit} broken{end}.\n"


def _infer(words: list[str]) -> int:
    from grpo_lint.contracts import ContractError

    parser = Parser("grpo-lint contracts infer", _INFER, _INFER_EPILOG)
    parser.add_argument("place", metavar="FILE::FUNCTION", help="such as lab/rollout.py::RolloutManager.post_process")
    parser.add_argument("--calls", metavar="NAME", help="what is called, where that is not the only such call")
    options = parser.read(words)
    file, separator, function = options.place.partition("::")
    if not separator or not file or not function:
        parser.error(f"{printable(repr(options.place))} is no place such as FILE::FUNCTION")
    config = _config_of(Path(file).absolute())
    if config is None:
        return INCOMPLETE
    try:
        sys.stdout.write(_proposal(Path(file).absolute(), function, options.calls, config))
    except ContractError as error:
        sys.stderr.writelines(f"{printable(line)}\n" for line in str(error).splitlines())
        return INCOMPLETE
    return CLEAN


def _proposal(path: Path, function: str, calls: str | None, config: Config) -> str:
    """The entry for the configuration. Raises ContractError."""
    from grpo_lint.contracts.call_site import CallSite
    from grpo_lint.contracts.effects import Orders
    from grpo_lint.contracts.inference import infer
    from grpo_lint.contracts.reading import toml_of
    from grpo_lint.contracts.sources import findings_in, read_source
    from grpo_lint.contracts.unit import Unit
    from grpo_lint.project import Cache, Project
    from grpo_lint.rules import RULES
    from grpo_lint.subjects import FUNCTIONS

    source, tree = read_source(str(path), Path())
    cache = Cache()
    orders = Orders.of_unit(Unit.of(source, tree, Project.for_file(path, cache)))
    root = _root(path, config)
    site = CallSite(path.relative_to(root).as_posix(), function, "")
    chosen = CallSite(site.file, function, _chosen(site, calls, orders))
    codes = [rule.code for rule in RULES if rule.subject is FUNCTIONS and not rule.preview]
    inferred = infer(chosen, orders, findings_in(source, tree, cache, frozenset()), codes)
    is_own_file = config.file is not None and config.file.name != "pyproject.toml"
    where = _shown(config.file or root / "pyproject.toml")
    head = f"# for {where}; leave out what the call need not keep\n"
    left = [f"# left out: {reason}\n" for reason in inferred.left_out]
    return head + "".join(left) + toml_of(inferred.site, "call-sites" if is_own_file else "tool.grpo-lint.call-sites")


def _root(path: Path, config: Config) -> Path:
    """The folder that the entry's file is relative to: the configuration's, or where one would go."""
    from grpo_lint.project.roots import marked_folder

    return config.root.absolute() if config.file is not None else marked_folder(path) or path.parent


def _chosen(site: CallSite, calls: str | None, orders: Orders) -> str:
    """The dotted name of what a contract is proposed of. Raises ContractError."""
    from grpo_lint.contracts import ContractError
    from grpo_lint.contracts.inference import callees

    every = callees(site, orders)
    if calls is not None:
        last = calls.rpartition(".")[2]
        named = [
            name for name in every.known if name == calls or (name.rpartition(".")[2] == last and "." not in calls)
        ]
        named = named or [name for name in every.known if calls.startswith("self.") and name.endswith(calls[4:])]
        if len(named) == 1 or "." in calls:
            return named[0] if named else calls
        raise ContractError(
            _choose(f"`{site.function}` calls {'several' if named else 'no'} `{calls}`", named or every.known)
        )
    normalisers = [name for name in every.of_other_files if name.rpartition(".")[2] == _NORMALISER]
    wanted = normalisers or every.of_other_files
    if len(wanted) != 1:
        what = "several functions" if wanted else "no function"
        raise ContractError(_choose(f"`{site.function}` calls {what} of other files", wanted or every.known))
    return wanted[0]


def _choose(what: str, names: Sequence[str]) -> str:
    listed = "".join(f"\n  --calls {name}" for name in names)
    return f"{what}: choose with{listed}" if listed else what


def _config_of(path: Path) -> Config | None:
    """The configuration of a path; None if it cannot be used, which is said."""
    from grpo_lint.config import ConfigError, ConfigResolver
    from grpo_lint.rules import CODES

    try:
        return ConfigResolver(CODES).for_folder(path if path.is_dir() else path.parent)
    except ConfigError as error:
        sys.stderr.write(f"{printable(_shown(error.path))}: {printable(str(error))}\n")
        return None
