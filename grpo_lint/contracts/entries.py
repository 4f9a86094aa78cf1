"""The entries of `call-sites` in a configuration: those of a file, and what is wrong with them whatever it holds.

Asked for every file, so nothing is imported that checks a contract.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from grpo_lint.contracts.call_site import CallSite

if TYPE_CHECKING:
    from grpo_lint.config import Config


def sites_of(path: str, config: Config) -> list[tuple[int, CallSite]]:
    """The contracts that a configuration has of a file, with the numbers of their entries.

    A file that is found under the name of a link to it, or that an entry names by one, is the same file.
    """
    if not config.call_sites:
        return []
    files = tuple(site.file if isinstance(site, CallSite) else None for site in config.call_sites)
    numbers = _numbers_by_path(str(config.root), files).get(os.path.realpath(path), ())
    sites = ((number, config.call_sites[number - 1]) for number in numbers)
    return [(number, site) for number, site in sites if isinstance(site, CallSite)]


@lru_cache(maxsize=32)  # asked for every file, and few configurations hold for a run
def _numbers_by_path(root: str, files: tuple[str | None, ...]) -> Mapping[str, tuple[int, ...]]:
    """The numbers of the entries by where their files are, links followed."""
    real = {file: os.path.realpath(os.path.join(root, file)) for file in set(files) if file is not None}  # noqa: PTH118
    found: dict[str, tuple[int, ...]] = {}
    for number, file in enumerate(files, 1):
        if file is not None:
            found[real[file]] = (*found.get(real[file], ()), number)
    return found


def _path(site: CallSite, config: Config) -> str:
    return os.path.abspath(config.root / site.file)  # noqa: PTH100


def entry_name(number: int, site: CallSite | None = None) -> str:
    """How an error calls an entry of the configuration."""
    what = "" if site is None else f" ({site})"
    return f"call-sites, entry {number}{what}"


def entry_errors(config: Config) -> list[str]:
    """What is wrong with the entries of a configuration, whatever their files hold."""
    errors = []
    for number, site in enumerate(config.call_sites, 1):
        if not isinstance(site, CallSite):
            errors.append(f"{entry_name(number)}: {site.reason}")
        elif not os.path.isfile(_path(site, config)):  # noqa: PTH113
            errors.append(f"{entry_name(number, site)}: there is no file {site.file}")
    return errors
