"""What maintainers do to the spelling of a call without changing what it computes."""

from __future__ import annotations

from contracts.study.edit import (
    BODY,
    CALL,
    CONSTRUCTOR,
    DOCSTRING,
    FALLBACK,
    GROUP_INDICES,
    GROUPING,
    IMPORT,
    LOGGER,
    MANAGER,
    PROJECT,
    RAW,
    RETURN,
    ROLLOUT_IDS,
    Change,
    Edit,
    Family,
    Kind,
    Replacement,
    Rewrite,
    after,
    before,
    instead,
    spelled,
    without,
)

FORMATTING = Family(Kind.HARMLESS, "formatting, comments, annotations")
IMPORTS = Family(Kind.HARMLESS, "imports and names of the callee")
ARGUMENTS = Family(Kind.HARMLESS, "how arguments are passed")

GROUPING_TEXT = (PROJECT / GROUPING).read_text("utf-8")
MANAGER_TEXT = (PROJECT / MANAGER).read_text("utf-8")


def edit(family: Family, name: str, reason: str, *changes: Change) -> Edit:
    return Edit(family, name, reason, changes)


def called(name: str) -> Replacement:
    """The call under another name of the callee."""
    return spelled("rewards = normalize_by_group(", f"rewards = {name}(")


FORMATTED = (
    edit(
        FORMATTING,
        "one long line",
        "a longer line length joins the arguments",
        instead(
            CALL,
            "rewards = normalize_by_group(raw_rewards, [sample.group_index for sample in samples], "
            "[sample.rollout_id for sample in samples], normalize_std=self.args.std_normalization, "
            "fallback_group_size=self.args.n_samples_per_prompt)",
        ),
    ),
    edit(
        FORMATTING,
        "short lines",
        "a shorter line length breaks comprehensions",
        instead(
            GROUP_INDICES,
            """
            [
                sample.group_index
                for sample in samples
            ],
            """,
        ),
        instead(
            FALLBACK,
            """
            fallback_group_size=(
                self.args.n_samples_per_prompt
            ),
            """,
        ),
    ),
    edit(
        FORMATTING,
        "line ends of Windows",
        "Python reads them as line ends",
        Rewrite(MANAGER, MANAGER_TEXT.replace("\n", "\r\n")),
    ),
    edit(
        FORMATTING,
        "tabs",
        "Python takes tabs for indentation",
        Rewrite(MANAGER, MANAGER_TEXT.replace("    ", "\t")),
    ),
    edit(
        FORMATTING,
        "quotes and parentheses",
        "another formatter's taste",
        spelled('in ("grpo", "gspo") and', "in ('grpo', 'gspo') and"),
        instead(ROLLOUT_IDS, "([(sample.rollout_id) for sample in (samples)]),"),
    ),
    edit(
        FORMATTING,
        "comments between arguments",
        "comments do nothing",
        instead(
            GROUP_INDICES,
            """
            # whose answers are compared: one prompt's
            [sample.group_index  # never sample.index, which is unique
             for sample in samples],
            """,
        ),
    ),
    edit(
        FORMATTING,
        "the old code in a comment",
        "a comment that says what the call is there for",
        before(CALL, "# was rewards.view(-1, rewards.shape[-1]): one group for the batch"),
    ),
    edit(
        FORMATTING,
        "the old code in the docstring",
        "a docstring that warns of the old code",
        instead(
            DOCSTRING,
            '''
            """The rewards as they were graded, and centred per prompt.

            Never `rewards.reshape(-1, self.args.n_samples_per_prompt)`: prompts have uneven numbers of answers.
            """
            ''',
        ),
    ),
    edit(
        FORMATTING,
        "annotated result",
        "annotations of locals are not evaluated",
        spelled("rewards = normalize_by_group(", "rewards: list[float] = normalize_by_group("),
    ),
    edit(
        FORMATTING,
        "other annotations of the method",
        "annotations are not evaluated",
        spelled("samples: list[Sample]) -> tuple[list[float]", "samples: Sequence[Sample]) -> tuple[list[float]"),
        spelled("import logging\n", "import logging\nfrom collections.abc import Sequence\n"),
    ),
    edit(
        FORMATTING,
        "imports of types only for type checkers",
        "with postponed annotations nothing needs them at run time",
        spelled(
            "from tinytrain.samples import Sample\nfrom tinytrain.settings import Settings\n",
            "if TYPE_CHECKING:\n"
            "    from tinytrain.samples import Sample\n"
            "    from tinytrain.settings import Settings\n",
        ),
        spelled("import logging\n", "import logging\nfrom typing import TYPE_CHECKING\n"),
    ),
)

IMPORTED = (
    edit(
        IMPORTS,
        "sorted into parentheses",
        "another name is imported from the same module",
        instead(
            IMPORT,
            """
            from tinytrain.grouping import (
                group_keys,
                normalize_by_group,
            )
            """,
        ),
        after(RAW, "self.groups = len(set(group_keys(range(len(samples)), len(samples), None)))"),
    ),
    edit(
        IMPORTS,
        "import under an alias",
        "the same function by a shorter name",
        instead(IMPORT, "from tinytrain.grouping import normalize_by_group as by_group"),
        called("by_group"),
    ),
    edit(
        IMPORTS,
        "import of the module",
        "the same function through its module",
        instead(IMPORT, "from tinytrain import grouping"),
        called("grouping.normalize_by_group"),
    ),
    edit(
        IMPORTS,
        "import by the dotted name",
        "the same function through its package",
        instead(IMPORT, "import tinytrain.grouping"),
        called("tinytrain.grouping.normalize_by_group"),
    ),
    edit(
        IMPORTS,
        "import of the module under an alias",
        "the same function through an alias of its module",
        instead(IMPORT, "import tinytrain.grouping as advantages"),
        called("advantages.normalize_by_group"),
    ),
    edit(
        IMPORTS,
        "relative import",
        "the same module, named from here",
        instead(IMPORT, "from .grouping import normalize_by_group"),
    ),
    edit(
        IMPORTS,
        "relative import of the module",
        "the same module, named from here",
        instead(IMPORT, "from . import grouping as by_identity"),
        called("by_identity.normalize_by_group"),
    ),
    edit(
        IMPORTS,
        "import in the function",
        "a deferred import breaks a cycle",
        without(IMPORT),
        before(RAW, "from tinytrain.grouping import normalize_by_group\n"),
    ),
    edit(
        IMPORTS,
        "import in the branch",
        "a deferred import of what only this branch needs",
        without(IMPORT),
        before(CALL, "from tinytrain import grouping"),
        called("grouping.normalize_by_group"),
    ),
    edit(
        IMPORTS,
        "import through the package",
        "the package re-exports the function",
        instead(IMPORT, "from tinytrain import normalize_by_group"),
    ),
    edit(
        IMPORTS,
        "star import",
        "the star brings the function along",
        instead(IMPORT, "from tinytrain.grouping import *"),
    ),
    edit(
        IMPORTS,
        "callee moved, with a re-export",
        "the old module still offers the function",
        Rewrite("tinytrain/baselines.py", GROUPING_TEXT),
        Rewrite(
            GROUPING,
            '"""Kept for its importers."""\n\nfrom tinytrain.baselines import group_keys, normalize_by_group\n\n'
            '__all__ = ["group_keys", "normalize_by_group"]\n',
        ),
    ),
    edit(
        IMPORTS,
        "callee moved, imported from its new place",
        "the old module re-exports what is now imported from the new one",
        Rewrite("tinytrain/baselines.py", GROUPING_TEXT),
        Rewrite(
            GROUPING, "from .baselines import group_keys as group_keys, normalize_by_group as normalize_by_group\n"
        ),
        instead(IMPORT, "from tinytrain.baselines import normalize_by_group"),
    ),
    edit(
        IMPORTS,
        "module made a package",
        "the package offers what the module did",
        Rewrite(GROUPING, None),
        Rewrite("tinytrain/grouping/by_identity.py", GROUPING_TEXT),
        Rewrite("tinytrain/grouping/__init__.py", "from .by_identity import *\n"),
    ),
    edit(
        IMPORTS,
        "alias in the module",
        "one name more for the same function",
        before(LOGGER, "normalize = normalize_by_group"),
        called("normalize"),
    ),
    edit(
        IMPORTS,
        "alias in the function",
        "a local for the function",
        before(CALL, "normalize = normalize_by_group"),
        called("normalize"),
    ),
    edit(
        IMPORTS,
        "alias in the class",
        "a static method that is the function",
        before(CONSTRUCTOR, "normalize = staticmethod(normalize_by_group)\n\n"),
        called("self.normalize"),
    ),
    edit(
        IMPORTS,
        "one import per interpreter",
        "both branches import the same",
        instead(
            IMPORT,
            """
            if sys.version_info >= (3, 10):
                from tinytrain.grouping import normalize_by_group
            else:
                from tinytrain import normalize_by_group
            """,
        ),
        spelled("import logging\n", "import logging\nimport sys\n"),
    ),
)

PASSED = (
    edit(
        ARGUMENTS,
        "ids by keyword",
        "the same parameters by their names",
        instead(GROUP_INDICES, "group_indices=[sample.group_index for sample in samples],"),
        instead(ROLLOUT_IDS, "rollout_ids=[sample.rollout_id for sample in samples],"),
    ),
    edit(
        ARGUMENTS,
        "all by keyword, in another order",
        "the same parameters by their names",
        instead(
            CALL,
            """
            rewards = normalize_by_group(
                normalize_std=self.args.std_normalization,
                fallback_group_size=self.args.n_samples_per_prompt,
                rollout_ids=[sample.rollout_id for sample in samples],
                group_indices=[sample.group_index for sample in samples],
                rewards=raw_rewards,
            )
            """,
        ),
    ),
    edit(
        ARGUMENTS,
        "ids as locals",
        "the same values with a name",
        before(
            CALL,
            """
            group_indices = [sample.group_index for sample in samples]
            rollout_ids = [sample.rollout_id for sample in samples]
            """,
        ),
        instead(GROUP_INDICES, "group_indices,"),
        instead(ROLLOUT_IDS, "rollout_ids,"),
    ),
    edit(
        ARGUMENTS,
        "ids read first of all",
        "the same values, before the rewards",
        before(
            RAW,
            """
            prompts = [sample.group_index for sample in samples]
            attempts = [sample.rollout_id for sample in samples]
            """,
        ),
        instead(GROUP_INDICES, "prompts,"),
        instead(ROLLOUT_IDS, "attempts,"),
    ),
    edit(
        ARGUMENTS,
        "two locals in one assignment",
        "the same values with a name",
        before(
            CALL,
            "groups, ids = [each.group_index for each in samples], [each.rollout_id for each in samples]",
        ),
        instead(GROUP_INDICES, "groups,"),
        instead(ROLLOUT_IDS, "ids,"),
    ),
    edit(
        ARGUMENTS,
        "settings as a local",
        "the same object by a shorter name",
        instead(
            BODY,
            """
            args = self.args
            raw_rewards = [sample.get_reward_value(args) for sample in samples]
            if args.advantage_estimator in ("grpo", "gspo") and args.rewards_normalization:
                rewards = normalize_by_group(
                    raw_rewards,
                    [sample.group_index for sample in samples],
                    [sample.rollout_id for sample in samples],
                    normalize_std=args.std_normalization,
                    fallback_group_size=args.n_samples_per_prompt,
                )
                return raw_rewards, rewards
            return raw_rewards, raw_rewards
            """,
        ),
    ),
    edit(
        ARGUMENTS,
        "group size as a local",
        "the same value with a name",
        after(RAW, "n = self.args.n_samples_per_prompt"),
        instead(FALLBACK, "fallback_group_size=n,"),
    ),
    edit(
        ARGUMENTS,
        "shorter comprehensions",
        "the variable of a comprehension is its own",
        instead(GROUP_INDICES, "[s.group_index for s in samples],"),
        instead(ROLLOUT_IDS, "[s.rollout_id for s in samples],"),
    ),
    edit(
        ARGUMENTS,
        "dict of keywords",
        "the same arguments from a literal",
        before(
            CALL,
            """
            options = {
                "rollout_ids": [sample.rollout_id for sample in samples],
                "normalize_std": self.args.std_normalization,
                "fallback_group_size": self.args.n_samples_per_prompt,
            }
            """,
        ),
        instead(
            CALL,
            """
            rewards = normalize_by_group(
                raw_rewards,
                [sample.group_index for sample in samples],
                **options,
            )
            """,
        ),
    ),
    edit(
        ARGUMENTS,
        "keywords by dict()",
        "the same arguments from a call of dict",
        instead(FALLBACK, "**dict(fallback_group_size=self.args.n_samples_per_prompt),"),
    ),
    edit(
        ARGUMENTS,
        "starred tuple",
        "the same arguments from a literal",
        before(
            CALL,
            """
            columns = (
                raw_rewards,
                [sample.group_index for sample in samples],
                [sample.rollout_id for sample in samples],
            )
            """,
        ),
        instead(
            CALL,
            """
            rewards = normalize_by_group(
                *columns,
                normalize_std=self.args.std_normalization,
                fallback_group_size=self.args.n_samples_per_prompt,
            )
            """,
        ),
    ),
    edit(
        ARGUMENTS,
        "walrus in the call",
        "the same value, kept for later",
        instead(GROUP_INDICES, "(prompts := [sample.group_index for sample in samples]),"),
        before(RETURN, 'logger.debug("%d prompts", len(set(prompts)))'),
    ),
    edit(
        ARGUMENTS,
        "more options of the callee",
        "the default, spelled out",
        after(FALLBACK, "eps=1e-6,"),
    ),
    edit(
        ARGUMENTS,
        "callee's parameters in another order",
        "the call was changed with the callee",
        Replacement(
            GROUPING,
            "    group_indices: Sequence[Hashable],\n    rollout_ids: Sequence[Hashable] | None = None,\n    *,\n",
            "    rollout_ids: Sequence[Hashable] | None,\n    group_indices: Sequence[Hashable],\n    *,\n",
        ),
        instead(GROUP_INDICES, "[sample.rollout_id for sample in samples],  # the attempt"),
        spelled(
            "                [sample.rollout_id for sample in samples],\n                normalize",
            "                [sample.group_index for sample in samples],\n                normalize",
        ),
    ),
)

EDITS = (*FORMATTED, *IMPORTED, *PASSED)
