"""What calls the right function with something else."""

from __future__ import annotations

from contracts.study.edit import (
    BODY,
    CALL,
    CONDITION,
    FALLBACK,
    GROUP_INDICES,
    GROUPING,
    METHOD,
    RAW,
    RETURN,
    ROLLOUT_IDS,
    SIGNATURE,
    Change,
    Edit,
    Family,
    Kind,
    Replacement,
    after,
    before,
    instead,
    spelled,
    without,
)

WRONG = Family(Kind.HARMFUL, "another argument is passed")
CHANGED = Family(Kind.HARMFUL, "what an argument reads is changed first")


def edit(family: Family, name: str, reason: str, *changes: Change) -> Edit:
    return Edit(family, name, reason, changes)


PASSED = (
    edit(
        WRONG,
        "index for group_index",
        "an index is unique: every sample is its own group",
        instead(GROUP_INDICES, "[sample.index for sample in samples],"),
    ),
    edit(
        WRONG,
        "ids swapped",
        "attempts are taken for prompts",
        spelled(
            GROUP_INDICES.text + ROLLOUT_IDS.text,
            ROLLOUT_IDS.text + GROUP_INDICES.text,
        ),
    ),
    edit(
        WRONG,
        "ids swapped by keyword",
        "attempts are taken for prompts",
        instead(GROUP_INDICES, "rollout_ids=[sample.group_index for sample in samples],"),
        instead(ROLLOUT_IDS, "group_indices=[sample.rollout_id for sample in samples],"),
    ),
    edit(
        WRONG,
        "locals swapped",
        "each local holds what the other says",
        before(
            CALL,
            "rollout_ids, group_indices = "
            "[sample.group_index for sample in samples], [sample.rollout_id for sample in samples]",
        ),
        instead(GROUP_INDICES, "group_indices,"),
        instead(ROLLOUT_IDS, "rollout_ids,"),
    ),
    edit(
        WRONG,
        "rollout ids left out",
        "an attempt of many samples has many votes",
        without(ROLLOUT_IDS),
    ),
    edit(
        WRONG,
        "rollout ids None",
        "an attempt of many samples has many votes",
        instead(ROLLOUT_IDS, "None,"),
    ),
    edit(
        WRONG,
        "rollout ids in a comment",
        "an attempt of many samples has many votes",
        instead(ROLLOUT_IDS, "# [sample.rollout_id for sample in samples],"),
    ),
    edit(
        WRONG,
        "another setting as the group size",
        "prompts of a batch are not samples of a prompt",
        instead(FALLBACK, "fallback_group_size=self.args.rollout_batch_size,"),
    ),
    edit(
        WRONG,
        "group size left out",
        "samples without identities are an error by default",
        without(FALLBACK),
    ),
    edit(
        WRONG,
        "group size as a number",
        "runs are configured with other numbers",
        instead(FALLBACK, "fallback_group_size=4,"),
    ),
    edit(
        WRONG,
        "group size or more",
        "where few samples are configured it is another number",
        instead(FALLBACK, "fallback_group_size=max(self.args.n_samples_per_prompt, 4),"),
    ),
    edit(
        WRONG,
        "group size in a conditional expression",
        "the other alternative is what is passed",
        instead(FALLBACK, "fallback_group_size=1 if samples else self.args.n_samples_per_prompt,"),
    ),
    edit(
        WRONG,
        "groups by position",
        "neighbours are not one prompt's",
        instead(GROUP_INDICES, "[i // self.args.n_samples_per_prompt for i, _ in enumerate(samples)],"),
    ),
    edit(
        WRONG,
        "group of the first sample",
        "every sample gets the first one's group",
        instead(GROUP_INDICES, "[samples[0].group_index for sample in samples],"),
    ),
    edit(
        WRONG,
        "group of the last sample",
        "the variable of the comprehension is renamed in one place of two",
        before(CALL, 'for sample in samples:\n    logger.debug("%s", sample)'),
        instead(GROUP_INDICES, "[sample.group_index for each in samples],"),
    ),
    edit(
        WRONG,
        "only known groups",
        "a condition in the comprehension leaves samples out",
        instead(GROUP_INDICES, "[sample.group_index for sample in samples if sample.group_index is not None],"),
    ),
    edit(
        WRONG,
        "default for unknown groups",
        "all samples without an identity become one group",
        instead(GROUP_INDICES, "[sample.group_index or 0 for sample in samples],"),
    ),
    edit(
        WRONG,
        "groups in reverse",
        "the last sample's group goes with the first reward",
        instead(GROUP_INDICES, "[sample.group_index for sample in reversed(samples)],"),
    ),
    edit(
        WRONG,
        "groups of a reversed copy",
        "the comprehension has a `samples` of its own",
        instead(GROUP_INDICES, "[sample.group_index for samples in [samples[::-1]] for sample in samples],"),
    ),
    edit(
        WRONG,
        "groups sorted",
        "sorted groups go with unsorted rewards",
        instead(GROUP_INDICES, "sorted([sample.group_index for sample in samples]),"),
    ),
    edit(
        WRONG,
        "texts of the arguments in a log line",
        "the arguments are right in the log, and others in the call",
        before(
            CALL,
            """
            logger.debug(
                "%s %s",
                [sample.group_index for sample in samples],
                [sample.rollout_id for sample in samples],
            )
            """,
        ),
        instead(
            CALL,
            """
            rewards = normalize_by_group(
                raw_rewards,
                [0] * len(samples),
                normalize_std=self.args.std_normalization,
                fallback_group_size=self.args.n_samples_per_prompt,
            )
            """,
        ),
    ),
    edit(
        WRONG,
        "right call beside a wrong one",
        "the right call's result is logged, the wrong one's returned",
        spelled("            rewards = normalize_by_group(", "            checked = normalize_by_group("),
        before(
            RETURN,
            """
            logger.debug("%s", checked)
            rewards = normalize_by_group(
                raw_rewards, [0] * len(samples), normalize_std=self.args.std_normalization
            )
            """,
        ),
    ),
    edit(
        WRONG,
        "partial with other arguments",
        "the partial has bound the size already, and no attempts",
        spelled("import logging\n", "import functools\nimport logging\n"),
        before(CALL, "normalize = functools.partial(normalize_by_group, rollout_ids=None, fallback_group_size=1)"),
        instead(
            CALL,
            """
            rewards = normalize(
                raw_rewards,
                [sample.group_index for sample in samples],
                normalize_std=self.args.std_normalization,
            )
            """,
        ),
    ),
    edit(
        WRONG,
        "callee's parameters in another order",
        "the callee was changed without the call",
        Replacement(
            GROUPING,
            "    group_indices: Sequence[Hashable],\n    rollout_ids: Sequence[Hashable] | None = None,\n    *,\n",
            "    rollout_ids: Sequence[Hashable] | None,\n    group_indices: Sequence[Hashable],\n    *,\n",
        ),
    ),
    edit(
        WRONG,
        "parameter added before",
        "the callee's second parameter is a new one, with a default",
        Replacement(
            GROUPING,
            "    group_indices: Sequence[Hashable],\n    rollout_ids: Sequence[Hashable] | None = None,\n    *,\n",
            "    weights: Sequence[Hashable] | None = None,\n    group_indices: Sequence[Hashable] = (),\n"
            "    rollout_ids: Sequence[Hashable] | None = None,\n    *,\n",
        ),
    ),
    edit(
        WRONG,
        "dict that is changed later",
        "the entry is overwritten before it is unpacked",
        before(
            CALL,
            """
            options = {
                "rollout_ids": [sample.rollout_id for sample in samples],
                "fallback_group_size": self.args.n_samples_per_prompt,
            }
            options["rollout_ids"] = None
            """,
        ),
        instead(
            CALL,
            """
            rewards = normalize_by_group(
                raw_rewards,
                [sample.group_index for sample in samples],
                normalize_std=self.args.std_normalization,
                **options,
            )
            """,
        ),
    ),
    edit(
        WRONG,
        "dict that is updated later",
        "the entry is overwritten before it is unpacked",
        before(
            CALL,
            """
            options = {"fallback_group_size": self.args.n_samples_per_prompt}
            options.update(fallback_group_size=1)
            """,
        ),
        instead(FALLBACK, "**options,"),
    ),
    edit(
        WRONG,
        "helper with the ids swapped",
        "the helper's parameters stand for the other one",
        instead(
            METHOD,
            '''
            def _post_process_rewards(self, samples: list[Sample]) -> tuple[list[float], list[float]]:
                """The rewards as they were graded, and as the loss uses them."""
                raw_rewards = [sample.get_reward_value(self.args) for sample in samples]
                group_indices = [sample.group_index for sample in samples]
                rollout_ids = [sample.rollout_id for sample in samples]
                if self.args.advantage_estimator in ("grpo", "gspo") and self.args.rewards_normalization:
                    return raw_rewards, self._normalized(raw_rewards, group_indices, rollout_ids)
                return raw_rewards, raw_rewards

            def _normalized(self, rewards: list[float], rollout_ids: list, group_indices: list) -> list[float]:
                return normalize_by_group(
                    rewards,
                    group_indices,
                    rollout_ids,
                    normalize_std=self.args.std_normalization,
                    fallback_group_size=self.args.n_samples_per_prompt,
                )
            ''',
        ),
    ),
    edit(
        WRONG,
        "helper that is handed other samples",
        "the helper's `samples` are in another order",
        instead(
            METHOD,
            '''
            def _post_process_rewards(self, samples: list[Sample]) -> tuple[list[float], list[float]]:
                """The rewards as they were graded, and as the loss uses them."""
                raw_rewards = [sample.get_reward_value(self.args) for sample in samples]
                if self.args.advantage_estimator in ("grpo", "gspo") and self.args.rewards_normalization:
                    return raw_rewards, self._normalized(raw_rewards, samples[::-1])
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
)

READ = (
    edit(
        CHANGED,
        "samples sorted in between",
        "the rewards were read in another order",
        after(RAW, "samples = sorted(samples, key=lambda sample: -sample.grades[self.args.reward_key])"),
    ),
    edit(
        CHANGED,
        "samples sorted in place",
        "the rewards were read in another order",
        after(RAW, "samples.sort(key=lambda sample: -sample.grades[self.args.reward_key])"),
    ),
    edit(
        CHANGED,
        "samples reversed in place",
        "the rewards were read in another order",
        before(CALL, "samples.reverse()"),
    ),
    edit(
        CHANGED,
        "samples shuffled",
        "the rewards were read in another order",
        spelled("import logging\n", "import logging\nimport random\n"),
        before(CALL, "random.Random(3).shuffle(samples)"),
    ),
    edit(
        CHANGED,
        "samples shuffled first of all",
        "the rewards no longer belong to the rows of the batch",
        spelled("import logging\n", "import logging\nimport random\n"),
        before(RAW, "samples = random.Random(3).sample(samples, len(samples))"),
    ),
    edit(
        CHANGED,
        "samples filtered",
        "the rewards of all go with the groups of some",
        after(RAW, "samples = [sample for sample in samples if sample.grades[self.args.reward_key] > 0.2]"),
    ),
    edit(
        CHANGED,
        "samples rebound by a walrus",
        "the comprehension reads a reversed copy",
        instead(CONDITION, CONDITION.text.strip().removesuffix(":") + " and (samples := samples[::-1]):"),
    ),
    edit(
        CHANGED,
        "samples rebound by a loop",
        "the loop leaves a reversed copy in the name",
        after(RAW, "for samples in (samples, samples[::-1]):\n    pass"),
    ),
    edit(
        CHANGED,
        "samples swapped by slices",
        "the rewards were read in another order",
        before(CALL, "samples[:] = samples[1:] + samples[:1]"),
    ),
    edit(
        CHANGED,
        "samples sorted by a helper",
        "the helper sorts what it is handed in place",
        before(CALL, "self._prepare(samples)"),
        before(
            SIGNATURE,
            """
            def _prepare(self, batch: list[Sample]) -> None:
                batch.sort(key=lambda sample: -sample.grades[self.args.reward_key])

            """,
        ),
    ),
    edit(
        CHANGED,
        "groups overwritten on the samples",
        "every sample gets the same group before it is read",
        before(CALL, "for sample in samples:\n    sample.group_index = 0"),
    ),
    edit(
        CHANGED,
        "attempts overwritten on the samples",
        "every sample becomes an attempt of its own before it is read",
        before(RAW, "for sample in samples:\n    sample.rollout_id = sample.index"),
    ),
    edit(
        CHANGED,
        "groups overwritten by setattr",
        "every sample gets the same group before it is read",
        before(CALL, 'for each in samples:\n    setattr(each, "group_index", 0)'),
    ),
    edit(
        CHANGED,
        "local assigned twice",
        "the second assignment is what is passed",
        before(
            CALL,
            """
            group_indices = [sample.group_index for sample in samples]
            group_indices = list(range(len(samples)))
            """,
        ),
        instead(GROUP_INDICES, "group_indices,"),
    ),
    edit(
        CHANGED,
        "local assigned again on one branch",
        "with scaling the other assignment is what is passed",
        before(
            CALL,
            """
            group_indices = [sample.group_index for sample in samples]
            if self.args.std_normalization:
                group_indices = [0] * len(samples)
            """,
        ),
        instead(GROUP_INDICES, "group_indices,"),
    ),
    edit(
        CHANGED,
        "local sorted in place",
        "sorted groups go with unsorted rewards",
        before(CALL, "group_indices = [sample.group_index for sample in samples]\ngroup_indices.sort(key=str)"),
        instead(GROUP_INDICES, "group_indices,"),
    ),
    edit(
        CHANGED,
        "local changed by a slice",
        "the first half of the batch becomes one group",
        before(
            CALL,
            """
            group_indices = [sample.group_index for sample in samples]
            group_indices[: len(samples) // 2] = [0] * (len(samples) // 2)
            """,
        ),
        instead(GROUP_INDICES, "group_indices,"),
    ),
    edit(
        CHANGED,
        "local changed under another name",
        "both names are of one list",
        before(
            CALL,
            """
            group_indices = [sample.group_index for sample in samples]
            ordered = group_indices
            ordered.sort(key=str)
            """,
        ),
        instead(GROUP_INDICES, "group_indices,"),
    ),
    edit(
        CHANGED,
        "setting assigned first",
        "the group size is another one when it is read",
        before(CALL, "self.args.n_samples_per_prompt = 1"),
    ),
    edit(
        CHANGED,
        "setting assigned under another name",
        "both names are of one object",
        before(RAW, "args = self.args\nargs.n_samples_per_prompt = 1"),
    ),
    edit(
        CHANGED,
        "settings replaced",
        "the group size is another object's",
        spelled("import logging\n", "import logging\nfrom dataclasses import replace\n"),
        before(CALL, "self.args = replace(self.args, n_samples_per_prompt=1)"),
    ),
    edit(
        CHANGED,
        "self rebound",
        "the settings are another object's",
        before(CALL, "self = RewardManager(Settings())"),
    ),
    edit(
        CHANGED,
        "settings of another run",
        "the local holds the defaults",
        instead(
            BODY,
            """
            args = self.args
            raw_rewards = [sample.get_reward_value(args) for sample in samples]
            if args.advantage_estimator in ("grpo", "gspo") and args.rewards_normalization:
                std_normalization = args.std_normalization
                args = Settings()
                rewards = normalize_by_group(
                    raw_rewards,
                    [sample.group_index for sample in samples],
                    [sample.rollout_id for sample in samples],
                    normalize_std=std_normalization,
                    fallback_group_size=args.n_samples_per_prompt,
                )
                return raw_rewards, rewards
            return raw_rewards, raw_rewards
            """,
        ),
    ),
)

EDITS = (*PASSED, *READ)
