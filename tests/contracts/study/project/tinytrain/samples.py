"""One answer of the model to one prompt."""

from __future__ import annotations

from dataclasses import dataclass

from tinytrain.settings import Settings


@dataclass
class Sample:
    """An answer, its grades, and the prompt and the attempt that it belongs to."""

    index: int
    grades: dict[str, float]
    group_index: int | None = None
    rollout_id: int | None = None

    def get_reward_value(self, args: Settings) -> float:
        """The grade that the run trains on."""
        return self.grades[args.reward_key]
