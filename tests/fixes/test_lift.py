"""The text of repaired functions, to the letter."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from grpo_lint.config import Config
from grpo_lint.runner import Mode, check_file

RECORD = """
    from dataclasses import dataclass


    @dataclass
    class Try:
        group_index: int
        reward: float
        {extra}
"""


def repaired(folder: Path, body: str, extra: str = "", line_length: int | None = None, **settings: object) -> str:
    """What `--fix` makes of a module that imports torch and `Try` and has this body, without its import lines."""
    (folder / "tries.py").write_text(dedent(RECORD.format(extra=extra)))
    path = folder / "code.py"
    path.write_text("import torch\nfrom tries import Try\n\n\n" + dedent(body).lstrip("\n"))
    config = Config(root=folder, line_length=line_length, **settings)  # type: ignore[arg-type]
    result = check_file(str(path), config, Mode.FIX, False)
    assert result.fault is None
    assert result.fixed, [finding.fix_reason for finding in result.findings]
    _, _, text = path.read_text().partition("\n\n\n")
    return text


def test_the_condition_of_the_scaling_becomes_an_argument(tmp_path: Path) -> None:
    text = repaired(
        tmp_path,
        """
        def post(args, tries: list[Try]):
            raw = [t.reward for t in tries]
            scores = torch.tensor(raw)
            scores = scores.view(-1, args.group_size)
            scores = scores - scores.mean(1, keepdim=True)
            if not args.plain:
                if args.scale == "std" or args.scale == "all":
                    scores = scores / (scores.std(1, keepdim=True) + args.eps)
            return raw, scores.flatten().tolist()
        """,
    )
    assert text == dedent(
        """\
        def post(args, tries: list[Try]):
            raw = [t.reward for t in tries]
            scores = normalize_rewards_by_group(
                raw,
                [t.group_index for t in tries],
                normalize_std=not args.plain and (args.scale == "std" or args.scale == "all"),
                fallback_group_size=args.group_size,
                eps=args.eps,
            )
            return raw, scores
        """
    )


def test_comments_stay_in_order_and_directives_go(tmp_path: Path) -> None:
    text = repaired(
        tmp_path,
        """
        def post(args, tries: list[Try]):
            # what came back
            raw = [t.reward for t in tries]

            # as a grid
            scores = torch.tensor(raw)  # type: ignore
            grid = scores.view(  # rows are prompts
                -1,
                args.group_size,  # their attempts
            )  # noqa: E501
            mean = grid.mean(1, keepdim=True)  # fmt: skip
            # centred
            grid = grid - mean

            # done
            return grid.flatten().tolist()
        """,
    )
    assert text == dedent(
        """\
        def post(args, tries: list[Try]):
            # what came back
            raw = [t.reward for t in tries]

            # as a grid
            # rows are prompts
            # their attempts
            # centred
            grid = normalize_rewards_by_group(
                raw,
                [t.group_index for t in tries],
                normalize_std=False,
                fallback_group_size=args.group_size,
            )

            # done
            return grid
        """
    )


def test_locals_that_only_removed_code_read_go_too(tmp_path: Path) -> None:
    text = repaired(
        tmp_path,
        """
        def post(args, tries: list[Try], log):
            size = args.group_size
            prompts = args.prompts
            expected = size * prompts
            total = log(len(tries))
            scores = torch.tensor([t.reward for t in tries])
            if len(scores) == expected:
                scores = scores.view(-1, size)
            else:
                scores = scores.view(1, -1)
            return (scores - scores.mean(1, keepdim=True)).flatten().tolist()
        """,
        line_length=120,
    )
    assert text == dedent(
        """\
        def post(args, tries: list[Try], log):
            size = args.group_size
            total = log(len(tries))
            return normalize_rewards_by_group(
                [t.reward for t in tries], [t.group_index for t in tries], normalize_std=False, fallback_group_size=size
            )
        """
    )


def test_a_tensor_that_is_read_elsewhere_is_kept(tmp_path: Path) -> None:
    text = repaired(
        tmp_path,
        """
        def post(args, tries: list[Try], log):
            rewards = torch.tensor([t.reward for t in tries])
            log(rewards.mean())
            grid = rewards.view(-1, args.group_size)
            grid = grid - grid.mean(1, keepdim=True)
            return grid.flatten().tolist()
        """,
        line_length=120,
    )
    assert text == dedent(
        """\
        def post(args, tries: list[Try], log):
            rewards = torch.tensor([t.reward for t in tries])
            log(rewards.mean())
            grid = normalize_rewards_by_group(
                rewards, [t.group_index for t in tries], normalize_std=False, fallback_group_size=args.group_size
            )
            return grid.tolist()
        """
    )


def test_a_scale_of_the_whole_batch_survives(tmp_path: Path) -> None:
    text = repaired(
        tmp_path,
        """
        def post(args, tries: list[Try]):
            rewards = torch.tensor([t.reward for t in tries])
            advantages = rewards - rewards.view(-1, args.group_size).mean(1).repeat_interleave(args.group_size)
            return advantages / (rewards.std() + 1e-6)
        """,
        line_length=120,
    )
    assert text == dedent(
        """\
        def post(args, tries: list[Try]):
            rewards = torch.tensor([t.reward for t in tries])
            advantages = normalize_rewards_by_group(
                rewards, [t.group_index for t in tries], normalize_std=False, fallback_group_size=args.group_size
            )
            return advantages / (rewards.std() + 1e-6)
        """
    )


@pytest.mark.parametrize("wanted", [True, False])
def test_rollout_ids_are_passed_where_they_are_declared(tmp_path: Path, wanted: bool) -> None:
    text = repaired(
        tmp_path,
        """
        def post(args, tries: list[Try]):
            rewards = torch.tensor([t.reward for t in tries])
            return rewards - rewards.view(-1, args.group_size).mean(1).repeat_interleave(args.group_size)
        """,
        extra="rollout_id: int | None = None",
        rollout_ids=wanted,
    )
    assert ("[t.rollout_id for t in tries]," in text) is wanted


def test_a_line_length_of_the_project_is_kept(tmp_path: Path) -> None:
    body = """
        def post(args, tries: list[Try]):
            rewards = torch.tensor([t.reward for t in tries])
            return rewards - rewards.view(-1, args.group_size).mean(1).repeat_interleave(args.group_size)
        """
    (tmp_path / "pyproject.toml").write_text("[tool.black]\nline_length = 200\n[tool.ruff]\nline-length = 40\n")
    assert len(repaired(tmp_path, body).splitlines()) == 3
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\nline-length = 200\n")
    assert len(repaired(tmp_path, body).splitlines()) == 3
    (tmp_path / "pyproject.toml").unlink()
    assert len(repaired(tmp_path, body).splitlines()) == 8


PROJECT_FUNCTIONS = {
    "fits": ("def normalize_rewards_by_group(rewards, group_ids, normalize_std, fallback_group_size): ...", True),
    "lacks the fallback": ("def normalize_rewards_by_group(rewards, group_ids, normalize_std): ...", False),
    "takes tensors": (
        "def normalize_rewards_by_group(rewards: list[float], group_ids, *, normalize_std, fallback_group_size): ...",
        False,
    ),
    "other epsilon": (
        "def normalize_rewards_by_group(r_scores, groups, *, normalize_std, fallback_group_size, eps=1e-4): ...",
        True,
    ),
}


@pytest.mark.parametrize("name", PROJECT_FUNCTIONS)
def test_a_function_of_the_project_is_called_if_it_fits(tmp_path: Path, name: str) -> None:
    definition, fits = PROJECT_FUNCTIONS[name]
    (tmp_path / "own.py").write_text(definition + "\n")
    text = repaired(
        tmp_path,
        """
        def post(args, tries: list[Try]):
            rewards = torch.tensor([t.reward for t in tries])
            grid = rewards.view(-1, args.group_size)
            grid = (grid - grid.mean(1, keepdim=True)) / (grid.std(1, keepdim=True) + 1e-6)
            return grid.flatten()
        """,
        extra="rollout_id: int | None = None",
    )
    whole = (tmp_path / "code.py").read_text()
    assert ("from own import normalize_rewards_by_group" in whole) is fits
    assert ("from grpo_lint.reference import normalize_rewards_by_group" in whole) is not fits
    assert ("[t.rollout_id for t in tries]" in text) is not fits
    assert ("eps=1e-6" in text) is (name == "other epsilon")


def test_a_configured_module_is_imported(tmp_path: Path) -> None:
    repaired(
        tmp_path,
        """
        def post(args, tries: list[Try]):
            rewards = torch.tensor([t.reward for t in tries])
            return rewards - rewards.view(-1, args.group_size).mean(1).repeat_interleave(args.group_size)
        """,
        reference_module="my.vendored",
    )
    assert "from my.vendored import normalize_rewards_by_group\n" in (tmp_path / "code.py").read_text()


def test_a_name_that_is_taken_prevents_the_fix(tmp_path: Path) -> None:
    (tmp_path / "tries.py").write_text(dedent(RECORD.format(extra="")))
    path = tmp_path / "code.py"
    path.write_text(
        "import torch\nfrom tries import Try\n\nnormalize_rewards_by_group = print\n\n\n"
        "def post(args, tries: list[Try]):\n"
        "    rewards = torch.tensor([t.reward for t in tries])\n"
        "    return rewards - rewards.view(-1, args.group_size).mean(1).repeat_interleave(args.group_size)\n"
    )
    before = path.read_text()
    result = check_file(str(path), Config(root=tmp_path), Mode.FIX, True)
    assert [finding.fix_reason for finding in result.findings] == [
        "`normalize_rewards_by_group` is already the name of something else here"
    ]
    assert path.read_text() == before


CODE = (
    "import torch\nfrom tries import Try\n\n\n"
    "def post(args, tries: list[Try]):\n"
    "    rewards = torch.tensor([t.reward for t in tries])\n"
    "    return rewards - rewards.view(-1, args.group_size).mean(1).repeat_interleave(args.group_size)\n"
)


def test_no_import_goes_in_a_circle(tmp_path: Path) -> None:
    """The project's own function is not called where its module imports the module under repair."""
    (tmp_path / "own.py").write_text(
        "import trainer\n\ndef normalize_rewards_by_group(rewards, groups, normalize_std, fallback_group_size): ...\n"
    )
    (tmp_path / "tries.py").write_text(dedent(RECORD.format(extra="")))
    path = tmp_path / "trainer.py"
    path.write_text(CODE)
    check_file(str(path), Config(root=tmp_path), Mode.FIX, False)
    assert "from grpo_lint.reference import normalize_rewards_by_group\n" in path.read_text()


def test_a_configured_module_that_is_missing_is_told(tmp_path: Path) -> None:
    (tmp_path / "tries.py").write_text(dedent(RECORD.format(extra="")))
    path = tmp_path / "trainer.py"
    for is_there in (False, True):
        path.write_text(CODE)
        if is_there:
            (tmp_path / "vendored.py").touch()
        result = check_file(str(path), Config(root=tmp_path, reference_module="vendored"), Mode.FIX, False)
        assert bool(result.warnings) is not is_there
