"""What changes nothing, and is spelled so differently that the contract has to be written anew."""

from __future__ import annotations

from contracts.study.edit import (
    BODY,
    CALL,
    CLASS,
    COLUMNS,
    FALLBACK,
    GROUP_INDICES,
    IMPORT,
    LOGGER,
    MANAGER,
    METHOD,
    PROJECT,
    RAW,
    RETURN,
    ROLLOUT_IDS,
    SIGNATURE,
    Change,
    Edit,
    Family,
    Kind,
    Rewrite,
    before,
    instead,
    spelled,
    without,
)

RESTATED = Family(Kind.RESTATED, "after which a contract is due for a change")

MANAGER_TEXT = (PROJECT / MANAGER).read_text("utf-8")


def edit(name: str, reason: str, *changes: Change) -> Edit:
    return Edit(RESTATED, name, reason, changes)


EDITS = (
    edit(
        "method renamed",
        "the contract names the method",
        spelled("    def _post_process_rewards(", "    def rewards_of("),
        instead(COLUMNS, "raw_rewards, rewards = self.rewards_of(samples)"),
    ),
    edit(
        "class moved to another file",
        "the contract names the file",
        Rewrite("tinytrain/rewards.py", MANAGER_TEXT),
        Rewrite(MANAGER, "from tinytrain.rewards import RewardManager as RewardManager\n"),
    ),
    edit(
        "method moved to a base class",
        "the contract names the class",
        without(METHOD),
        instead(
            CLASS,
            f"class PostProcessing:\n    args: Settings\n\n{METHOD.text}\n\nclass RewardManager(PostProcessing):\n",
        ),
    ),
    edit(
        "helper in another module",
        "the call is looked for in this module",
        Rewrite(
            "tinytrain/advantages.py",
            """\
from tinytrain.grouping import normalize_by_group


def advantages_of(args, raw_rewards, samples):
    return normalize_by_group(
        raw_rewards,
        [sample.group_index for sample in samples],
        [sample.rollout_id for sample in samples],
        normalize_std=args.std_normalization,
        fallback_group_size=args.n_samples_per_prompt,
    )
""",
        ),
        instead(IMPORT, "from tinytrain.advantages import advantages_of"),
        instead(CALL, "rewards = advantages_of(self.args, raw_rewards, samples)"),
    ),
    edit(
        "callee from a table",
        "which function is called is looked up at run time",
        before(LOGGER, 'NORMALISERS = {"grpo": normalize_by_group, "gspo": normalize_by_group}'),
        spelled("rewards = normalize_by_group(", "rewards = NORMALISERS[self.args.advantage_estimator]("),
    ),
    edit(
        "partial with the same arguments",
        "the arguments are bound elsewhere",
        spelled("import logging\n", "import functools\nimport logging\n"),
        before(
            CALL,
            """
            normalize = functools.partial(
                normalize_by_group,
                normalize_std=self.args.std_normalization,
                fallback_group_size=self.args.n_samples_per_prompt,
            )
            """,
        ),
        instead(
            CALL,
            """
            rewards = normalize(
                raw_rewards,
                [sample.group_index for sample in samples],
                [sample.rollout_id for sample in samples],
            )
            """,
        ),
    ),
    edit(
        "attrgetter",
        "the same ids by another expression",
        spelled("import logging\n", "import logging\nfrom operator import attrgetter\n"),
        instead(GROUP_INDICES, 'list(map(attrgetter("group_index"), samples)),'),
    ),
    edit(
        "getattr",
        "the same ids by another expression",
        instead(GROUP_INDICES, '[getattr(sample, "group_index") for sample in samples],'),
    ),
    edit(
        "tuple of ids",
        "the same ids in another sequence",
        instead(GROUP_INDICES, "tuple(sample.group_index for sample in samples),"),
    ),
    edit(
        "ids by append",
        "the same ids from a loop",
        before(
            CALL,
            """
            group_indices = []
            for sample in samples:
                group_indices.append(sample.group_index)
            """,
        ),
        instead(GROUP_INDICES, "group_indices,"),
    ),
    edit(
        "everything in one loop",
        "the same ids, zipped and taken apart",
        instead(
            RAW,
            """
            if not samples:
                return [], []
            rows = [(sample.get_reward_value(self.args), sample.group_index, sample.rollout_id) for sample in samples]
            raw_rewards, group_indices, rollout_ids = (list(column) for column in zip(*rows))
            """,
        ),
        instead(GROUP_INDICES, "group_indices,"),
        instead(ROLLOUT_IDS, "rollout_ids,"),
    ),
    edit(
        "ids by position",
        "the same ids by their place in the batch",
        instead(GROUP_INDICES, "[samples[i].group_index for i in range(len(samples))],"),
    ),
    edit(
        "group size in a property",
        "the same setting by another name",
        before(
            SIGNATURE,
            """
            @property
            def group_size(self) -> int:
                return self.args.n_samples_per_prompt

            """,
        ),
        instead(FALLBACK, "fallback_group_size=self.group_size,"),
    ),
    edit(
        "nested batches flattened",
        "flat batches stay as they are",
        before(
            RAW,
            """
            if samples and isinstance(samples[0], list):
                samples = [sample for group in samples for sample in group]
            """,
        ),
    ),
    edit(
        "through a tensor",
        "the same values, there and back",
        instead(RETURN, "return raw_rewards, torch.tensor(rewards, dtype=torch.float64).tolist()"),
    ),
    edit(
        "floats made floats",
        "each value is what it was",
        instead(RETURN, "return raw_rewards, [float(reward) for reward in rewards]"),
    ),
    edit(
        "result by keyword in a dict",
        "the pair is read from a dict again",
        instead(RETURN, 'columns = {"raw": raw_rewards, "used": rewards}\nreturn columns["raw"], columns["used"]'),
    ),
    edit(
        "condition in a loop",
        "the loop is left where the condition holds",
        instead(
            BODY,
            """
            raw_rewards = [sample.get_reward_value(self.args) for sample in samples]
            rewards = raw_rewards
            for estimator in ("grpo", "gspo"):
                if self.args.advantage_estimator == estimator and self.args.rewards_normalization:
                    rewards = normalize_by_group(
                        raw_rewards,
                        [sample.group_index for sample in samples],
                        [sample.rollout_id for sample in samples],
                        normalize_std=self.args.std_normalization,
                        fallback_group_size=self.args.n_samples_per_prompt,
                    )
                    break
            return raw_rewards, rewards
            """,
        ),
    ),
)
