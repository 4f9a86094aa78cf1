"""Findings that a contract wants absent, and several breaches at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from contracts.project import SITE, TOP, marks, told, write

from grpo_lint.config import Config
from grpo_lint.contracts import check
from grpo_lint.runner import Mode, check_file

FINDINGS = {
    "the reshape is back": """
import torch

def post_process(args, samples):
    raw = [s.reward for s in samples]
    if args.normalize:
        return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    grid = torch.tensor(raw).reshape(-1, args.n_samples_per_prompt)  # breach: GRPO001 is reported here
    return raw, (grid - grid.mean(-1, keepdim=True)).flatten().tolist()
""",
    "the reshape is back, and suppressed": """
import torch

def post_process(args, samples):
    raw = [s.reward for s in samples]
    if args.normalize:
        return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    grid = torch.tensor(raw).reshape(-1, args.n_samples_per_prompt)  # noqa: GRPO001  # breach: GRPO001 is reported here
    return raw, (grid - grid.mean(-1, keepdim=True)).flatten().tolist()
""",
    "the reshape is back in a helper": """
import torch

def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, centre(args, samples, raw)

def centre(args, samples, raw):
    if args.normalize:
        return normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    grid = torch.tensor(raw).reshape(-1, args.n_samples_per_prompt)  # breach: GRPO001 is reported here
    return (grid - grid.mean(-1, keepdim=True)).flatten().tolist()
""",
    "the reshape is in a function that is not called": """
import torch

def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)

def centre(args, raw):
    grid = torch.tensor(raw).reshape(-1, args.n_samples_per_prompt)
    return (grid - grid.mean(-1, keepdim=True)).flatten().tolist()
""",
}
SEVERAL = {
    "the function is replaced, and its argument another": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    return raw, normalize_by_prompt(raw, prompts, size=args.size)  # breach: and is `args.size`

post_process = print  # breach: `post_process` may be replaced here
""",
    "an argument, the result and a finding": """
import torch

def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    rewards = normalize_by_prompt(raw, prompts, size=args.size)  # breach: must be `args.n_samples`, and is `args.size`
    grid = torch.tensor(raw).reshape(-1, args.n_samples_per_prompt)  # breach: GRPO001 is reported here
    rewards = (grid - grid.mean(-1, keepdim=True)).flatten()  # breach: is replaced or changed here by `rewards = (grid
    return raw, rewards
""",
    "two arguments on one line": """
def post_process(args, samples):
    raw, others = [s.reward for s in samples], [s.index for s in samples]
    return raw, normalize_by_prompt(raw, others, size=8)  # breach: and is `others`, which is | and is `8`
""",
    "two calls, each with its own": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    if args.flat:
        return raw, normalize_by_prompt(raw, raw, size=args.n_samples)  # breach: and is `raw`, which is
    return raw, normalize_by_prompt(raw, prompts, size=8)  # breach: must be `args.n_samples`, and is `8`
""",
    "every change before the call": """
def post_process(args, samples):
    args.n_samples = 8  # breach: `args.n_samples` is set here
    samples = args.others  # breach: `samples` is bound anew here
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "a decorator and a generator": """
def off(function):
    return lambda args, samples: (samples, samples)

@off  # breach: `off` stands between what `post_process` returns and its callers
def post_process(args, samples):
    yield samples
    raw = [s.reward for s in samples]
    prompts = [s.prompt for s in samples]
    return raw, normalize_by_prompt(raw, prompts, size=args.n_samples)  # breach: is without it
""",
    "other functions and a call that never runs": """
from lab import legacy

def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    rewards = legacy.normalize_by_prompt(raw, prompts)  # breach: is `lab.legacy.normalize_by_prompt` here, and must be
    return raw, rewards
    return raw, normalize_by_prompt(raw, prompts)  # breach: it stands after the `return` on line 8
""",
}
PROGRAMS = {**FINDINGS, **SEVERAL}


@pytest.mark.parametrize("name", PROGRAMS)
def test_findings_and_several_breaches(name: str, tmp_path: Path) -> None:
    text = TOP + PROGRAMS[name]
    assert told(tmp_path, text) == marks(text)


def test_a_suppressed_finding_is_none_but_for_the_contract(tmp_path: Path) -> None:
    text = TOP + FINDINGS["the reshape is back, and suppressed"]
    assert told(tmp_path, text) != []
    result = check_file(str(tmp_path / "lab/manager.py"), Config(root=tmp_path), Mode.CHECK, unsafe_fixes=True)
    assert (result.fault, result.findings) == (None, ())


def test_findings_that_are_not_asked_for(tmp_path: Path) -> None:
    reshape = write(tmp_path, TOP + FINDINGS["the reshape is back"])
    assert [breach.message[:7] for breach in check(SITE, reshape)] == ["GRPO001"]
    assert check(replace(SITE, absent=("GRPO002",)), reshape) == ()
