"""Paths of a project's source files, as far as a test spells them."""

from __future__ import annotations

import posixpath
import re
import sys
from dataclasses import dataclass
from pathlib import Path, PurePath

from grpo_lint.guards.values import Place
from grpo_lint.project.roots import marked_folder
from grpo_lint.subjects import is_test

# A folder that a test is handed, or imports, is the project's if its name says so: `tmp_path` and `workspace` do not.
_FOLDER_OF_PROJECT = re.compile(
    r"(?i:^|_)(?i:repo|repository|project|source|src|package|pkg)_?(?i:root|dir|path|folder)$"
)
_ROOT = re.compile(r"(?i:^_?(?:root|rootdir|root_dir|root_path|rootpath|here|this_dir|repo|src|src_dir)$)")
_OTHERS = frozenset({"site-packages", "dist-packages"})
_METADATA = frozenset({"setup.py", "conf.py"})  # is read like a table: what it says is what counts
_TESTS = frozenset({"test", "tests", "conftest"})
_STANDARD = frozenset(sys.stdlib_module_names)


@dataclass(frozen=True, slots=True)
class Grounds:
    """Where a test stands in its project. Where it leaves the working folder, relative paths are not the project's."""

    path: Path
    root: Path
    is_left: bool = False

    @classmethod
    def of(cls, path: str) -> Grounds:
        absolute = Path(path).absolute()
        return cls(absolute, project_root(absolute))

    @property
    def own(self) -> Place:
        return Place(self.path.as_posix())

    def is_source(self, place: Place) -> bool:
        """Whether a file is Python code of the project, and none of its tests."""
        if not place.path.endswith(".py") or place.path in {self.own.path, ".py"} or "*" in place.path:
            return False
        if self.is_left and not place.path.startswith("/"):
            return False
        shown = self.shown(place)
        parts = shown.split("/")
        return _OTHERS.isdisjoint(parts) and parts[-1] not in _METADATA and not is_test(shown, PurePath())

    def shown(self, place: Place) -> str:
        """A path relative to the project's root."""
        root = self.root.as_posix().rstrip("/")
        return place.path.removeprefix(f"{root}/").removeprefix("./")

    def file_of(self, place: Place) -> Path:
        """The file at a place."""
        return self.root / place.path


def project_root(path: Path) -> Path:
    """The nearest folder above a test that is marked as a project's; else the one that holds its tests."""
    if (marked := marked_folder(path)) is not None:
        return marked
    tests = [each.parent for each in path.parents if each.name in {"test", "tests"}]
    return tests[-1] if tests else path.parent


def joined(*parts: str) -> Place:
    """A path of parts; one that is absolute replaces those before it."""
    return Place(posixpath.normpath(posixpath.join("", *(part.replace("\\", "/") for part in parts))))


def parent(place: Place, levels: int = 1) -> Place:
    path = place.path
    for _ in range(levels):
        path = posixpath.dirname(path) if path.strip("./") else posixpath.join(path, "..")
    return Place(path or ".")


def file_of_module(dotted: str) -> Place | None:
    """The file of a module that is imported by this name; None where the module is not the project's."""
    if not is_of_project(dotted):
        return None
    return Place(f"{dotted.replace('.', '/')}.py" if "." in dotted else f"{dotted}/__init__.py")


def is_of_project(dotted: str) -> bool:
    """Whether a dotted name leads to the project's code: not to the standard library or to other tests."""
    parts = dotted.split(".")
    return parts[0] not in {"", *_STANDARD} and not any(
        is_test(f"{part}.py", PurePath()) or part in _TESTS for part in parts
    )


def names_project_folder(name: str) -> bool:
    """Whether a name of something unknown says that it is the project's folder."""
    return bool(_FOLDER_OF_PROJECT.search(name) or _ROOT.search(name))
