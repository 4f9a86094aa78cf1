"""What stands between the function's result and its callers: decorators, generators, coroutines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from contracts.project import SITE, TOP, marks, told

PROGRAMS = {
    "a decorator that registers it": """
def listed(function):
    return function

@listed
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "a decorator that times it": """
def timed(name):
    def decorate(function):
        def wrapper(*args):
            found = function(*args)
            return found
        return wrapper
    return decorate

@timed("post")
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "a decorator from elsewhere": """
import torch

@torch.no_grad()
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "a decorator that never calls it": """
def off(function):
    def wrapper(args, samples):
        return samples, samples
    return wrapper

@off  # breach: `off` stands between what `post_process` returns and its callers
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "a decorator that calls it and returns something else": """
def logged(function):
    def wrapper(args, samples):
        function(args, samples)
        return samples, samples
    return wrapper

@logged  # breach: `logged` stands between what `post_process` returns and its callers
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "a decorator that caches it": """
from functools import lru_cache

@lru_cache(maxsize=None)  # breach: `lru_cache(maxsize=None)` stands between what `post_process` returns and its callers
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "two decorators, one of which drops it": """
def listed(function):
    return function

def off(function):
    return lambda args, samples: (samples, samples)

@listed
@off  # breach: `off` stands between what `post_process` returns and its callers
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "a generator that returns it": """
def post_process(args, samples):
    yield samples
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    return raw, normalize_by_prompt(raw, prompts, size=args.n_samples)  # breach: is without it
""",
    "a yield that never runs": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    return raw, normalize_by_prompt(raw, prompts, size=args.n_samples)  # breach: is without it
    yield raw
""",
    "a generator that yields it": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    yield raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "a coroutine that is awaited": """
async def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)

async def step(args, samples):
    return await post_process(args, samples)
""",
    "a coroutine that is handed on": """
import asyncio

async def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)

def step(args, samples):
    return asyncio.run(post_process(args, samples))
""",
    "a coroutine that nothing in the file calls": """
async def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "a coroutine that nobody awaits": """
async def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)

def step(args, samples):
    post_process(args, samples)  # breach: `post_process` is awaited nowhere here: what `post_process` returns is lost
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_wraps_the_function(name: str, tmp_path: Path) -> None:
    text = TOP + PROGRAMS[name]
    assert told(tmp_path, text) == marks(text)


METHODS = {
    "a static method that names self": """
class Manager:
    @staticmethod  # breach: `staticmethod` stands between what `Manager.post_process` returns and its callers
    def post_process(self, args, samples):
        raw = [s.reward for s in samples]
        return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "a static method": """
class Manager:
    @staticmethod
    def post_process(args, samples):
        raw = [s.reward for s in samples]
        return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "a class decorator that sets another method": """
def patched(cls):
    cls.post_process = print
    return cls

@patched  # breach: `patched` sets another `post_process` on the class
class Manager:
    def post_process(self, args, samples):
        raw = [s.reward for s in samples]
        return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "a class decorator that sets something else": """
def named(cls):
    cls.name = "manager"
    return cls

@named
class Manager:
    def post_process(self, args, samples):
        raw = [s.reward for s in samples]
        return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
}


@pytest.mark.parametrize("name", METHODS)
def test_what_wraps_a_method(name: str, tmp_path: Path) -> None:
    text = TOP + METHODS[name]
    assert told(tmp_path, text, replace(SITE, function="Manager.post_process")) == marks(text)
