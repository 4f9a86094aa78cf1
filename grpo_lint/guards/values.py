"""What an expression of a test module may stand for, as far as guards are concerned."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

ITEM = "item"  # any item of a sequence, where an index picks one
CASE = "case"  # an item, or what is in the `pytest.param` around it

Selector: TypeAlias = "int | str"


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """Where names are looked up: a function, or the module, within another; `given` is known of its parameters."""

    holder: ast.AST
    parent: Scope | None
    given: Mapping[str, tuple[Bound, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """An expression that a name is bound to, where it stands, and which part of its value: `for _, text in cases`."""

    node: ast.expr
    scope: Scope
    path: tuple[Selector, ...] = ()


@dataclass(frozen=True, slots=True)
class Constant:
    """A string."""

    text: str


@dataclass(frozen=True, slots=True)
class Place:
    """A path of the project: absolute, or relative to a folder that is not known further."""

    path: str


@dataclass(frozen=True, slots=True)
class Handle:
    """An open file."""

    place: Place


@dataclass(frozen=True, slots=True)
class Code:
    """The text of a source file, or of an object (`place` is None), or a part of it: where it is read."""

    name: str
    place: Place | None
    read: ast.expr


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """A sequence whose items are known."""

    items: tuple[Bound, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """An object or dictionary whose fields are known, and the dotted name of an imported class that made it."""

    fields: Mapping[str, Bound]
    made_by: str = ""


@dataclass(frozen=True, slots=True)
class Imported:
    """What is imported under a dotted name."""

    dotted: str


@dataclass(frozen=True, slots=True)
class Own:
    """A function or class of the test module itself."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Unknown:
    """Anything else."""


Value: TypeAlias = Constant | Place | Handle | Code | Items | Record | Imported | Own | Unknown

UNKNOWN = Unknown()
