"""Files and folders of any kind, through the command line: what is said, the exit status, and what happens to bytes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
PYTHON = "Python {}.{}".format(*sys.version_info)
NOBODY = 65534

GATED = "rewards.view(-1, n).mean()\n"  # passes the byte gate and is no finding
BEFORE = """\
import torch


def advantages_of(rewards: torch.Tensor, uids, group_size):
    grid = rewards.view(-1, group_size)
    return (grid - grid.mean(-1, keepdim=True)).flatten()
"""
AFTER = """\
import torch
from grpo_lint.reference import normalize_rewards_by_group


def advantages_of(rewards: torch.Tensor, uids, group_size):
    return normalize_rewards_by_group(
        rewards, uids, normalize_std=False, fallback_group_size=group_size
    )
"""
NOTE = (
    "grpo-lint: the repaired code imports grpo_lint.reference: training now needs `pip install 'grpo-lint[torch]'` "
    "or `grpo-lint vendor PATH`, which writes that module into the codebase\n"
)
TOO_DEEP = "nested too deeply to be analysed"


class Ran(NamedTuple):
    status: int
    out: str
    err: str


def run(*arguments: str, cwd: Path, before: str = "") -> Ran:
    script = f"import sys; from grpo_lint.cli import main; {before}\nraise SystemExit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
        capture_output=True,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def write(folder: Path, files: dict[str, bytes | str]) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())


# files that pass the byte gate and cannot be checked


def nest(opening: str, closing: str, count: int = 10_000) -> str:
    return f"{GATED}x = {opening * count}a{closing * count}\n"


def blocks(header: str, count: int = 1_000) -> str:
    return GATED + "".join(f"{' ' * depth}{header}\n" for depth in range(count)) + " " * count + "pass\n"


FAULTY: dict[str, bytes | str] = {
    "syntax error": f"{GATED}def f(:\n",
    "unclosed": f"{GATED}x = (1,\n",
    "unexpected indent": f"{GATED}  x = 1\n",
    "Python 2": f"print 'x'\n{GATED}",
    "control character": f"{GATED}x = \x1b\n",
    "direction override": f"{GATED}x = \u202e\n",
    "undecodable": GATED.encode() + b"x = '\xff'\n",
    "not ASCII": b"# -*- coding: ascii -*-\n# \xe9\n" + GATED.encode(),
    "NUL": f"{GATED}x = '\0'\n",
    "unknown cookie": f"# -*- coding: nonsense -*-\n{GATED}",
    "cookie of bytes": f"# -*- coding: hex -*-\n{GATED}",
    "cookie of texts": f"# -*- coding: rot13 -*-\n{GATED}",
    "BOM and cookie": b"\xef\xbb\xbf# -*- coding: latin-1 -*-\n" + GATED.encode(),
    "terms": f"{GATED}x = {'+'.join(['a'] * 3_000)}\n",
    "attributes": nest("", ".b"),
    "calls": nest("", "()"),
    "subscripts": nest("", "[0]"),
    "minus": nest("-", ""),
    "not": nest("not ", ""),
    "lambda": nest("lambda: ", ""),
    "conditional": nest("a if b else ", ""),
    "levels": nest("not ", "", 900),
    "parentheses": nest("(", ")"),
    "indices": nest("a[", "]"),
    "arguments": nest("f(", ")"),
    "targets": f"{GATED}{'(' * 10_000}a{')' * 10_000} = 1\n",
    "if": blocks("if a:"),
    "def": blocks("def f():"),
    "with": blocks("with a:"),
    "class": blocks("class A:"),
}
SAID: dict[str, str] = {
    "syntax error": f":2:7: invalid syntax (as {PYTHON} reads it)",
    "unclosed": f":2:5: '(' was never closed (as {PYTHON} reads it)",
    "unexpected indent": f":2:2: unexpected indent (as {PYTHON} reads it)",
    "direction override": f":2:5: invalid non-printable character U+202E (as {PYTHON} reads it)",
    "undecodable": ": cannot be decoded as utf-8: invalid start byte",
    "not ASCII": ": cannot be decoded as ascii: ordinal not in range(128)",
    "unknown cookie": ": unknown encoding: nonsense",
    "cookie of bytes": ": unknown encoding: hex",
    "cookie of texts": ": unknown encoding: rot13",
    "BOM and cookie": ": encoding problem: utf-8",
    "levels": ": nested more than 500 levels deep near line 2, which is not analysed",
}
OF_PYTHON = {  # in words that differ between versions
    "Python 2": "print",
    "control character": "invalid ",
    **dict.fromkeys(("parentheses", "indices", "arguments", "targets"), "too many nested parentheses"),
    **dict.fromkeys(("if", "def", "with", "class"), "too many levels of indentation"),
}


def is_said(name: str, line: str) -> bool:
    """Whether a line of standard error is what must be said of a faulty file; where Python gives up differs."""
    said = line.removeprefix(f"{name}.py")
    if name in SAID:
        return said == SAID[name]
    if name == "NUL":
        return "source code string cannot contain null bytes" in said
    if name in OF_PYTHON:
        return OF_PYTHON[name] in said and said.endswith(f" (as {PYTHON} reads it)")
    return said == f": {TOO_DEEP}" or said.startswith(": nested more than 500 levels deep near line 2,")


@pytest.mark.parametrize("arguments", [(), ("--fix", "--unsafe-fixes")])
def test_what_cannot_be_checked_is_said_and_the_rest_is_checked(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    faulty = {f"{name}.py": data for name, data in FAULTY.items()}
    write(tmp_path, {**faulty, "a.py": BEFORE, "z.py": BEFORE})
    ran = run(*arguments, ".", cwd=tmp_path)
    lines = {line.partition(".py")[0]: line for line in ran.err.removesuffix(NOTE).splitlines()}
    assert ran.status == 2
    assert [name for name in FAULTY if not is_said(name, lines.pop(name, ""))] == []
    assert lines == {}
    if arguments:
        assert ran.out == "Found 2 findings (2 fixed, 0 remaining).\n"
    else:
        assert [line[:16] for line in ran.out.splitlines() if "GRPO001" in line] == [
            "a.py:5:12: GRPO0",
            "z.py:5:12: GRPO0",
        ]
    write(tmp_path / "untouched", faulty)
    assert all((tmp_path / name).read_bytes() == (tmp_path / "untouched" / name).read_bytes() for name in faulty)


@pytest.mark.parametrize("name", ["attributes", "terms", "elif", "syntax error"])
def test_what_was_checked_before_changes_nothing(tmp_path: Path, name: str) -> None:
    """A higher recursion limit, once set, must not decide how deep the next file may be."""
    elifs = GATED + "if a:\n    pass\n" + "elif a:\n    pass\n" * 5_000
    write(tmp_path, {"a.py": BEFORE, "z.py": FAULTY.get(name, elifs)})
    alone, after = run("z.py", cwd=tmp_path), run("a.py", "z.py", cwd=tmp_path)
    assert alone.err == after.err
    assert (alone.status == 2) == (after.status == 2)


NEWER = {
    "the type statement": ((3, 12), "type X = int\n"),
    "type parameters": ((3, 12), "def f[T](x: T) -> T: ...\nclass A[T]: ...\n"),
    "quotes in f-strings": ((3, 12), "x = f'{'a'}'\n"),
    "defaults of type parameters": ((3, 13), "class A[T = int]: ...\n"),
    "except without parentheses": ((3, 14), "try:\n    x\nexcept A, B:\n    y\n"),
}


@pytest.mark.parametrize("name", NEWER)
def test_newer_syntax_is_read_by_a_newer_python(tmp_path: Path, name: str) -> None:
    version, text = NEWER[name]
    write(tmp_path, {"x.py": BEFORE + text})
    ran = run("--fix", "--unsafe-fixes", "x.py", cwd=tmp_path)
    if sys.version_info >= version:
        assert ran.status == 0, ran.err
        assert (tmp_path / "x.py").read_text() == AFTER + text
    else:
        assert ran.status == 2
        assert ran.err.startswith("x.py:") and ran.err.endswith(f" (as {PYTHON} reads it)\n")
        assert (tmp_path / "x.py").read_text() == BEFORE + text


# files that can be checked, however odd


def long_line(text: str) -> str:
    return text + "x = '" + "score " * 800_000 + "'\n"


def wrapped(header: str) -> Callable[[str], str]:
    """The function stands indented below a header."""

    def wrap(text: str) -> str:
        head, function = text.split("\n\n\n")
        return f"{head}\n\n\n{header}\n" + "".join(f"    {line}\n" for line in function.splitlines())

    return wrap


ODD: dict[str, Callable[[str], bytes | str]] = {
    "BOM": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "latin-1": lambda text: b"# -*- coding: latin-1 -*-\n# caf\xe9\n" + text.encode() + b"x = '\xa0\xff'\n",
    "utf-8 cookie": lambda text: f"#!/usr/bin/env python\n# vim: set fileencoding=utf-8 :\n# é\n{text}",
    "form feeds": lambda text: (
        text.replace("\n\n\ndef", "\n\f\n\ndef").replace("import torch", "\fimport torch") + "\f\n"
    ),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "lone returns": lambda text: text.replace("\n", "\r"),
    "mixed newlines": lambda text: text + "x = 1\r\ny = 2\rz = '''\r\n\r'''\n",
    "no last newline": lambda text: text.rstrip("\n"),
    "tabs": lambda text: text.replace("    ", "\t"),
    "trailing spaces": lambda text: text + "x = 1   \t\n   \n\t\n",
    "surrogate escape": lambda text: text + "x = '\\ud800', '\\udcff'\n",
    "invalid escape": lambda text: text + "x = '\\d', 'a' is 1\n",
    "line separators": lambda text: text + "x = '\u2028\u2029\x85\x0b\x1c'\n",
    "controls in a comment": lambda text: text + "# \x1b[31m \x07 \u202e\n",
    "wide characters": lambda text: "é = '😀'; " + text,
    "long names": lambda text: text + "g" * 100_000 + " = 1\n",
    "long line": long_line,
    "long comment": lambda text: text + "# " + "rewards " * 50_000 + "\n",
    "many rows": lambda text: text + "x = [\n" + "    1,\n" * 20_000 + "]\n",
    "many terms": lambda text: text + "x = " + "+".join(["a"] * 300) + "\n",
    "many elif": lambda text: text + "if a:\n    pass\n" + "elif a:\n    pass\n" * 600,
    "many strings": lambda text: text + "x = (" + "'a' " * 10_000 + ")\n",
    "long comparison": lambda text: text + "x = " + "a < " * 10_000 + "a\n",
    "many targets": lambda text: text + "a = " * 5_000 + "1\n",
    "match": lambda text: text + "match x:\n    case {'a': [1, *_], **rest} if (y := rest):\n        pass\n",
    "walrus and stars": lambda text: text + "print(*(y := [*a, *b]), **c)\nf = lambda *, k: (yield)\n",
    "async": lambda text: (
        text + "async def g():\n    async with a as b, c:\n        return [await x async for x in b]\n"
    ),
    "backslashes": lambda text: text + "x = 1 + \\\n    2\nassert x, \\\n    'y'\n",
    "semicolons": lambda text: text + "x = 1; y = 2;\nif x: y = 3; z = 4\n",
    "in nested classes": wrapped("class A:\n  x = 1\n  class B:"),
    "below decorators": lambda text: text.replace("def ", "@a.b(c)\n@(lambda f: f)\ndef "),
}


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("odd")
    write(folder, {f"{name}.py": make(BEFORE) for name, make in ODD.items()})
    return folder


def expected(name: str) -> bytes:
    made = ODD[name](AFTER)
    return made if isinstance(made, bytes) else made.encode()


def test_odd_files_are_checked(odd: Path) -> None:
    ran = run(".", cwd=odd)
    assert (ran.status, ran.err) == (1, "")
    found = [
        line.partition(".py:")[0] for line in ran.out.splitlines() if "GRPO001 `rewards.view(-1, group_size)`" in line
    ]
    assert sorted(found) == sorted(ODD)
    assert f"Found {len(ODD)} findings.\n" in ran.out


def test_odd_files_are_repaired_and_keep_their_other_bytes(odd: Path) -> None:
    diff = run("--diff", "--unsafe-fixes", ".", cwd=odd)
    assert (diff.status, diff.err) == (1, f"Would fix {len(ODD)} findings, 0 would remain.\n")
    heads = re.findall(r"^\+\+\+ b/(.+)\.py\t?$", diff.out, re.MULTILINE)
    assert sorted(heads) == sorted(ODD)
    ran = run("--fix", "--unsafe-fixes", ".", cwd=odd)
    assert ran == (0, f"Found {len(ODD)} findings ({len(ODD)} fixed, 0 remaining).\n", NOTE)
    assert [name for name in ODD if (odd / f"{name}.py").read_bytes() != expected(name)] == []
    assert run(".", cwd=odd) == (0, "All checks passed!\n", "")


def test_files_without_candidates_are_quiet_whatever_they_hold(tmp_path: Path) -> None:
    quiet = {
        "empty": b"",
        "newline": b"\n",
        "BOM": b"\xef\xbb\xbf",
        "UTF-16": BEFORE.encode("utf-16"),
        "NUL": b"\0" * 9,
    }
    write(tmp_path, {**{f"{name}.py": data for name, data in quiet.items()}, "syntax.py": "x = = 1\n"})
    assert run(cwd=tmp_path) == (0, "All checks passed!\n", "")


# paths


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    write(tmp_path, {"x.py/a.py": BEFORE, "real.py": BEFORE})
    for name, target in (("broken.py", "nowhere"), ("loop.py", "loop.py"), ("up", ".."), ("link.py", "real.py")):
        (tmp_path / name).symlink_to(target)
    os.mkfifo(tmp_path / "pipe.py")
    walked = run(cwd=tmp_path)
    assert (walked.status, walked.err) == (1, "")
    assert [line[:14] for line in walked.out.splitlines() if "GRPO" in line] == ["link.py:5:12: ", "x.py/a.py:5:12"]
    named = run("missing.py", "broken.py", "loop.py", "pipe.py", "real.py/x.py", "x.py", "", cwd=tmp_path)
    assert named.status == 2
    assert named.out.startswith("x.py/a.py:5:12: GRPO001 ")
    assert sorted(named.err.splitlines()) == [
        f"{tmp_path}: No such file or directory",
        "broken.py: No such file or directory",
        "loop.py: Too many levels of symbolic links",
        "missing.py: No such file or directory",
        "pipe.py: not a regular file",
        "real.py/x.py: Not a directory",
    ]


DROP = f"""
import os, pkgutil, importlib, grpo_lint
for found in pkgutil.walk_packages(grpo_lint.__path__, "grpo_lint."):
    if not found.name.startswith(("grpo_lint.__main__", "grpo_lint.reference", "grpo_lint.vendoring")):
        importlib.import_module(found.name)
import libcst, difflib, tempfile
importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
if os.geteuid() == 0:
    os.setgroups([]), os.setgid({NOBODY}), os.setuid({NOBODY})
"""


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that any user can reach; root passes over modes, so that the child gives its rights up."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        for path in (folder, *folder.iterdir()):
            path.chmod(0o755)


def test_what_may_not_be_read(shared_folder: Path) -> None:
    write(shared_folder, {f"{name}.py": BEFORE for name in ("closed", "open", "shut/a", "listed/a")})
    for name, mode in (("closed.py", 0), ("shut", 0), ("listed", 0o444)):
        (shared_folder / name).chmod(mode)
    ran = run(cwd=shared_folder, before=DROP)
    assert ran.status == 2
    assert ran.out.startswith("open.py:5:12: GRPO001 ")
    assert sorted(ran.err.splitlines()) == [
        "closed.py: Permission denied",
        "listed: Permission denied",
        "shut: Permission denied",
    ]
    named = run("closed.py", "shut", "shut/a.py", "--quiet", cwd=shared_folder, before=DROP)
    assert (named.status, named.out) == (2, "")
    assert sorted(named.err.splitlines()) == [
        f"{name}: Permission denied" for name in ("closed.py", "shut/a.py", "shut")
    ]


@pytest.mark.parametrize(("folder_mode", "file_mode"), [(0o555, 0o666), (0o777, 0o444)])
def test_what_may_not_be_written_is_reported(shared_folder: Path, folder_mode: int, file_mode: int) -> None:
    write(shared_folder, {"sub/a.py": BEFORE})
    (shared_folder / "sub/a.py").chmod(file_mode)
    (shared_folder / "sub").chmod(folder_mode)
    ran = run("--fix", "--unsafe-fixes", cwd=shared_folder, before=DROP)
    assert (ran.status, ran.err) == (2, "sub/a.py: cannot be written: Permission denied\n")
    assert ran.out.startswith("sub/a.py:5:12: GRPO001 ")
    assert (shared_folder / "sub/a.py").read_text() == BEFORE
    assert [path.name for path in (shared_folder / "sub").iterdir()] == ["a.py"]


# what a terminal would act upon

NAMES = ["\x1b[31mred", "bell\x07", "line\nfeed", "carriage\rreturn", "\u202eoverride", "\x9bcsi", "byte\udcff", 'q"\\']


def is_harmless(text: str) -> bool:
    return all(line.isprintable() for line in text.removesuffix("\n").split("\n"))


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    for name in NAMES:
        write(tmp_path, {f"{name}/{name}.py": BEFORE, f"{name}.py": f"{GATED}x = '\x1b' = '\u202e'\n"})
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [[], ["--output-format", "concise"], ["--output-format", "json"], ["--diff", "--unsafe-fixes"], ["--show-files"]],
)
def test_names_cannot_reach_the_terminal(hostile: Path, arguments: list[str]) -> None:
    ran = run(*arguments, cwd=hostile)
    assert is_harmless(ran.out)
    assert is_harmless(ran.err)
    assert ran.status == 2 or "--show-files" in arguments
    assert len(ran.err.splitlines()) in (0, len(NAMES), len(NAMES) + 1)  # a line each, and what a patch comes to


@pytest.mark.parametrize("name", NAMES)
def test_a_patch_of_an_odd_name_is_applied_by_git(tmp_path: Path, name: str) -> None:
    write(tmp_path, {f"{name}.py": BEFORE})
    patch = run("--diff", "--unsafe-fixes", cwd=tmp_path).out
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=patch.encode(), check=True)
    assert (tmp_path / f"{name}.py").read_text() == AFTER


@pytest.mark.parametrize("name", NAMES)
def test_arguments_and_configurations_cannot_reach_the_terminal(tmp_path: Path, name: str) -> None:
    escaped = "".join(f"\\u{ord(each):04x}" if each < "\ud800" else "x" for each in name)
    write(tmp_path, {f"{name}/grpo-lint.toml": f'"{escaped}" = 1\nselect = ["{escaped}"]\n', f"{name}/x.py": ""})
    for arguments in (["explain", name], [name], [f"missing {name}"], ["--select", name], ["--config", name], []):
        ran = run(*arguments, cwd=tmp_path)
        assert (ran.status, is_harmless(ran.out), is_harmless(ran.err)) == (2, True, True), ran
