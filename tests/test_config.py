from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from grpo_lint.config import (
    Config,
    ConfigError,
    ConfigResolver,
    Overrides,
)
from grpo_lint.config_file import load_config
from grpo_lint.config_keys import KEYS
from grpo_lint.contracts import CallSite, Result
from grpo_lint.contracts.reading import Misfit
from grpo_lint.line_length import formatter_line_length
from grpo_lint.selectors import unknown_selector

CODES = ("GRPO001", "GRPO002", "GRPO006", "GRPO101")


def project(folder: Path, text: str, name: str = "pyproject.toml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return folder


def load(folder: Path, text: str) -> Config | None:
    return load_config(project(folder, text), CODES)


@pytest.mark.parametrize(
    ("why", "text"),
    [
        ("no table of ours", "[tool.ruff]\nline-length = 100\n"),
        ("we are only a dependency", '[project]\ndependencies = ["grpo-lint"]\n'),
        ("only mentioned in a comment", "# grpo-lint\n[tool.black]\n"),
        ("a key of that name elsewhere", "[other.grpo-lint]\nselect = 1\n"),
        ("tool is no table", 'tool = "grpo-lint"\n'),
        ("empty", ""),
        ("broken, but nothing of ours in it", "[[["),
    ],
)
def test_no_configuration(tmp_path: Path, why: str, text: str) -> None:
    assert load(tmp_path, text) is None, why


def test_a_folder_named_like_a_configuration_is_none(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").mkdir()
    (tmp_path / "grpo-lint.toml").mkdir()
    assert load_config(tmp_path, CODES) is None


def test_an_empty_table_gives_the_defaults(tmp_path: Path) -> None:
    assert load(tmp_path, "[tool.grpo-lint]\n") == Config(root=tmp_path, file=tmp_path / "pyproject.toml")


def test_every_key(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        """
        [tool.grpo-lint]
        select = ["GRPO0", "GRPO101"]
        ignore = ["GRPO006"]
        per-file-ignores = { "tests/" = ["ALL"], "!src/**" = ["GRPO00"] }
        preview = true
        exclude = ["third_party/", "*_pb2.py"]
        extend-exclude = ["build/"]
        force-exclude = false
        unsafe-fixes = true
        reference-module = "slime.utils.advantages"
        group-index = "({sample}.epoch, str({sample}['uid']))"
        reward-names = ["utility"]
        group-size-names = ["fan_out"]
        rollout-ids = false
        line-length = 119
        call-sites = [
          { file = "a.py", function = "A.f", calls = "b.g", result = "used", absent = ["GRPO002"] },
          { file = "a.py" },
        ]
        """,
    )
    assert config is not None
    assert set(config.given) == {key.field for key in KEYS}
    assert config._replace(given=()) == Config(
        select=("GRPO0", "GRPO101"),
        ignore=("GRPO006",),
        per_file_ignores=(("tests/", ("ALL",)), ("!src/**", ("GRPO00",))),
        preview=True,
        exclude=("third_party/", "*_pb2.py"),
        extend_exclude=("build/",),
        force_exclude=False,
        unsafe_fixes=True,
        group_index="({sample}.epoch, str({sample}['uid']))",
        reference_module="slime.utils.advantages",
        reward_names=("utility",),
        group_size_names=("fan_out",),
        rollout_ids=False,
        line_length=119,
        call_sites=(
            CallSite("a.py", "A.f", "b.g", result=Result.USED, absent=("GRPO002",)),
            Misfit("`function` is missing"),
        ),
        root=tmp_path,
        file=tmp_path / "pyproject.toml",
    )


def test_the_own_file_wins_in_its_folder(tmp_path: Path) -> None:
    project(tmp_path, "line-length = 100\n", "grpo-lint.toml")
    config = load(tmp_path, "[tool.grpo-lint]\nline-length = 90\n")
    assert config is not None
    assert config.line_length == 100


def test_an_empty_own_file_is_a_configuration(tmp_path: Path) -> None:
    project(tmp_path, "", "grpo-lint.toml")
    assert load_config(tmp_path, CODES) == Config(root=tmp_path, file=tmp_path / "grpo-lint.toml")


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [
        ("slect = []", "slect", "unknown key: did you mean 'select'?"),
        ("line_length = 88", "line_length", "unknown key: did you mean 'line-length'?"),
        ("zzzzzz = 1", "zzzzzz", "unknown key"),
        ('select = "GRPO001"', "select", "expected a list of strings, found 'GRPO001'"),
        ("select = [1]", "select", "expected a string, found 1"),
        ('select = ["GRPO010"]', "select", "unknown code 'GRPO010': did you mean "),
        ('select = ["grpo001"]', "select", "unknown code 'grpo001': did you mean 'GRPO001'?"),
        ('select = ["G"]', "select", "unknown code 'G'"),
        ('select = [""]', "select", "unknown code ''"),
        ('ignore = ["E501"]', "ignore", "unknown code 'E501'"),
        ('exclude = ["a", " "]', "exclude", "' ' is no pattern"),
        ('exclude = "a"', "exclude", "expected a list of strings, found 'a'"),
        ("exclude = [{}]", "exclude", "expected a string, found {}"),
        ('extend-exclude = [" "]', "extend-exclude", "' ' is no pattern"),
        ("force-exclude = 1", "force-exclude", "expected true or false, found 1"),
        (
            'per-file-ignores = ["a"]',
            "per-file-ignores",
            "expected a table of patterns with lists of codes, found ['a']",
        ),
        ('per-file-ignores = { "a" = "ALL" }', "per-file-ignores", "expected a list of strings, found 'ALL'"),
        ('per-file-ignores = { " " = ["ALL"] }', "per-file-ignores", "' ' is no pattern"),
        (
            'per-file-ignores = { "a" = ["GRP001"] }',
            "per-file-ignores",
            "unknown code 'GRP001': did you mean 'GRPO001'?",
        ),
        ("group-index = 1", "group-index", "expected a string, found 1"),
        (
            'group-index = "group_index"',
            "group-index",
            "'group_index' does not name {sample}, such as '{sample}.group_index' does",
        ),
        (
            'group-index = "{sample}."',
            "group-index",
            "'{sample}.' is no expression such as '{sample}.group_index'",
        ),
        (
            'group-index = "uid_of({sample})"',
            "group-index",
            "'uid_of({sample})' reads 'uid_of', which not every file knows",
        ),
        ("unsafe_fixes = true", "unsafe_fixes", "unknown key: did you mean 'unsafe-fixes'?"),
        ("reference-module = 3", "reference-module", "expected a string, found 3"),
        ('reference-module = ""', "reference-module", "'' is no module name"),
        ('reference-module = "a..b"', "reference-module", "'a..b' is no module name"),
        ('reference-module = "a/b.py"', "reference-module", "'a/b.py' is no module name"),
        ('reference-module = "a.class"', "reference-module", "'a.class' is no module name"),
        ('reference-module = ".a"', "reference-module", "'.a' is no module name"),
        ('reward-names = ["a-b"]', "reward-names", "'a-b' is no name that Python code can use"),
        ('reward-names = [""]', "reward-names", "'' is no name"),
        ("group-size-names = [true]", "group-size-names", "expected a string, found True"),
        ("rollout-ids = 0", "rollout-ids", "expected true or false, found 0"),
        ("line-length = 0", "line-length", "expected a whole number above 0, found 0"),
        ("line-length = -1", "line-length", "expected a whole number above 0, found -1"),
        ("line-length = true", "line-length", "expected a whole number above 0, found True"),
        ("line-length = 88.0", "line-length", "expected a whole number above 0, found 88.0"),
        ('line-length = "88"', "line-length", "expected a whole number above 0, found '88'"),
    ],
)
@pytest.mark.parametrize("name", ["pyproject.toml", "grpo-lint.toml"])
def test_errors_name_file_and_key(tmp_path: Path, text: str, key: str, reason: str, name: str) -> None:
    header = "[tool.grpo-lint]\n" if name == "pyproject.toml" else ""
    project(tmp_path, header + text, name)
    with pytest.raises(ConfigError) as caught:
        load_config(tmp_path, CODES)
    assert caught.value.path == tmp_path / name
    assert caught.value.key == key
    assert str(caught.value).startswith(f"{key}: {reason}")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"[tool.grpo-lint\n", "not valid TOML: "),
        (b"# \xff grpo-lint", "not valid TOML: "),
        (b"[tool]\ngrpo-lint = 3\n", "tool.grpo-lint: expected a table"),
    ],
)
def test_an_unusable_file(tmp_path: Path, data: bytes, reason: str) -> None:
    (tmp_path / "pyproject.toml").write_bytes(data)
    with pytest.raises(ConfigError) as caught:
        load_config(tmp_path, CODES)
    assert str(caught.value).startswith(reason)


def test_the_nearest_configuration_holds(tmp_path: Path) -> None:
    project(tmp_path, "[tool.grpo-lint]\nline-length = 100\n")
    project(tmp_path / "a", "[tool.ruff]\n")
    project(tmp_path / "a/b", "line-length = 70\n", "grpo-lint.toml")
    resolver = ConfigResolver(CODES)
    lengths = {
        name: resolver.for_folder(tmp_path / name).line_length for name in ("a/b/c/d", "a/b", "a/x/y", "a", ".", "new")
    }
    assert lengths == {"a/b/c/d": 70, "a/b": 70, "a/x/y": 100, "a": 100, ".": 100, "new": 100}
    assert resolver.for_folder(tmp_path / "a/b/c").root == tmp_path / "a/b"
    assert resolver.for_folder(tmp_path / "a/x").root == tmp_path


def test_a_file_is_read_once(tmp_path: Path) -> None:
    project(tmp_path, "[tool.grpo-lint]\nline-length = 100\n")
    resolver = ConfigResolver(CODES)
    first = resolver.for_folder(tmp_path / "a")
    project(tmp_path, "[tool.grpo-lint]\nline-length = 3\n")
    assert resolver.for_folder(tmp_path / "b") is first
    assert ConfigResolver(CODES).for_folder(tmp_path / "b").line_length == 3


def test_an_error_is_raised_for_every_folder_that_it_governs(tmp_path: Path) -> None:
    project(tmp_path, "[tool.grpo-lint]\nx = 1\n")
    project(tmp_path / "good", "", "grpo-lint.toml")
    resolver = ConfigResolver(CODES)
    for folder in (tmp_path / "a", tmp_path / "a/b", tmp_path):
        with pytest.raises(ConfigError):
            resolver.for_folder(folder)
    assert resolver.for_folder(tmp_path / "good/a").root == tmp_path / "good"


def test_without_configuration_the_root_is_the_project_or_the_folder(tmp_path: Path) -> None:
    project(tmp_path / "a", "[project]\n")
    resolver = ConfigResolver(CODES)
    assert resolver.for_folder(tmp_path / "a/b/c").root == tmp_path / "a"
    assert resolver.for_folder(tmp_path / "x/y").root == tmp_path / "x/y"


@pytest.mark.parametrize(
    ("select", "ignore", "code", "expected"),
    [
        (("ALL",), (), "GRPO001", True),
        ((), (), "GRPO001", False),
        (("GRPO",), (), "GRPO001", True),
        (("GRPO002",), (), "GRPO001", False),
        (("ALL",), ("GRPO001",), "GRPO001", False),
        (("ALL",), ("GRPO001",), "GRPO002", True),
        (("ALL",), ("ALL",), "GRPO001", False),  # a tie: ignore wins
        (("GRPO001",), ("GRPO001",), "GRPO001", False),
        (("GRPO001",), ("ALL",), "GRPO001", True),
        (("GRPO001",), ("GRPO0",), "GRPO001", True),
        (("GRPO0", "GRPO"), ("GRPO00",), "GRPO001", False),
        (("GRPO1",), (), "GRPO101", True),
        (("GRPO1",), (), "GRPO001", False),
    ],
)
def test_the_longest_prefix_wins(select: tuple[str, ...], ignore: tuple[str, ...], code: str, expected: bool) -> None:
    assert Config(select=select, ignore=ignore).is_selected(code, preview_rule=False) is expected


@pytest.mark.parametrize(
    ("select", "preview", "expected"),
    [
        (("ALL",), False, False),
        (("GRPO006",), False, True),
        (("GRPO00",), False, False),
        (("ALL",), True, True),
        (("GRPO001",), True, False),
    ],
)
def test_preview_rules_are_asked_for(select: tuple[str, ...], preview: bool, expected: bool) -> None:
    assert Config(select=select, preview=preview).is_selected("GRPO006", preview_rule=True) is expected


@pytest.mark.parametrize(
    ("file", "overrides", "selected"),
    [
        (Config(), Overrides(), {"GRPO001", "GRPO002"}),
        (Config(select=("GRPO001",)), Overrides(select=("GRPO002",)), {"GRPO002"}),
        (Config(select=("GRPO001",)), Overrides(ignore=("GRPO002",)), {"GRPO001"}),
        (Config(select=("GRPO001",)), Overrides(ignore=("GRPO0",)), set()),
        (Config(), Overrides(ignore=("ALL",)), set()),
        (Config(), Overrides(ignore=("GRPO001",)), {"GRPO002"}),
        (Config(ignore=("GRPO001",)), Overrides(select=("ALL",)), {"GRPO002"}),
        (Config(ignore=("GRPO001",)), Overrides(select=("GRPO001",)), {"GRPO001"}),
        (Config(ignore=("GRPO001",)), Overrides(ignore=("GRPO002",)), set()),
    ],
)
def test_the_command_line_wins_over_the_file(file: Config, overrides: Overrides, selected: set[str]) -> None:
    config = overrides.apply(file)
    assert {code for code in ("GRPO001", "GRPO002") if config.is_selected(code, preview_rule=False)} == selected


def test_overrides_reach_every_configuration(tmp_path: Path) -> None:
    project(tmp_path / "a", "", "grpo-lint.toml")
    resolver = ConfigResolver(CODES, Overrides(preview=True))
    assert resolver.for_folder(tmp_path / "a").preview
    assert resolver.for_folder(tmp_path / "b").preview


@pytest.mark.parametrize("selector", ["ALL", "GRPO", "GRPO0", "GRPO001", "GRPO1"])
def test_known_selectors(selector: str) -> None:
    assert unknown_selector(selector, CODES) is None


@pytest.mark.parametrize("selector", ["all", "G", "GRPO3", "GRPO0011", "", " GRPO", "GRPO001 "])
def test_unknown_selectors(selector: str) -> None:
    assert unknown_selector(selector, CODES)


def test_a_configuration_can_be_sent_to_another_process(tmp_path: Path) -> None:
    config = Config(select=("GRPO001",), root=tmp_path)
    assert pickle.loads(pickle.dumps(config)) == config
    assert hash(config) == hash(pickle.loads(pickle.dumps(config)))


def test_without_our_table_no_toml_parser_is_imported(tmp_path: Path) -> None:
    project(tmp_path, "[tool.ruff]\n")
    script = (
        "import sys; from pathlib import Path; from grpo_lint.config import ConfigResolver;"
        "ConfigResolver(()).for_folder(Path.cwd());"
        "print([name for name in ('tomllib', 'tomli', 'difflib', 'libcst') if name in sys.modules])"
    )
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, 88),
        ({"pyproject.toml": "[project]\n"}, 88),
        ({"pyproject.toml": "[tool.black]\n"}, 88),
        ({"pyproject.toml": "[tool.black]\nline-length = 119\n"}, 119),
        ({"pyproject.toml": "[tool.black]\nline_length = 119\n"}, 119),
        ({"pyproject.toml": "[tool.ruff]\nline-length = 100\n"}, 100),
        ({"pyproject.toml": "[tool.black]\n[tool.ruff]\nline-length = 100\n"}, 88),
        ({"pyproject.toml": "[tool.black]\nline-length = 90\n[tool.ruff]\nline-length = 100\n"}, 90),
        ({"ruff.toml": "line-length = 70\n"}, 70),
        ({".ruff.toml": "line-length = 60\n", "ruff.toml": "line-length = 70\n"}, 60),
        ({"ruff.toml": "line-length = 70\n", "pyproject.toml": "[tool.ruff]\nline-length = 100\n"}, 70),
        ({"ruff.toml": "line-length = 70\n", "pyproject.toml": "[tool.black]\nline-length = 90\n"}, 90),
        ({"ruff.toml": "select = []\n"}, 88),
        ({"../pyproject.toml": "[tool.black]\nline-length = 119\n"}, 119),
        ({"../pyproject.toml": "[tool.black]\nline-length = 119\n", "pyproject.toml": "[project]\n"}, 88),
        ({"../ruff.toml": "line-length = 70\n", "pyproject.toml": "[project]\n"}, 70),
        ({"../pyproject.toml": "[tool.ruff]\nline-length = 70\n", "pyproject.toml": "[project]\n"}, 70),
        # other tools' files: what is wrong with them is theirs to say
        ({"pyproject.toml": "[["}, 88),
        ({"ruff.toml": "[["}, 88),
        ({"pyproject.toml": "[tool.black]\nline-length = 'x'\n"}, 88),
        ({"pyproject.toml": "[tool.black]\nline-length = true\n"}, 88),
        ({"pyproject.toml": "[tool.black]\nline-length = 0\n"}, 88),
        ({"pyproject.toml": "[tool]\nblack = 3\n"}, 88),
    ],
)
def test_the_formatters_line_length(tmp_path: Path, files: dict[str, str], expected: int) -> None:
    folder = tmp_path / "inner"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    assert formatter_line_length(folder) == expected
    assert formatter_line_length(folder / "package") == expected
