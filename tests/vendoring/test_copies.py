"""Copies as files: what counts as current, outdated, edited or foreign, whatever a formatter did to the looks."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import black
import isort
import pytest
from packaging.version import Version

from grpo_lint import __version__
from grpo_lint.source import Source
from grpo_lint.vendoring import copies
from grpo_lint.vendoring.content import fingerprint
from grpo_lint.vendoring.copies import Standing, compare, read_packaged, with_header

COMMAND = "grpo-lint vendor lab/groups.py"
BODY = read_packaged("reference.py").text
COPY = with_header(BODY, COMMAND)
RENEWED = with_header(BODY.replace("eps: float = 1e-6", "eps: float = 1e-5"), COMMAND)


def standing(tmp_path: Path, text: str, wanted: str = COPY) -> Standing:
    path = tmp_path / "copy.py"
    path.write_text(text, "utf-8")
    return compare(path, wanted).standing


def from_version(version: str, text: str = COPY) -> str:
    return text.replace(f"grpo-lint {__version__}, content", f"grpo-lint {version}, content")


def one_import_each(text: str) -> str:
    return isort.code(text, config=isort.Config(profile="black", force_single_line=True, lines_after_imports=3))


def with_two_spaces(text: str) -> str:
    command = ["ruff", "format", "--isolated", "--config", "indent-width = 2", "--stdin-filename", "copy.py", "-"]
    done = subprocess.run([sys.executable, "-m", *command], input=text, capture_output=True, text=True, check=True)
    return done.stdout


FORMATTED = {
    "as written": COPY,
    "narrow": black.format_str(COPY, mode=black.Mode(line_length=60)),
    "wide": black.format_str(COPY, mode=black.Mode(line_length=160, magic_trailing_comma=False)),
    "other imports": one_import_each(COPY),
    "other indentation": with_two_spaces(COPY),
    "other newlines": COPY.replace("\n", "\r\n"),
    "a byte order mark": "\ufeff" + COPY,
    "other quotes": COPY.replace('== "leave_one_out"', "== 'leave_one_out'"),
    "comments for tools": re.sub(r"  # noqa.*", "", COPY).replace("import torch\n", "import torch  # noqa: TID251\n"),
    "a comment of the project's": "# Copyright the laboratory\n" + COPY,
    "no header": BODY,
    "the version before": from_version("0.0.1"),
}


@pytest.mark.parametrize("name", FORMATTED)
def test_a_formatter_makes_no_difference(name: str, tmp_path: Path) -> None:
    assert standing(tmp_path, FORMATTED[name]) is Standing.CURRENT
    assert name == "as written" or FORMATTED[name] != COPY


@pytest.mark.parametrize("name", sorted(set(FORMATTED) - {"a comment of the project's", "no header"}))
def test_a_formatted_copy_may_be_renewed(name: str, tmp_path: Path) -> None:
    assert standing(tmp_path, FORMATTED[name], RENEWED) is Standing.OUTDATED


EDITED = {
    "a number": COPY.replace("eps: float = 1e-6", "eps: float = 1e-8"),
    "a type": COPY.replace("!= 1:", "!= 1.0:"),
    "a message": COPY.replace("must not be negative", "must be positive"),
    "a docstring": COPY.replace("Centre each reward", "Center each reward"),
    "an import": COPY.replace("import math\n", "import math\nimport os\n"),
    "an import left out": COPY.replace("import math\n", ""),
    "an alias": COPY.replace("import math\n", "import math as m\n"),
    "another function": COPY + "\n\ndef mine(): ...\n",
    "a statement": COPY.replace("    labels = _identities", "    print(rewards)\n    labels = _identities"),
    "the order": COPY.replace(
        "advantages = rows - rows.mean(dim=-1, keepdim=True)", "advantages = rows.mean(dim=-1, keepdim=True) - rows"
    ),
}


@pytest.mark.parametrize("name", EDITED)
def test_an_edit_is_seen(name: str, tmp_path: Path) -> None:
    assert EDITED[name] != COPY
    assert standing(tmp_path, EDITED[name]) is Standing.EDITED
    assert standing(tmp_path, EDITED[name], RENEWED) is Standing.EDITED
    assert standing(tmp_path, from_version("0.0.1", EDITED[name])) is Standing.EDITED


@pytest.mark.parametrize("comment", ["# Our prompts are never shuffled.", "# TODO: speed"])
def test_a_comment_is_not_lost_unasked(comment: str, tmp_path: Path) -> None:
    text = f"{COPY}\n{comment}\n"
    assert standing(tmp_path, text) is Standing.CURRENT
    assert standing(tmp_path, text, RENEWED) is Standing.EDITED


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("0.0.9", Standing.OUTDATED),
        (__version__, Standing.OUTDATED),
        ("0.10.0", Standing.NEWER),
        ("99.0", Standing.NEWER),
    ],
)
def test_versions(version: str, expected: Standing, tmp_path: Path) -> None:
    assert standing(tmp_path, from_version(version), RENEWED) is expected
    assert standing(tmp_path, from_version(version)) is Standing.CURRENT


@pytest.mark.parametrize("text", ["", "x = 1\n", '"""Mine."""\n', BODY.replace("1e-6", "1e-7"), "# grpo-lint 0.1.0\n"])
def test_a_file_of_the_projects_own_is_foreign(text: str, tmp_path: Path) -> None:
    assert standing(tmp_path, text) is Standing.FOREIGN


@pytest.mark.parametrize(
    "data", [b"def (", b"\xff\xfe", b"# coding: klingon\n", b"x = 1\0", b"x = " + b"-" * 20_000 + b"1"]
)
def test_what_does_not_parse_is_broken(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "copy.py"
    path.write_bytes(data)
    assert compare(path, COPY).standing is Standing.BROKEN


def test_no_file_is_missing(tmp_path: Path) -> None:
    assert compare(tmp_path / "copy.py", COPY).standing is Standing.MISSING


def test_the_header_says_whence_and_how() -> None:
    head = COPY.splitlines()[:4]
    assert head[0] == "# SPDX-License-Identifier: Apache-2.0"
    assert COPY.count("SPDX") == 1
    assert f"grpo-lint {__version__}" in head[1]
    assert head[3].endswith(COMMAND)
    assert all(len(line) <= 79 for line in head)
    assert COPY.endswith(BODY.partition("\n")[2])


SNIPPET = '''\
"""A module."""

import b, a as c
from typing import Any


@c
async def f(x: int, /, *args, y: Any = None, **more) -> str | None:
    """Do.

    Indented.
    """
    async with b as d, c:
        return f"{x!r:>{y}} {{}}" "tail" if x <= 1e-6 else None  # a reason
    try:
        d[1:, ...] = lambda: (yield)
    except ValueError as error:
        raise KeyError from error
'''


def test_a_fingerprint_is_the_same_for_every_python_and_every_version_of_this() -> None:
    """Headers hold it: if it changed, every copy that was ever made would seem edited."""
    assert fingerprint(Source.from_text("", SNIPPET)) == "770b67c1adbea999"


VERSIONS = (
    "0.9 1.0.dev0 1.0.dev2 1.0a1.dev1 1.0a1 1.0a2 1.0b1 1.0rc1.dev1 1.0rc1 1.0rc1.post1 1.0rc2 1.0rc10 1.0 1.0.0 1 "
    "1.0.post1.dev1 1.0.post1 1.0.1rc1 1.0.1 1.1.dev1 1.1 1.2.3 1.10.0 2.0.0rc1 2 10.0 1.0+local.7 1.0-rc.1 "
    "1.0_beta_2 v1.1"
).split()


@pytest.mark.parametrize("one", VERSIONS)
def test_versions_sort_as_packaging_sorts_them(one: str) -> None:
    for other in VERSIONS:
        ours, theirs = copies._order(one), copies._order(other)
        first, second = (Version(version.partition("+")[0]) for version in (one, other))
        assert (ours < theirs, ours == theirs) == (first < second, first == second), other


@pytest.mark.parametrize(
    ("theirs", "ours", "expected"),
    [
        ("1.0rc1", "1.0", Standing.OUTDATED),
        ("1.0", "1.0rc1", Standing.NEWER),
        ("1.0.dev3", "1.0", Standing.OUTDATED),
        ("1.0.0", "1.0", Standing.OUTDATED),
        ("1.0", "1.0.0", Standing.OUTDATED),
        ("1.0.post1", "1.0", Standing.NEWER),
        ("2.0rc1", "1.9", Standing.NEWER),
    ],
)
def test_which_version_is_newer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, theirs: str, ours: str, expected: Standing
) -> None:
    monkeypatch.setattr(copies, "__version__", ours)
    assert standing(tmp_path, from_version(theirs, RENEWED)) is expected
