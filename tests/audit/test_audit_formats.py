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

import hypothesis
import numpy as np
import pyarrow
import pytest
import torch
from dumps import save_slime, slime_samples
from hypothesis import strategies as st
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


@pytest.mark.parametrize("name", ["eval_3.pt", "rollout_eval_3.pt", "data-eval_12.pt", "rollout.eval_0.saved.pt"])
@pytest.mark.parametrize("rewards", [(1, 0), ({"acc": 1}, None)], ids=["numbers", "parts and none"])
def test_evaluation_is_listed(tmp_path: Path, name: str, rewards: Sequence[Any]) -> None:
    """Wherever the path's template has the rollout's number, and whatever the rewards are: they are not needed."""
    path = save_slime(tmp_path / name, 3, slime_samples([None, None], rewards))
    assert read(path) == [Skipped("it", "evaluation", 2)]
    assert read(path, group_by="prompt") == [Skipped("it", "evaluation", 2)]


@pytest.mark.parametrize("name", ["3.pt", "rollout_3.pt", "retrieval_3.pt", "eval_set.pt"])
def test_samples_without_identity_are_listed(tmp_path: Path, name: str) -> None:
    path = save_slime(tmp_path / name, 3, slime_samples([None, None], [{"acc": 1}, None]))
    assert read(path) == [Skipped("it", "no identity of prompts", 2)]


def test_a_training_batch_is_no_evaluation_for_its_name(tmp_path: Path) -> None:
    path = save_slime(tmp_path / "eval_3.pt", 3, slime_samples([0, 1], [1, 0]))
    assert read(path) == [Dump("it", 3, (0, 1), (1.0, 0.0))]
    (found,) = read(save_slime(tmp_path / "eval_4.pt", 4, slime_samples([0, None], [1, 0])))
    assert isinstance(found, Dump)
    assert found.groups == (0, None)


def conversation(text: str) -> list[dict[str, Any]]:
    return [{"role": "system", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": text}]}]


def test_prompts_that_are_conversations_tell_groups_in_slime(tmp_path: Path) -> None:
    samples = slime_samples([None] * 3, [1, 0, 1])
    for sample, text in zip(samples, "aab", strict=True):
        sample["prompt"] = conversation(text)
    (found,) = read(save_slime(tmp_path / "a.pt", 0, samples), group_by="prompt")
    assert isinstance(found, Dump)
    assert found.groups[0] == found.groups[1] != found.groups[2]


def shared(depth: int) -> list[Any]:
    """2 ** depth values in as many lists as its depth."""
    value: list[Any] = ["x"]
    for _ in range(depth):
        value = [value, value]
    return value


def cyclic() -> list[Any]:
    value: list[Any] = [{"role": "user"}]
    value[0]["content"] = value
    return value


@pytest.mark.parametrize(
    "prompt",
    [shared(60), cyclic(), ["x" * (1 << 20)], [torch.zeros(1)], [b"x"], [{1: 1, "a": 1}], [10**5_000]],
    ids=["shared", "cyclic", "long", "tensor", "bytes", "keys", "digits"],
)
def test_conversations_that_are_none(tmp_path: Path, prompt: list[Any]) -> None:
    samples = slime_samples([None], [1])
    samples[0]["prompt"] = prompt
    path = save_slime(tmp_path / "a.pt", 0, samples)
    assert damage(path, group_by="prompt") == "the identity of sample 1 is no plain value"


def test_what_torch_saves_besides_rollouts(tmp_path: Path) -> None:
    torch.save({"weight": torch.zeros(10)}, tmp_path / "a.pt")
    torch.save([1, 2], tmp_path / "b.pt")
    for name in ("a.pt", "b.pt"):
        assert read(tmp_path / name) == [Skipped("it", "it is saved by torch, and no dump of rollouts", 0)]


@pytest.mark.parametrize("step", [torch.tensor(7), np.int64(7), 7.0], ids=repr)
def test_steps_of_torch_and_numpy_count_by_value(tmp_path: Path, step: Any) -> None:
    (found,) = read(save_slime(tmp_path / "a.pt", step, slime_samples([0], [1])))
    assert isinstance(found, Dump)
    assert (found.step, type(found.step)) == (7, int)


@pytest.mark.parametrize("step", [None, "seven", 7.5, float("nan"), torch.zeros(2), [7]], ids=repr)
def test_a_step_that_is_no_number_is_unknown(tmp_path: Path, step: Any) -> None:
    (found,) = read(save_slime(tmp_path / "a.pt", step, slime_samples([0], [1])))
    assert isinstance(found, Dump)
    assert found.step is None


NUMBERS = st.one_of(
    st.integers(-(2**53), 2**53),
    st.booleans(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.builds(
        lambda number, kind: torch.tensor(number, dtype=kind),
        st.integers(0, 100),
        st.sampled_from([torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.uint8]),
    ),
    st.builds(
        lambda number, kind: kind(number),
        st.integers(0, 100),
        st.sampled_from([np.float64, np.float32, np.float16, np.int64, np.uint16, np.int8]),
    ),
)
SAMPLES = st.builds(
    lambda group, reward, attempt, more: {**slime_samples([group], [reward], [attempt])[0], **more},
    st.one_of(st.integers(0, 3), st.integers(0, 3).map(torch.tensor), st.integers(0, 3).map(np.int64)),
    NUMBERS,
    st.one_of(st.none(), st.integers(0, 9)),
    st.dictionaries(
        st.sampled_from(["metadata", "trace", "logprobs"]),
        st.recursive(
            st.one_of(st.none(), st.text(), st.binary(), st.just(torch.zeros(3)), st.just(Trace(["a"]))),
            lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
            max_leaves=5,
        ),
    ),
)


@hypothesis.settings(max_examples=150, deadline=None)
@hypothesis.given(st.lists(SAMPLES, min_size=1, max_size=6), st.sampled_from([2, 3, 4, 5]))
def test_the_same_is_read_as_by_torch(
    tmp_path_factory: pytest.TempPathFactory, samples: list[dict[str, Any]], protocol: int
) -> None:
    path = tmp_path_factory.mktemp("torch") / "a.pt"
    torch.save({"rollout_id": 3, "samples": samples}, path, pickle_protocol=protocol)
    (found,) = read(path)
    assert isinstance(found, Dump)
    loaded = torch.load(path, weights_only=False)["samples"]
    assert found.rewards == tuple(float(each["reward"]) for each in loaded)
    assert found.groups == tuple(int(each["group_index"]) for each in loaded)
    assert (found.attempts or (None,) * len(loaded)) == tuple(each["rollout_id"] for each in loaded)


@pytest.mark.parametrize("name", ["größe", "数据", "a b", "x" * 200, ".hidden", "a.b"])
def test_archives_are_named_as_their_files(tmp_path: Path, name: str) -> None:
    path = save_slime(tmp_path / f"{name}.pt", 3, slime_samples([0, 1], [torch.tensor(0.5), 1.0]))
    assert read(path) == [Dump("it", 3, (0, 1), (0.5, 1.0))]


def test_archives_without_checksums(tmp_path: Path) -> None:
    """An option of torch, which writes 0 for each."""
    rewards = [torch.tensor(0.5), 1.0]
    torch.serialization.set_crc32_options(False)
    try:
        path = save_slime(tmp_path / "a.pt", 3, slime_samples([0, 1], rewards))
    finally:
        torch.serialization.set_crc32_options(True)
    assert read(path) == [Dump("it", 3, (0, 1), (0.5, 1.0))]


def test_rewards_at_the_end_of_a_large_tensor(tmp_path: Path) -> None:
    many = torch.arange(3_000_000, dtype=torch.float32)
    path = save_slime(tmp_path / "a.pt", 3, slime_samples([0, 1], [many[-1], many[0]]))
    assert read(path) == [Dump("it", 3, (0, 1), (2_999_999.0, 0.0))]


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


def test_trl_writes_rewards_before_what_users_log(tmp_path: Path) -> None:
    """However its functions are named: the last number that is named for a reward ends them."""
    columns = completions(format=[0.5, 0, 0], accuracy_reward=[1.0, 0, 1.0], note=["a", "b", "c"], length=[3, 4, 5])
    assert read(table(tmp_path / "a.parquet", columns))[0].rewards == (1.5, 0.0, 1.0)  # type: ignore[union-attr]
    columns = completions(correct=[1.0, 0, 1.0], brief=[0.5, 0.5, 0])
    assert read(table(tmp_path / "a.parquet", columns))[0].rewards == (1.5, 0.5, 1.0)  # type: ignore[union-attr]


@pytest.mark.parametrize("nothing", [None, float("nan")])
def test_what_no_function_of_trl_has_scored_is_left_out(tmp_path: Path, nothing: float | None) -> None:
    columns = completions(reward_a=[1.0, nothing, 0.0], reward_b=[nothing, nothing, 1.0])
    path = table(tmp_path / "a.parquet", columns)
    assert read(path) == [Dump("it", 3, ("a", "b"), (1.0, 1.0), None, (1.0, 0.0))]
    neutral = table(tmp_path / "b.parquet", {"group": ["a", "b"], "reward": [1.0, nothing]})
    assert damage(neutral) == "the reward of sample 2 is missing"


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


@pytest.mark.parametrize("write", [lines, table])
@pytest.mark.parametrize("steps", [(4, 5, 5), (4.0, 5.0, 5.0), ("4", "5", "5")], ids=repr)
def test_steps_however_they_are_spelt(tmp_path: Path, write: Callable[..., Path], steps: Sequence[Any]) -> None:
    columns = {"group": ["a", "b", "b"], "reward": [1.0, 0.0, 0.5], "step": list(steps)}
    records = [{key: column[at] for key, column in columns.items()} for at in range(3)]
    assert read(write(tmp_path / "a", columns if write is table else records)) == [
        Dump("it#4", 4, ("a",), (1.0,)),
        Dump("it#5", 5, ("b", "b"), (0.0, 0.5)),
    ]


@pytest.mark.parametrize(
    "step", ["first", "", "-", 4.5, True, [4], {"a": 4}, 1e999, "9" * 5_000], ids=lambda it: repr(it)[:9]
)
def test_batches_do_not_run_together_for_steps_that_are_no_numbers(tmp_path: Path, step: Any) -> None:
    records = [{"group": "a", "reward": 1.0, "step": 4}, {"group": "a", "reward": 1.0, "step": step}]
    assert damage(lines(tmp_path / "a.jsonl", records)) == "the step of sample 2 is no whole number"


def test_samples_without_a_step_beside_others(tmp_path: Path) -> None:
    columns = {"group": ["a", "b"], "reward": [1.0, 0.0], "step": [4.0, float("nan")]}
    first, second = read(table(tmp_path / "a.parquet", columns))
    assert (first.name, second.name) == ("it#4", "it#?")


def test_of_keys_that_stand_twice_the_last_counts(tmp_path: Path) -> None:
    """As Python, and so each trainer, reads them."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"group": 1, "group": 2, "reward": 0, "reward": 1}\n', encoding="utf-8")
    assert read(path) == [Dump("it", None, (2,), (1.0,))]


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
