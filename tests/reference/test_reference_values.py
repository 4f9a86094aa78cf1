"""What the advantages are: formula, groups, attempts, and the reshape to the bit."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
import torch
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from plain import close, has_equal_rewards, loop, reshape

from grpo_lint.reference import normalize_rewards_by_group

pytestmark = pytest.mark.filterwarnings("error", "ignore:each of the .* samples is alone:UserWarning")

# Eighths, so that float64 sums are exact whatever their order.
REWARDS = st.integers(-80, 80).map(lambda n: n / 8)
IDS = {
    "str": lambda n: f"prompt-{n}",
    "tuple": lambda n: ("data", n),
    "int": lambda n: n,
    "negative int": lambda n: -n,
    "float": lambda n: n + 0.5,
    "frozenset": lambda n: frozenset({n}),
    "0-d tensor": torch.tensor,
    "NumPy scalar": np.int64,
    "NumPy string": np.str_,
    "0-d array": np.array,
}
INTEGERS = {
    "int64": torch.tensor,
    "int64, negative": lambda ids: torch.tensor(ids) - 5,
    "int64, the whole range": lambda ids: torch.tensor(ids) * (2**63 // 5) - 2**62,
    "int32, strided": lambda ids: torch.tensor(ids, dtype=torch.int32).repeat_interleave(2)[::2],
    "int8": lambda ids: torch.tensor(ids, dtype=torch.int8) - 100,
    "uint8": lambda ids: torch.tensor(ids, dtype=torch.uint8) + 250,
    "array of int16": lambda ids: np.array(ids, dtype="int16"),
    "array of uint64": lambda ids: np.array(ids, dtype="uint64") + np.uint64(2**64 - 7),
    "list beyond int64": lambda ids: [2**64 * item for item in ids],
    "list on both sides of int64": lambda ids: [2**63 - 3 + item for item in ids],
    "list of floats": lambda ids: [float(item) for item in ids],
    "list of booleans and integers": lambda ids: [bool(item) if item < 2 else item for item in ids],
}
CONTAINERS = {"list": list, "tuple": tuple, "array": np.array, "tensor": torch.tensor, "iterator": iter}


@st.composite
def batches(draw):
    """Shuffled samples of uneven groups: rewards, group numbers, rollout ids or None (of an attempt, or throughout)."""
    rows = []
    for group in range(draw(st.integers(1, 6))):
        for rollout in range(draw(st.integers(1, 6))):
            reward, siblings = draw(REWARDS), draw(st.sampled_from([1, 1, 1, 2, 3]))
            is_unset = siblings == 1 and draw(st.booleans())
            rows += [(reward, group, None if is_unset else rollout)] * siblings
    rewards, groups, rollouts = map(list, zip(*draw(st.permutations(rows)), strict=True))
    return rewards, groups, rollouts if draw(st.booleans()) else None


formulas = st.fixed_dictionaries(
    {
        "normalize_std": st.booleans(),
        "eps": st.sampled_from([1e-8, 1e-6, 1e-4, 0.1]),
        "correction": st.sampled_from([0, 1]),
        "baseline": st.sampled_from(["mean", "leave_one_out"]),
    }
)


@given(batches(), formulas)
@settings(max_examples=150, deadline=None)
def test_matches_a_loop_over_the_groups(batch, formula):
    rewards, groups, rollouts = batch
    actual = normalize_rewards_by_group(np.array(rewards), groups, rollouts, **formula)
    assert close(actual.tolist(), loop(rewards, groups, rollouts, **formula), 1e-9)


@given(batches(), formulas, st.sampled_from(sorted(IDS)), st.sampled_from(sorted(IDS)))
@settings(max_examples=200, deadline=None)
def test_any_hashable_identifies(batch, formula, group_kind, rollout_kind):
    rewards, groups, rollouts = batch
    named_groups = [IDS[group_kind](group) for group in groups]
    named_rollouts = rollouts and [None if rollout is None else IDS[rollout_kind](rollout) for rollout in rollouts]
    actual = normalize_rewards_by_group(rewards, named_groups, named_rollouts, **formula)
    assert actual == normalize_rewards_by_group(rewards, groups, rollouts, **formula)


@given(batches(), st.sampled_from(sorted(CONTAINERS)))
@settings(max_examples=100, deadline=None)
def test_any_container_holds_identities(batch, container):
    rewards, groups, _ = batch
    rollouts = list(range(len(rewards)))
    actual = normalize_rewards_by_group(
        rewards, CONTAINERS[container](groups), CONTAINERS[container](rollouts), normalize_std=True
    )
    assert actual == normalize_rewards_by_group(rewards, groups, rollouts, normalize_std=True)


@given(batches(), formulas, st.sampled_from(sorted(INTEGERS)), st.sampled_from(sorted(INTEGERS)))
@settings(max_examples=150, deadline=None)
def test_any_integers_identify(batch, formula, group_kind, rollout_kind):
    rewards, groups, rollouts = batch
    if rollouts and None in rollouts:
        rollouts = None
    actual = normalize_rewards_by_group(
        rewards, INTEGERS[group_kind](groups), rollouts and INTEGERS[rollout_kind](rollouts), **formula
    )
    named = [f"p{group}" for group in groups]
    assert actual == normalize_rewards_by_group(rewards, named, rollouts and list(map(str, rollouts)), **formula)


@given(batches(), formulas)
@settings(max_examples=100, deadline=None)
def test_float32_stays_within_the_tolerance_of_another_order(batch, formula):
    rewards, groups, rollouts = batch
    formula["eps"] = max(formula["eps"], 1e-4)
    order = list(range(len(rewards)))
    random.Random(0).shuffle(order)
    shuffled = normalize_rewards_by_group(
        [rewards[i] for i in order],
        [groups[i] for i in order],
        rollouts and [rollouts[i] for i in order],
        **formula,
    )
    straight = normalize_rewards_by_group(rewards, groups, rollouts, **formula)
    limit = 1e-6 * max(1.0, *map(abs, rewards))
    assert all(abs(shuffled[slot] - straight[i]) <= limit for slot, i in enumerate(order))


@given(
    st.tuples(st.integers(1, 40), st.integers(2, 70), st.integers(0, 10_000)),
    st.sampled_from([torch.float32, torch.float64]),
    st.booleans(),
    st.sampled_from([0.0, 1e-8, 1e-6, 0.1]),
    st.sampled_from([1e-3, 1.0, 1e6, 1e12, 1e25]),
)
@settings(max_examples=150, deadline=None)
@example((4096, 8, 0), torch.float32, True, 1e-6, 1.0)
@example((512, 16, 0), torch.float32, False, 1e-6, 1.0)
def test_uniform_batch_is_the_reshape_to_the_bit(shape, dtype, normalize_std, eps, scale):
    prompts, size, seed = shape
    generator = torch.Generator().manual_seed(seed)
    values = torch.randn(prompts * size, generator=generator, dtype=dtype) * scale
    groups = torch.arange(prompts).repeat_interleave(size)
    expected = reshape(values, size, normalize_std=normalize_std, eps=eps)
    for rollouts in (None, [None] * len(values), range(len(values)), list(range(size)) * prompts):
        actual = normalize_rewards_by_group(values, groups, rollouts, normalize_std=normalize_std, eps=eps)
        assert torch.equal(actual, expected)


@given(
    st.lists(st.floats(-5, 5, width=32), min_size=1, max_size=60),
    st.integers(2, 8),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_uniform_list_is_the_reshape_to_the_bit_but_for_equal_rewards(values, size, normalize_std):
    values = torch.tensor(values).repeat(size)
    groups = [position // size for position in range(len(values))]
    actual = torch.tensor(normalize_rewards_by_group(values.tolist(), groups, normalize_std=normalize_std))
    is_equal = has_equal_rewards(values, size)
    assert torch.equal(actual[~is_equal], reshape(values, size, normalize_std=normalize_std)[~is_equal])
    assert (actual[is_equal] == 0).all()


@pytest.mark.parametrize("order", ["by prompt", "tiled", "shuffled"])
def test_order_of_the_samples_is_kept(order):
    samples = [("a", 1.0), ("a", 3.0), ("b", 10.0), ("b", 14.0), ("c", 0.5), ("c", 1.5)]
    if order == "tiled":
        samples = samples[::2] + samples[1::2]
    elif order == "shuffled":
        samples = [samples[i] for i in (5, 2, 0, 4, 3, 1)]
    centred = {1.0: -1, 3.0: 1, 10.0: -2, 14.0: 2, 0.5: -0.5, 1.5: 0.5}
    actual = normalize_rewards_by_group([r for _, r in samples], [g for g, _ in samples], normalize_std=False)
    assert actual == [centred[r] for _, r in samples]


def test_sizes_that_add_up_by_chance_are_not_reshaped():
    groups = [0] * 7 + [1] + [2] * 5 + [3] * 3
    rewards = [1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 5.0, 2.0, 2.0, 2.0, 2.0, 7.0, 1.0, 2.0, 3.0]
    actual = normalize_rewards_by_group(rewards, groups, normalize_std=False)
    assert close(actual, loop(rewards, groups, normalize_std=False), 1e-6)
    assert actual[7] == 0.0 and actual[13:] == [-1.0, 0.0, 1.0]


def test_siblings_count_once_and_share_the_value():
    # As three attempts: mean 1, not the 0.6 of five samples.
    rewards = [0.0, 0.0, 0.0, 1.0, 2.0]
    actual = normalize_rewards_by_group(rewards, "aaaaa", [7, 7, 7, 8, 9], normalize_std=True)
    assert actual == pytest.approx([-1, -1, -1, 0, 1], abs=1e-5)


def test_rollout_id_of_none_is_an_attempt_of_its_own():
    actual = normalize_rewards_by_group([0.0, 0.0, 3.0], "aaa", [None, None, 5], normalize_std=False)
    assert actual == [-1.0, -1.0, 2.0]
    with_nan = normalize_rewards_by_group([0.0, 0.0, 3.0], "aaa", [math.nan, np.nan, 5], normalize_std=False)
    assert with_nan == actual


def test_rollout_ids_are_scoped_to_their_group():
    actual = normalize_rewards_by_group([0.0, 1.0, 4.0, 8.0], "aabb", [0, 1, 0, 1], normalize_std=False)
    assert actual == [-0.5, 0.5, -2.0, 2.0]


def test_rollout_id_that_equals_an_unset_samples_position_does_not_merge_with_it():
    actual = normalize_rewards_by_group([4.0, 0.0, 2.0, 2.0], "aaaa", [None, 0, 0.5, 0.5], normalize_std=False)
    assert actual == [2.0, -2.0, 0.0, 0.0]


@pytest.mark.parametrize("baseline", ["mean", "leave_one_out"])
@pytest.mark.parametrize("correction", [0, 1])
@pytest.mark.parametrize("normalize_std", [False, True])
def test_one_attempt_gives_zero(normalize_std, correction, baseline):
    formula = {"normalize_std": normalize_std, "correction": correction, "baseline": baseline, "eps": 0.0}
    assert normalize_rewards_by_group([5.0], ["a"], **formula) == [0.0]
    assert normalize_rewards_by_group([5.0, 5.0, 1.0, 2.0], "aabb", [1, 1, 2, 3], **formula)[:2] == [0.0, 0.0]


@pytest.mark.parametrize("eps", [0.0, 1e-8, 1e-6])
@pytest.mark.parametrize("baseline", ["mean", "leave_one_out"])
def test_equal_rewards_give_exactly_zero(eps, baseline):
    groups = [0] * 10 + [1] * 3
    actual = normalize_rewards_by_group(
        [2.3] * 10 + [0.0, 1.0, 2.0], groups, normalize_std=True, eps=eps, baseline=baseline
    )
    assert actual[:10] == [0.0] * 10 and actual[10] < 0 < actual[12]
    centred = normalize_rewards_by_group([2.3] * 10, [0] * 10, normalize_std=False, eps=eps, baseline=baseline)
    assert centred == [0.0] * 10


def test_reshape_amplifies_the_noise_of_equal_rewards():
    """What the exact zero is for: 2.3 ten times has a mean that is not 2.3."""
    noise = reshape(torch.full((10,), 2.3), 10, normalize_std=True, eps=1e-8)
    assert noise.abs().max() > 1


def test_formula_centres_first_and_adds_eps_to_the_std():
    actual = normalize_rewards_by_group(np.array([0.0, 2.0]), [1, 1], normalize_std=True, eps=0.5, correction=0)
    assert actual.tolist() == [-1 / 1.5, 1 / 1.5]


@pytest.mark.parametrize(("correction", "std"), [(0, 2.0), (1, math.sqrt(16 / 3))])
def test_correction(correction, std):
    rewards = np.array([1.0, 1.0, 5.0, 5.0])
    actual = normalize_rewards_by_group(rewards, [0] * 4, normalize_std=True, eps=0.0, correction=correction)
    assert actual == pytest.approx([-2 / std, -2 / std, 2 / std, 2 / std], rel=1e-15)


def test_correction_defaults_to_torchs():
    actual = normalize_rewards_by_group([0.0, 2.0], [0, 0], normalize_std=True, eps=0.0)
    assert actual == pytest.approx([-math.sqrt(0.5), math.sqrt(0.5)], rel=1e-6)


def test_leave_one_out_is_the_mean_of_the_others():
    rewards = [1.0, 2.0, 6.0, 9.0]
    expected = [r - (sum(rewards) - r) / 3 for r in rewards]
    actual = normalize_rewards_by_group(np.array(rewards), [0] * 4, normalize_std=False, baseline="leave_one_out")
    assert actual == pytest.approx(expected, rel=1e-15)


def test_leave_one_out_divides_by_the_std_of_the_rewards():
    rewards = np.array([1.0, 2.0, 6.0, 9.0])
    others = np.array([r - (rewards.sum() - r) / 3 for r in rewards])
    actual = normalize_rewards_by_group(rewards, [0] * 4, normalize_std=True, eps=0.25, baseline="leave_one_out")
    assert actual == pytest.approx(others / (rewards.std(ddof=1) + 0.25), rel=1e-14)


@given(
    st.lists(st.tuples(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 3)), min_size=1),
    st.booleans(),
    st.sampled_from([0.0, 1e-8, 1e-6]),
    st.sampled_from(["mean", "leave_one_out"]),
    st.sampled_from([torch.float16, torch.bfloat16, torch.float32, torch.float64]),
)
@settings(max_examples=200, deadline=None)
@example([(1.7e308, 0), (1.7e308, 0), (-1.7e308, 0)], False, 1e-6, "mean", torch.float64)
@example([(1e-170, 0), (0.0, 0)], True, 0.0, "mean", torch.float64)
@example([(5e-324, 0), (0.0, 0)], True, 0.0, "leave_one_out", torch.float64)
def test_never_nan_nor_infinite(batch, normalize_std, eps, baseline, dtype):
    values = torch.tensor([reward for reward, _ in batch], dtype=torch.float64).to(dtype)
    assume(torch.isfinite(values).all())
    groups = [group for _, group in batch]
    actual = normalize_rewards_by_group(values, groups, normalize_std=normalize_std, eps=eps, baseline=baseline)
    assert torch.isfinite(actual).all()


@pytest.mark.parametrize(("dtype", "huge"), [(torch.float32, 3e38), (torch.float64, 1.7e308)])
def test_sums_that_overflow_are_scaled(dtype, huge):
    values = torch.tensor([huge, huge, -huge, -huge, 1.0, 2.0], dtype=dtype)
    actual = normalize_rewards_by_group(values, "aaaabb", normalize_std=True, correction=0)
    assert actual.tolist() == pytest.approx([1, 1, -1, -1, -1, 1], rel=1e-5)
    centred = normalize_rewards_by_group(values, "aaaabb", normalize_std=False)
    assert centred.tolist() == pytest.approx([huge, huge, -huge, -huge, -0.5, 0.5], rel=1e-6)


def test_fallback_makes_consecutive_groups():
    unset = [None, math.nan, np.float32("nan"), None]
    actual = normalize_rewards_by_group([0.0, 2.0, 10.0, 20.0], unset, normalize_std=False, fallback_group_size=2)
    assert actual == [-1.0, 1.0, -5.0, 5.0]


def test_fallback_is_not_used_where_there_are_groups():
    actual = normalize_rewards_by_group([0.0, 2.0, 1.0], "aab", normalize_std=False, fallback_group_size=2)
    assert actual == [-1.0, 1.0, 0.0]


def test_fallback_groups_hold_attempts():
    actual = normalize_rewards_by_group(
        [0.0, 0.0, 2.0, 1.0, 5.0, 5.0],
        [None] * 6,
        [1, 1, 2, 1, 2, 2],
        normalize_std=False,
        fallback_group_size=3,
    )
    assert actual == [-1.0, -1.0, 1.0, -2.0, 2.0, 2.0]


@pytest.mark.parametrize("size", [2, 5, 8, 32])
@pytest.mark.parametrize("layout", ["in order of the ids", "prompts in another order", "shuffled", "tiled"])
@pytest.mark.parametrize("name", [lambda group: group, lambda group: f"prompt {group}"], ids=["integers", "strings"])
def test_layout_of_uniform_groups_changes_no_bit(size, layout, name):
    prompts = 50
    values = torch.randn(prompts * size, generator=torch.Generator().manual_seed(size))
    expected = reshape(values, size, normalize_std=True)
    ids = random.Random(size).sample(range(1000), prompts)
    groups = [group for group in (sorted(ids) if layout == "in order of the ids" else ids) for _ in range(size)]
    order = list(range(len(groups)))
    if layout == "shuffled":
        # The members of a group keep their order, for it is the order in its row.
        order.sort(key=lambda position: random.Random(position // size).random() + position % size)
    elif layout == "tiled":
        order.sort(key=lambda position: position % size)
    actual = normalize_rewards_by_group(values[order], [name(groups[i]) for i in order], normalize_std=True)
    assert torch.equal(actual, expected[order])


@pytest.mark.parametrize("groups", [[1, 1, 2, 2, 1, 1], [2, 2, 1, 1, 2, 2], [1, 2, 1, 2, 1, 1]])
def test_runs_of_one_length_that_share_a_group_are_one_group(groups):
    rewards = [0.0, 1.0, 4.0, 8.0, 2.0, 5.0]
    for ids in (groups, torch.tensor(groups), [f"p{group}" for group in groups]):
        actual = normalize_rewards_by_group(np.array(rewards), ids, normalize_std=True)
        assert close(actual.tolist(), loop(rewards, groups, normalize_std=True), 1e-12)


def test_many_sizes_at_once():
    sizes = random.Random(1).sample(range(1, 60), 40)
    groups = [size for size in sizes for _ in range(size)]
    random.Random(2).shuffle(groups)
    rewards = [random.Random(i).randrange(80) / 8 for i in range(len(groups))]
    actual = normalize_rewards_by_group(np.array(rewards), groups, normalize_std=True)
    assert close(actual.tolist(), loop(rewards, groups, normalize_std=True), 1e-9)
