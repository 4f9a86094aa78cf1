"""Whether the call may run: dead code, and what in the file calls what."""

from __future__ import annotations

from pathlib import Path

import pytest
from contracts.project import TOP, marks, told

PROGRAMS = {
    "in one line": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "one return at the end": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = raw
    if args.normalize:
        rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return raw, rewards
""",
    "a conditional expression": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    return raw, normalize_by_prompt(raw, prompts, size=args.n_samples) if args.normalize else raw
""",
    "an early return": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    if not args.normalize:
        return raw, raw
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "in try and finally": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    try:
        return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    finally:
        print(raw)
""",
    "in a with": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    with timer():
        rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return raw, rewards
""",
    "matched": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    match args.kind:
        case "group":
            return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
        case _:
            return raw, raw
""",
    "in a function inside": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    def centred():
        return normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return raw, centred()
""",
    "in a lambda": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    centred = lambda: normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return raw, centred()
""",
    "in a function of the module": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, centre(args, raw, samples)

def centre(args, raw, samples):
    return normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "by way of two functions of the module": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, centre(args.n_samples, raw, samples)

def centre(size, raw, batch):
    return grouped(raw, [each.prompt for each in batch], size)

def grouped(raw, prompts, size):
    return normalize_by_prompt(raw, prompts, size=size)
""",
    "only what is never run overwrites it": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    rewards = normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    if False:
        rewards = raw
    return raw, rewards
""",
    "under a false condition": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    if False:
        return raw, normalize_by_prompt(raw, prompts)  # breach: it stands under `if False` on line 5, which never holds
    return raw, raw
""",
    "under another false condition": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    if args.normalize and not True:
        return raw, normalize_by_prompt(raw, prompts)  # breach: `if args.normalize and (not True)` on line 5
    return raw, raw
""",
    "under a constant": """
USE = 0

def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    if USE:
        return raw, normalize_by_prompt(raw, prompts)  # breach: it stands under `if USE` on line 7, which never holds
    return raw, raw
""",
    "under TYPE_CHECKING": """
from typing import TYPE_CHECKING

def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    if TYPE_CHECKING:
        return raw, normalize_by_prompt(raw, prompts)  # breach: it stands under `if TYPE_CHECKING` on line 7
    return raw, raw
""",
    "in the else of a true condition": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    if True:
        return raw, raw
    else:
        return raw, normalize_by_prompt(raw, prompts)  # breach: the `else` of `if True` on line 5, which always holds
""",
    "under a while that never holds": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    while False:
        return raw, normalize_by_prompt(raw, prompts)  # breach: it stands under `while False` on line 5
    return raw, raw
""",
    "in a conditional expression that never holds": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    return raw, normalize_by_prompt(raw, prompts) if False else raw  # breach: where `False` on line 5 holds
""",
    "behind what is never true": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    return raw, False and normalize_by_prompt(raw, prompts)  # breach: it stands behind `False`
""",
    "after a return": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    return raw, raw
    return raw, normalize_by_prompt(raw, prompts)  # breach: it stands after the `return` on line 5
""",
    "after a return that is certain": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    if True:
        return raw, raw
    return raw, normalize_by_prompt(raw, prompts)  # breach: this call of `normalize_by_prompt` never runs: it stands
""",
    "after returns in both branches": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    if args.normalize:
        return raw, raw
    else:
        raise ValueError(args)
    return raw, normalize_by_prompt(raw, prompts)  # breach: this call of `normalize_by_prompt` never runs: it stands
""",
    "after a raise": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    raise ValueError(samples)
    return raw, normalize_by_prompt(raw, prompts)  # breach: it stands after the `raise` on line 5
""",
    "after a loop without an end": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    while True:
        args.step()
    return raw, normalize_by_prompt(raw, prompts)  # breach: it stands after the `while True` on line 5
""",
    "in a loop over nothing": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    for _ in ():
        return raw, normalize_by_prompt(raw, prompts)  # breach: in the loop over `()` on line 5, which is empty
    return raw, raw
""",
    "in a handler of nothing": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    try:
        pass
    except ValueError:
        return raw, normalize_by_prompt(raw, prompts)  # breach: in the `except` on line 7, whose `try` cannot fail
    return raw, raw
""",
    "in a case that is never met": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    match "batch":
        case "group":
            return raw, normalize_by_prompt(raw, prompts)  # breach: in a case that `'batch'` never matches
    return raw, raw
""",
    "in a function that nothing calls": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    def centred():
        return normalize_by_prompt(raw, prompts)  # breach: it stands in `centred`, which nothing calls
    return raw, raw
""",
    "in a lambda that nothing calls": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    centred = lambda: normalize_by_prompt(raw, prompts)  # breach: which nothing calls
    return raw, raw
""",
    "in a function of the module that nothing calls": """
def post_process(args, samples):  # breach: `post_process` does not call `lab.grouping.normalize_by_prompt`
    raw = [s.reward for s in samples]
    return raw, raw

def centre(args, raw, samples):
    return normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "in a function of the module that is called in dead code": """
def post_process(args, samples):  # breach: `post_process` does not call `lab.grouping.normalize_by_prompt`
    raw = [s.reward for s in samples]
    if False:
        return raw, centre(args, raw, samples)
    return raw, raw

def centre(args, raw, samples):
    return normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "one that runs beside one that never does": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    return raw, normalize_by_prompt(raw, prompts, size=args.n_samples)
    return raw, normalize_by_prompt(raw, raw)
""",
    "two that never run": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    if False:
        return raw, normalize_by_prompt(raw, prompts)  # breach: it stands under `if False` on line 5, which never holds
    return raw, raw
    return raw, normalize_by_prompt(raw, prompts)  # breach: it stands after the `return` on line 7
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_whether_the_call_may_run(name: str, tmp_path: Path) -> None:
    text = TOP + PROGRAMS[name]
    assert told(tmp_path, text) == marks(text)
