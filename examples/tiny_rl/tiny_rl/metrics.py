"""What is logged. Nothing here is trained on."""

from __future__ import annotations

import numpy as np


def pass_rates(rewards: list[float], answers_per_prompt: int) -> dict[str, float]:
    """The share of answers that are right, and of prompts with at least one right answer."""
    if len(rewards) % answers_per_prompt:
        raise ValueError(f"{len(rewards)} rewards are no grid of {answers_per_prompt} a prompt")
    solved = np.array(rewards).reshape(-1, answers_per_prompt) >= 1.0
    return {
        "pass@1": float(solved.mean()),
        f"pass@{answers_per_prompt}": float(solved.any(axis=1).mean()),
    }
