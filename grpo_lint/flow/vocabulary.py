"""The words by which code names rewards, group sizes and identities."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from grpo_lint.gate import GROUP_RELATIVE, mention_of_rewards, mentions_rewards
from grpo_lint.search import occurs_in_lower

_TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

STRONG_REWARDS = frozenset({"reward", "rewards", "advantage", "advantages", "advs", "rwd", "rwds"})
WEAK_REWARDS = frozenset({"score", "scores", "returns", "rets", "adv"})

# Code with one of these may have several samples for a prompt. Without, a size that only may be a group's is none.
# A comment to the linter is no such word: else suppressing one finding would bring up others.
_PROMPTS = (
    rb"grpo(?![-_]lint|\d{3})|gspo|cispo|rloo|group_?(?:index|ids?|norm|reward)|prompt|completion|generations|question|"
    rb"per_(?:problem|query|instruction)|\b(?:uid|uids)\b"
)

_GROUP_RELATIVE = GROUP_RELATIVE.encode()

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
    "response candidates candidate answers answer repeats repeat attempts attempt trajectories sequences".split()
)
_COUNT = frozenset({"n", "num", "k", "number"})
_SHORT_SIZES = frozenset({"n", "k", "g"})

# Axes that are not made of one prompt's samples: environments, time, tokens, ranks, pairs, features.
NOT_GROUPS = frozenset(
    "env envs environment environments step steps horizon time t timesteps seq seqlen len length lengths chunk "
    "chunks token tokens agent agents func funcs dim dims width height channel channels batch b bs bsz world ranks "
    "rank procs workers heads head experts expert hidden vocab features feature pairs ensemble frames frame "
    "minibatch micro mini window block prompts prompt questions question groups action actions act acts atoms "
    "quantiles out output outputs classes transition transitions objs objectives goals critics judges annotators "
    "raters players robots arms pop population tasks datasets device devices stride splits folds assets layers "
    "h l w d".split()
)
_ALL_PROMPTS = frozenset("prompts questions problems queries instructions".split())
_ALL_GROUPS = frozenset({"groups"})
_PARTS_OF_SAMPLES = frozenset("token tokens step steps frame frames turn turns process chunk chunks dense func".split())
_PER_PROMPT = frozenset("prompt question problem query group".split())
_NOT_PROMPTS = frozenset("trajectory episode env environment step sequence image".split())

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
    is_about_prompts: bool = True
    is_group_relative: bool = True

    def for_candidates(self, text: str) -> Vocabulary:
        """The vocabulary as it is to be read in this text, as far as it decides which of its functions are read."""
        return replace(self, is_group_relative=occurs_in_lower(_GROUP_RELATIVE, text.encode(errors="replace")))

    def for_text(self, text: str) -> Vocabulary:
        """One for candidates, as it is to be read in all of this text."""
        return replace(self, is_about_prompts=occurs_in_lower(_PROMPTS, text.encode(errors="replace")))

    @cached_property
    def _extra_rewards(self) -> frozenset[str]:
        return frozenset(self.extra_rewards)

    @cached_property
    def _extra_sizes(self) -> frozenset[str]:
        return frozenset(self.extra_sizes)

    @cached_property
    def _mention(self) -> re.Pattern[str]:
        return re.compile(mention_of_rewards(self.extra_rewards), re.IGNORECASE)

    def is_mentioned(self, words: Iterable[str]) -> bool:
        """Whether rewards are named, in some case, by some of these words or parts of them."""
        text = " ".join(words)
        if text.isascii():
            return mentions_rewards(text.encode(), self.extra_rewards)
        return self._mention.search(text) is not None

    def is_strong_reward(self, name: str) -> bool:
        """Whether `name` can hardly mean anything but per-sample rewards."""
        return name in self._extra_rewards or _names_values(tokens(name), STRONG_REWARDS)

    def is_reward(self, name: str) -> bool:
        """Whether `name` may mean per-sample rewards."""
        return self.is_strong_reward(name) or _names_values(tokens(name), WEAK_REWARDS)

    def is_group_size(self, name: str, is_strong: bool = True) -> bool:
        """Whether `name` means how many samples each prompt has, where strong or weak rewards are grouped by it."""
        if name in self._extra_sizes:
            return True
        words = tokens(name)
        if len(words) == 1 and words[0] in _SHORT_SIZES:
            return is_strong and self.is_about_prompts
        return (is_strong or self.is_about_prompts) and (_is_size_of_group(words) or _counts_samples(words))

    def is_short_size(self, name: str) -> bool:
        """Whether `name` is a letter that stands for many sizes; one that is configured stands for this one."""
        words = tokens(name)
        return name not in self._extra_sizes and len(words) == 1 and words[0] in _SHORT_SIZES

    def is_other_axis(self, name: str) -> bool:
        """Whether `name` means the length of an axis that is not a prompt's samples; `nsteps` as well as `n_steps`."""
        words = {*tokens(name), *(word[1:] for word in tokens(name) if word.startswith("n"))}
        return not self.is_group_size(name) and not NOT_GROUPS.isdisjoint(words)


def names_prompts(name: str) -> bool:
    """Whether `name`, or the last name of a path, means the prompts of a batch: `prompts`, `batch["questions"]`."""
    return not _ALL_PROMPTS.isdisjoint(tokens(name)[-1:])


def counts_prompts(name: str) -> bool:
    """Whether `name` means how many prompts there are: `num_prompts`, `n_groups`; not `prompts_per_step`."""
    words = set(tokens(name))
    return not (_ALL_PROMPTS | _ALL_GROUPS).isdisjoint(words) and not _COUNT.isdisjoint(words) and "per" not in words


def is_for_each_sample(name: str) -> bool:
    """Whether `name` plainly means rewards, one for each sample: not advantages, and not those of tokens or steps."""
    words = tokens(name)
    return not {"reward", "rewards"}.isdisjoint(words) and _PARTS_OF_SAMPLES.isdisjoint(words)


def is_identity(name: str) -> bool:
    """Whether `name` is one by which code calls a vector of prompt identities."""
    return name in IDENTITY_NAMES


def _names_values(words: tuple[str, ...], wanted: frozenset[str]) -> bool:
    """What follows `per` only tells of what: `rewards_per_func` holds rewards."""
    named = words[: words.index("per")] if "per" in words else words
    return not wanted.isdisjoint(named) and NOT_VALUES.isdisjoint(named)


def _is_size_of_group(words: tuple[str, ...]) -> bool:
    return words[-2:] in (("group", "size"), ("grp", "size"), ("group", "num"), ("best", "of"), ("rollout", "n")) or (
        words[-1:] == ("n",) and not {"sampling", "generation", "rollout"}.isdisjoint(words)
    )


def _counts_samples(words: tuple[str, ...]) -> bool:
    """`n_samples_per_prompt`, `num_generations`, `rollouts_per_question`; not `samples_per_trajectory`."""
    if words[-2:-1] == ("per",) and words[-1] in _PER_PROMPT:
        return NOT_GROUPS.isdisjoint(words[:-2])
    is_counted = not _COUNTED.isdisjoint(words) and (not _COUNT.isdisjoint(words) or "per" in words)
    return is_counted and not ("per" in words and words[-1] in _NOT_PROMPTS)
