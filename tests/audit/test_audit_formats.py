"""The dumps that trainers write, as their code writes them; what is wrong with one is said of it alone."""

from __future__ import annotations

import dataclasses
import enum
import json
import math
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
import torch
from dumps import save_slime, slime_samples
from pyarrow import parquet

from grpo_lint.audit.formats import read_dumps
from grpo_lint.audit.records import Damage, Dump, Settings, Skipped


def read(path: Path, **settings: Any) -> list[Dump | Skipped]:
    return list(read_dumps(path, "it", Settings(**settings)))


def damage(path: Path, **settings: Any) -> str:
    with pytest.raises(Damage) as caught:
        read(path, **settings)
    assert caught.value.name == "it"
    assert "\n" not in caught.value.reason
    return caught.value.reason


def lines(path: Path, records: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def table(path: Path, columns: dict[str, list[Any]]) -> Path:
    parquet.write_table(pyarrow.table(columns), path)
    return path


# slime and miles


class Status(enum.Enum):
    COMPLETED = "completed"


@dataclasses.dataclass
class Trace:
    steps: list[str]


@dataclasses.dataclass
class Sample:
    group_index: int
    reward: float
    rollout_id: int | None = None


def test_slime(tmp_path: Path) -> None:
    path = save_slime(tmp_path / "a.pt", 3, slime_samples([0, 0, 1], [1.0, 0, 0.5], [4, 5, None]))
    assert read(path) == [Dump("it", 3, (0, 0, 1), (1.0, 0.0, 0.5), (4, 5, None))]


def test_slime_with_everything_that_users_put_into_samples(tmp_path: Path) -> None:
    more = {
        "status": Status.COMPLETED,
        "trace": Trace(["a"]),
        "logprobs": torch.zeros(4),
        "table": defaultdict(list, {"a": [1]}),
        "order": OrderedDict(a=1),
        "seen": {1, 2},
        "where": tmp_path,
        "call": len,
        "array": np.arange(3),
        "type": torch.float32,
        "device": torch.device("cpu"),
        "cyclic": [],
    }
    more["cyclic"].append(more["cyclic"])
    path = save_slime(tmp_path / "a.pt", 0, slime_samples([0, 1], [1.0, 0.0], **more), args=Trace([]))
    assert read(path) == [Dump("it", 0, (0, 1), (1.0, 0.0))]


@pytest.mark.parametrize(
    "reward",
    [
        torch.tensor(0.5),
        torch.tensor([0.5]),
        torch.tensor(0.5, dtype=torch.float64),
        torch.tensor(0.5, dtype=torch.bfloat16),
        torch.tensor(0.5, dtype=torch.float16),
        torch.nn.Parameter(torch.tensor(0.5)),
        torch.arange(4)[1:] / 4,
        np.float64(0.5),
        np.float32(0.5),
        np.float16(0.5),
    ],
    ids=str,
)
def test_numbers_of_torch_and_numpy_are_read(tmp_path: Path, reward: Any) -> None:
    reward = reward[1] if getattr(reward, "ndim", 0) and len(reward) > 1 else reward
    assert read(save_slime(tmp_path / "a.pt", 0, slime_samples([0], [reward])))[0].rewards == (0.5,)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "number", [torch.tensor(7), np.int64(7), np.uint8(7), torch.tensor(7, dtype=torch.int16)], ids=repr
)
def test_identities_of_torch_and_numpy_count_by_value(tmp_path: Path, number: Any) -> None:
    (found,) = read(save_slime(tmp_path / "a.pt", 0, slime_samples([number, 7], [1, 0])))
    assert isinstance(found, Dump)
    assert len(set(found.groups)) == 1


def test_lists_of_samples_in_lists(tmp_path: Path) -> None:
    one, two, three = slime_samples([0, 0, 1], [1, 0, 1])
    path = save_slime(tmp_path / "a.pt", 0, [[one, [two]], [[three]]])
    assert read(path) == [Dump("it", 0, (0, 0, 1), (1.0, 0.0, 1.0))]


def test_samples_that_are_objects(tmp_path: Path) -> None:
    path = save_slime(tmp_path / "a.pt", 0, [Sample(0, 1.0, 5), Sample(1, 0.0)])
    assert read(path) == [Dump("it", 0, (0, 1), (1.0, 0.0), (5, None))]


class Record(dict[str, Any]):
    """A dict of another kind, as settings libraries have them, with an attribute of its own."""


def test_samples_that_are_dicts_of_another_kind(tmp_path: Path) -> None:
    samples = [Record(each) for each in slime_samples([0, 1], [1.0, 0.5])]
    samples[1].origin = "a tool"  # type: ignore[attr-defined]
    (found,) = read(save_slime(tmp_path / "a.pt", 0, samples))
    assert isinstance(found, Dump)
    assert (found.groups, found.rewards) == ((0, 1), (1.0, 0.5))


def test_numbers_that_no_float_can_hold(tmp_path: Path) -> None:
    huge = 10**400
    keyed = save_slime(tmp_path / "a.pt", 0, slime_samples([0], [{"acc": huge}]))
    assert damage(keyed, reward_key="acc") == "the reward of sample 1 is not finite"
    (found,) = read(save_slime(tmp_path / "b.pt", 0, slime_samples([0], [1.0], advantage=huge)))
    assert isinstance(found, Dump)
    assert found.advantages == (math.inf,)
    (found,) = read(lines(tmp_path / "a.jsonl", [{"group": 1, "reward": 1, "advantage": huge}]))
    assert isinstance(found, Dump)
    assert found.advantages is None


def test_the_part_of_a_reward_that_counts(tmp_path: Path) -> None:
    path = save_slime(tmp_path / "a.pt", 0, slime_samples([0, 1], [{"math": 1.0, "form": 0}, {"math": 0.5, "form": 1}]))
    assert read(path, reward_key="math")[0].rewards == (1.0, 0.5)  # type: ignore[union-attr]
    assert damage(path) == "the reward of sample 1 has several parts: --reward-key tells which counts"
    assert damage(path, reward_key="other") == "the reward of sample 1 is missing"


def test_another_identity_on_request(tmp_path: Path) -> None:
    path = save_slime(tmp_path / "a.pt", 0, slime_samples([0, 1], [1, 0]))
    assert read(path, group_by="prompt")[0].groups == ("question 0", "question 1")  # type: ignore[union-attr]


def test_advantages_that_were_trained_on(tmp_path: Path) -> None:
    samples = slime_samples([0, 0], [1, 0], advantage=0.25)
    assert read(save_slime(tmp_path / "a.pt", 0, samples))[0].advantages == (0.25, 0.25)  # type: ignore[union-attr]
    del samples[1]["advantage"]
    assert read(save_slime(tmp_path / "b.pt", 0, samples))[0].advantages is None  # type: ignore[union-attr]


def test_evaluation_is_listed(tmp_path: Path) -> None:
    samples = slime_samples([None, None], [1, 0])
    assert read(save_slime(tmp_path / "eval_3.pt", 3, samples)) == [Skipped("it", "evaluation", 2)]
    assert read(save_slime(tmp_path / "3.pt", 3, samples))[0].groups == (None, None)  # type: ignore[union-attr]


def test_what_torch_saves_besides_rollouts(tmp_path: Path) -> None:
    torch.save({"weight": torch.zeros(10)}, tmp_path / "a.pt")
    torch.save([1, 2], tmp_path / "b.pt")
    for name in ("a.pt", "b.pt"):
        assert read(tmp_path / name) == [Skipped("it", "it is saved by torch, and no dump of rollouts", 0)]


def test_the_old_format_of_torch(tmp_path: Path) -> None:
    content = {"rollout_id": 3, "samples": slime_samples([0, 1], [1.0, 0], logprobs=torch.zeros(3))}
    torch.save(content, tmp_path / "a.pt", _use_new_zipfile_serialization=False)
    assert read(tmp_path / "a.pt") == [Dump("it", 3, (0, 1), (1.0, 0.0))]
    content["samples"][0]["reward"] = torch.tensor(1.0)
    torch.save(content, tmp_path / "b.pt", _use_new_zipfile_serialization=False)
    assert "save it again" in damage(tmp_path / "b.pt")


# verl, open-instruct, TRL, the neutral format


def generations(**more: Any) -> list[dict[str, Any]]:
    return [
        {"input": f"user\n{prompt}", "output": "x", "gts": None, "score": score, "step": 7, "acc": 1 - score, **more}
        for prompt, score in (("a", 1.0), ("a", 0.0), ("b", 0.5))
    ]


def test_verl(tmp_path: Path) -> None:
    path = lines(tmp_path / "7.jsonl", generations())
    assert read(path) == [Dump("it", 7, ("user\na", "user\na", "user\nb"), (1.0, 0.0, 0.5))]
    assert read(path, reward_key="acc")[0].rewards == (0.0, 1.0, 0.5)  # type: ignore[union-attr]
    assert read(lines(path, generations(uid="u")))[0].groups == ("u", "u", "u")  # type: ignore[union-attr]


def test_a_long_prompt_is_told_by_its_hash(tmp_path: Path) -> None:
    records = generations()
    for record in records:
        record["input"] = "x" * 100_000 + record["input"]
    (found,) = read(lines(tmp_path / "7.jsonl", records))
    assert isinstance(found, Dump)
    assert found.groups[0] == found.groups[1] != found.groups[2]
    assert all(isinstance(group, bytes) and len(group) == 16 for group in found.groups)


def test_open_instruct_is_grouped_by_the_prompt_and_not_by_its_position(tmp_path: Path) -> None:
    records = [
        {"step": step, "sample_idx": at, "prompt_idx": at // 2, "prompt_tokens": tokens, "response_tokens": [1],
         "reward": reward, "advantage": 0.5, "finish_reason": "stop", "dataset": "d"}
        for step in (4, 5)
        for at, (tokens, reward) in enumerate([([1, 2], 1.0), ([1, 2], 0.0), ([1, 2], 1.0), ([3], 0.0)])
    ]  # fmt: skip
    first, second = read(lines(tmp_path / "run_rollouts_000000.jsonl", records))
    assert isinstance(first, Dump)
    assert isinstance(second, Dump)
    assert (first.name, first.step, second.name, second.step) == ("it#4", 4, "it#5", 5)
    assert first.groups[0] == first.groups[1] == first.groups[2] != first.groups[3]
    assert (first.rewards, first.advantages) == ((1.0, 0.0, 1.0, 0.0), (0.5,) * 4)
    (other,) = read(lines(tmp_path / "run_metadata.jsonl", [{"run_name": "r", "git_commit": "c"}]))
    assert isinstance(other, Skipped)


def completions(**more: list[Any]) -> dict[str, list[Any]]:
    return {
        "step": [3, 3, 3],
        "prompt": ["a", "a", "b"],
        "completion": ["x", "y", "z"],
        **more,
        "advantage": [1.0, -1.0, 0],
    }


def test_trl(tmp_path: Path) -> None:
    path = table(tmp_path / "a.parquet", completions(accuracy_reward=[1.0, 0, 1.0]))
    assert read(path) == [Dump("it", 3, ("a", "a", "b"), (1.0, 0.0, 1.0), None, (1.0, -1.0, 0.0))]


def test_trl_with_several_rewards_and_other_columns(tmp_path: Path) -> None:
    columns = completions(reward_a=[1.0, 0, 1.0], reward_b=[0.5, None, float("nan")], length=[3, 4, 5])
    path = table(tmp_path / "a.parquet", columns)
    assert read(path)[0].rewards == (1.5, 0.0, 1.0)  # type: ignore[union-attr]
    assert read(path, reward_key="length")[0].rewards == (3.0, 4.0, 5.0)  # type: ignore[union-attr]
    assert damage(path, reward_key="none") == "it has no column of the name that --reward-key gives"


def test_trl_with_conversations_for_prompts(tmp_path: Path) -> None:
    columns = completions(f=[1.0, 0, 1.0])
    columns["prompt"] = [[{"role": "user", "content": each}] for each in "aab"]
    (found,) = read(table(tmp_path / "a.parquet", columns))
    assert isinstance(found, Dump)
    assert found.groups[0] == found.groups[1] != found.groups[2]


@pytest.mark.parametrize("write", [lines, table])
def test_the_neutral_format(tmp_path: Path, write: Callable[..., Path]) -> None:
    records = [
        {"group": "a", "reward": 1.0, "rollout": 1, "advantage": 0.5, "step": 2},
        {"group": "b", "reward": 0.0, "rollout": None, "advantage": -0.5, "step": 2},
    ]
    given: Any = records if write is lines else {key: [record[key] for record in records] for key in records[0]}
    assert read(write(tmp_path / "a", given)) == [Dump("it", 2, ("a", "b"), (1.0, 0.0), (1, None), (0.5, -0.5))]


def test_any_records_by_the_names_of_their_fields(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", [{"question": "a", "r": 1.0}, {"question": "b", "r": 0.0}])
    assert read(path) == [Skipped("it", "its lines are no rollouts of a known format", 0)]
    assert read(path, group_by="question", reward_key="r") == [Dump("it", None, ("a", "b"), (1.0, 0.0))]


def test_a_named_format_is_not_told_from_the_content(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", [{"group": "g", "reward": 1, **record} for record in generations()])
    assert read(path)[0].groups == ("g", "g", "g")  # type: ignore[union-attr]
    assert read(path, format="verl")[0].groups == ("user\na", "user\na", "user\nb")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is empty"),
        ("{", "line 1 is no JSON"),
        ("[1]", "line 1 is no object of JSON"),
        ('{"group": 1, "reward": 1}\n\n{"group": 1', "line 3 is no JSON"),
        ('{"group": 1, "reward": "x"}', "the reward of sample 1 is no number"),
        ('{"group": 1, "reward": null}', "the reward of sample 1 is missing"),
        ('{"group": 1, "reward": NaN}', "the reward of sample 1 is not finite"),
        ('{"group": 1, "reward": 1e999}', "the reward of sample 1 is not finite"),
        ('{"group": 1, "reward": 1' + "0" * 400 + "}", "the reward of sample 1 is not finite"),
        ('{"group": 1, "reward": 1' + "0" * 9_000 + "}", "line 1 is no JSON"),
        ("[" * 100_000, "line 1 is no JSON"),
        ("\x00\x01", "line 1 is no JSON"),
    ],
)
def test_damaged_lines(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "a.jsonl").write_text(text, encoding="utf-8")
    assert damage(tmp_path / "a.jsonl") == reason


def test_damaged_tables(tmp_path: Path) -> None:
    path = table(tmp_path / "a.parquet", completions(f=[1.0, 0, 1.0]))
    whole = path.read_bytes()
    for data in (whole[:-9], whole[: len(whole) // 2], whole[:8], whole[:4] + b"\xff" * 50 + whole[54:]):
        path.write_bytes(data)
        assert damage(path) == "it is cut off or damaged"
    assert damage(table(path, completions(f=["x", "y", "z"]))) == "it has no column of rewards"
    assert read(table(path, {"a": [1]})) == [Skipped("it", "its columns are no rollouts of a known format", 0)]


def test_a_file_of_blank_lines(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("\n \n\n", encoding="utf-8")
    assert damage(tmp_path / "a.jsonl") == "it is empty"


def test_a_table_without_rows_is_an_empty_batch(tmp_path: Path) -> None:
    empty = pyarrow.table({"group": pyarrow.array([], pyarrow.int64()), "reward": pyarrow.array([], pyarrow.float64())})
    parquet.write_table(empty, tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet") == [Dump("it", None, (), ())]


def test_tables_of_values_that_cannot_be_read(tmp_path: Path) -> None:
    ends, text = pyarrow.py_buffer(b"\0\0\0\0\2\0\0\0\4\0\0\0"), pyarrow.py_buffer(b"\xff\xfe\xfd\xfc")
    no_text = pyarrow.StringArray.from_buffers(2, ends, text)
    fine_times = pyarrow.array([1, 2**62 + 1], pyarrow.timestamp("ns"))
    for groups in (no_text, fine_times):
        path = tmp_path / "a.parquet"
        parquet.write_table(pyarrow.table({"group": groups, "reward": [1.0, 2.0]}), path)
        assert damage(path) == "it is cut off or damaged"


def test_a_named_format_whose_rewards_are_not_there(tmp_path: Path) -> None:
    path = table(tmp_path / "a.parquet", {"group": [1, 2], "other": [1.0, 2.0]})
    assert damage(path, format="neutral") == "it has no column of rewards"
