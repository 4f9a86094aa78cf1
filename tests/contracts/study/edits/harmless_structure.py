"""What maintainers do to the code around a call without changing what it computes."""

from __future__ import annotations

from contracts.study.edit import (
    BODY,
    CALL,
    CLASS,
    COLUMNS,
    CONDITION,
    CONSTRUCTOR,
    GROUPING,
    IMPORT,
    METHOD,
    NORMALISATION,
    OTHERWISE,
    RAW,
    RETURN,
    SIGNATURE,
    Change,
    Edit,
    Family,
    Kind,
    Replacement,
    after,
    at_end,
    before,
    instead,
    spelled,
    without,
)

STRUCTURE = Family(Kind.HARMLESS, "control flow and helpers")
RESULT = Family(Kind.HARMLESS, "how the result is returned")
NEIGHBOURS = Family(Kind.HARMLESS, "what stands elsewhere in the file")


def edit(family: Family, name: str, reason: str, *changes: Change) -> Edit:
    return Edit(family, name, reason, changes)


STRUCTURED = (
    edit(
        STRUCTURE,
        "split method",
        "the call in a method of its own",
        instead(
            METHOD,
            '''
            def _post_process_rewards(self, samples: list[Sample]) -> tuple[list[float], list[float]]:
                """The rewards as they were graded, and as the loss uses them."""
                raw_rewards = [sample.get_reward_value(self.args) for sample in samples]
                if self.args.advantage_estimator in ("grpo", "gspo") and self.args.rewards_normalization:
                    return raw_rewards, self._normalized(raw_rewards, samples)
                return raw_rewards, raw_rewards

            def _normalized(self, raw_rewards: list[float], samples: list[Sample]) -> list[float]:
                return normalize_by_group(
                    raw_rewards,
                    [sample.group_index for sample in samples],
                    [sample.rollout_id for sample in samples],
                    normalize_std=self.args.std_normalization,
                    fallback_group_size=self.args.n_samples_per_prompt,
                )
            ''',
        ),
    ),
    edit(
        STRUCTURE,
        "helper that is handed the ids",
        "the helper's parameters are what is passed",
        instead(
            METHOD,
            '''
            def _post_process_rewards(self, samples: list[Sample]) -> tuple[list[float], list[float]]:
                """The rewards as they were graded, and as the loss uses them."""
                raw_rewards = [sample.get_reward_value(self.args) for sample in samples]
                prompts = [sample.group_index for sample in samples]
                attempts = [sample.rollout_id for sample in samples]
                if self.args.advantage_estimator in ("grpo", "gspo") and self.args.rewards_normalization:
                    return raw_rewards, self._normalized(raw_rewards, prompts, attempts=attempts)
                return raw_rewards, raw_rewards

            def _normalized(self, rewards: list[float], prompts: list, attempts: list) -> list[float]:
                return normalize_by_group(
                    rewards,
                    prompts,
                    attempts,
                    normalize_std=self.args.std_normalization,
                    fallback_group_size=self.args.n_samples_per_prompt,
                )
            ''',
        ),
    ),
    edit(
        STRUCTURE,
        "function of the module",
        "the settings are passed as args",
        before(
            CLASS,
            """
            def advantages_of(args: Settings, raw: list[float], batch: list[Sample]) -> list[float]:
                return normalize_by_group(
                    raw,
                    [sample.group_index for sample in batch],
                    [sample.rollout_id for sample in batch],
                    normalize_std=args.std_normalization,
                    fallback_group_size=args.n_samples_per_prompt,
                )


            """,
        ),
        instead(CALL, "rewards = advantages_of(self.args, raw_rewards, samples)"),
    ),
    edit(
        STRUCTURE,
        "static helper",
        "a static method is handed everything",
        instead(
            SIGNATURE,
            """
            @staticmethod
            def _normalized(raw, prompts, attempts, *, scaled, size):
                return normalize_by_group(raw, prompts, attempts, normalize_std=scaled, fallback_group_size=size)

            def _post_process_rewards(self, samples: list[Sample]) -> tuple[list[float], list[float]]:
            """,
        ),
        instead(
            CALL,
            """
            rewards = self._normalized(
                raw_rewards,
                [sample.group_index for sample in samples],
                [sample.rollout_id for sample in samples],
                scaled=self.args.std_normalization,
                size=self.args.n_samples_per_prompt,
            )
            """,
        ),
    ),
    edit(
        STRUCTURE,
        "inner function that is called",
        "the call happens when the inner function is called",
        instead(
            CALL,
            """
            def normalized() -> list[float]:
                return normalize_by_group(
                    raw_rewards,
                    [sample.group_index for sample in samples],
                    [sample.rollout_id for sample in samples],
                    normalize_std=self.args.std_normalization,
                    fallback_group_size=self.args.n_samples_per_prompt,
                )

            rewards = normalized()
            """,
        ),
    ),
    edit(
        STRUCTURE,
        "guard clause",
        "the condition turned round, and the other case first",
        instead(
            BODY,
            """
            raw_rewards = [sample.get_reward_value(self.args) for sample in samples]
            if not self.args.rewards_normalization or self.args.advantage_estimator not in ("grpo", "gspo"):
                return raw_rewards, raw_rewards
            rewards = normalize_by_group(
                raw_rewards,
                [sample.group_index for sample in samples],
                [sample.rollout_id for sample in samples],
                normalize_std=self.args.std_normalization,
                fallback_group_size=self.args.n_samples_per_prompt,
            )
            return raw_rewards, rewards
            """,
        ),
    ),
    edit(
        STRUCTURE,
        "single exit",
        "both branches assign what is returned below",
        without(RETURN),
        spelled(
            "        return raw_rewards, raw_rewards\n",
            "        else:\n            rewards = raw_rewards\n        return raw_rewards, rewards\n",
        ),
    ),
    edit(
        STRUCTURE,
        "raw rewards as the default",
        "what was assigned before is replaced by the result",
        after(RAW, "rewards = raw_rewards"),
        without(RETURN),
        spelled("        return raw_rewards, raw_rewards\n", "        return raw_rewards, rewards\n"),
    ),
    edit(
        STRUCTURE,
        "conditional expression",
        "the condition in the assignment",
        instead(
            NORMALISATION,
            """
            is_group_relative = self.args.advantage_estimator in ("grpo", "gspo")
            rewards = (
                normalize_by_group(
                    raw_rewards,
                    [sample.group_index for sample in samples],
                    [sample.rollout_id for sample in samples],
                    normalize_std=self.args.std_normalization,
                    fallback_group_size=self.args.n_samples_per_prompt,
                )
                if is_group_relative and self.args.rewards_normalization
                else raw_rewards
            )
            return raw_rewards, rewards
            """,
        ),
    ),
    edit(
        STRUCTURE,
        "match statement",
        "the condition as a pattern with a guard",
        instead(
            NORMALISATION,
            """
            match self.args.advantage_estimator:
                case "grpo" | "gspo" if self.args.rewards_normalization:
                    rewards = normalize_by_group(
                        raw_rewards,
                        [sample.group_index for sample in samples],
                        [sample.rollout_id for sample in samples],
                        normalize_std=self.args.std_normalization,
                        fallback_group_size=self.args.n_samples_per_prompt,
                    )
                case _:
                    rewards = raw_rewards
            return raw_rewards, rewards
            """,
        ),
    ),
    edit(
        STRUCTURE,
        "nested conditions",
        "one condition in two",
        instead(
            NORMALISATION,
            """
            if self.args.rewards_normalization:
                if self.args.advantage_estimator in ("grpo", "gspo"):
                    return raw_rewards, normalize_by_group(
                        raw_rewards,
                        [sample.group_index for sample in samples],
                        [sample.rollout_id for sample in samples],
                        normalize_std=self.args.std_normalization,
                        fallback_group_size=self.args.n_samples_per_prompt,
                    )
            return raw_rewards, raw_rewards
            """,
        ),
    ),
    edit(
        STRUCTURE,
        "condition in a property",
        "the condition with a name",
        instead(CONDITION, "if self._is_group_relative:"),
        before(
            SIGNATURE,
            """
            @property
            def _is_group_relative(self) -> bool:
                return self.args.advantage_estimator in ("grpo", "gspo") and self.args.rewards_normalization

            """,
        ),
    ),
    edit(
        STRUCTURE,
        "timed",
        "try and finally around the call pass its result on",
        spelled("import logging\n", "import logging\nimport time\n"),
        instead(
            CALL,
            """
            start = time.perf_counter()
            try:
                rewards = normalize_by_group(
                    raw_rewards,
                    [sample.group_index for sample in samples],
                    [sample.rollout_id for sample in samples],
                    normalize_std=self.args.std_normalization,
                    fallback_group_size=self.args.n_samples_per_prompt,
                )
            finally:
                logger.debug("rewards took %.3f s", time.perf_counter() - start)
            """,
        ),
    ),
    edit(
        STRUCTURE,
        "error with more to say",
        "the handler raises again",
        instead(
            CALL,
            """
            try:
                rewards = normalize_by_group(
                    raw_rewards,
                    [sample.group_index for sample in samples],
                    [sample.rollout_id for sample in samples],
                    normalize_std=self.args.std_normalization,
                    fallback_group_size=self.args.n_samples_per_prompt,
                )
            except ValueError as error:
                raise ValueError(f"a batch of {len(samples)} samples: {error}") from error
            """,
        ),
    ),
    edit(
        STRUCTURE,
        "without gradients",
        "a context manager around the call",
        instead(
            CALL,
            """
            with torch.no_grad():
                rewards = normalize_by_group(
                    raw_rewards,
                    [sample.group_index for sample in samples],
                    [sample.rollout_id for sample in samples],
                    normalize_std=self.args.std_normalization,
                    fallback_group_size=self.args.n_samples_per_prompt,
                )
            """,
        ),
    ),
    edit(
        STRUCTURE,
        "decorated method",
        "the decorator only switches gradients off",
        before(SIGNATURE, "@torch.no_grad()"),
    ),
    edit(
        STRUCTURE,
        "logging in between",
        "what is logged is only read",
        after(
            RAW,
            'logger.info("%d samples, mean reward %.3f", len(samples), sum(raw_rewards) / max(len(raw_rewards), 1))',
        ),
        after(CALL, 'logger.debug("largest advantage %s", max(rewards, default=None))'),
    ),
    edit(
        STRUCTURE,
        "checked afterwards",
        "an assertion only reads the result",
        after(CALL, "assert len(rewards) == len(samples), (len(rewards), len(samples))"),
    ),
    edit(
        STRUCTURE,
        "empty batch first",
        "an empty batch has no rewards either way",
        before(RAW, "if not samples:\n    return [], []"),
    ),
    edit(
        STRUCTURE,
        "settings checked first",
        "a check that raises leaves the rest as it is",
        before(RAW, 'if self.args.n_samples_per_prompt < 1:\n    raise ValueError("no samples per prompt")'),
    ),
    edit(
        STRUCTURE,
        "copy of the samples",
        "a copy has the same samples in the same order",
        before(RAW, "samples = list(samples)"),
    ),
    edit(
        STRUCTURE,
        "hook first",
        "without a hook it goes on as before",
        before(
            RAW,
            """
            hook = getattr(self.args, "reward_hook", None)
            if hook is not None:
                return hook(self.args, samples)
            """,
        ),
    ),
    edit(
        STRUCTURE,
        "error logged",
        "the handler lets the error go on",
        instead(
            NORMALISATION,
            """
            if self.args.advantage_estimator in ("grpo", "gspo") and self.args.rewards_normalization:
                try:
                    rewards = normalize_by_group(
                        raw_rewards,
                        [sample.group_index for sample in samples],
                        [sample.rollout_id for sample in samples],
                        normalize_std=self.args.std_normalization,
                        fallback_group_size=self.args.n_samples_per_prompt,
                    )
                except ValueError:
                    logger.debug("no advantages", exc_info=True)
                    raise
                else:
                    return raw_rewards, rewards
            return raw_rewards, raw_rewards
            """,
        ),
    ),
    edit(
        STRUCTURE,
        "helper that only reads",
        "what a helper of the class is handed stays as it is",
        before(RETURN, "self._report(samples, rewards)"),
        before(
            SIGNATURE,
            """
            def _report(self, samples: list[Sample], rewards: list[float]) -> None:
                for sample, reward in zip(samples, rewards):
                    logger.debug("%d: %.3f", sample.index, reward)

            """,
        ),
    ),
    edit(
        STRUCTURE,
        "loop for the metrics",
        "a loop that only reads the samples",
        before(
            CALL,
            """
            longest = 0.0
            for sample in samples:
                longest = max(longest, sample.grades["length"])
            logger.debug("longest answer: %s", longest)
            """,
        ),
    ),
)

RETURNED = (
    edit(
        RESULT,
        "renamed result",
        "another name for the same value",
        spelled("rewards = normalize_by_group(", "advantages = normalize_by_group("),
        instead(RETURN, "return raw_rewards, advantages"),
    ),
    edit(
        RESULT,
        "renamed raw rewards",
        "another name for another value",
        instead(
            BODY,
            """
            graded = [sample.get_reward_value(self.args) for sample in samples]
            if self.args.advantage_estimator in ("grpo", "gspo") and self.args.rewards_normalization:
                rewards = normalize_by_group(
                    graded,
                    [sample.group_index for sample in samples],
                    [sample.rollout_id for sample in samples],
                    normalize_std=self.args.std_normalization,
                    fallback_group_size=self.args.n_samples_per_prompt,
                )
                return graded, rewards
            return graded, graded
            """,
        ),
    ),
    edit(
        RESULT,
        "returned at once",
        "the call in the return statement",
        spelled("            rewards = normalize_by_group(", "            return raw_rewards, normalize_by_group("),
        without(RETURN),
    ),
    edit(
        RESULT,
        "copied for the caller",
        "a copy has the same values",
        instead(RETURN, "return list(raw_rewards), list(rewards)"),
    ),
    edit(
        RESULT,
        "copied under its name",
        "a copy has the same values",
        after(CALL, "rewards = list(rewards)"),
    ),
    edit(
        RESULT,
        "pair as a local",
        "the pair is returned a line later",
        instead(RETURN, "result = (raw_rewards, rewards)\nreturn result"),
    ),
    edit(
        RESULT,
        "pair taken apart",
        "each of the pair gets its place back",
        after(CALL, "result = raw_rewards, rewards"),
        instead(RETURN, "graded, advantages = result\nreturn graded, advantages"),
    ),
    edit(
        RESULT,
        "cast for the type checker",
        "a cast returns what it is given",
        spelled("import logging\n", "import logging\nfrom typing import cast\n"),
        instead(RETURN, "return raw_rewards, cast(list[float], rewards)"),
    ),
    edit(
        RESULT,
        "walrus in a check",
        "the result is kept while its length is checked",
        instead(
            CALL,
            """
            if len(
                rewards := normalize_by_group(
                    raw_rewards,
                    [sample.group_index for sample in samples],
                    [sample.rollout_id for sample in samples],
                    normalize_std=self.args.std_normalization,
                    fallback_group_size=self.args.n_samples_per_prompt,
                )
            ) != len(samples):
                raise ValueError("advantages are missing")
            """,
        ),
    ),
    edit(
        RESULT,
        "kept for the metrics",
        "an attribute more for the same value",
        after(CALL, "self.last_rewards = rewards"),
    ),
    edit(
        RESULT,
        "named tuple",
        "a tuple with names is still a pair",
        spelled("import logging\n", "import logging\nfrom typing import NamedTuple\n"),
        before(CLASS, "class Rewards(NamedTuple):\n    raw: list[float]\n    used: list[float]\n\n\n"),
        instead(RETURN, "return Rewards(raw=raw_rewards, used=rewards)"),
    ),
    edit(
        RESULT,
        "dataclass",
        "the caller reads the same two values from it",
        spelled("import logging\n", "import logging\nfrom dataclasses import dataclass\n"),
        before(CLASS, "@dataclass(frozen=True)\nclass Rewards:\n    raw: list[float]\n    used: list[float]\n\n\n"),
        instead(COLUMNS, "found = self._post_process_rewards(samples)\nraw_rewards, rewards = found.raw, found.used"),
        instead(RETURN, "return Rewards(raw_rewards, rewards)"),
        spelled("        return raw_rewards, raw_rewards\n", "        return Rewards(raw_rewards, raw_rewards)\n"),
    ),
)

ELSEWHERE = (
    edit(
        NEIGHBOURS,
        "methods in another order",
        "where a method stands does not matter",
        without(METHOD),
        before(CONSTRUCTOR, METHOD.text + "\n"),
    ),
    edit(
        NEIGHBOURS,
        "reshape for a metric",
        "another method logs pass rates of even batches",
        spelled(
            OTHERWISE.text,
            OTHERWISE.text
            + """
    def best_of_n(self, rewards: torch.Tensor) -> float:
        return rewards.reshape(-1, self.args.n_samples_per_prompt).amax(dim=1).mean().item()
""",
        ),
    ),
    edit(
        NEIGHBOURS,
        "old function for a comparison",
        "another method calls it, under another name",
        after(IMPORT, "from tinytrain.legacy import normalize_by_group as normalize_by_batch"),
        spelled(
            OTHERWISE.text,
            OTHERWISE.text
            + """
    def by_batch(self, rewards: list[float]) -> list[float]:
        return normalize_by_batch(rewards, [0] * len(rewards), normalize_std=False)
""",
        ),
    ),
    edit(
        NEIGHBOURS,
        "name bound in another method",
        "a local of another method is that method's",
        spelled(
            OTHERWISE.text,
            OTHERWISE.text
            + """
    def describe(self) -> str:
        normalize_by_group = self.args.rewards_normalization
        return f"normalize_by_group: {normalize_by_group}"
""",
        ),
    ),
    edit(
        NEIGHBOURS,
        "subclass with a method of the name",
        "another class's method is called for its own objects",
        at_end(
            """
            class RawRewardManager(RewardManager):
                def _post_process_rewards(self, samples: list[Sample]) -> tuple[list[float], list[float]]:
                    raw_rewards = [sample.get_reward_value(self.args) for sample in samples]
                    return raw_rewards, raw_rewards
            """
        ),
    ),
    edit(
        NEIGHBOURS,
        "callee with another option",
        "a parameter more, with a default that changes nothing",
        Replacement(GROUPING, "    eps: float = 1e-6,\n", '    eps: float = 1e-6,\n    baseline: str = "mean",\n'),
    ),
)

EDITS = (*STRUCTURED, *RETURNED, *ELSEWHERE)
