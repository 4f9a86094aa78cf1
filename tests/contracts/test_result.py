"""What becomes of the result: returned, used, or whatever."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from contracts.project import SITE, TOP, marks, told

from grpo_lint.contracts import Result

RETURNED = {
    "as a list": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return raw, list(rewards)
""",
    "in a tuple": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    both = (raw, rewards)
    return both
""",
    "unpacked": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    both = (raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples))
    first, second = both
    return first, second
""",
    "in a dictionary": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    out = {"raw": raw}
    out["rewards"] = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return out
""",
    "in a record": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return Rewards(raw=raw, rewards=rewards)
""",
    "copied one by one": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return raw, [float(each) for each in rewards]
""",
    "in another name": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    advantages = rewards
    return raw, advantages
""",
    "errors told and raised again": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    try:
        rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    except ValueError:
        print(raw)
        raise
    return raw, rewards
""",
    "logged in between": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    logger.info(rewards)
    return raw, rewards
""",
    "dropped": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return raw, raw  # breach: the result of `normalize_by_prompt` must be returned; `return raw, raw` is without it
""",
    "dropped at the end": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    prompts = [s.prompt for s in samples]
    normalize_by_prompt(raw, prompts, size=args.n_samples)  # breach: must be returned, and is dropped
""",
    "nothing returned": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    samples[0].rewards = rewards
    return  # breach: the result of `normalize_by_prompt` must be returned; `return` is without it
""",
    "overwritten": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    rewards = raw  # breach: must be returned, and is replaced or changed here by `rewards = raw`
    return raw, rewards
""",
    "overwritten in a branch": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    if len(raw) > 9:
        rewards = raw  # breach: must be returned, and is replaced or changed here by `rewards = raw`
    return raw, rewards
""",
    "another value returned": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return raw, raw  # breach: the result of `normalize_by_prompt` must be returned; `return raw, raw` is without it
""",
    "the other part of the pair": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    both = (raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples))
    return raw, both[0]  # breach: must be returned; `return raw, both[0]` is without it
""",
    "sorted after": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    rewards.sort()  # breach: must be returned, and is replaced or changed here by `rewards.sort()`
    return raw, rewards
""",
    "returned sorted": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return raw, sorted(rewards)  # breach: must be returned; `return raw, sorted(rewards)` is without it
""",
    "made zero": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return raw, [0 * r for r in rewards]  # breach: `return raw, [0 * r for r in rewards]` is without it
""",
    "filled in place": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    rewards[:] = raw  # breach: must be returned, and is replaced or changed here by `rewards[:] = raw`
    return raw, rewards
""",
    "one value set": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    rewards[0] = 0  # breach: must be returned, and is replaced or changed here by `rewards[0] = 0`
    return raw, rewards
""",
    "deleted": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    del rewards  # breach: must be returned, and is replaced or changed here by `del rewards`
    return raw, raw
""",
    "errors swallowed": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    try:
        rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    except ValueError:  # breach: errors of `normalize_by_prompt` are caught here and something else goes on
        rewards = raw
    return raw, rewards
""",
    "errors suppressed": """
from contextlib import suppress

def post_process(args, samples):
    raw = rewards = [s.reward for s in samples]
    with suppress(ValueError):  # breach: errors of `normalize_by_prompt` are suppressed here; its result must be
        rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return raw, rewards
""",
    "the helper's result is dropped": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    def centred():
        return normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    centred()
    return raw, raw  # breach: the result of `normalize_by_prompt` must be returned; `return raw, raw` is without it
""",
    "the helper drops it": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    def centred():
        normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
        return raw  # breach: the result of `normalize_by_prompt` must be returned; `return raw` is without it
    return raw, centred()
""",
    "two paths, each with its own loss": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    if args.flat:
        return raw  # breach: the result of `normalize_by_prompt` must be returned; `return raw` is without it
    rewards = raw  # breach: must be returned, and is replaced or changed here by `rewards = raw`
    return rewards
""",
    "the function that calls it is handed on": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    def centred():
        return normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return args.pool.submit(centred)  # breach: `centred`, which calls `normalize_by_prompt`, is handed on here
""",
}


@pytest.mark.parametrize("name", RETURNED)
def test_it_must_be_returned(name: str, tmp_path: Path) -> None:
    text = TOP + RETURNED[name]
    assert told(tmp_path, text) == marks(text)


USED = {
    "returned": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "something made of it is returned": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return sum(rewards) / len(raw)
""",
    "in a dictionary that is returned": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    out = {}
    out["rewards"] = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return out
""",
    "in a list that is returned": """
def post_process(args, samples):
    out = []
    for batch in [samples]:
        raw = [s.reward for s in samples]
        out.append(normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples))
    return out
""",
    "stored in an attribute of the samples": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    for sample, reward in zip(samples, rewards):
        sample.advantage = reward
""",
    "stored in what is given": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    args.rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "stored in an item of what is given": """
def post_process(args, samples, table):
    raw = [s.reward for s in samples]
    table["rewards"] = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return raw
""",
    "added to what is given": """
def post_process(args, samples, history):
    raw = [s.reward for s in samples]
    history.append(normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples))
    return raw
""",
    "handed to a function": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    args.buffer.put(rewards)
    return raw
""",
    "it decides a branch": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    if any(normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)):
        return raw
    return None
""",
    "yielded": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    yield normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "added to the raw rewards": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    total = 0.0
    for reward in rewards:
        total += reward
    return total
""",
    "used before it is overwritten": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    args.buffer.put(rewards)
    rewards = raw
    return rewards
""",
    "the helper uses it": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    store(args, samples, raw)
    return raw

def store(args, samples, raw):
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    args.buffer.put(rewards)
""",
    "errors swallowed": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    try:
        return normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    except ValueError:  # breach: errors of `normalize_by_prompt` are caught here and something else goes on
        return raw
""",
    "dropped": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return raw  # breach: the result of `normalize_by_prompt` must be used; `return raw` is without it
""",
    "dropped at the end": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    normalize_by_prompt(raw, prompts, size=args.n_samples)  # breach: must be used, and is dropped
""",
    "in a name that nothing reads": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return raw  # breach: the result of `normalize_by_prompt` must be used; `return raw` is without it
""",
    "logged only": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    logger.info("rewards: %s", rewards)
    return raw  # breach: the result of `normalize_by_prompt` must be used; `return raw` is without it
""",
    "printed only": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    print(normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples))
    return raw  # breach: the result of `normalize_by_prompt` must be used; `return raw` is without it
""",
    "asserted only": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    assert len(rewards) == len(raw)
    return raw  # breach: the result of `normalize_by_prompt` must be used; `return raw` is without it
""",
    "overwritten": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    rewards = raw  # breach: must be used, and is replaced or changed here by `rewards = raw`
    return rewards
""",
    "overwritten in a branch": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    if args.flat:
        rewards = raw  # breach: must be used, and is replaced or changed here by `rewards = raw`
    return rewards
""",
    "used on one path of two": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    if args.flat:
        return raw  # breach: the result of `normalize_by_prompt` must be used; `return raw` is without it
    return rewards
""",
    "in a dictionary that is dropped": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    out = {}
    out["rewards"] = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return raw  # breach: must be used; `return raw` is without it
""",
    # A miss: nothing reads the list.
    "in a list that is dropped": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    out = []
    out.append(normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples))
    return raw
""",
    # A miss: the item that is returned is another one.
    "another item of the dictionary is returned": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    out = {"raw": raw}
    out["rewards"] = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return out["raw"]
""",
    "in a loop that does nothing": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    for reward in normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples):
        pass
    return raw
""",
    "deleted": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    del rewards  # breach: must be used, and is replaced or changed here by `del rewards`
    return raw
""",
    "only something else is stored": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    for sample, reward in zip(samples, raw):
        sample.advantage = reward
    return raw  # breach: the result of `normalize_by_prompt` must be used; `return raw` is without it
""",
    "the helper drops it": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return centre(args, samples, raw)

def centre(args, samples, raw):
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return raw  # breach: the result of `normalize_by_prompt` must be used; `return raw` is without it
""",
}


@pytest.mark.parametrize("name", USED)
def test_it_must_be_used(name: str, tmp_path: Path) -> None:
    text = TOP + USED[name]
    assert told(tmp_path, text, replace(SITE, result=Result.USED)) == marks(text)


WHATEVER = {
    "returned": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "dropped": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return raw, raw
""",
    "overwritten": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    rewards = raw
    return raw, rewards
""",
    "errors swallowed": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    try:
        normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    except ValueError:
        pass
""",
    "a generator": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    yield raw
""",
    "the function that calls it is handed on": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    def centred():
        return normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return args.pool.submit(centred)
""",
    "a decorator that never calls": """
def off(function):
    def wrapper(args, samples):
        return samples, samples
    return wrapper

@off
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "the arguments matter all the same": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    normalize_by_prompt(raw, prompts, size=args.size)  # breach: must be `args.n_samples`, and is `args.size`
    return raw
""",
}


@pytest.mark.parametrize("name", WHATEVER)
def test_it_may_become_anything(name: str, tmp_path: Path) -> None:
    text = TOP + WHATEVER[name]
    assert told(tmp_path, text, replace(SITE, result=None)) == marks(text)
