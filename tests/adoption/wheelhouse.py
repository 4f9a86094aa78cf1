"""Wheels of all that grpo-lint needs to be built and installed, made of what is installed here: no index is asked."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_OF_THE_INSTALLER = {"INSTALLER", "RECORD", "REQUESTED", "direct_url.json"}


def build_wheelhouse(pyproject: Path, folder: Path) -> None:
    """Fill a folder with a wheel of each requirement of a project, and of what those require in turn."""
    table = tomllib.loads(pyproject.read_text("utf-8"))
    needed = [*table["build-system"]["requires"], *table["project"]["dependencies"]]
    for each in _closure(map(Requirement, needed)):
        _repack(each, folder)


def _closure(requirements: Iterable[Requirement]) -> Iterator[Distribution]:
    left = [(each, "") for each in requirements]
    seen: set[tuple[str, str]] = set()
    found: set[str] = set()
    while left:
        requirement, extra = left.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        name, installed = canonicalize_name(requirement.name), distribution(requirement.name)
        new = {(name, each) for each in ("", *requirement.extras)} - seen
        seen |= new
        left += [(Requirement(line), each) for _, each in new for line in installed.requires or ()]
        if name not in found:
            found.add(name)
            yield installed


def _repack(installed: Distribution, folder: Path) -> None:
    """Write the wheel that a distribution was installed from, as far as its installation shows it."""
    stem = f"{canonicalize_name(installed.name).replace('-', '_')}-{installed.version}"
    names = [each for each in installed.files or () if _is_of_the_wheel(each.as_posix())]
    assert names, f"{installed.name} keeps no record of its files: set GRPO_LINT_WHEELHOUSE to a folder of wheels"
    (metadata,) = {each.parts[0] for each in names if each.match("*.dist-info/METADATA")}
    with zipfile.ZipFile(folder / f"{stem}-{_tag(installed)}.whl", "w", zipfile.ZIP_STORED) as wheel:
        for each in names:
            wheel.write(each.locate(), each.as_posix())
        record = f"{metadata}/RECORD"
        wheel.writestr(record, "".join(f"{each},,\n" for each in [*wheel.namelist(), record]))


def _is_of_the_wheel(name: str) -> bool:
    """Not so are scripts, which lie above the packages, and what the installer adds."""
    first, *_, last = name.split("/")
    is_of_the_installer = first.endswith(".dist-info") and last in _OF_THE_INSTALLER
    return first != ".." and not last.endswith(".pyc") and not is_of_the_installer


def _tag(installed: Distribution) -> str:
    lines = (installed.read_text("WHEEL") or "").splitlines()
    tags = [line.removeprefix("Tag:").strip().split("-") for line in lines if line.startswith("Tag:")]
    return "-".join(".".join(sorted(set(part))) for part in zip(*tags, strict=True))
