"""What does harm, and is not the contract's business: it says what is called, with what, and what becomes of it."""

from __future__ import annotations

from contracts.study.edit import (
    CALL,
    COLUMNS,
    CONDITION,
    GROUPING,
    PACKAGE_FILE,
    RAW,
    RETURN,
    Change,
    Edit,
    Family,
    Kind,
    Replacement,
    before,
    instead,
    spelled,
    without,
)

BEYOND = Family(Kind.BEYOND, "what the contract leaves to other tests")


def edit(name: str, reason: str, *changes: Change) -> Edit:
    return Edit(BEYOND, name, reason, changes)


EDITS = (
    edit(
        "other estimators only",
        "when the call happens is decided at run time",
        instead(CONDITION, 'if self.args.advantage_estimator in ("rloo",) and self.args.rewards_normalization:'),
    ),
    edit(
        "condition turned round",
        "when the call happens is decided at run time",
        spelled(" and self.args.rewards_normalization:", " and not self.args.rewards_normalization:"),
    ),
    edit(
        "not for small batches",
        "when the call happens is decided at run time",
        before(CALL, "if len(samples) < 9:\n    return raw_rewards, raw_rewards"),
    ),
    edit(
        "scaling always off",
        "the contract names no such argument",
        spelled("normalize_std=self.args.std_normalization", "normalize_std=False"),
    ),
    edit(
        "other rewards passed",
        "the contract names no such argument",
        spelled("                raw_rewards,\n", "                raw_rewards[::-1],\n"),
    ),
    edit(
        "rewards graded otherwise",
        "the contract names no such argument",
        instead(RAW, 'raw_rewards = [sample.grades["length"] for sample in samples]'),
    ),
    edit(
        "pair turned round",
        "the result is returned, in the other place",
        instead(RETURN, "return rewards, raw_rewards"),
    ),
    edit(
        "callee that centres on the batch",
        "what the callee computes is for its own tests",
        Replacement(GROUPING, "reward - means[group]", "reward - fmean(rewards)"),
    ),
    edit(
        "callee replaced from afar",
        "another module patches the callee's",
        Replacement(
            PACKAGE_FILE,
            "from tinytrain.grouping import normalize_by_group\n",
            "from tinytrain import grouping, legacy\n\n"
            "grouping.normalize_by_group = normalize_by_group = legacy.normalize_by_group\n",
        ),
    ),
    edit(
        "caller that takes the raw rewards",
        "what the caller does with what is returned is the caller's",
        instead(COLUMNS, "raw_rewards, _ = self._post_process_rewards(samples)\nrewards = raw_rewards"),
    ),
    edit(
        "caller that asks no more",
        "the method is there, and nobody calls it",
        without(COLUMNS),
        spelled(
            '            "raw_reward": torch.tensor(raw_rewards),\n            "reward": torch.tensor(rewards),\n',
            '            "raw_reward": torch.tensor([sample.get_reward_value(self.args) for sample in samples]),\n'
            '            "reward": torch.tensor([sample.get_reward_value(self.args) for sample in samples]),\n',
        ),
    ),
)
