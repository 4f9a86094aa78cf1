"""What the call is passed: how arguments are bound, when two expressions are the same, and what changes in between."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from contracts.project import SITE, TOP, marks, told

PROGRAMS = {
    # how arguments are bound
    "by position and keyword": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "all by keyword": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(size=args.n_samples, prompts=[s.prompt for s in samples], rewards=raw)
""",
    "all by position": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    attempts = [s.attempt for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], attempts, size=args.n_samples)
""",
    "a dictionary of options": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    options = {"size": args.n_samples}
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], **options)
""",
    "a dictionary that grows": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    options = dict()
    options["size"] = args.n_samples
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], **options)
""",
    "arguments in a tuple": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    given = (raw, [s.prompt for s in samples])
    return raw, normalize_by_prompt(*given, size=args.n_samples)
""",
    "a partial function": """
from functools import partial

def post_process(args, samples):
    raw = [s.reward for s in samples]
    centre = partial(normalize_by_prompt, size=args.n_samples)
    return raw, centre(raw, [s.prompt for s in samples])
""",
    "a partial function with another argument": """
from functools import partial

def post_process(args, samples):
    raw = [s.reward for s in samples]
    centre = partial(normalize_by_prompt, size=args.size)  # breach: must be `args.n_samples`, and is `args.size`
    return raw, centre(raw, [s.prompt for s in samples])
""",
    "left out": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    prompts = [s.prompt for s in samples]
    return raw, normalize_by_prompt(raw, prompts)  # breach: `args.n_samples`, and is left to its default, `None`
""",
    "left out, without a default": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, size=args.n_samples)  # breach: sample in samples]`, and is not passed
""",
    "options from elsewhere": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    prompts = [s.prompt for s in samples]
    return raw, normalize_by_prompt(raw, prompts, **args.options)  # breach: what `args.options` passes cannot be told
""",
    "arguments from elsewhere": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    size = args.n_samples
    return raw, normalize_by_prompt(raw, *args.given, size=size)  # breach: what `*args.given` passes cannot be told
""",
    "swapped": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(
        raw,
        [s.attempt for s in samples],  # breach: and is `[s.attempt for s in samples]`
        [s.prompt for s in samples],
        size=args.n_samples,
    )
""",
    "a second call with other arguments": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    if args.normalize:
        return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return raw, normalize_by_prompt(
        raw,
        [0] * len(raw),  # breach: `prompts` of `normalize_by_prompt` must be
        size=args.n_samples,
    )
""",
    # what is the same
    "other variables, layout and parentheses": """
def post_process(args, samples):
    raw = [sample.reward for sample in samples]
    return raw, normalize_by_prompt(raw, [(each . prompt)  for each in (samples)], size=(args.
        n_samples))
""",
    "getattr of a plain name": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=getattr(args, "n_samples"))
""",
    "arguments in locals": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    prompts = [s.prompt for s in samples]
    return raw, normalize_by_prompt(raw, prompts, size=args.n_samples)
""",
    "settings in a local": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    settings = args
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=settings.n_samples)
""",
    "a walrus": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, (prompts := [s.prompt for s in samples]), size=args.n_samples)
""",
    "a list filled by a loop": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    prompts = []
    for s in samples:
        prompts.append(s.prompt)
    return raw, normalize_by_prompt(raw, prompts, size=args.n_samples)
""",
    "samples copied first": """
def post_process(args, samples):
    samples = list(samples)
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "the name is used otherwise later": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    prompts = [s.prompt for s in samples]
    rewards = normalize_by_prompt(raw, prompts, size=args.n_samples)
    prompts = None
    return raw, rewards
""",
    "another attribute": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(
        raw,
        [s.index for s in samples],  # breach: sample in samples]`, and is `[s.index for s in samples]`
        size=args.n_samples,
    )
""",
    "another local": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    prompts = [0] * len(samples)
    return raw, normalize_by_prompt(
        raw,
        prompts,  # breach: and is `prompts`, which is `[0] * len(samples)`
        size=args.n_samples,
    )
""",
    "another setting": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    prompts = [s.prompt for s in samples]
    return raw, normalize_by_prompt(raw, prompts, size=args.size)  # breach: `args.n_samples`, and is `args.size`
""",
    "a filter": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(
        raw,
        [s.prompt for s in samples if s.ok],  # breach: and is `[s.prompt for s in samples if s.ok]`
        size=args.n_samples,
    )
""",
    "a local bound twice": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    prompts = [s.prompt for s in samples]
    if args.flat:
        prompts = [0 for _ in samples]
    return raw, normalize_by_prompt(raw, prompts, size=args.n_samples)  # breach: sample in samples]`, and is `prompts`
""",
    "a local changed in place": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    prompts = [s.prompt for s in samples]
    prompts[0] = 1
    return raw, normalize_by_prompt(raw, prompts, size=args.n_samples)  # breach: sample in samples]`, and is `prompts`
""",
    "a loop that fills a list with something else": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    prompts = []
    for s in samples:
        prompts.append(s.index)
    return raw, normalize_by_prompt(raw, prompts, size=args.n_samples)  # breach: sample in samples]`, and is `prompts`
""",
    # what changes in between
    "a helper sets something else": """
def post_process(args, samples):
    note(samples)
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)

def note(batch):
    for sample in batch:
        sample.seen = True
""",
    "samples sorted before all else": """
def post_process(args, samples):
    samples.sort(key=str)
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "samples sorted after the call": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    samples.sort(key=str)
    return raw, rewards
""",
    "samples shuffled in between": """
import random

def post_process(args, samples):
    raw = [s.reward for s in samples]
    random.shuffle(samples)  # breach: `samples` changes here, after line 6 read it for the same call
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "samples sorted in between": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    samples.sort(key=str)  # breach: `samples` changes here, after line 4 read it for the same call
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "samples sorted by a helper": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    tidy(samples)  # breach: `samples` changes here, after line 4 read it for the same call
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)

def tidy(batch):
    batch.sort(key=str)
""",
    "samples bound anew": """
def post_process(args, samples):
    samples = args.others  # breach: `samples` is bound anew here, before the call whose arguments read it
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "rewards sorted": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    raw.sort()  # breach: `raw.sort()` puts `rewards` in another order than the other arguments
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "rewards given sorted": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    prompts = [s.prompt for s in samples]
    return raw, normalize_by_prompt(
        sorted(raw),  # breach: `sorted(raw)` puts `rewards` in another order than the other arguments
        prompts,
        size=args.n_samples,
    )
""",
    "a setting set first": """
def post_process(args, samples):
    args.n_samples = len(samples)  # breach: `args.n_samples` is set here, before the call whose arguments read it
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "a setting set after the call": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    args.n_samples = 0
    return raw, rewards
""",
    "identities set first": """
def post_process(args, samples):
    for sample in samples:
        sample.prompt = 0  # breach: `sample.prompt` is set here, before the call whose arguments read it
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "identities set by a helper": """
def post_process(args, samples):
    relabel(samples)  # breach: `prompt` is set here, before the call whose arguments read it
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)

def relabel(batch):
    for i, s in enumerate(batch):
        s.prompt = i
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_passed(name: str, tmp_path: Path) -> None:
    text = TOP + PROGRAMS[name]
    assert told(tmp_path, text) == marks(text)


# Contracts of other arguments.
ALL = (
    ("prompts", "[s.prompt for s in samples]"),
    ("attempts", "[s.attempt for s in samples]"),
    ("size", "args.n_samples"),
)
CONTRACTS = {
    "two swapped, and a third left out": (
        ALL,
        """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(  # breach: `size` of `normalize_by_prompt` must be `args.n_samples`, and is left to
        raw,
        [s.attempt for s in samples],  # breach: `prompts` of `normalize_by_prompt` must be
        [s.prompt for s in samples],  # breach: `attempts` of `normalize_by_prompt` must be
    )
""",
    ),
    "the call as keywords in another order": (
        ALL,
        """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    prompts, attempts = [s.prompt for s in samples], [s.attempt for s in samples]
    return raw, normalize_by_prompt(raw, attempts=attempts, size=args.n_samples, prompts=prompts)
""",
    ),
    "no arguments at all": (
        (),
        """
def post_process(args, samples):
    samples = args.others
    return [0], normalize_by_prompt(*samples, **args.options)
""",
    ),
    "quotes and brackets": (
        (("size", "args['n']"), ("eps", "(1e-6)")),
        """
def post_process(args, samples):
    return [0], normalize_by_prompt(samples, samples, size=args["n"], eps=0.000001)
""",
    ),
    "the default itself": (
        (("eps", "1e-6"), ("attempts", "None")),
        """
def post_process(args, samples):
    return [0], normalize_by_prompt(samples, samples)
""",
    ),
    "a parameter that is none": (
        (("prompt", "samples"),),
        """
def post_process(args, samples):
    return normalize_by_prompt(samples, samples)  # breach: `normalize_by_prompt` takes no argument `prompt`, which
""",
    ),
    "without comprehensions order is nothing": (
        (("size", "args.n_samples"),),
        """
def post_process(args, samples):
    return normalize_by_prompt(sorted(samples), samples, size=args.n_samples)
""",
    ),
    "another number": (
        (("size", "8"),),
        """
def post_process(args, samples):
    return normalize_by_prompt(samples, samples, size=8.0)  # breach: must be `8`, and is `8.0`
""",
    ),
    "a constant of the module": (
        (("size", "8"),),
        """
SIZE = 8

def post_process(args, samples):
    return normalize_by_prompt(samples, samples, size=SIZE)  # breach: must be `8`, and is `SIZE`
""",
    ),
}


@pytest.mark.parametrize("name", CONTRACTS)
def test_what_a_contract_wants(name: str, tmp_path: Path) -> None:
    arguments, program = CONTRACTS[name]
    assert told(tmp_path, TOP + program, replace(SITE, arguments=arguments)) == marks(TOP + program)
