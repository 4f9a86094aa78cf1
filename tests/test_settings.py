"""What the settings do, through the command line; and `grpo-lint config`, which shows them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import FAULTY, ROOT, run

UNSAFE = """\
import torch


def advantages_of(rewards: torch.Tensor, prompt_uids: list[str], num_generations: int):
    mean = rewards.view(-1, num_generations).mean(dim=1)
    return rewards - mean.repeat_interleave(num_generations)
"""
READ_OFF = """\
import torch


def advantages_of(args, samples):
    rewards = torch.tensor([sample["reward"] for sample in samples])
    rewards = rewards.view(-1, args.n_samples_per_prompt)
    return (rewards - rewards.mean(dim=-1, keepdim=True)).flatten()
"""


def tree(folder: Path, config: str, *names: str) -> Path:
    """A project with this configuration and the same faulty program at every name."""
    (folder / "grpo-lint.toml").write_text(config)
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(FAULTY)
    return folder


def reported(folder: Path, *arguments: str) -> list[str]:
    out = run("--output-format", "concise", *arguments, cwd=folder)[1]
    return [line.partition(":")[0] for line in out.splitlines() if ": GRPO" in line]


# per-file-ignores


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ('per-file-ignores = { "tests/" = ["ALL"] }', ["src/a.py", "src/b_pb2.py"]),
        ('per-file-ignores = { "tests/**" = ["GRPO"], "*_pb2.py" = ["GRPO001"] }', ["src/a.py"]),
        ('per-file-ignores = { "!src/" = ["GRPO001"] }', ["src/a.py", "src/b_pb2.py"]),
        ('per-file-ignores = { "/a.py" = ["ALL"] }', ["src/a.py", "src/b_pb2.py", "tests/a.py"]),
        ('per-file-ignores = { "a.py" = ["GRPO002"] }', ["src/a.py", "src/b_pb2.py", "tests/a.py"]),
        ('select = ["GRPO001"]\nper-file-ignores = { "tests/a.py" = ["GRPO"] }', ["src/a.py", "src/b_pb2.py"]),
    ],
)
def test_per_file_ignores(tmp_path: Path, config: str, expected: list[str]) -> None:
    assert reported(tree(tmp_path, config, "src/a.py", "src/b_pb2.py", "tests/a.py")) == expected


def test_per_file_ignores_hold_for_named_files_whatever_is_selected(tmp_path: Path) -> None:
    tree(tmp_path, 'per-file-ignores = { "tests/" = ["ALL"] }', "src/a.py", "tests/a.py")
    assert reported(tmp_path, "--select", "GRPO001", "tests/a.py", "src/a.py") == ["src/a.py"]
    assert reported(tmp_path / "tests", "a.py") == []


# exclude, extend-exclude, force-exclude


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("", ["a.py", "gen/a.py"]),
        ('exclude = ["gen/"]', ["a.py", "venv/a.py"]),
        ('extend-exclude = ["gen/"]', ["a.py"]),
        ('exclude = ["venv"]\nextend-exclude = ["gen/"]', ["a.py"]),
        ("exclude = []", ["a.py", "gen/a.py", "venv/a.py"]),
        ('force-exclude = false\nextend-exclude = ["gen/"]', ["a.py"]),
    ],
)
def test_what_a_walk_leaves_out(tmp_path: Path, config: str, expected: list[str]) -> None:
    assert reported(tree(tmp_path, config, "a.py", "gen/a.py", "venv/a.py")) == expected


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("", ["gen/a.py", "venv/a.py"]),
        ('extend-exclude = ["gen/"]', ["venv/a.py"]),
        ('exclude = ["venv"]', ["gen/a.py"]),
        ('force-exclude = false\nextend-exclude = ["gen/"]', ["gen/a.py", "venv/a.py"]),
    ],
)
@pytest.mark.parametrize("suffix", ["", "/a.py"])
def test_what_is_left_out_though_it_is_named(tmp_path: Path, config: str, expected: list[str], suffix: str) -> None:
    tree(tmp_path, config, "gen/a.py", "venv/a.py")
    assert reported(tmp_path, f"gen{suffix}", f"venv{suffix}") == expected


# unsafe-fixes, group-index


def test_unsafe_fixes_may_be_on_by_configuration(tmp_path: Path) -> None:
    for name, text in (("on", "unsafe-fixes = true\n"), ("off", "unsafe-fixes = false\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "grpo-lint.toml").write_text(text)
        (tmp_path / name / "a.py").write_text(UNSAFE)
    status, out, err = run(cwd=tmp_path)
    assert (status, err) == (1, "")
    off, unsafe, on, *closing = out.splitlines()
    assert [line.split()[2] for line in (off, on)] == ["`rewards.view(-1,", "[*]"]
    assert unsafe.startswith("  unsafe fix, with `--unsafe-fixes`: ")
    assert closing == [
        "Found 2 findings.",
        "[*] 1 fixable with `--fix --unsafe-fixes` (1 hidden fix can be enabled with `--unsafe-fixes`).",
    ]
    assert run("--fix", cwd=tmp_path)[0] == 1
    assert (tmp_path / "off/a.py").read_text() == UNSAFE
    assert "normalize_rewards_by_group(" in (tmp_path / "on/a.py").read_text()


@pytest.mark.parametrize(
    ("template", "gathered"),
    [
        ("{sample}['uid']", "[sample['uid'] for sample in samples]"),
        ("{sample}.prompt_uid", "[sample.prompt_uid for sample in samples]"),
        ("({sample}['a'], str({sample}['b']))", "[(sample['a'], str(sample['b'])) for sample in samples]"),
    ],
)
def test_the_configured_identity_makes_a_repair_safe(tmp_path: Path, template: str, gathered: str) -> None:
    (tmp_path / "a.py").write_text(READ_OFF)
    assert "fixable" not in run(cwd=tmp_path)[1]
    (tmp_path / "grpo-lint.toml").write_text(f"group-index = {json.dumps(template)}\n")
    status, out, _ = run("--fix", cwd=tmp_path)
    assert (status, out) == (0, "Found 1 finding (1 fixed, 0 remaining).\n")
    assert gathered in (tmp_path / "a.py").read_text()


def test_a_configured_identity_that_the_function_changes_is_refused(tmp_path: Path) -> None:
    changed = READ_OFF.replace(
        "    rewards = torch", "    for sample in samples:\n        sample.uid = 0\n    rewards = torch"
    )
    (tmp_path / "a.py").write_text(changed)
    (tmp_path / "grpo-lint.toml").write_text('group-index = "{sample}.uid"\n')
    assert "  no fix: line 6 changes `sample.uid`\n" in run(cwd=tmp_path)[1]


# grpo-lint config


def test_config_shows_values_and_origins(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "pyproject.toml").write_text(
        '[tool.grpo-lint]\nselect = ["GRPO0"]\nper-file-ignores = { "a b" = ["ALL"] }\nline-length = 100\n'
    )
    (tmp_path / "sub" / "a.py").touch()
    for path in ("sub", "sub/a.py"):
        status, out, err = run("config", "--ignore", "GRPO002", "--preview", path, cwd=tmp_path)
        assert (status, err) == (0, "")
        assert [" ".join(line.split()) for line in out.splitlines()] == [
            'select = ["GRPO0"] # pyproject.toml',
            'ignore = ["GRPO002"] # command line',
            'per-file-ignores = {"a b" = ["ALL"]} # pyproject.toml',
            "preview = true # command line",
            "# exclude: the built-in folders",
            "extend-exclude = [] # default",
            "force-exclude = true # default",
            "unsafe-fixes = false # default",
            "# reference-module: grpo_lint.reference",
            "# group-index: group_index",
            "rollout-ids = true # default",
            "reward-names = [] # default",
            "group-size-names = [] # default",
            "line-length = 100 # pyproject.toml",
            "call-sites = [] # default",
        ]


def test_config_prints_a_configuration_that_means_the_same(tmp_path: Path) -> None:
    (tmp_path / "grpo-lint.toml").write_text(
        'exclude = ["a\\"b\\\\c"]\nreference-module = "a.b"\nunsafe-fixes = true\n'
    )
    first = run("config", cwd=tmp_path)[1]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "grpo-lint.toml").write_text(first)
    second = run("config", "other", cwd=tmp_path)[1]
    assert [line.partition("  #")[0] for line in first.splitlines()] == [
        line.partition("  #")[0] for line in second.splitlines()
    ]


def test_config_honours_the_options_that_name_files(tmp_path: Path) -> None:
    (tmp_path / "grpo-lint.toml").write_text("line-length = 100\n")
    (tmp_path / "ci.toml").write_text("line-length = 90\n")
    assert "# line-length: the formatter's\n" in run("config", "--isolated", cwd=tmp_path)[1]
    assert "line-length = 90" in run("config", "--config", "ci.toml", cwd=tmp_path)[1]


def test_config_prints_the_schema(tmp_path: Path) -> None:
    status, out, err = run("config", "--schema", cwd=tmp_path)
    assert (status, err) == (0, "")
    assert json.loads(out) == json.loads((ROOT / "grpo_lint/grpo-lint.schema.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["missing"], "grpo-lint config: error: missing: No such file or directory\n"),
        (["."], "grpo-lint.toml: slect: unknown key: did you mean 'select'?\n"),
        (["--select", "X"], "grpo-lint config: error: argument --select: unknown code 'X'\n"),
        (["--shema"], "grpo-lint config: error: unrecognized arguments: --shema: did you mean '--schema'?\n"),
    ],
)
def test_config_errors(tmp_path: Path, arguments: list[str], said: str) -> None:
    (tmp_path / "grpo-lint.toml").write_text("slect = []\n")
    status, out, err = run("config", *arguments, cwd=tmp_path)
    assert (status, out) == (2, "")
    assert err.endswith(said)
