"""What is refused, and what the message names."""

from __future__ import annotations

import math
import re
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch

from grpo_lint.reference import normalize_rewards_by_group

pytestmark = pytest.mark.filterwarnings("error")


def normalize(rewards, groups, rollouts=None, **settings):
    return normalize_rewards_by_group(rewards, groups, rollouts, **{"normalize_std": True} | settings)


@pytest.mark.parametrize(
    "rewards",
    [
        [[1.0, 2.0]],
        [[1.0], [2.0]],
        ([1.0, 2.0], [3.0, 4.0]),
        torch.tensor(1.0),
        torch.ones(2, 1),
        np.array(1.0),
        np.float64(1.0),
        np.ones((1, 2)),
    ],
    ids=repr,
)
def test_other_than_one_axis(rewards):
    with pytest.raises(ValueError, match="rewards must have one axis"):
        normalize(rewards, [0, 0])


@pytest.mark.parametrize("bad", [None, math.nan, math.inf, -math.inf, 1e39, 10**400], ids=lambda bad: repr(bad)[:9])
def test_unset_or_non_finite_reward_in_a_list(bad):
    with pytest.raises(ValueError, match=rf"finite numbers.*, got {str(bad)[:9].replace('+', '.')}.* at position 2"):
        normalize([1.0, 0.0, bad, None, math.nan], [0] * 5)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("kind", [torch.tensor, np.array, lambda x: torch.tensor(x).half(), tuple])
def test_non_finite_reward_elsewhere(kind, bad):
    with pytest.raises(ValueError, match=f"got {bad} at position 1"):
        normalize(kind([1.0, bad, math.nan]), [0] * 3)


def test_unset_reward_in_an_object_array():
    with pytest.raises(ValueError, match="got None at position 1"):
        normalize(np.array([1.0, None]), [0, 0])


def test_first_bad_position_wins_over_the_kind_of_fault():
    with pytest.raises(ValueError, match="got nan at position 0"):
        normalize([math.nan, None], [0, 0])


@pytest.mark.parametrize("bad", [10**400, Fraction(10**400), Decimal("1e400")], ids=lambda bad: type(bad).__name__)
@pytest.mark.parametrize("kind", [list, tuple, lambda x: np.array(x, dtype=object)])
def test_number_beyond_all_floats(kind, bad):
    with pytest.raises(ValueError, match=r"finite numbers.* at position 1"):
        normalize(kind([1.0, bad]), [0, 0])


@pytest.mark.parametrize(
    "rewards",
    [
        None,
        "ab",
        b"ab",
        {1.0: 2.0},
        torch.ones(2, dtype=torch.complex64),
        np.ones(2) * 1j,
        np.array(["1.0", "2.0"]),
        np.array([b"1", b"2"]),
        np.array(["2024-01-01", "2024-01-02"], dtype="datetime64[D]"),
        np.array([1, 2], dtype="timedelta64[s]"),
        np.zeros(2, dtype=[("score", "f8")]),
    ],
    ids=repr,
)
def test_other_types(rewards):
    with pytest.raises(TypeError, match="list, tuple, tensor or array"):
        normalize(rewards, [0, 0])


@pytest.mark.parametrize("bad", ["a", "1.0", "", b"1", np.str_("1"), 1j, torch.tensor(1j)], ids=repr)
@pytest.mark.parametrize("kind", [list, tuple, lambda x: np.array([*x, None], dtype=object)[:-1]])
def test_reward_of_characters_or_with_an_imaginary_part(kind, bad):
    for rewards, position in (([bad, bad], 0), ([1.0, bad], 1), ([None, bad], 1)):
        with pytest.raises(TypeError, match=rf"real numbers, got {re.escape(repr(bad))} at position {position}"):
            normalize(kind(rewards), [0, 0])


@pytest.mark.parametrize("bad", [{"score": 1.0}, object(), {1.0}, lambda: 1.0], ids=lambda bad: type(bad).__name__)
def test_reward_that_is_no_number(bad):
    for rewards in ([bad, 2.0], [2.0, bad]):
        with pytest.raises(TypeError):
            normalize(rewards, [0, 0])


@pytest.mark.parametrize("number", [Fraction, Decimal, np.float16, np.bool_, bool, torch.tensor], ids=repr)
def test_other_numbers_are_rewards(number):
    expected = [-0.5, 0.5]
    assert normalize([number(0), number(1)], [0, 0], normalize_std=False) == expected
    assert normalize(np.array([0, number(1)], dtype=object), [0, 0], normalize_std=False).tolist() == expected


@pytest.mark.parametrize("ids", [[0], [0, 0, 0], torch.zeros(3), np.zeros(1), []], ids=repr)
def test_lengths_differ(ids):
    with pytest.raises(ValueError, match=f"group_indices has {len(ids)} entries for 2 rewards"):
        normalize([1.0, 2.0], ids)
    with pytest.raises(ValueError, match=f"rollout_ids has {len(ids)} entries for 2 rewards"):
        normalize([1.0, 2.0], [0, 0], ids)


def test_lengths_differ_from_none():
    with pytest.raises(ValueError, match="1 entries for 0 rewards"):
        normalize([], [1])


@pytest.mark.parametrize("ids", [torch.zeros(2, 1), np.zeros((1, 2)), torch.tensor(1)], ids=repr)
def test_identities_of_other_than_one_axis(ids):
    with pytest.raises(ValueError, match="group_indices must have one axis"):
        normalize([1.0, 2.0], ids)
    with pytest.raises(ValueError, match="rollout_ids must have one axis"):
        normalize([1.0, 2.0], [0, 0], ids)


@pytest.mark.parametrize("ids", [[[0], [0]], [torch.zeros(1), torch.zeros(1)], [{}, {}]], ids=repr)
def test_unhashable_identities(ids):
    with pytest.raises(TypeError, match="unhashable"):
        normalize([1.0, 2.0], ids)


@pytest.mark.parametrize("unset", [None, math.nan, np.nan, np.float32("nan"), torch.tensor(math.nan)], ids=repr)
def test_some_groups_unset(unset):
    with pytest.raises(ValueError, match="group_indices is None at position 1"):
        normalize([1.0, 2.0, 3.0, 4.0], [0, unset, 0, unset], fallback_group_size=2)


def test_some_groups_unset_in_a_tensor_or_array():
    for kind in (torch.tensor, np.array):
        with pytest.raises(ValueError, match="group_indices is None at position 2"):
            normalize([1.0, 2.0, 3.0, 4.0], kind([0, 0, math.nan, 1]), fallback_group_size=2)


@pytest.mark.parametrize("size", [None, 0, -2, 3, 8])
def test_fallback_that_does_not_fit(size):
    with pytest.raises(ValueError, match=f"fallback_group_size must be .* got {size} for 4 rewards"):
        normalize([1.0, 2.0, 3.0, 4.0], [None] * 4, fallback_group_size=size)


def test_siblings_with_different_rewards():
    message = r"rollout id 7 in group 'b' have different rewards: \[1.0, 0.5, 1.0\] at positions \[2, 4, 5\]"
    with pytest.raises(ValueError, match=message):
        normalize([0.0, 0.0, 1.0, 0.0, 0.5, 1.0], "aabbbb", [7, 7, 7, 8, 7, 7])


@pytest.mark.parametrize("kind", [torch.tensor, np.array])
def test_siblings_with_different_rewards_elsewhere(kind):
    with pytest.raises(ValueError, match=r"rollout id 7 in group 3 .* \[1.0, 2.0\] at positions \[0, 1\]"):
        normalize(kind([1.0, 2.0]), kind([3, 3]), kind([7, 7]))


@pytest.mark.parametrize("correction", [-1, 2, 0.5, None])
def test_correction_other_than_0_or_1(correction):
    with pytest.raises(ValueError, match="correction must be 0 or 1"):
        normalize([1.0, 2.0], [0, 0], correction=correction)


@pytest.mark.parametrize("eps", [-1e-6, math.nan])
def test_eps_that_may_divide_by_zero(eps):
    with pytest.raises(ValueError, match="eps"):
        normalize([1.0, 2.0], [0, 0], eps=eps)


def test_unknown_baseline():
    with pytest.raises(ValueError, match="baseline must be 'mean' or 'leave_one_out', got 'median'"):
        normalize([1.0, 2.0], [0, 0], baseline="median")


def test_normalize_std_must_be_said():
    with pytest.raises(TypeError, match="normalize_std"):
        normalize_rewards_by_group([1.0, 2.0], [0, 0])


@pytest.mark.parametrize("groups", [[0, 1, 2], ["a", "b", "c"], torch.arange(3)])
def test_every_group_of_one_member_warns_at_the_caller(groups):
    with pytest.warns(UserWarning, match="each of the 3 samples is alone in its group") as caught:
        assert normalize([1.0, 2.0, 3.0], groups) == [0.0, 0.0, 0.0]
    assert [warning.filename for warning in caught] == [__file__]


def test_fallback_to_groups_of_one_warns():
    with pytest.warns(UserWarning, match="alone in its group"):
        normalize([1.0, 2.0], [None, None], fallback_group_size=1)


@pytest.mark.parametrize("groups", [[], ["a"], ["a", "a", "b"], ["a", "a"]], ids=repr)
def test_other_groups_do_not_warn(groups):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        normalize([1.0] * len(groups), groups)


def test_groups_of_one_attempt_but_several_members_do_not_warn():
    assert normalize([1.0, 1.0, 2.0, 2.0], "aabb", [0, 0, 1, 1]) == [0.0] * 4
