"""Imports of the package's reference, made imports of a codebase's own module."""

from __future__ import annotations

import ast

import black
import isort
import pytest

from grpo_lint.project.roots import Parties
from grpo_lint.source import Source
from grpo_lint.vendoring.repointing import Target, repoint

PARTIES = Parties(own=frozenset({"lab", "regroup"}))


def repointed(text: str, module: str = "lab.core.regroup", length: int = 88) -> tuple[str, list[tuple[int, str]]]:
    result = repoint(Source.from_text("x.py", text), Target(module, PARTIES, length))
    ast.parse(result.source.text)
    return result.source.text, [(left.position.row, left.reason) for left in result.left]


CHANGED = {
    "one name": ("from grpo_lint.reference import f\n", "from lab.core.regroup import f\n"),
    "aliases": ("from grpo_lint.reference import f as g, h\n", "from lab.core.regroup import f as g, h\n"),
    "star": ("from grpo_lint.reference import *\n", "from lab.core.regroup import *\n"),
    "odd spacing": ("from  grpo_lint . reference  import f\n", "from lab.core.regroup import f\n"),
    "continued": ("from \\\n  grpo_lint.reference \\\n  import f\n", "from \\\n  lab.core.regroup \\\n  import f\n"),
    "parentheses and comments": (
        "from grpo_lint.reference import (  # why\n    f,  # one\n    # two\n    g as h,\n)\n",
        "from lab.core.regroup import (  # why\n    f,  # one\n    # two\n    g as h,\n)\n",
    ),
    "module as": ("import grpo_lint.reference as r\n\nr.f()\n", "import lab.core.regroup as r\n\nr.f()\n"),
    "module": (
        "import grpo_lint.reference\n\nx = grpo_lint.reference.f(grpo_lint.reference)\n",
        "import lab.core.regroup\n\nx = lab.core.regroup.f(lab.core.regroup)\n",
    ),
    "module among others": (
        "import os, grpo_lint.reference as r, sys\n",
        "import os, lab.core.regroup as r, sys\n",
    ),
    "beside the package's own other import": (
        "import grpo_lint.reference\nimport lab\n\ngrpo_lint.reference.f(lab)\n",
        "import lab\nimport lab.core.regroup\n\nlab.core.regroup.f(lab)\n",
    ),
    "from the package": (
        "from grpo_lint import reference\n\nreference.f()\n",
        "from lab.core import regroup as reference\n\nreference.f()\n",
    ),
    "from the package as": ("from grpo_lint import reference as r\n", "from lab.core import regroup as r\n"),
    "from the package as its new name": (
        "from grpo_lint import reference as regroup\n",
        "from lab.core import regroup\n",
    ),
    "from the package, among others": (
        "from grpo_lint import __version__, reference\n",
        "from grpo_lint import __version__\n\nfrom lab.core import regroup as reference\n",
    ),
    "on one row": (
        "import os; from grpo_lint.reference import f; f()\n",
        "import os; from lab.core.regroup import f; f()\n",
    ),
    "on one row, from the package": (
        "import os; from grpo_lint import a, reference\n",
        "import os; from lab.core import regroup as reference; from grpo_lint import a\n",
    ),
    "after a colon": (
        "if x: from grpo_lint.reference import f\n",
        "if x: from lab.core.regroup import f\n",
    ),
    "in a function": (
        "def run():\n    import torch\n    from grpo_lint.reference import f\n\n    return f(torch)\n",
        "def run():\n    import torch\n\n    from lab.core.regroup import f\n\n    return f(torch)\n",
    ),
    "module, in a function": (
        "def run():\n    import grpo_lint.reference\n\n    return grpo_lint.reference.f()\n",
        "def run():\n    import lab.core.regroup\n\n    return lab.core.regroup.f()\n",
    ),
    "for types only": (
        "if TYPE_CHECKING:\n    from grpo_lint.reference import Array\n    from lab.a import A\n",
        "if TYPE_CHECKING:\n    from lab.a import A\n    from lab.core.regroup import Array\n",
    ),
    "with a way out": (
        "try:\n    from grpo_lint.reference import f\nexcept ImportError:\n    f = None\n",
        "try:\n    from lab.core.regroup import f\nexcept ImportError:\n    f = None\n",
    ),
    "twice": (
        "from grpo_lint.reference import f\n\n\ndef run():\n    from grpo_lint.reference import f\n\n    return f\n",
        "from lab.core.regroup import f\n\n\ndef run():\n    from lab.core.regroup import f\n\n    return f\n",
    ),
    "both kinds": (
        "import grpo_lint.reference as r\nfrom grpo_lint.reference import f\n\nfrom lab.a import A\n",
        "import lab.core.regroup as r\nfrom lab.a import A\nfrom lab.core.regroup import f\n",
    ),
    "joined with what is imported from there": (
        "from grpo_lint.reference import a, c\n\nfrom lab.core.regroup import b\n",
        "from lab.core.regroup import a, b, c\n",
    ),
    "the same name from both": (
        "from grpo_lint.reference import f\n\nfrom lab.core.regroup import f\n",
        "from lab.core.regroup import f\n",
    ),
    "a comment of its own goes along": (
        "import os\n\nimport torch\n\n# groups\nfrom grpo_lint.reference import f\n\nfrom lab.a import A\n",
        "import os\n\nimport torch\n\nfrom lab.a import A\n\n# groups\nfrom lab.core.regroup import f\n",
    ),
    "a comment behind": (
        "from grpo_lint.reference import f  # groups\n\nfrom lab.a import A\n",
        "from lab.a import A\nfrom lab.core.regroup import f  # groups\n",
    ),
    "between sections": (
        '"""A."""\n\nimport torch\nfrom grpo_lint.reference import f\nfrom yaml import dump\n\nfrom lab.z import z\n',
        '"""A."""\n\nimport torch\nfrom yaml import dump\n\nfrom lab.core.regroup import f\nfrom lab.z import z\n',
    ),
    "the only one of its section": (
        "import os\n\nfrom grpo_lint.reference import f\n\nfrom . import x\n\n\ndef run(): ...\n",
        "import os\n\nfrom lab.core.regroup import f\n\nfrom . import x\n\n\ndef run(): ...\n",
    ),
    "before code": (
        "import os\n\nimport torch\nfrom grpo_lint.reference import f\n\n\ndef run(): ...\n",
        "import os\n\nimport torch\n\nfrom lab.core.regroup import f\n\n\ndef run(): ...\n",
    ),
    "ruled out of sorting": (
        "from grpo_lint.reference import f  # isort:skip\nimport torch\n",
        "from lab.core.regroup import f  # isort:skip\nimport torch\n",
    ),
}


@pytest.mark.parametrize("name", CHANGED)
def test_what_is_changed(name: str) -> None:
    before, after = CHANGED[name]
    assert repointed(before) == (after, [])


UNSORTED = {"aliases", "odd spacing", "continued", "module among others", "both kinds"}


@pytest.mark.parametrize("name", sorted(set(CHANGED) - UNSORTED))
def test_isort_and_black_agree(name: str) -> None:
    before, after = CHANGED[name]
    config = isort.Config(
        profile="black", known_first_party=frozenset({"lab"}), known_third_party=frozenset({"grpo_lint"})
    )
    if isort.check_code(before, config=config) and ";" not in after:
        assert isort.code(after, config=config) == after
    if black.format_str(before, mode=black.Mode()) == before:
        assert black.format_str(after, mode=black.Mode()) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from grpo_lint import reference\n", "import regroup as reference\n"),
        ("from grpo_lint import reference as regroup\n", "import regroup\n"),
        ("import grpo_lint.reference\n\ngrpo_lint.reference.f()\n", "import regroup\n\nregroup.f()\n"),
        ("import grpo_lint.reference as r\n", "import regroup as r\n"),
        ("import torch\nfrom grpo_lint.reference import f\n", "import torch\n\nfrom regroup import f\n"),
    ],
)
def test_a_module_at_the_top(before: str, after: str) -> None:
    assert repointed(before, "regroup") == (after, [])


def test_a_row_that_becomes_too_long_is_broken() -> None:
    text = "from grpo_lint.reference import normalize_rewards_by_group, post_process_rewards\n"
    after, _ = repointed(text, "lab.algorithms.rewards.groups")
    assert after == (
        "from lab.algorithms.rewards.groups import (\n    normalize_rewards_by_group,\n    post_process_rewards,\n)\n"
    )
    assert repointed(text, "lab.algorithms.rewards.groups", 119)[0].count("\n") == 1


@pytest.mark.parametrize("newline", ["\r\n", "\r", "\n"])
def test_newlines_stay(newline: str) -> None:
    before, after = CHANGED["between sections"]
    assert repointed(before.replace("\n", newline))[0] == after.replace("\n", newline)


def test_tabs_and_a_missing_last_newline_stay() -> None:
    assert repointed("def f():\n\tfrom grpo_lint.reference import f")[0] == "def f():\n\tfrom lab.core.regroup import f"


SILENT = {
    "a relative import": "from .grpo_lint.reference import f\nfrom . import reference\n",
    "a module of another package": "from my.grpo_lint.reference import f\nimport grpo_lint_reference\n",
    "another module of the package": "from grpo_lint.cli import main\nfrom grpo_lint import __version__\n",
    "prose": '"""See grpo_lint.reference.f and grpo_lint.reference."""\n# grpo_lint.reference.f\n',
    "prose in a string": 'raise ImportError("Install grpo_lint: see the module grpo_lint.reference. It helps.")\n',
    "a variable": "def run(grpo_lint):\n    return grpo_lint.reference\n",
    "an attribute of another's": "import lab\n\nlab.grpo_lint.reference.f()\n",
    "nothing": "",
}


@pytest.mark.parametrize("name", SILENT)
def test_what_is_not_meant(name: str) -> None:
    assert repointed(SILENT[name]) == (SILENT[name], [])


LEFT = {
    "a string": ('load("grpo_lint.reference.f")\nload("grpo_lint.reference")\n', [(1, "string"), (2, "string")]),
    "options in a string": ('run(f"--path grpo_lint.reference.f {x}")\n', [(1, "string")]),
    "the package alone": (
        "import grpo_lint\n\ngrpo_lint.reference.f()\n",
        [(3, "`grpo_lint` is imported, but not `grpo_lint.reference`")],
    ),
    "the package by another name": ("import grpo_lint as g\n\ng.reference.f()\n", [(3, "reached through `g`")]),
    "the package too": (
        "import grpo_lint\nimport grpo_lint.reference\n",
        [(2, "`grpo_lint` itself is imported here too")],
    ),
    "another use of the package": (
        "import grpo_lint.reference\n\nprint(grpo_lint.__version__)\n",
        [(1, "is used in another way here")],
    ),
    "assigned": (
        "import grpo_lint.reference\n\ngrpo_lint.reference = None\n",
        [(1, "is assigned here"), (3, "is assigned here")],
    ),
    "a parameter of the new name": (
        "import grpo_lint.reference\n\n\ndef run(lab):\n    return grpo_lint.reference.f(lab)\n",
        [(1, "`lab` is already the name"), (5, "`lab` is already the name")],
    ),
    "a variable of the new name": (
        "import grpo_lint.reference\n\nfor lab in grpo_lint.reference.f(): ...\n",
        [(1, "`lab` is already the name"), (3, "`lab` is already the name")],
    ),
    "another import of the new name": (
        "import grpo_lint.reference\nimport laboratory as lab\n",
        [(1, "`lab` is already the name")],
    ),
    "a local import beside a global one of the new name": (
        "import lab.a\n\n\ndef run():\n    lab.a.f()\n    import grpo_lint.reference\n",
        [(6, "`lab` is already the name")],
    ),
    "comments that a split would lose": (
        "from grpo_lint import (\n    __version__,  # shown\n    reference,\n)\n",
        [(1, "comments stand within")],
    ),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left(name: str) -> None:
    text, expected = LEFT[name]
    after, left = repointed(text)
    assert after == text
    assert [row for row, _ in left] == [row for row, _ in expected]
    assert all(said in reason for (_, said), (_, reason) in zip(expected, left, strict=True)), left


def test_what_can_be_changed_is_beside_what_is_left() -> None:
    text = (
        'import grpo_lint.reference\nfrom grpo_lint.reference import f\n\nrun(grpo_lint.x, "grpo_lint.reference.f")\n'
    )
    after, left = repointed(text)
    assert after == text.replace("from grpo_lint.reference", "\nfrom lab.core.regroup")
    assert [row for row, _ in left] == [1, 5]


@pytest.mark.parametrize("name", [*CHANGED, *LEFT, *SILENT])
def test_a_second_time_changes_nothing(name: str) -> None:
    text = {**SILENT, **{key: value[0] for key, value in {**CHANGED, **LEFT}.items()}}[name]
    once, left = repointed(text)
    assert repointed(once) == (once, left)


F_STRINGS = [
    'f"{grpo_lint.reference.f()}"',
    'f"é {grpo_lint.reference.f()!r:>{grpo_lint.reference.width}} {x}"',
    'f"""\n  é\n {x} {grpo_lint.reference.f(\n  1)}\n"""',
    '"a" f"{x}" f\'{x} {grpo_lint.reference.f()}\'',
    'rf"""{x}\n\n\n{ grpo_lint.reference.f() }"""',
]


@pytest.mark.parametrize("string", F_STRINGS)
def test_a_use_in_an_f_string_is_changed_or_left_but_never_garbled(string: str) -> None:
    text = f"import grpo_lint.reference\n\nx = 1\ny = {string}\n"
    after, left = repointed(text)
    assert after in (text, text.replace("grpo_lint.reference", "lab.core.regroup"))
    assert bool(left) is (after == text)


@pytest.mark.parametrize("text", ["from grpo_lint.reference import (\n", "x = " + "(" * 5000, "\0"])
def test_what_does_not_parse_is_an_error(text: str) -> None:
    with pytest.raises(SyntaxError):
        repointed(text)
