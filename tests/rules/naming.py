"""Names of equal standing: names tell the data flow what things are, so only some may take another's place."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

import grpo_lint.flow
from grpo_lint.flow.vocabulary import Vocabulary, counts_prompts, is_identity, names_prompts, tokens

# Names for the same thing, none of which tells more than the others.
KINDS = (
    ("rewards", "raw_rewards", "reward_values", "all_rewards", "rewards_of_batch"),
    ("reward", "own_reward", "reward_value"),
    ("num_generations", "n_generations", "number_of_generations", "generations_num"),
    ("group_size", "my_group_size", "grp_size"),
    ("n_samples_per_prompt", "rollouts_per_prompt", "completions_per_prompt"),
    ("n", "k", "g"),
    ("grid", "matrix", "blob", "table2d", "wide"),
    ("mean", "mu", "centre", "b0"),
    ("std", "sigma", "sd", "s0"),
    ("args", "cfg", "opts", "hparams"),
    ("out", "collected", "res", "acc"),
    ("i", "j", "at", "pos"),
    ("e", "one", "item", "it"),
)
AFFIXES = ("own_{}", "the_{}", "{}_here", "{}_", "_{}")
# By themselves, these say that there is one prompt; with another word beside them, they may not.
_SAY_ONE = frozenset("prompt question problem query instance task episode trajectory group uid key pid qid".split())
_OF_FUNCTIONS = frozenset({"arguments", "calls", "candidates", "filling", "groupings", "operations"})
_WORDS = Vocabulary()


def equals(name: str) -> list[str]:
    """Other names of the same standing."""
    kind = next((kind for kind in KINDS if name in kind), ())
    affixed = [affix.format(name) for affix in AFFIXES]
    return sorted(
        new for new in {*kind, *affixed} - {name} if _standing(new, name in kind) == _standing(name, name in kind)
    )


def is_neutral(name: str) -> bool:
    """Whether a name tells nothing."""
    return _standing(name, False) == _standing("thing", False)


def _standing(name: str, is_of_kind: bool) -> tuple[object, ...]:
    """What the data flow can read from a name; within a kind, which telling words it is made of makes no difference."""
    words = tokens(name)
    return (
        _WORDS.is_strong_reward(name),
        _WORDS.is_reward(name),
        _WORDS.is_group_size(name),
        _WORDS.is_group_size(name, is_strong=False),
        _WORDS.is_short_size(name),
        _WORDS.is_other_axis(name),
        _WORDS.for_text(name).is_about_prompts,
        _WORDS.is_mentioned([name]),
        names_prompts(name),
        counts_prompts(name),
        is_identity(name),
        words if not _SAY_ONE.isdisjoint(words[:1]) else (),
        () if is_of_kind else tuple(word for word in words if word in _telling_words()),
    )


@cache
def _telling_words() -> frozenset[str]:
    """The words that some list of the data flow holds, if it is not one of functions."""
    found: set[str] = set()
    for module in pkgutil.iter_modules(grpo_lint.flow.__path__):
        if module.name in _OF_FUNCTIONS:
            continue
        for value in vars(importlib.import_module(f"grpo_lint.flow.{module.name}")).values():
            if isinstance(value, frozenset):
                found.update(each for each in value if isinstance(each, str))
    return frozenset(found)
