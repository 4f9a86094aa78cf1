"""Top-level functions of a name, anywhere in a project."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grpo_lint.project.modules import Cache, read_module
from grpo_lint.project.roots import package_parent

# A lone file's folder may be a home folder: the search ends somewhere.
FILE_LIMIT = 50_000
SKIPPED = frozenset({"__pycache__", "node_modules", "site-packages", "build", "dist", "venv", "virtualenv"})
LAST = frozenset({
    "test", "tests", "testing", "fixture", "fixtures", "vendor", "vendored", "third_party", "3rdparty", "external",
    "examples", "example", "docs", "benchmarks",
})  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A top-level function: the module that it can be imported from, its file, and its definition."""

    module: str
    path: Path
    function: ast.FunctionDef


def find_functions(name: str, roots: tuple[Path, ...], near: Path, cache: Cache) -> tuple[Candidate, ...]:
    """The top-level functions of that name below `roots`, those nearest to the file `near` first, tests last."""
    paths = dict.fromkeys(path for root in roots for path in _files_that_define(name, root, cache))
    found = (_candidate(name, path, roots, cache) for path in paths)
    return tuple(sorted((item for item in found if item is not None), key=lambda item: _order(item, near)))


def _order(candidate: Candidate, near: Path) -> tuple[bool, bool, int, str, str]:
    folders = candidate.path.parts[-len(candidate.module.split(".")) - 1 : -1]
    is_last = bool(LAST.intersection(folders)) or candidate.path.name.startswith("test_")
    shared = len(os.path.commonpath([candidate.path, near]))
    return is_last, package_parent(candidate.path) is None, -shared, candidate.module, str(candidate.path)


def _candidate(name: str, path: Path, roots: tuple[Path, ...], cache: Cache) -> Candidate | None:
    module = read_module(path, cache)
    dotted = module_name(path, roots)
    if module is None or dotted is None:
        return None
    functions = [
        node
        for node in module.tree.body
        if isinstance(node, ast.FunctionDef) and node.name == name and not _is_overload(node)
    ]
    return Candidate(dotted, path, functions[-1]) if len(functions) == 1 else None


def _is_overload(node: ast.FunctionDef) -> bool:
    return any(ast.unparse(decorator).rpartition(".")[2] == "overload" for decorator in node.decorator_list)


def module_name(path: Path, roots: tuple[Path, ...]) -> str | None:
    """The absolute name of a file's module; None where no root leads to it."""
    parent = package_parent(path)
    if parent is not None and parent not in roots:
        return None
    holders = [parent] if parent is not None else [root for root in roots if root in path.parents]
    if not holders:
        return None
    root = max(holders, key=lambda holder: len(holder.parts))
    parts = path.relative_to(root).with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join(parts) if parts and all(part.isidentifier() for part in parts) else None


def _files_that_define(name: str, root: Path, cache: Cache) -> tuple[Path, ...]:
    if (root, name) not in cache.mentions:
        if root not in cache.files:
            cache.files[root] = tuple(_limited(python_files(root)))
        word = f"def {name}".encode()
        cache.mentions[root, name] = tuple(path for path in cache.files[root] if word in _bytes(path))
    return cache.mentions[root, name]


def _limited(paths: Iterator[Path]) -> Iterator[Path]:
    yield from (path for _, path in zip(range(FILE_LIMIT), paths, strict=False))


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def python_files(root: Path) -> Iterator[Path]:
    """The .py files below a folder, sorted; hidden folders, environments and built copies left out."""
    folders = [str(root)]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        yield from (Path(entry.path) for entry in listed if entry.name.endswith(".py") and _is_file(entry))
        folders += [entry.path for entry in reversed(listed) if _is_source_folder(entry)]


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link that leads round and round
        return False


def _is_source_folder(entry: os.DirEntry[str]) -> bool:
    name = entry.name
    if name.startswith(".") or name in SKIPPED or name.endswith(".egg-info"):
        return False
    return entry.is_dir(follow_symlinks=False) and not os.path.exists(os.path.join(entry.path, "pyvenv.cfg"))  # noqa: PTH110, PTH118
