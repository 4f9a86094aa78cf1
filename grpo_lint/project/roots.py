"""Where a file's imports are sought, and which top-level names are the project's own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TypeGuard

NAMESPACE_DEPTH = 3
MARKERS = ("pyproject.toml", ".git")
PROJECT_MARKERS = ("pyproject.toml", "grpo-lint.toml", "setup.py", ".git")


@dataclass(frozen=True, slots=True)
class Parties:
    """Top-level packages: those that the configuration calls first and third party, and those found in the project."""

    first: frozenset[str] = frozenset()
    third: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()


def package_parent(path: Path) -> Path | None:
    """The folder above the outermost package that holds the file; None where the file is in no package."""
    folder = path.parent
    while (folder / "__init__.py").is_file() and folder != folder.parent:
        folder = folder.parent
    return None if folder == path.parent else folder


def project_folder(path: Path) -> Path | None:
    """The folder of the nearest pyproject.toml above the file."""
    return next((folder for folder in path.parents if (folder / "pyproject.toml").is_file()), None)


def marked_folder(path: Path) -> Path | None:
    """The nearest folder above a file that looks like a project's: with its configuration, or under version control."""
    return next((folder for folder in path.parents if any((folder / name).exists() for name in PROJECT_MARKERS)), None)


def source_roots(path: Path) -> tuple[Path, ...]:
    """The folders in which the file's absolute imports are sought, in order."""
    parent, folder = package_parent(path), project_folder(path) or marked_folder(path)
    roots = [] if parent is None else [parent]
    if folder is not None:
        roots += [folder, *([folder / "src"] if (folder / "src").is_dir() else [])]
    # A script sees its neighbours; a module of a package does not.
    if parent is None:
        roots.append(path.parent)
    return tuple(dict.fromkeys(roots))


def parties(path: Path) -> Parties:
    """The first and third parties of a file, as isort sees them."""
    marked = next((folder for folder in path.parents if any((folder / name).exists() for name in MARKERS)), None)
    folder = marked or package_parent(path) or path.parent
    configuration = read_configuration(folder / "pyproject.toml")
    isort = _table(configuration, "tool", "isort")
    ruff = _table(configuration, "tool", "ruff", "lint", "isort") or _table(configuration, "tool", "ruff", "isort")
    sources = _strings(isort, "src_paths") or _strings(_table(configuration, "tool", "ruff"), "src") or (".", "src")
    roots = tuple(dict.fromkeys((folder / source).absolute() for source in sources))
    return Parties(
        frozenset((*_strings(isort, "known_first_party"), *_strings(ruff, "known-first-party"))),
        frozenset((*_strings(isort, "known_third_party"), *_strings(ruff, "known-third-party"))),
        frozenset(name for root in roots for name in _names_below(root)),
    )


def _names_below(root: Path) -> Iterator[str]:
    """The names of what is in a source folder, and its own: isort counts `import lab` to lab/ itself."""
    if root.is_dir():
        yield from (name for name in (root.name, *top_level_names(root)) if name.split(".")[0].isidentifier())


def top_level_names(root: Path, prefix: str = "", depth: int = 0) -> Iterator[str]:
    """What `import NAME` could find in a folder: modules and folders; of a folder of mere folders, those, dotted."""
    for entry in _entries(root):
        name = entry.name.removesuffix(".py")
        if not name.isidentifier() or name == "__init__":
            continue
        if entry.suffix == ".py":
            yield prefix + name
        elif entry.is_dir():
            has_modules = any(inner.suffix == ".py" for inner in _entries(entry))
            yield from [prefix + name] if has_modules else _namespace_names(entry, f"{prefix}{name}.", depth + 1)


def _namespace_names(folder: Path, prefix: str, depth: int) -> Iterator[str]:
    if depth <= NAMESPACE_DEPTH:
        yield from top_level_names(folder, prefix, depth)


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def read_configuration(path: Path) -> dict[str, object]:
    """A pyproject.toml, or nothing where it is missing or broken: that is for the linter's own reader to say."""
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        return dict(toml.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}


def _table(configuration: dict[str, object], *keys: str) -> dict[str, object]:
    table: object = configuration
    for key in keys:
        table = table.get(key) if is_table(table) else None
    return table if is_table(table) else {}


def is_table(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def _strings(table: dict[str, object], key: str) -> tuple[str, ...]:
    value = table.get(key)
    values = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple(str(item).strip() for item in values)
