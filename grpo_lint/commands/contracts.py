"""`grpo-lint contracts`: the contracts of call sites, whether they hold, and a proposal for a call that is there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from grpo_lint.commands import CLEAN, FINDINGS, INCOMPLETE
from grpo_lint.commands._parser import Parser
from grpo_lint.report import ReportOptions, printable
from grpo_lint.report.summary import number_of

if TYPE_CHECKING:
    from grpo_lint.config import Config
    from grpo_lint.contracts import CallSite
    from grpo_lint.contracts.reading import Misfit

_EPILOG = """\
`grpo-lint contracts infer FILE::FUNCTION` proposes the contract of a call that is there now, as an entry for the
configuration.

exit status: 0 all hold, 1 one does not, 2 one could not be checked
"""
_INFER = "Propose the contract of a call as it is now, as an entry for the configuration."
_NORMALISER = "normalize_rewards_by_group"


def run(words: list[str]) -> int:
    return _infer(words[1:]) if words[:1] == ["infer"] else _list(words)


def _list(words: list[str]) -> int:
    parser = Parser("grpo-lint contracts", "List the contracts of call sites and say whether they hold.", _EPILOG)
    parser.add_argument("path", nargs="?", default=".", metavar="PATH", help="(default: the current folder)")
    path = Path(parser.read(words).path).absolute()
    config = _config_of(path)
    if config is None:
        return INCOMPLETE
    if not config.call_sites:
        sys.stdout.write("No contracts: the configuration has no `call-sites`.\n")
        return CLEAN
    states = [_State.of(number, entry, config) for number, entry in enumerate(config.call_sites, 1)]
    for state in states:
        sys.stdout.writelines(printable(line) + "\n" for line in state.lines())
    sys.stdout.write(_summary(states))
    return (
        INCOMPLETE if any(each.error for each in states) else FINDINGS if any(each.told for each in states) else CLEAN
    )


class _State:
    """An entry of the configuration: what breaks its contract, or why it cannot be checked."""

    def __init__(self, name: str, told: list[str], error: str | None = None) -> None:
        self.name, self.told, self.error = name, told, error

    @classmethod
    def of(cls, number: int, entry: CallSite | Misfit, config: Config) -> _State:
        from grpo_lint.contracts import CallSite, ContractError
        from grpo_lint.contracts.file import breaches_in_file

        if not isinstance(entry, CallSite):
            return cls(f"entry {number}", [], entry.reason)
        name = f"{entry.file}::{entry.function} calls {entry.calls}"
        try:
            found = breaches_in_file(entry, config.root)
        except ContractError as error:
            return cls(name, [], str(error))
        places = (f"{entry.file}:{each.range.start.row}:{each.range.start.column}" for each in found)
        return cls(name, [f"{place}: {each.message}" for place, each in zip(places, found, strict=True)])

    def lines(self) -> Iterator[str]:
        state = "cannot be checked" if self.error else "broken" if self.told else "holds"
        yield f"{self.name}: {state}"
        yield from (f"  {each}" for each in ([self.error] if self.error else self.told))


def _summary(states: list[_State]) -> str:
    holding = sum(not each.told and not each.error for each in states)
    unfit = sum(each.error is not None for each in states)
    end = f", {unfit} cannot be checked" if unfit else ""
    return f"{number_of(len(states), 'contract')}: {holding} held, {len(states) - holding - unfit} broken{end}.\n"


def _infer(words: list[str]) -> int:
    from grpo_lint.contracts import ContractError

    parser = Parser("grpo-lint contracts infer", _INFER)
    parser.add_argument("place", metavar="FILE::FUNCTION", help="slime/ray/rollout.py::RolloutManager.post_process")
    parser.add_argument("--calls", metavar="NAME", help="what is called, where the function calls several things")
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
    from grpo_lint.contracts.file import findings_of, read_source
    from grpo_lint.contracts.inference import callees, infer
    from grpo_lint.contracts.reading import toml_of
    from grpo_lint.contracts.unit import Unit
    from grpo_lint.project import Cache, Project
    from grpo_lint.rules import RULES
    from grpo_lint.subjects import FUNCTIONS

    source, tree = read_source(str(path), Path())
    cache = Cache()
    orders = Orders.of_unit(Unit.of(source, tree, Project.for_file(path, cache)))
    file = (
        path.relative_to(config.root.absolute()).as_posix()
        if path.is_relative_to(config.root.absolute())
        else path.name
    )
    site = CallSite(file, function, "")
    called = _chosen(callees(site, orders), calls, function)
    codes = [rule.code for rule in RULES if rule.subject is FUNCTIONS and not rule.preview]
    findings = findings_of(source, tree, config, cache)
    inferred = infer(CallSite(file, function, called), orders, findings, codes)
    is_own_file = config.file is not None and config.file.name != "pyproject.toml"
    return toml_of(inferred, "call-sites" if is_own_file else "tool.grpo-lint.call-sites")


def _chosen(called: tuple[str, ...], calls: str | None, function: str) -> str:
    from grpo_lint.contracts import ContractError

    wanted = [name for name in called if calls is None or name == calls or name.rpartition(".")[2] == calls]
    normalisers = [name for name in wanted if name.rpartition(".")[2] == _NORMALISER]
    if calls is not None and not wanted and "." in calls:
        return calls
    if len(wanted) != 1 and len(normalisers) != 1:
        listed = "".join(f"\n  --calls {name}" for name in wanted or called)
        what = (
            "several functions of the project: choose with" if wanted else f"no {calls or 'function of another file'}"
        )
        raise ContractError(f"`{function}` calls {what}{listed}")
    return normalisers[0] if len(normalisers) == 1 else wanted[0]


def _config_of(path: Path) -> Config | None:
    """The configuration of a path; None if it cannot be used, which is said."""
    from grpo_lint.config import ConfigError, ConfigResolver
    from grpo_lint.rules import CODES

    try:
        return ConfigResolver(CODES).for_folder(path if path.is_dir() else path.parent)
    except ConfigError as error:
        shown = ReportOptions(str(Path.cwd())).displayed(str(error.path))
        sys.stderr.write(f"{printable(shown)}: {printable(str(error))}\n")
        return None
