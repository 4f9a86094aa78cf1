"""Small projects of several shapes, and edits of them that are harmless or do harm: found by running them."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from grpo_lint import contracts


@dataclass(frozen=True, slots=True)
class Shape:
    """A project: its files, the contract of one call in it, and a module `drive` whose `outcomes()` runs it.

    `source` is the folder below which the project's modules are imported.
    """

    name: str
    files: Mapping[str, str]
    site: contracts.CallSite
    source: str = "."

    @property
    def main(self) -> str:
        return self.files[self.site.file]

    def with_files(self, files: Mapping[str, str]) -> Shape:
        return replace(self, files={**self.files, **files})

    def with_site(self, name: str, site: contracts.CallSite) -> Shape:
        return replace(self, name=name, site=site)


@dataclass(frozen=True, slots=True)
class Edit:
    """What somebody does to a project: text of the contract's file that is replaced, and files that are rewritten.

    Where it `is_misjudged`, the contract is known to be wrong about it.
    """

    shape: Shape
    name: str
    is_harmful: bool
    swaps: tuple[tuple[str, str], ...]
    files: tuple[tuple[str, str], ...] = ()
    is_misjudged: bool = False

    def apply(self) -> Shape:
        text = self.shape.main
        for old, new in self.swaps:
            if text.count(old) != 1:
                raise ValueError(f"{self.name}: the file has {text.count(old)} times: {old!r}")
            text = text.replace(old, new)
        return self.shape.with_files({self.shape.site.file: text, **dict(self.files)})


def harmless(shape: Shape, name: str, *swaps: tuple[str, str], **files: str) -> Edit:
    return Edit(shape, name, False, swaps, tuple(files.items()))


def harmful(shape: Shape, name: str, *swaps: tuple[str, str], **files: str) -> Edit:
    return Edit(shape, name, True, swaps, tuple(files.items()))


def missed(shape: Shape, name: str, *swaps: tuple[str, str], **files: str) -> Edit:
    """An edit that does harm, and that the contract accepts."""
    return Edit(shape, name, True, swaps, tuple(files.items()), is_misjudged=True)


def refused(shape: Shape, name: str, *swaps: tuple[str, str], **files: str) -> Edit:
    """A harmless edit that the contract refuses."""
    return Edit(shape, name, False, swaps, tuple(files.items()), is_misjudged=True)


def write(shape: Shape, root: Path) -> Path:
    for name, text in shape.files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root


def holds(shape: Shape, root: Path) -> bool:
    """The contract can be checked in the project of this folder, and has no breach."""
    try:
        return not contracts.check(shape.site, root)
    except contracts.ContractError:
        return False


def outcomes(shape: Shape, root: Path) -> list[object]:
    """What the project computes, or the error that ends it."""
    with warnings.catch_warnings(), _imported(root / shape.source) as drive:
        warnings.simplefilter("ignore")  # such as that of a coroutine that nobody awaits
        return list(drive.outcomes())


@contextmanager
def _imported(source: Path) -> Iterator[ModuleType]:
    before = set(sys.modules)
    sys.path.insert(0, str(source))
    importlib.invalidate_caches()
    try:
        yield importlib.import_module("drive")
    finally:
        sys.path.remove(str(source))
        for name in set(sys.modules) - before:
            if name == "drive" or name.partition(".")[0] == "lab":
                del sys.modules[name]
