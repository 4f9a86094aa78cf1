"""Where a copy goes: which file, in which project, imported by which name."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from keyword import iskeyword
from pathlib import Path

from grpo_lint.config import ConfigResolver
from grpo_lint.project import Project
from grpo_lint.project.functions import SKIPPED

DEFAULT_NAME = "grpo_reference.py"
DEFAULT_TESTS_NAME = "test_grpo_reference.py"
# A module of such a name would stand in the way of what it imports, or of what is to be replaced.
HIDDEN = frozenset({"torch", "grpo_lint"})


class CannotVendor(Exception):
    """Why a path cannot hold a copy, in words that follow the path."""


@dataclass(frozen=True, slots=True)
class Place:
    """The file of a copy, by its absolute path, and the absolute folder of the project that it is for."""

    path: Path
    project: Path

    def shown_from_project(self) -> str:
        """The path as a command that is run in the project's folder would name it."""
        return os.path.relpath(self.path, self.project).replace(os.sep, "/")

    @property
    def module(self) -> str:
        """The name by which the file's neighbours import it. Raises CannotVendor."""
        return name_seen_from(self.path, self.path)


def find_place(named: str, default_name: str, resolver: ConfigResolver) -> Place:
    """The file that a path means: itself, or in a folder the one of the default name.

    Raises CannotVendor where nothing can be written there, ConfigError for a configuration that is no use.
    """
    path = Path(named).absolute()
    path = path.resolve() if ".." in path.parts else path
    if path.is_dir():
        path = path / default_name
    if path.suffix != ".py":
        raise CannotVendor("does not end in .py, and is not a folder")
    if not path.parent.is_dir():
        raise CannotVendor(f"cannot be written: {path.parent} is not a folder")
    if path.exists() and not path.is_file():
        raise CannotVendor("is not a regular file")
    if path.is_symlink() and not path.exists():
        raise CannotVendor("is a link that leads nowhere")
    return Place(path, _project_folder(path.parent, resolver))


def require_importable(place: Place) -> None:
    """Raise CannotVendor if code could not import the file, or if it would hide what other code imports."""
    stem = place.path.stem
    if not stem.isidentifier() or iskeyword(stem):
        raise CannotVendor(f"cannot be imported: `{stem}` is no name that Python code can use")
    if stem.startswith("__") and stem.endswith("__"):
        raise CannotVendor("is no place for a copy: give it a module of its own")
    if hidden := _folder_not_searched(place):
        raise CannotVendor(f"is in {hidden}/, where repairs do not look for functions to import")
    if (place.path.with_suffix("") / "__init__.py").is_file():
        raise CannotVendor(f"cannot be imported: the package {stem}/ beside it has its name")
    module = place.module
    top = module.partition(".")[0]
    if top in HIDDEN or (top == module and top in sys.stdlib_module_names):
        raise CannotVendor(f"would hide the module `{top}` that other code imports")


def _folder_not_searched(place: Place) -> str | None:
    inner = place.path.parent.relative_to(place.project).parts
    return next((name for name in inner if name.startswith(".") or name in SKIPPED), None)


def name_seen_from(path: Path, importer: Path) -> str:
    """The absolute name by which one file of a codebase imports another. Raises CannotVendor if there is none."""
    name = Project.for_file(importer).name_of(path)
    if name is None or any(map(iskeyword, name.split("."))):
        raise CannotVendor("cannot be imported: no folder that is searched for modules leads to it")
    return name


def _project_folder(folder: Path, resolver: ConfigResolver) -> Path:
    """The folder of the configuration or the nearest pyproject.toml, but not beyond a repository; else the folder."""
    root = resolver.for_folder(folder).root
    has_project = root != folder or any((root / name).is_file() for name in ("pyproject.toml", "grpo-lint.toml"))
    repository = next((each for each in (folder, *folder.parents) if os.path.lexists(each / ".git")), None)
    if repository is None:
        return root
    return repository if not has_project or repository.is_relative_to(root) else root
