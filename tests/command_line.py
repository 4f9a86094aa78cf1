"""The command line in a process of its own, and a program with one finding."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import IO

import grpo_lint

ROOT = Path(grpo_lint.__file__).parent.parent

FAULTY = """\
import torch


def advantages_of(args, rewards: torch.Tensor):
    rewards = rewards.view(-1, args.n_samples_per_prompt)
    return (rewards - rewards.mean(dim=-1, keepdim=True)).flatten()
"""


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


def child(*command: str, cwd: Path, stdout: int | IO[str] = subprocess.PIPE, **more: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of Python; `more` are variables of its environment."""
    done = subprocess.run(
        [sys.executable, *command],
        cwd=cwd,
        env=environment(**more),
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def run(*arguments: str, cwd: Path, **more: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of the command line."""
    return child("-m", "grpo_lint", *arguments, cwd=cwd, **more)
