"""For tests of a project: assert that call sites keep their contracts, and that nothing is reported.

Neither torch nor the project's own modules are imported: its files are read.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from grpo_lint.contracts import Breach, CallSite, ContractError, Result
from grpo_lint.project.roots import marked_folder

__all__ = ["CallSite", "ContractError", "Result", "assert_call_site", "assert_no_findings", "configured_call_sites"]


def assert_call_site(
    contract: CallSite | None = None,
    *,
    file: str = "",
    function: str = "",
    calls: str = "",
    arguments: Mapping[str, str] | None = None,
    result: Literal["returned", "used"] | None = None,
    absent: Sequence[str] = (),
    root: str | os.PathLike[str] | None = None,
) -> None:
    """Assert that a function calls what it must, as it must.

    Give a `contract`, such as one of `configured_call_sites()`, or its parts: `file` relative to the project's `root`,
    the qualified name of the `function` in it, the dotted name that it `calls`, `arguments` as expressions by
    parameter, what must become of the `result`, and the codes of rules that are to be `absent`. Without `root`, it is
    the nearest folder above the calling file that holds a pyproject.toml, grpo-lint.toml, setup.py or .git.

    Raises AssertionError with each breach, its line and what stands there, ContractError where the contract cannot be
    checked (no such file, a function that is defined twice, an expression that does not parse), and TypeError if both a
    contract and parts of one are given.
    """
    __tracebackhide__ = True
    from grpo_lint.contracts.reading import site_of
    from grpo_lint.contracts.sources import breaches_in_file
    from grpo_lint.rules import FUNCTION_CODES

    folder = _root_of_caller() if root is None else Path(root)
    parts = {"file": file, "function": function, "calls": calls, "arguments": arguments, "result": result}
    given = {name: part for name, part in {**parts, "absent": absent}.items() if part not in (None, "", ())}
    if contract is not None and given:
        raise TypeError(f"a contract is given, and {', '.join(given)} besides: change the contract with `replace`")
    try:
        contract = site_of(given, FUNCTION_CODES) if contract is None else contract
        told = breaches_in_file(contract, folder)
    except ContractError as error:  # raised anew, so that pytest shows the test's own line and no more
        raise ContractError(str(error)) from None
    if told:
        raise AssertionError(_failure(contract, told, folder))


def _failure(contract: CallSite, told: Sequence[Breach], folder: Path) -> str:
    lines = [f"{contract.function} does not keep its contract with {contract.calls}"]
    text = (folder / contract.file).read_text(encoding="utf-8", errors="replace").splitlines()
    for breach in told:
        row = breach.range.start.row
        lines.append(f"{contract.file}:{row}: {breach.message}")
        if breach.range.start != breach.range.end:
            lines.append(f">   {text[row - 1].strip()}")
    return "\n".join(lines)


def assert_no_findings(
    *paths: str | os.PathLike[str],
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    root: str | os.PathLike[str] | None = None,
) -> None:
    """Assert that grpo-lint, as the project configures it, reports nothing in files and folders, relative to `root`.

    `select` and `ignore` take codes, prefixes and ALL, as on the command line. Raises AssertionError with the findings,
    and with what could not be checked, and ValueError for a code that is none.
    """
    __tracebackhide__ = True
    from grpo_lint.config import ConfigResolver, Overrides
    from grpo_lint.contracts.entries import entry_errors
    from grpo_lint.discover import Found, discover
    from grpo_lint.rules import CODES
    from grpo_lint.runner import Job, Mode, check_files
    from grpo_lint.selectors import unknown_selector

    for selector in (*select, *ignore):
        if complaint := unknown_selector(selector, CODES):
            raise ValueError(complaint)
    folder = _root_of_caller() if root is None else Path(root)
    resolver = ConfigResolver(CODES, Overrides(select=tuple(select), ignore=tuple(ignore)))
    entries = discover([str(folder / path) for path in paths or ("",)], resolver)
    jobs = [Job(entry.path, entry.config) for entry in entries if isinstance(entry, Found)]
    results = check_files(jobs, Mode.CHECK, processes=1)
    told = [f"{entry.path}: {entry.reason}" for entry in entries if not isinstance(entry, Found)]
    configs = {str(job.config.file): job.config for job in jobs if job.config.checks_call_sites}
    told += [f"{path}: {error}" for path, config in configs.items() for error in entry_errors(config)]
    for result in results:
        shown = os.path.relpath(result.path, folder)
        told += [f"{shown}: {result.fault.message}"] if result.fault else []
        told += [f"{shown}:{each.range.start.row}: {each.code} {each.message}" for each in result.findings]
    if told:
        raise AssertionError("\n".join([f"grpo-lint is not content with {folder}", *told]))


def configured_call_sites(root: str | os.PathLike[str] | None = None) -> tuple[CallSite, ...]:
    """The contracts in the configuration of the project: for a parametrised test, or to take one and change it.

    Raises ContractError for an entry that is none, and for a configuration that cannot be used.
    """
    from grpo_lint.config import ConfigError, ConfigResolver
    from grpo_lint.contracts.entries import entry_name
    from grpo_lint.rules import CODES

    folder = _root_of_caller() if root is None else Path(root)
    try:
        entries = ConfigResolver(CODES).for_folder(folder.absolute()).call_sites
    except ConfigError as error:
        raise ContractError(f"{error.path}: {error}") from None
    sites = tuple(each for each in entries if isinstance(each, CallSite))
    for number, each in enumerate(entries, 1):
        if not isinstance(each, CallSite):
            raise ContractError(f"{entry_name(number)}: {each.reason}")
    return sites


def _root_of_caller() -> Path:
    """The root of the project that the code belongs to which called this module."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    own = Path(frame.f_code.co_filename).absolute() if frame is not None else None
    return (own and marked_folder(own)) or Path.cwd()
