"""Imports added where isort's black profile puts them, and removed so that isort and black change nothing."""

from __future__ import annotations

import ast
from pathlib import Path

import black
import isort
import pytest

from grpo_lint.fixes.imports import ImportChange, change_imports, is_bound_otherwise
from grpo_lint.model import Edit
from grpo_lint.project import Project
from grpo_lint.source import Source

NEW = "from grpo_lint.reference import regroup"


def applied(source: Source, edits: tuple[Edit, ...]) -> str:
    text, last = source.text, len(source.text)
    for edit in sorted(edits, key=lambda edit: edit.range, reverse=True):
        start, end = source.offset(edit.range.start), source.offset(edit.range.end)
        assert start <= end <= last
        text, last = text[:start] + edit.content + text[end:], start
    return text


def change(
    text: str, *remove: str, add: tuple[str, str] | None = ("grpo_lint.reference", "regroup"), length: int = 88
) -> str:
    source = Source.from_text("x.py", text)
    return applied(
        source, change_imports(source, ast.parse(text), [ImportChange(add, frozenset(remove))], None, length)
    )


def remove(text: str, *names: str) -> str:
    return change(text, *names, add=None)


def is_clean(text: str) -> bool:
    config = isort.Config(profile="black", src_paths=())
    return isort.code(text, config=config) == text == black.format_str(text, mode=black.Mode())


@pytest.mark.parametrize(
    "text",
    [
        f"{NEW}\n",
        "from grpo_lint.reference import other, regroup\n",
        f"import os\n\n{NEW}\n\nx = 1\n",
        f"x = 1\n{NEW}\n",  # anywhere at the top level will do
    ],
)
def test_nothing_to_add(text: str) -> None:
    assert change(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "import os  # noqa: F401\n",
        "from a import (  # noqa\n    os,\n)\n",
        "from __future__ import annotations\n",
        "import sys; import os\n",  # a row that is shared
        "try:\n    import os\nexcept ImportError:\n    pass\n",
        "def f():\n    import os\n",  # would leave nothing
        "from os import path\n",  # binds `path`
        "import sys as system\n",
    ],
)
def test_nothing_to_remove(text: str) -> None:
    assert remove(text, "os", "sys", "annotations") == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", f"{NEW}\n"),
        ("x = 1\n", f"{NEW}\n\nx = 1\n"),
        ("def f(): ...\n", f"{NEW}\n\n\ndef f(): ...\n"),
        ("# about f\ndef f(): ...\n", f"{NEW}\n\n\n# about f\ndef f(): ...\n"),
        ('"""Doc."""\n', f'"""Doc."""\n\n{NEW}\n'),
        ('"""Doc."""\n\nx = 1\n', f'"""Doc."""\n\n{NEW}\n\nx = 1\n'),
        ('#!/usr/bin/env python\n"""Doc."""\n\nx = 1\n', f'#!/usr/bin/env python\n"""Doc."""\n\n{NEW}\n\nx = 1\n'),
        ("# -*- coding: utf-8 -*-\nx = 1\n", f"# -*- coding: utf-8 -*-\n\n{NEW}\n\nx = 1\n"),
        ("# Copyright A\n# Licence B\n\nx = 1\n", f"# Copyright A\n# Licence B\n\n{NEW}\n\nx = 1\n"),
        ("from __future__ import annotations\n", f"from __future__ import annotations\n\n{NEW}\n"),
        ("import os\n\nx = 1\n", f"import os\n\n{NEW}\n\nx = 1\n"),
        ("import torch\n\nx = 1\n", f"import torch\n{NEW}\n\nx = 1\n"),
        ("from torch import nn\n\nx = 1\n", f"{NEW}\nfrom torch import nn\n\nx = 1\n"),
        ("import os\n\nfrom torch import nn\n", f"import os\n\n{NEW}\nfrom torch import nn\n"),
        ("from .a import b\n\nx = 1\n", f"{NEW}\n\nfrom .a import b\n\nx = 1\n"),
        ("import os\n\n# why\nfrom torch import nn\n", f"import os\n\n{NEW}\n\n# why\nfrom torch import nn\n"),
        ("from grpo_lint.reference import zeta\n", "from grpo_lint.reference import regroup, zeta\n"),
        ("from grpo_lint.reference import Alpha\n", "from grpo_lint.reference import Alpha, regroup\n"),
        ("from grpo_lint.reference import a  # c\n", f"from grpo_lint.reference import a  # c\n{NEW}\n"),
        ("from grpo_lint.reference import a as b\n", f"from grpo_lint.reference import a as b\n{NEW}\n"),
        ("import os\n\n\ndef f():\n    import torch\n", f"import os\n\n{NEW}\n\n\ndef f():\n    import torch\n"),
    ],
)
def test_add(text: str, expected: str) -> None:
    assert change(text) == expected
    assert is_clean(expected) or "def f" in text


def test_extended_statement_is_wrapped() -> None:
    names = [f"quite_a_long_name_{letter}" for letter in "abc"]
    text = f"from grpo_lint.reference import {', '.join(names)}\n"
    expected = "from grpo_lint.reference import (\n" + "".join(f"    {name},\n" for name in [*names, "regroup"]) + ")\n"
    assert change(text) == expected
    assert is_clean(expected)


def test_form_chosen_by_hand_is_kept() -> None:
    assert change("from grpo_lint.reference import (\n    zeta,\n)\n") == (
        "from grpo_lint.reference import (\n    regroup,\n    zeta,\n)\n"
    )


def test_long_statement_is_wrapped() -> None:
    assert change("import torch\n", length=30) == ("import torch\nfrom grpo_lint.reference import (\n    regroup,\n)\n")


def test_unsorted_file_is_left_in_its_order() -> None:
    text = "import torch\nimport os\nfrom zlib import crc32\nimport numpy\n\nfrom .a import b\n"
    assert change(text) == text.replace("import numpy\n", f"import numpy\n{NEW}\n")


def test_imports_later_in_the_file_are_no_places() -> None:
    text = "def f(): ...\n\n\nimport torch\n"
    assert change(text) == f"{NEW}\n\n\n{text}"


def test_newlines_are_the_files() -> None:
    assert change("import torch\r\n\r\nx = 1\r\n") == f"import torch\r\n{NEW}\r\n\r\nx = 1\r\n"
    assert change("import torch") == f"import torch\n{NEW}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import torch\n", ""),
        ("import torch\n\nx = 1\n", "x = 1\n"),
        ('"""Doc."""\n\nimport torch\n\nx = 1\n', '"""Doc."""\n\nx = 1\n'),
        ('"""Doc."""\n\nimport torch\n\n\ndef f(): ...\n', '"""Doc."""\n\n\ndef f(): ...\n'),
        ("import os\n\nimport torch\n\nfrom .a import b\n", "import os\n\nfrom .a import b\n"),
        ("import os\n\nimport torch\n\n\ndef f(): ...\n", "import os\n\n\ndef f(): ...\n"),
        ("import os\n\nimport torch\nimport wheel\n", "import os\n\nimport wheel\n"),
        ("import os\n\nimport numpy\nimport torch\n\nx = 1\n", "import os\n\nimport numpy\n\nx = 1\n"),
        ("from a import b, torch\n", "from a import b\n"),
        ("from a import b as torch\n", ""),
        ("from a import torch as b\n", "from a import torch as b\n"),
        ("import torch.nn\n", ""),
        ("import os, torch\n", "import os\n"),
        ("from a import (\n    b,\n    torch,\n)\n", "from a import (\n    b,\n)\n"),
        ("from a import (\n    b,  # c\n    torch,\n)\n", "from a import (\n    b,  # c\n)\n"),
        ("def f():\n    import torch\n\n    return 1\n", "def f():\n    return 1\n"),
        ("def f():\n    import os\n    import torch\n\n    return 1\n", "def f():\n    import os\n\n    return 1\n"),
        ("import os\nimport sys\n\n# why\nimport torch\n\nx = 1\n", "import os\nimport sys\n\nx = 1\n"),
        ("import os\nimport torch\n\nimport re\n", "import os\n\nimport re\n"),
    ],
)
def test_remove(text: str, expected: str) -> None:
    assert remove(text, "torch") == expected


def test_statement_that_was_too_long_is_joined_when_it_fits() -> None:
    text = "from a import (\n" + "".join(f"    quite_a_long_name_{letter},\n" for letter in "abcd") + ")\n"
    assert remove(text, "quite_a_long_name_c", "quite_a_long_name_d") == (
        "from a import quite_a_long_name_a, quite_a_long_name_b\n"
    )


def test_end_of_one_section_and_start_of_the_next() -> None:
    assert remove("import os\nimport sys\n\nimport numpy\nimport torch\n", "sys", "numpy") == (
        "import os\n\nimport torch\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import torch\n", f"{NEW}\n"),
        ("import os\n\nimport torch\n\nfrom .a import b\n", f"import os\n\n{NEW}\n\nfrom .a import b\n"),
        ("from grpo_lint.reference import torch\n", f"{NEW}\n"),
        ("from grpo_lint.reference import a, torch\n", "from grpo_lint.reference import a, regroup\n"),
        ('"""Doc."""\n\nimport torch\n\nx = 1\n', f'"""Doc."""\n\n{NEW}\n\nx = 1\n'),
    ],
)
def test_add_where_something_is_removed(text: str, expected: str) -> None:
    assert change(text, "torch") == expected
    assert is_clean(expected)


def test_first_party_comes_after_third_party(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "__init__.py").write_text("")
    text = "import torch\n\nfrom lab.a import b\n"
    source = Source.from_text("x.py", text)
    project = Project.for_file(tmp_path / "lab" / "x.py")
    edits = change_imports(source, ast.parse(text), [ImportChange(("lab.tools", "regroup"))], project)
    assert applied(source, edits) == "import torch\n\nfrom lab.a import b\nfrom lab.tools import regroup\n"
    edits = change_imports(source, ast.parse(text), [ImportChange(("grpo_lint.reference", "regroup"))], project)
    assert applied(source, edits) == f"import torch\n{NEW}\n\nfrom lab.a import b\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", False),
        (f"{NEW}\n", False),
        (f"if x:\n    {NEW}\n", False),
        ("def f():\n    def g():\n        regroup = 1\n", False),  # another scope
        ("class A:\n    def regroup(self): ...\n", False),
        ("from .tools import regroup\n", True),
        ("from a import b as regroup\n", True),
        ("import regroup\n", True),
        ("def regroup(): ...\n", True),
        ("if x:\n    regroup = 1\n", True),
        ("for regroup in x: ...\n", True),
        ("def f(regroup): ...\n", True),
        ("def f():\n    with a as regroup: ...\n", True),
    ],
)
def test_bound_otherwise(text: str, expected: bool) -> None:
    tree = ast.parse(text)
    function = next((node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "f"), None)
    assert is_bound_otherwise(tree, "grpo_lint.reference", "regroup", function) is expected


def test_relative_import_of_the_same_module_is_no_other_binding() -> None:
    tree = ast.parse("from .tools import regroup\n")
    assert not is_bound_otherwise(tree, "lab.tools", "regroup", package="lab")
