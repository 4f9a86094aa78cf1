"""Writes the dumps beside it: what a trainer needs to write for `grpo-lint audit`, a line for each sample.

Agents that branch give some attempts several samples, and which prompts are hard changes little from step to step.
"""

import json
import random
from pathlib import Path

SOLVED = {"add": 0.9, "carry": 0.6, "chain": 0.25, "proof": 0.0, "puzzle": 0.0}
ATTEMPTS = 8


def samples_of(step: int, rng: random.Random):
    for prompt, chance in SOLVED.items():
        for attempt in range(ATTEMPTS):
            branches = rng.choice([1, 1, 1, 2, 4]) if step > 2 else 1
            reward = float(rng.random() < chance)
            for _ in range(branches):
                yield {"step": step, "group": prompt, "rollout": attempt, "reward": reward}


def main() -> None:
    rng = random.Random(7)
    for step in range(6):
        lines = [json.dumps(sample) + "\n" for sample in samples_of(step, rng)]
        Path(__file__).with_name(f"step_{step}.jsonl").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
