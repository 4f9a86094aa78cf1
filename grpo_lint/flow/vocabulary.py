"""The words by which code names rewards, group sizes and identities."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from grpo_lint.gate import mention_of_rewards

_TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

STRONG_REWARDS = frozenset({"reward", "rewards", "advantage", "advantages", "advs", "rwd", "rwds"})
WEAK_REWARDS = frozenset({"score", "scores", "returns", "rets"})

# A name that holds a reward word and one of these is about rewards, but not a vector of them.
NOT_VALUES = frozenset(
    "model models fn fns func funcs function functions weight weights std stds mean means stat stats "
    "config cfg key keys name names mask masks loss losses metric metrics head processor manager worker "
    "type types shape dtype log logs max min range scale baseline baselines count counts num idx index "
    "indices threshold coef bonus penalty dict info dim size embedding estimator clip path file dir url "
    "step steps module trainer class".split()
)

_COUNTED = frozenset(
    "samples sample generations generation gens gen rollouts rollout completions completion responses "
    "response candidates candidate answers answer repeats repeat attempts attempt trajectories sequences "
    "outputs output".split()
)
_COUNT = frozenset({"n", "num", "k", "number"})
_SHORT_SIZES = frozenset({"n", "k", "g"})

# Axes that are not made of one prompt's samples: environments, time, tokens, ranks, pairs, features.
NOT_GROUPS = frozenset(
    "env envs environment environments step steps horizon time t timesteps seq seqlen len length lengths chunk chunks "
    "token tokens agent agents func funcs dim dims width height channel channels batch b bs bsz world ranks rank procs "
    "workers heads head experts expert hidden vocab features feature pairs ensemble frames frame minibatch micro mini "
    "window block prompts prompt questions question groups".split()
)

IDENTITY_NAMES = frozenset(
    "uids uid group_ids group_id groups_ids prompt_ids prompt_id group_indices group_indexes group_index "
    "prompt_indices prompt_index prompt_uids question_ids problem_ids index indices query_ids group_idx "
    "group_idxs".split()
)


@lru_cache(maxsize=4096)
def tokens(name: str) -> tuple[str, ...]:
    """The words of a snake_case or camelCase name, lower-case: `rewardTensor` gives reward, tensor."""
    return tuple(word.lower() for word in _TOKEN.findall(name))


@dataclass(frozen=True)
class Vocabulary:
    """The built-in words and those that a project's configuration adds."""

    extra_rewards: tuple[str, ...] = ()
    extra_sizes: tuple[str, ...] = ()

    @cached_property
    def _extra_rewards(self) -> frozenset[str]:
        return frozenset(self.extra_rewards)

    @cached_property
    def _extra_sizes(self) -> frozenset[str]:
        return frozenset(self.extra_sizes)

    @cached_property
    def mention(self) -> re.Pattern[str]:
        """What occurs in every text that names rewards."""
        return re.compile(mention_of_rewards(self.extra_rewards), re.IGNORECASE)

    def is_strong_reward(self, name: str) -> bool:
        """Whether `name` can hardly mean anything but per-sample rewards."""
        if name in self._extra_rewards:
            return True
        words = tokens(name)
        return _names_values(words, STRONG_REWARDS) or words == ("adv",)

    def is_reward(self, name: str) -> bool:
        """Whether `name` may mean per-sample rewards."""
        return self.is_strong_reward(name) or _names_values(tokens(name), WEAK_REWARDS)

    def is_group_size(self, name: str) -> bool:
        """Whether `name` means how many samples each prompt has."""
        if name in self._extra_sizes:
            return True
        words = tokens(name)
        if not words:
            return False
        return (
            words in (("group", "size"), ("group", "num"), ("grp", "size"), ("best", "of"), ("rollout", "n"))
            or words[-2:] == ("group", "size")
            or (len(words) == 1 and words[0] in _SHORT_SIZES)
            or _counts_samples(words)
        )

    def is_other_axis(self, name: str) -> bool:
        """Whether `name` means the length of an axis that is not a prompt's samples."""
        return not self.is_group_size(name) and bool(NOT_GROUPS.intersection(tokens(name)))


def is_identity(name: str) -> bool:
    """Whether `name` is one by which code calls a vector of prompt identities."""
    return name in IDENTITY_NAMES


def _names_values(words: tuple[str, ...], wanted: frozenset[str]) -> bool:
    return bool(wanted.intersection(words)) and not NOT_VALUES.intersection(words)


def _counts_samples(words: tuple[str, ...]) -> bool:
    """`n_samples_per_prompt`, `num_generations`, `samples_per_prompt`, `rollouts_per_question`."""
    counted = _COUNTED.intersection(words)
    return bool(counted) and (bool(_COUNT.intersection(words)) or "per" in words)
