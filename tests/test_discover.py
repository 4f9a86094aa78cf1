from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from grpo_lint import ignore
from grpo_lint.config import ConfigResolver
from grpo_lint.discover import Entry, Found, Unreachable, discover
from grpo_lint.ignore import IgnoreRules, is_ignored, is_ignored_below


def tree(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    return root


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def entries(*paths: Path | str) -> tuple[Entry, ...]:
    return discover([str(path) for path in paths], ConfigResolver(("GRPO001",)))


def names(root: Path, *paths: Path | str) -> list[str]:
    found = entries(*(paths or (root,)))
    assert all(isinstance(entry, Found) for entry in found), found
    return [Path(entry.path).relative_to(root).as_posix() for entry in found]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    return tmp_path


@pytest.mark.parametrize(
    ("why", "name"),
    [
        ("no Python", "a.txt"),
        ("no suffix", "a"),
        ("a notebook", "a.ipynb"),
        ("compiled", "a.pyc"),
        ("the suffix is case-sensitive", "a.PY"),
        ("only the suffix", "a.py.orig"),
        ("the repository's own", ".git/hooks/a.py"),
        ("an environment", ".venv/lib/a.py"),
        ("an environment", "venv/lib/a.py"),
        ("installed packages", "lib/site-packages/a.py"),
        ("installed packages", "node_modules/a/b.py"),
        ("built", "dist/a.py"),
        ("a cache", "x/__pycache__/a.py"),
        ("a cache", ".mypy_cache/a.py"),
        ("a cache", ".tox/py/a.py"),
        ("Mercurial's own", ".hg/a.py"),
    ],
)
def test_a_walk_passes_over(tmp_path: Path, why: str, name: str) -> None:
    assert names(tree(tmp_path, name)) == [], why


def test_a_walk_takes_sources_and_stubs_in_order(tmp_path: Path) -> None:
    tree(tmp_path, "b.py", "a/z.py", "a/b/c.py", "a/b/stub.pyi", "a.py", "a-b/c.py", ".hidden/a.py", "build/a.py")
    assert names(tmp_path) == [".hidden/a.py", "a/b/c.py", "a/z.py", "a-b/c.py", "a.py", "b.py", "build/a.py"]


def test_an_empty_folder_has_none(tmp_path: Path) -> None:
    assert entries(tmp_path) == ()
    assert entries() == ()


def test_a_folder_named_like_a_file_is_walked(tmp_path: Path) -> None:
    tree(tmp_path, "x.py/a.py")
    assert names(tmp_path) == ["x.py/a.py"]
    assert names(tmp_path, tmp_path / "x.py") == ["x.py/a.py"]


def test_named_files_are_taken_whatever_their_suffix(tmp_path: Path) -> None:
    tree(tmp_path, "script", "a.txt", "venv/a.py")
    assert names(tmp_path, *(tmp_path / name for name in ("script", "venv/a.py", "a.txt"))) == [
        "a.txt",
        "script",
        "venv/a.py",
    ]


def test_named_folders_are_walked_whatever_their_name(tmp_path: Path) -> None:
    tree(tmp_path, "venv/a.py", "venv/venv/b.py")
    assert names(tmp_path, tmp_path / "venv") == ["venv/a.py"]


def test_the_order_of_the_arguments_does_not_matter(tmp_path: Path) -> None:
    tree(tmp_path, "a/x.py", "b.py", "c/y.py")
    paths = [tmp_path / name for name in ("a", "b.py", "c", "a/x.py", ".")]
    assert entries(*paths) == entries(*reversed(paths)) == entries(tmp_path)


def test_each_file_comes_once(tmp_path: Path) -> None:
    tree(tmp_path, "a/x.py")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    (tmp_path / "a/y.py").symlink_to("x.py")
    assert names(tmp_path, tmp_path, tmp_path / "a/x.py", tmp_path / "a", tmp_path / "link") == ["a/x.py"]


def test_a_walk_does_not_follow_links_to_folders(tmp_path: Path) -> None:
    tree(tmp_path, "a/x.py", "other/y.py")
    (tmp_path / "a/up").symlink_to("..")
    (tmp_path / "a/link.py").symlink_to("../other")
    assert names(tmp_path, tmp_path / "a") == ["a/x.py"]


def test_a_named_link_to_a_folder_is_walked(tmp_path: Path) -> None:
    tree(tmp_path, "a/x.py")
    (tmp_path / "link").symlink_to("a")
    assert names(tmp_path, tmp_path / "link") == ["link/x.py"]


def test_a_walk_follows_links_to_files_and_skips_broken_ones(tmp_path: Path) -> None:
    tree(tmp_path, "elsewhere/x", "a/")
    (tmp_path / "a/good.py").symlink_to("../elsewhere/x")
    (tmp_path / "a/broken.py").symlink_to("nowhere")
    (tmp_path / "a/loop.py").symlink_to("loop.py")
    assert names(tmp_path, tmp_path / "a") == ["a/good.py"]


def test_a_walk_skips_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    assert names(tmp_path) == []


@pytest.mark.parametrize("name", ["missing.py", "missing/", "a.py/b.py", "x" * 300])
def test_a_missing_path_is_said_and_the_rest_is_found(tmp_path: Path, name: str) -> None:
    tree(tmp_path, "a.py", "b.py")
    found = entries(f"{tmp_path}/{name}", tmp_path / "b.py")
    assert [type(entry) for entry in found].count(Unreachable) == 1
    assert Found in map(type, found)


def test_a_named_broken_link_is_missing(tmp_path: Path) -> None:
    (tmp_path / "broken.py").symlink_to("nowhere")
    assert entries(tmp_path / "broken.py") == (Unreachable(f"{tmp_path}/broken.py", "No such file or directory"),)


def test_an_empty_name_is_not_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree(tmp_path, "a.py"))
    (entry,) = entries("")
    assert isinstance(entry, Unreachable)


@pytest.mark.parametrize("name", [".", "./", "../here", "../here/sub/..", "sub/.."])
def test_relative_names_lead_to_absolute_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    tree(tmp_path, "here/a.py", "here/sub/")
    monkeypatch.chdir(tmp_path / "here")
    assert [entry.path for entry in entries(name)] == [f"{tmp_path}/here/a.py"]


def test_dots_go_up_from_where_a_link_leads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path, "x.py", "far/x.py", "far/away/")
    (tmp_path / "link").symlink_to("far/away")
    monkeypatch.chdir(tmp_path)
    assert [entry.path for entry in entries("link/../x.py")] == [f"{tmp_path}/far/x.py"]


def test_names_that_are_not_unicode(tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.py")
    Path(path).touch()
    assert [entry.path for entry in entries(tmp_path)] == [path]


def test_deep_folders(tmp_path: Path) -> None:
    tree(tmp_path, "d/" * 200 + "a.py")
    assert len(entries(tmp_path)) == 1


# .gitignore


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        ("", ["a/x.py", "a/y.py", "b/x.py", "z.py"]),
        ("# x.py\n\n   \n", ["a/x.py", "a/y.py", "b/x.py", "z.py"]),
        ("x.txt\n", ["a/x.py", "a/y.py", "b/x.py", "z.py"]),
        ("z.py/\n", ["a/x.py", "a/y.py", "b/x.py", "z.py"]),
        ("/x.py\n", ["a/x.py", "a/y.py", "b/x.py", "z.py"]),
        ("!x.py\n", ["a/x.py", "a/y.py", "b/x.py", "z.py"]),
        ("x.py\n", ["a/y.py", "z.py"]),
        ("a\n", ["b/x.py", "z.py"]),
        ("/a/\n", ["b/x.py", "z.py"]),
        ("a/x.py\n", ["a/y.py", "b/x.py", "z.py"]),
        ("a/*\n!a/y.py\n", ["a/y.py", "b/x.py", "z.py"]),
        ("a/**\n!a/y.py\n", ["a/y.py", "b/x.py", "z.py"]),
        ("a/\n!a/y.py\n", ["b/x.py", "z.py"]),  # nothing comes back out of an ignored folder
        ("*\n!*/\n!*.py\n", ["a/x.py", "a/y.py", "b/x.py", "z.py"]),  # the usual whitelist
        ("*\n!*/\n!x.py\n", ["a/x.py", "b/x.py"]),
        ("/*\n!/a/\n", ["a/x.py", "a/y.py"]),  # the other one: neither pattern speaks of what is in a
        ("x.py\n!a\n!b/\n", ["a/y.py", "z.py"]),  # a folder that comes back does not bring its files
        ("**/x.py\n", ["a/y.py", "z.py"]),
        ("[ab]/x.py\r\n", ["a/y.py", "z.py"]),
        ("\\z.py\nb/  \n", ["a/x.py", "a/y.py"]),
        ("\ufeffz.py\n", ["a/x.py", "a/y.py", "b/x.py"]),
        ("!\n[\n[z-a]\n[[]\n\\\n/\n//\n", ["a/x.py", "a/y.py", "b/x.py", "z.py"]),  # what is no pattern matches nothing
    ],
)
def test_gitignore(repository: Path, patterns: str, expected: list[str]) -> None:
    tree(repository, "a/x.py", "a/y.py", "b/x.py", "z.py")
    (repository / ".gitignore").write_text(patterns, newline="")
    assert names(repository) == expected
    listed = ["git", "-C", str(repository), "ls-files", "-o", "--exclude-standard", "*.py"]
    assert subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split() == sorted(expected)


def test_nested_files_win_over_outer_ones(repository: Path) -> None:
    write(repository, {".gitignore": "x.py\n", "a/.gitignore": "!x.py\n/y.py\n"})
    tree(repository, "x.py", "y.py", "a/x.py", "a/y.py", "a/b/x.py", "a/b/y.py")
    assert names(repository) == ["a/b/x.py", "a/b/y.py", "a/x.py", "y.py"]


def test_files_above_the_named_folder_count_up_to_the_repository(repository: Path) -> None:
    write(repository, {".gitignore": "x.py\n/a/b/z.py\n", "a/.gitignore": "y.py\n"})
    tree(repository, "a/b/x.py", "a/b/y.py", "a/b/z.py", "a/b/w.py")
    assert names(repository, repository / "a/b") == ["a/b/w.py"]


def test_files_above_the_repository_do_not_count(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "*\n"})
    subprocess.run(["git", "init", "-q", str(tmp_path / "inner")], check=True)
    tree(tmp_path, "inner/a.py")
    assert names(tmp_path, tmp_path / "inner") == ["inner/a.py"]


def test_without_a_repository_only_files_in_the_walk_count(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "x.py\n", "a/.gitignore": "y.py\n"})
    tree(tmp_path, "a/x.py", "a/y.py", "a/z.py")
    assert names(tmp_path, tmp_path / "a") == ["a/x.py", "a/z.py"]


def test_the_repositorys_exclude_file_counts_last(repository: Path) -> None:
    write(repository, {".git/info/exclude": "x.py\ny.py\n", "a/.gitignore": "!y.py\n"})
    tree(repository, "a/x.py", "a/y.py", "a/z.py")
    assert names(repository) == names(repository, repository / "a") == ["a/y.py", "a/z.py"]


@pytest.mark.parametrize("pattern", ["out/", "out", "*", "/out/**", "sub/"])
def test_a_named_folder_is_walked_although_ignored(repository: Path, pattern: str) -> None:
    write(repository, {".gitignore": f"{pattern}\n", "out/sub/.gitignore": "y.py\n"})
    tree(repository, "out/sub/x.py", "out/sub/y.py")
    assert names(repository, repository / "out/sub") == ["out/sub/x.py"]


def test_a_named_file_is_taken_although_ignored(repository: Path) -> None:
    write(repository, {".gitignore": "*\n", "a.py": ""})
    assert names(repository, repository / "a.py") == ["a.py"]


def test_gitignore_that_is_a_folder_or_not_unicode(repository: Path) -> None:
    tree(repository, "a/.gitignore/", "a/x.py", "b/x.py", "b/y.py")
    (repository / "b/.gitignore").write_bytes(b"\xff\ny.py\n")
    assert names(repository) == ["a/x.py", "b/x.py"]


# Left out is where pathspec differs from Git. *** is to Git what ** is, and to pathspec what * is. A bare space is
# lost at the start of a pattern (in 0.12), and before the slash at the end, which is taken off before pathspec sees it.
ATOMS = ["*", "?", "a", "b", "[ab]", "[!a]", "[a-b]", "[]a]", "*.py", "x.py", "\\a", "!", "#", "\\ "]


def random_part(rng: random.Random) -> str:
    # not a**/b: Git matches the literal head apart, and then takes the stars for **/ against its own manual
    return "**" if rng.random() < 0.15 else "".join(rng.choices(ATOMS, k=rng.choice([1, 1, 2])))


def random_pattern(rng: random.Random) -> str:
    parts = (random_part(rng) for _ in range(rng.choice([1, 1, 2, 3])))
    return rng.choice(["", "", "", "!"]) + rng.choice(["", "", "/"]) + "/".join(parts) + rng.choice(["", "", "/"])


@pytest.mark.parametrize("seed", range(40))
def test_as_git_does(repository: Path, seed: int) -> None:
    rng = random.Random(seed)
    folders = ["/".join(rng.choices("ab", k=rng.randint(0, 3))) or "." for _ in range(6)]
    tree(repository, *(f"{folder}/{name}.py" for folder in folders for name in ("a", "b", "x", "!a", "#", " a")))
    for folder in sorted({".", *folders[:3]}):
        (repository / folder / ".gitignore").write_text("\n".join(random_pattern(rng) for _ in range(4)))
    listed = ["git", "-C", str(repository), "ls-files", "-z", "-o", "--exclude-standard"]
    done = subprocess.run(listed, capture_output=True, text=True, check=True)
    assert sorted(names(repository)) == sorted(name for name in done.stdout.split("\0") if name.endswith(".py"))


def test_rules_speak_only_of_what_they_name() -> None:
    rules = IgnoreRules.parse("/r", ["a/", "!b.py"])
    assert rules.verdict("/r/a", True) is True
    assert rules.verdict("/r/a", False) is None
    assert rules.verdict("/r/b.py", False) is False
    assert not is_ignored("/r/a/x.py", False, [rules])
    assert is_ignored_below("/r", "/r/a/x.py", False, [rules])
    assert IgnoreRules.parse("/", ["x.py"]).verdict("/x.py", False) is True
    assert IgnoreRules.parse("/r", ["/*", "!/a/"]).verdict("/r/a/x.py", False) is None


# What a pattern is made of that is read without pathspec.
PLAIN = ["a", "b", ".", "*", "?", "[ab]", "[b2]", "x.py", "/", "-", "+", "~", "$", ",", "@"]


@pytest.mark.parametrize("seed", range(20))
def test_plain_patterns_mean_what_they_mean_to_pathspec(seed: int) -> None:
    rng = random.Random(seed)
    paths = [
        "/".join(rng.choices(["a", "b", ".", "ab", "x.py", ".a", "a-b", "$"], k=rng.randint(1, 3))) for _ in range(50)
    ]
    read = 0
    for _ in range(200):
        start, end = rng.choice(["", "!", "**/", "!**/", "/"]), rng.choice(["", "", "/", "/**", "/**/"])
        line = start + "".join(rng.choices(PLAIN, k=rng.randint(1, 5))) + end
        if not ignore._PLAIN.fullmatch(line.removesuffix("/")) or line.startswith("#"):
            continue
        read += 1
        rules = IgnoreRules.parse("/r", [line])
        (reference,) = ignore._pathspec_patterns(line.removesuffix("/"), line.endswith("/"))
        for path in paths:
            expected = reference.ignores if reference.matches(path) else None
            assert rules.verdict(f"/r/{path}", True) is expected, (line, path)
            assert rules.verdict(f"/r/{path}", False) is (None if line.endswith("/") else expected), (line, path)
    assert read > 50


@pytest.mark.parametrize(
    ("line", "is_imported"),
    [
        ("", False),
        ("# x.py", False),
        ("x.py", False),
        ("!/docs/_build/*.py[cod]", False),
        ("**/x.py", False),
        ("a/b/**", False),
        ("a/**/x.py", True),
        ("[a-z].py", True),
        ("\\!x.py", True),
        ("é.py", True),
        ("a b.py", True),
    ],
)
def test_pathspec_is_imported_for_the_rarer_patterns_only(line: str, is_imported: bool) -> None:
    code = f"import sys, grpo_lint.ignore as i; i.IgnoreRules.parse('/', [{line!r}]); print('pathspec' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == f"{is_imported}\n"


# exclude


def excluding(root: Path, *patterns: str) -> Path:
    listed = ", ".join(f'"{pattern}"' for pattern in patterns)
    return write(root, {"pyproject.toml": f"[tool.grpo-lint]\nexclude = [{listed}]\n"})


@pytest.mark.parametrize("pattern", ["a", "a/", "/a", "a/**", "x.py", "x*.py", "a/*/x.py", "b"])
def test_excluded_files_are_skipped_named_or_walked(tmp_path: Path, pattern: str) -> None:
    excluding(tree(tmp_path, "a/b/x.py", "z.py"), pattern)
    assert names(tmp_path) == ["z.py"]
    assert names(tmp_path, tmp_path / "a/b/x.py", tmp_path / "z.py") == ["z.py"]
    assert names(tmp_path, tmp_path / "a/b") == []


@pytest.mark.parametrize("pattern", ["/b", "x", "a/x.py", "b/a", "z.py"])
def test_patterns_that_do_not_match_exclude_nothing(tmp_path: Path, pattern: str) -> None:
    excluding(tree(tmp_path, "a/b/x.py"), pattern)
    assert names(tmp_path) == names(tmp_path, tmp_path / "a/b/x.py") == ["a/b/x.py"]


def test_the_last_exclude_pattern_decides(tmp_path: Path) -> None:
    excluding(tree(tmp_path, "a/x.py", "a/y.py"), "*.py", "!y.py")
    assert names(tmp_path) == ["a/y.py"]


def test_exclude_is_relative_to_its_own_configuration(tmp_path: Path) -> None:
    excluding(tree(tmp_path, "a/b/x.py", "b/x.py"), "/b")
    excluding(tmp_path / "a", "/c")
    assert names(tmp_path) == ["a/b/x.py"]


def test_the_folder_of_the_configuration_is_not_excluded_itself(tmp_path: Path) -> None:
    excluding(tree(tmp_path, "x.py", "y/z.py"), "/*.py")
    assert names(tmp_path) == ["y/z.py"]


def test_a_file_comes_with_its_own_configuration(tmp_path: Path) -> None:
    tree(tmp_path, "a/x.py", "y.py")
    write(tmp_path, {"grpo-lint.toml": "line-length = 70", "a/grpo-lint.toml": "line-length = 60"})
    lengths = [entry.config.line_length for entry in entries(tmp_path) if isinstance(entry, Found)]
    assert lengths == [60, 70]


def test_a_broken_configuration_is_said_once_and_the_rest_is_found(tmp_path: Path) -> None:
    tree(tmp_path, "bad/x.py", "bad/y/z.py", "good.py")
    write(tmp_path, {"bad/grpo-lint.toml": "slect = []"})
    said = Unreachable(f"{tmp_path}/bad/grpo-lint.toml", "slect: unknown key: did you mean 'select'?")
    found = entries(tmp_path, tmp_path / "bad/x.py", tmp_path / "bad/y")
    assert [entry for entry in found if isinstance(entry, Unreachable)] == [said]
    assert [entry.path for entry in found if isinstance(entry, Found)] == [f"{tmp_path}/good.py"]


def test_a_named_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.py")
    (entry,) = discover([str(tmp_path / "x.py")], ConfigResolver(("GRPO001",)))
    assert entry == Unreachable(str(tmp_path / "x.py"), "not a regular file")
    assert discover([str(tmp_path)], ConfigResolver(("GRPO001",))) == ()
