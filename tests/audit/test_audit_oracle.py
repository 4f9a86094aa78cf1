"""A second implementation, one sample after another in plain Python, agrees on every figure."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from typing import Any

import pytest
from dumps import dump
from hypothesis import given, settings
from hypothesis import strategies as st

from grpo_lint.audit.comparison import audit_dump
from grpo_lint.audit.records import Dump, RunAudit, Settings
from grpo_lint.audit.summary import as_json
from grpo_lint.audit.totals import figures_of, total_of

# Halves and quarters, whose sums and means have no rounding, so that what is equal is equal in any order of steps.
REWARDS = st.sampled_from([0.0, 1.0, -1.0, 0.5, 0.25, 2.0])
BATCHES = st.lists(st.tuples(st.integers(0, 6), REWARDS), min_size=2, max_size=40)
TOLERANCE = 1e-6


def normalised(rewards: list[float], options: Settings) -> list[float]:
    """Of one group: GRPO's formula, or the leave-one-out form."""
    count = len(rewards)
    mean = sum(rewards) / count
    out = [reward - mean for reward in rewards]
    if options.leave_one_out and count > 1:
        out = [each * count / (count - 1) for each in out]
    if options.normalize_std:
        spread = statistics.stdev(rewards) if count > 1 else math.nan
        out = [each / (spread + options.eps) for each in out]
    return out


def by_identity(batch: Dump, options: Settings) -> list[float]:
    out = [0.0] * len(batch.rewards)
    for group in set(batch.groups):
        at = [i for i, each in enumerate(batch.groups) if each == group]
        own = [batch.rewards[i] for i in at]
        values = [0.0] * len(own) if len(set(own)) == 1 else normalised(own, options)
        for i, value in zip(at, values, strict=True):
            out[i] = value
    return out


def by_position(batch: Dump, options: Settings) -> tuple[list[float], bool]:
    counts = Counter(batch.groups)
    usual = Counter(counts.values())
    size = options.n_samples_per_prompt or min(size for size in usual if usual[size] == max(usual.values()))
    prompts = options.rollout_batch_size or len(counts)
    total = len(batch.rewards)
    is_fallback = total != size * prompts
    width = total if is_fallback else size
    rows = [list(batch.rewards[start : start + width]) for start in range(0, total, width)]
    return [value for row in rows for value in normalised(row, options)], is_fallback


def sign(value: float) -> int | float:
    return math.nan if math.isnan(value) else 0 if abs(value) <= TOLERANCE else math.copysign(1, value)


def figures(batch: Dump, options: Settings) -> dict[str, Any]:
    reference, (collapsed, is_fallback) = by_identity(batch, options), by_position(batch, options)
    pairs = list(zip(reference, collapsed, strict=True))
    errors = [abs(b - a) for a, b in pairs if not math.isnan(b)]
    best = {
        group: max(r for g, r in zip(batch.groups, batch.rewards, strict=True) if g == group) for group in batch.groups
    }
    unsolved = {group for group in best if best[group] <= options.solved_above}
    weight = [0.0 if math.isnan(value) else abs(value) for value in collapsed]
    on_unsolved = [w for g, w in zip(batch.groups, weight, strict=True) if g in unsolved]
    moved = {g for g, w in zip(batch.groups, weight, strict=True) if g in unsolved and w > TOLERANCE}
    return {
        "dumps": 1,
        "samples": len(pairs),
        "fallback_dumps": int(is_fallback),
        "no_signal_dumps": int(len(set(batch.rewards)) == 1),
        "agree": sum(not math.isnan(b) and abs(b - a) <= TOLERANCE for a, b in pairs),
        "wrong_sign": sum(sign(a) != sign(b) for a, b in pairs),
        "nonzero_reference": sum(sign(a) != 0 for a in reference),
        "nonzero_collapsed": sum(sign(b) != 0 for b in collapsed),
        "nan_collapsed": sum(math.isnan(b) for b in collapsed),
        "max_error": pytest.approx(max(errors, default=0.0), abs=1e-4, rel=1e-4),
        "mean_error": pytest.approx(sum(errors) / len(errors) if errors else 0.0, abs=1e-4, rel=1e-4),
        "unsolved_prompts": len(unsolved),
        "unsolved_prompts_with_gradient": len(moved),
        "unsolved_gradient_share": pytest.approx(sum(on_unsolved) / sum(weight) if sum(weight) else 0.0, abs=1e-5),
        "group_sizes": {str(size): count for size, count in sorted(Counter(Counter(batch.groups).values()).items())},
    }


OPTIONS = st.builds(
    Settings,
    normalize_std=st.booleans(),
    leave_one_out=st.booleans(),
    eps=st.sampled_from([1e-6, 1e-4, 1.0]),
    solved_above=st.sampled_from([0.0, 0.5]),
    n_samples_per_prompt=st.sampled_from([None, None, 2, 4]),
    rollout_batch_size=st.sampled_from([None, None, 2, 4]),
)


@settings(max_examples=300, deadline=None)
@given(BATCHES, OPTIONS)
def test_every_figure_agrees(batch: list[tuple[int, float]], options: Settings) -> None:
    one = dump([group for group, _ in batch], [reward for _, reward in batch])
    found = as_json([RunAudit("run", (audit_dump(one, options),), (), ())])["total"]
    wanted = figures(one, options)
    assert {key: found[key] for key in wanted} == wanted


@settings(max_examples=100, deadline=None)
@given(st.lists(BATCHES, min_size=1, max_size=5), st.randoms())
def test_figures_add_up_in_any_order(batches: list[list[tuple[int, float]]], random: Any) -> None:
    audits = [audit_dump(dump([g for g, _ in each], [r for _, r in each]), Settings()) for each in batches]
    total = total_of([RunAudit("run", tuple(audits), (), ())])
    random.shuffle(audits)
    left = [figures_of(each) for each in audits]
    while len(left) > 1:
        at = random.randrange(len(left) - 1)
        left[at : at + 2] = [left[at] + left[at + 1]]
    assert left == [total]


def test_equal_rewards_get_noise_from_a_reshape_and_none_by_identity() -> None:
    """As slime computes it: ten rewards of 2.3 have a mean that is not 2.3 in float32."""
    found = audit_dump(dump([0] * 10 + [1] * 10, [2.3] * 20), Settings())
    assert found.collapsed.nonzero_reference == 0
    assert found.collapsed.max_error == pytest.approx(0.24, abs=0.01)


def test_attempts_count_once_on_request() -> None:
    batch = dump([0, 0, 0, 0, 1, 1], [1, 1, 1, 0, 0, 0], attempts=(7, 7, 7, 8, 1, None))
    by_sample, by_attempt = audit_dump(batch, Settings()), audit_dump(batch, Settings(per_rollout=True))
    assert (by_sample.samples, by_attempt.samples) == (6, 4)
    assert (by_sample.group_sizes, by_attempt.group_sizes) == (((2, 1), (4, 1)), ((2, 2),))


def test_siblings_of_one_attempt_with_different_rewards_are_refused_per_rollout() -> None:
    batch = dump([0, 0, 0], [1, 0, 0], attempts=(7, 7, 8))
    audit_dump(batch, Settings())
    with pytest.raises(ValueError, match="different rewards"):
        audit_dump(batch, Settings(per_rollout=True))


def test_attempts_tell_how_many_samples_the_trainer_was_told() -> None:
    """Two attempts for each prompt, of which one fanned out: 2 * 2 is not 5."""
    fanned = dump([0, 0, 0, 1, 1], [1, 1, 0, 1, 0], attempts=(1, 1, 2, 1, 2))
    assert audit_dump(fanned, Settings()).is_fallback
    plain = dump([0, 0, 1, 1], [1, 0, 1, 0], attempts=(1, 2, 1, 2))
    assert not audit_dump(plain, Settings()).is_fallback


def test_a_total_that_matches_by_accident_is_reshaped() -> None:
    """7 + 1 + 5 + 3 samples fill a grid of 4 prompts with 4 samples each: no fallback, and wrong all the same."""
    groups = [0] * 7 + [1] + [2] * 5 + [3] * 3
    rewards = [1.0] * 7 + [0.0] + [1.0] * 5 + [0.0] * 3
    found = audit_dump(dump(groups, rewards), Settings(n_samples_per_prompt=4, rollout_batch_size=4))
    assert not found.is_fallback
    assert found.collapsed.nonzero_reference == 0
    assert found.collapsed.wrong_sign == 8


def test_a_lone_row_is_nan_where_it_was_in_training() -> None:
    found = audit_dump(dump([0, 1, 2], [1, 0, 1]), Settings(n_samples_per_prompt=1))
    assert found.collapsed.not_a_number == found.collapsed.wrong_sign == found.collapsed.nonzero_other == 3
    assert found.collapsed.agree == 0
    assert found.collapsed.max_error == 0.0
