"""What keeps the call from happening, or its result from arriving."""

from __future__ import annotations

from contracts.study.edit import (
    CALL,
    CONDITION,
    DOCSTRING,
    LOGGER,
    METHOD,
    NORMALISATION,
    RAW,
    RETURN,
    SIGNATURE,
    Change,
    Edit,
    Family,
    Kind,
    after,
    before,
    instead,
    spelled,
)

UNREACHED = Family(Kind.HARMFUL, "the call is never reached")
LOST = Family(Kind.HARMFUL, "the result is lost or changed")

CALL_AS_TEXT = """
rewards = normalize_by_group(
    raw_rewards,
    [sample.group_index for sample in samples],
    [sample.rollout_id for sample in samples],
    normalize_std=self.args.std_normalization,
    fallback_group_size=self.args.n_samples_per_prompt,
)
"""


def edit(family: Family, name: str, reason: str, *changes: Change) -> Edit:
    return Edit(family, name, reason, changes)


def nested(opening: str, levels: int = 1) -> str:
    """The call below another line, and further in."""
    return opening + "\n" + "".join(f"{'    ' * levels}{line}\n" for line in CALL_AS_TEXT.strip("\n").split("\n"))


def under(condition: str) -> Change:
    return instead(CONDITION, f"if {condition}:")


DEAD = (
    edit(UNREACHED, "if False", "the condition never holds", under("False")),
    edit(UNREACHED, "if 0", "the condition never holds", under("0")),
    edit(
        UNREACHED,
        "and False",
        "the condition never holds",
        under('self.args.advantage_estimator in ("grpo", "gspo") and False'),
    ),
    edit(UNREACHED, "compared constants", "the condition never holds", under('"grpo" == "gae"')),
    edit(
        UNREACHED,
        "in an empty tuple",
        "the condition never holds",
        under("self.args.advantage_estimator in () and self.args.rewards_normalization"),
    ),
    edit(
        UNREACHED,
        "if TYPE_CHECKING",
        "the condition never holds at run time",
        under("TYPE_CHECKING"),
        spelled("import logging\n", "import logging\nfrom typing import TYPE_CHECKING\n"),
    ),
    edit(
        UNREACHED,
        "constant of the module",
        "the flag is false, and nothing sets it",
        before(LOGGER, "GROUP_BY_IDENTITY = False"),
        under("GROUP_BY_IDENTITY and self.args.rewards_normalization"),
    ),
    edit(
        UNREACHED,
        "constant of the class",
        "the flag is false, and nothing sets it",
        spelled(
            "    def __init__(self, args: Settings) -> None:\n",
            "    by_identity = False\n\n    def __init__(self, args: Settings) -> None:\n",
        ),
        under("self.by_identity and self.args.rewards_normalization"),
    ),
    edit(
        UNREACHED,
        "flag as a local",
        "the flag is false, and nothing sets it",
        before(RAW, "by_identity = False"),
        under("by_identity"),
    ),
    edit(
        UNREACHED,
        "old interpreters only",
        "no interpreter that runs this is that old",
        under("sys.version_info < (3, 0)"),
        spelled("import logging\n", "import logging\nimport sys\n"),
    ),
    edit(UNREACHED, "after the return", "a return stands before it", before(CALL, "return raw_rewards, raw_rewards")),
    edit(
        UNREACHED,
        "after a return under if True",
        "a return stands before it, on the only path",
        after(RAW, "if True:\n    return raw_rewards, raw_rewards"),
    ),
    edit(
        UNREACHED,
        "after a return in both branches",
        "each path returns before it",
        before(
            CALL,
            """
            if self.args.std_normalization:
                return raw_rewards, raw_rewards
            else:
                return raw_rewards, list(raw_rewards)
            """,
        ),
    ),
    edit(
        UNREACHED,
        "after a return in a with block",
        "a return stands before it",
        before(CALL, "with torch.no_grad():\n    return raw_rewards, raw_rewards"),
    ),
    edit(
        UNREACHED,
        "after a loop without an end",
        "the loop is left by a return only",
        before(CALL, "while True:\n    return raw_rewards, raw_rewards"),
    ),
    edit(
        UNREACHED,
        "after an error",
        "an error is raised before it",
        before(CALL, 'raise NotImplementedError("grouping is being rewritten")'),
    ),
    edit(
        UNREACHED,
        "in a loop over nothing",
        "the loop has no rounds",
        instead(CALL, "rewards = raw_rewards\n" + nested("for _ in ():")),
    ),
    edit(
        UNREACHED,
        "in while False",
        "the loop has no rounds",
        instead(CALL, "rewards = raw_rewards\n" + nested("while False:")),
    ),
    edit(
        UNREACHED,
        "after a continue",
        "the round of the loop ends before it",
        instead(CALL, "rewards = raw_rewards\n" + nested("for _ in range(1):\n    continue")),
    ),
    edit(
        UNREACHED,
        "in a case that does not match",
        "the other case is taken",
        instead(CALL, nested("match 0:\n    case 1:", 2) + "    case _:\n        rewards = raw_rewards"),
    ),
    edit(
        UNREACHED,
        "behind a false operand",
        "`and` never gets there",
        instead(
            CALL,
            """
            rewards = False and normalize_by_group(
                raw_rewards,
                [sample.group_index for sample in samples],
                [sample.rollout_id for sample in samples],
                normalize_std=self.args.std_normalization,
                fallback_group_size=self.args.n_samples_per_prompt,
            ) or raw_rewards
            """,
        ),
    ),
    edit(
        UNREACHED,
        "in a handler of what is not raised",
        "assigning a name raises nothing",
        instead(CALL, "try:\n    rewards = raw_rewards\n" + nested("except ValueError:")),
    ),
    edit(
        UNREACHED,
        "in the other branch of if True",
        "the other branch is taken",
        instead(CALL, "if True:\n    rewards = raw_rewards\n" + nested("else:")),
    ),
    edit(
        UNREACHED,
        "in a conditional expression",
        "the other alternative is taken",
        instead(
            CALL,
            """
            rewards = raw_rewards if True else normalize_by_group(
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
        UNREACHED,
        "in an inner function that nobody calls",
        "a definition calls nothing",
        instead(CALL, "rewards = raw_rewards\n" + nested("def normalized():")),
    ),
    edit(
        UNREACHED,
        "in a lambda that nobody calls",
        "a lambda calls nothing by being there",
        instead(
            CALL,
            """
            self.normalized = lambda: normalize_by_group(
                raw_rewards,
                [sample.group_index for sample in samples],
                [sample.rollout_id for sample in samples],
                normalize_std=self.args.std_normalization,
                fallback_group_size=self.args.n_samples_per_prompt,
            )
            rewards = raw_rewards
            """,
        ),
    ),
    edit(
        UNREACHED,
        "in a method that nobody calls",
        "a definition calls nothing",
        instead(
            METHOD,
            '''
            def _normalized(self, raw_rewards, samples):
                rewards = normalize_by_group(
                    raw_rewards,
                    [sample.group_index for sample in samples],
                    [sample.rollout_id for sample in samples],
                    normalize_std=self.args.std_normalization,
                    fallback_group_size=self.args.n_samples_per_prompt,
                )
                return raw_rewards, rewards

            def _post_process_rewards(self, samples: list[Sample]) -> tuple[list[float], list[float]]:
                """The rewards as they were graded, and as the loss uses them."""
                raw_rewards = [sample.get_reward_value(self.args) for sample in samples]
                return raw_rewards, raw_rewards
            ''',
        ),
    ),
    edit(
        UNREACHED,
        "in a generator that nobody reads",
        "a generator expression runs when it is read",
        instead(
            CALL,
            """
            found = (
                normalize_by_group(
                    raw_rewards,
                    [sample.group_index for sample in samples],
                    [sample.rollout_id for sample in samples],
                    normalize_std=self.args.std_normalization,
                    fallback_group_size=self.args.n_samples_per_prompt,
                )
                for _ in range(1)
            )
            logger.debug("%s", found)
            rewards = raw_rewards
            """,
        ),
    ),
    edit(
        UNREACHED,
        "in a comment",
        "a comment is no code",
        instead(CALL, "\n".join(f"# {line}" for line in CALL_AS_TEXT.strip("\n").split("\n"))),
        before(RETURN, "rewards = raw_rewards"),
    ),
    edit(
        UNREACHED,
        "in the docstring",
        "a docstring is no code",
        instead(
            DOCSTRING,
            f'''
            """The rewards as they were graded, and as the loss uses them.

            {CALL_AS_TEXT.strip().replace(chr(10), chr(10) + " " * 12)}
            """
            ''',
        ),
        instead(CALL, "rewards = raw_rewards"),
    ),
    edit(
        UNREACHED,
        "in a string",
        "a string is no code",
        instead(CALL, f'"""{CALL_AS_TEXT}"""\nrewards = raw_rewards'),
    ),
)

REPLACED = (
    edit(
        LOST,
        "discarded",
        "nothing takes the result",
        spelled("            rewards = normalize_by_group(", "            normalize_by_group("),
        before(RETURN, "rewards = raw_rewards"),
    ),
    edit(LOST, "overwritten", "the raw rewards take its name", after(CALL, "rewards = raw_rewards")),
    edit(
        LOST,
        "overwritten on one branch",
        "with scaling the raw rewards take its name",
        after(CALL, "if self.args.std_normalization:\n    rewards = raw_rewards"),
    ),
    edit(
        LOST,
        "overwritten by a loop",
        "the variable of the loop takes its name",
        after(CALL, "for rewards in (raw_rewards,):\n    logger.debug(rewards)"),
    ),
    edit(
        LOST,
        "overwritten by a walrus",
        "a log line takes its name",
        after(CALL, 'logger.debug("%s", rewards := raw_rewards)'),
    ),
    edit(
        LOST,
        "overwritten by an inner function",
        "the inner function assigns the outer name",
        instead(
            RETURN,
            """
            def keep_raw() -> None:
                nonlocal rewards
                rewards = raw_rewards

            keep_raw()
            return raw_rewards, rewards
            """,
        ),
    ),
    edit(
        LOST,
        "another name returned",
        "the raw rewards are returned twice",
        instead(RETURN, "return raw_rewards, raw_rewards"),
    ),
    edit(
        LOST,
        "another name returned on one path",
        "with scaling the raw rewards are returned twice",
        before(RETURN, "if self.args.std_normalization:\n    return raw_rewards, raw_rewards"),
    ),
    edit(
        LOST,
        "deleted",
        "the result is deleted, and the raw rewards take its name",
        after(CALL, "del rewards\nrewards = raw_rewards"),
    ),
    edit(LOST, "sorted in place", "advantages go to other samples", after(CALL, "rewards.sort()")),
    edit(LOST, "reversed in place", "advantages go to other samples", after(CALL, "rewards.reverse()")),
    edit(LOST, "filled in place", "the list is the same, its values are not", after(CALL, "rewards[:] = raw_rewards")),
    edit(LOST, "first one zeroed", "the list is the same, one value is not", after(CALL, "rewards[0] = 0.0")),
    edit(
        LOST,
        "cleared and extended",
        "the list is the same, its values are not",
        after(CALL, "rewards.clear()\nrewards.extend(raw_rewards)"),
    ),
    edit(
        LOST,
        "scaled in place",
        "each value is multiplied",
        after(CALL, "for i in range(len(rewards)):\n    rewards[i] *= 0.5"),
    ),
    edit(LOST, "longer in place", "the raw rewards are appended", after(CALL, "rewards += raw_rewards")),
    edit(
        LOST,
        "filled under another name",
        "both names are of one list",
        after(CALL, "advantages = rewards\nadvantages[:] = raw_rewards"),
    ),
    edit(
        LOST,
        "filled by a helper",
        "the helper writes into what it is handed",
        after(CALL, "self._restore(rewards, raw_rewards)"),
        before(
            SIGNATURE,
            """
            def _restore(self, into: list[float], values: list[float]) -> None:
                into[:] = values

            """,
        ),
    ),
    edit(
        LOST,
        "filled through an attribute",
        "the attribute is of the same list",
        after(CALL, "self.last_rewards = rewards\nself.last_rewards[:] = raw_rewards"),
    ),
    edit(LOST, "sorted copy", "advantages go to other samples", instead(RETURN, "return raw_rewards, sorted(rewards)")),
    edit(
        LOST,
        "copied by another list",
        "the module's `list` sorts",
        before(LOGGER, "list = sorted\n"),
        instead(RETURN, "return raw_rewards, list(rewards)"),
    ),
    edit(LOST, "reversed copy", "advantages go to other samples", instead(RETURN, "return raw_rewards, rewards[::-1]")),
    edit(
        LOST,
        "clamped copy",
        "negative advantages are cut off",
        after(CALL, "rewards = [max(reward, 0.0) for reward in rewards]"),
    ),
    edit(
        LOST,
        "mixed with the raw rewards",
        "half of it is the raw reward",
        after(CALL, "rewards = [(reward + raw) / 2 for reward, raw in zip(rewards, raw_rewards)]"),
    ),
    edit(
        LOST,
        "raw rewards where it is zero",
        "`or` takes the raw reward for a zero",
        after(CALL, "rewards = [reward or raw for reward, raw in zip(rewards, raw_rewards)]"),
    ),
    edit(
        LOST,
        "one or the other",
        "the raw rewards are never empty, so they are taken",
        instead(RETURN, "return raw_rewards, raw_rewards or rewards"),
    ),
    edit(
        LOST,
        "errors swallowed",
        "samples without an identity train on raw rewards",
        instead(CALL, nested("try:") + "except Exception:\n    rewards = raw_rewards"),
    ),
    edit(
        LOST,
        "errors logged and swallowed",
        "samples without an identity train on raw rewards",
        instead(
            CALL,
            "rewards = raw_rewards\n" + nested("try:") + 'except ValueError as error:\n    logger.debug("%s", error)',
        ),
    ),
    edit(
        LOST,
        "errors suppressed",
        "samples without an identity train on raw rewards",
        spelled("import logging\n", "import logging\nfrom contextlib import suppress\n"),
        instead(CALL, "rewards = raw_rewards\n" + nested("with suppress(ValueError):")),
    ),
    edit(
        LOST,
        "overwritten in finally",
        "the last word is the finally block's",
        instead(CALL, nested("try:") + "finally:\n    rewards = raw_rewards"),
    ),
    edit(
        LOST,
        "returned in finally",
        "the return of the finally block wins",
        instead(
            NORMALISATION,
            """
            try:
                rewards = normalize_by_group(
                    raw_rewards,
                    [sample.group_index for sample in samples],
                    [sample.rollout_id for sample in samples],
                    normalize_std=self.args.std_normalization,
                    fallback_group_size=self.args.n_samples_per_prompt,
                )
                return raw_rewards, rewards
            finally:
                return raw_rewards, raw_rewards
            """,
        ),
    ),
    edit(
        LOST,
        "split method that returns the raw rewards",
        "the helper calls, and returns what it was handed",
        instead(
            METHOD,
            '''
            def _post_process_rewards(self, samples: list[Sample]) -> tuple[list[float], list[float]]:
                """The rewards as they were graded, and as the loss uses them."""
                raw_rewards = [sample.get_reward_value(self.args) for sample in samples]
                if self.args.advantage_estimator in ("grpo", "gspo") and self.args.rewards_normalization:
                    rewards = self._normalized(raw_rewards, samples)
                    return raw_rewards, rewards
                return raw_rewards, raw_rewards

            def _normalized(self, raw_rewards: list[float], samples: list[Sample]) -> list[float]:
                rewards = normalize_by_group(
                    raw_rewards,
                    [sample.group_index for sample in samples],
                    [sample.rollout_id for sample in samples],
                    normalize_std=self.args.std_normalization,
                    fallback_group_size=self.args.n_samples_per_prompt,
                )
                logger.debug("%s", rewards)
                return raw_rewards
            ''',
        ),
    ),
    edit(
        LOST,
        "split method whose result is discarded",
        "the helper's result is not taken",
        instead(
            METHOD,
            '''
            def _post_process_rewards(self, samples: list[Sample]) -> tuple[list[float], list[float]]:
                """The rewards as they were graded, and as the loss uses them."""
                raw_rewards = [sample.get_reward_value(self.args) for sample in samples]
                rewards = raw_rewards
                if self.args.advantage_estimator in ("grpo", "gspo") and self.args.rewards_normalization:
                    self._normalized(raw_rewards, samples)
                    return raw_rewards, rewards
                return raw_rewards, raw_rewards

            def _normalized(self, raw_rewards: list[float], samples: list[Sample]) -> list[float]:
                rewards = normalize_by_group(
                    raw_rewards,
                    [sample.group_index for sample in samples],
                    [sample.rollout_id for sample in samples],
                    normalize_std=self.args.std_normalization,
                    fallback_group_size=self.args.n_samples_per_prompt,
                )
                return rewards
            ''',
        ),
    ),
    edit(
        LOST,
        "only the raw rewards of the pair",
        "the pair is taken apart, and its first half returned twice",
        after(CALL, "result = raw_rewards, rewards"),
        instead(RETURN, "rewards, _ = result\nreturn raw_rewards, rewards"),
    ),
    edit(
        LOST,
        "summed up",
        "each sample gets the mean of all advantages",
        after(CALL, "rewards = [sum(rewards) / len(rewards)] * len(rewards)"),
    ),
    edit(
        LOST,
        "only its length used",
        "what is returned has as many zeros as the result has values",
        after(CALL, "rewards = [0.0 for _ in rewards]"),
    ),
    edit(
        LOST,
        "overwritten from an attribute",
        "the attribute is of the raw rewards",
        after(
            CALL,
            """
            self.last_rewards = raw_rewards
            rewards = self.last_rewards
            """,
        ),
    ),
)

EDITS = (*DEAD, *REPLACED)
