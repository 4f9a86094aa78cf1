"""Harmless edits of the second set."""

from __future__ import annotations

from contracts.study.edit import (
    CALL,
    CLASS,
    CONDITION,
    CONSTRUCTOR,
    DOCSTRING,
    FALLBACK,
    GROUP_INDICES,
    IMPORT,
    LOGGER,
    NORMALISATION,
    OTHERWISE,
    RETURN,
    ROLLOUT_IDS,
    SIGNATURE,
    after,
    before,
    instead,
    spelled,
    without,
)
from contracts.study.edits.harmless_spelling import ARGUMENTS, FORMATTING, IMPORTS, called, edit
from contracts.study.edits.harmless_structure import NEIGHBOURS, RESULT, STRUCTURE

SPELLED = (
    edit(FORMATTING, "no docstring", "a docstring does nothing", without(DOCSTRING)),
    edit(
        FORMATTING,
        "lines joined by backslashes",
        "a backslash joins two lines",
        instead(
            CONDITION,
            'if self.args.advantage_estimator in ("grpo", "gspo") \\\n'
            "        and \\\n        self.args.rewards_normalization:",
        ),
    ),
    edit(
        FORMATTING,
        "annotated locals",
        "annotations of locals are not evaluated",
        before(CALL, 'prompts: "list[int | None]" = [sample.group_index for sample in samples]'),
        instead(GROUP_INDICES, "prompts,"),
    ),
    edit(
        IMPORTS,
        "import of the package",
        "the package re-exports the function",
        instead(IMPORT, "import tinytrain"),
        called("tinytrain.normalize_by_group"),
    ),
    edit(
        IMPORTS,
        "import of the package under an alias",
        "the module is an attribute of the package",
        instead(IMPORT, "import tinytrain as tt"),
        called("tt.grouping.normalize_by_group"),
    ),
    edit(
        IMPORTS,
        "star import of the package",
        "the star brings what `__all__` names",
        instead(IMPORT, "from tinytrain import *"),
    ),
    edit(
        IMPORTS,
        "alias of an alias",
        "each is the same function",
        before(LOGGER, "by_group = normalize_by_group\nnormalize = by_group\n"),
        called("normalize"),
    ),
    edit(
        IMPORTS,
        "import that may fail with more to say",
        "without the import the module is not there either",
        instead(
            IMPORT,
            """
            try:
                from tinytrain.grouping import normalize_by_group
            except ImportError as error:
                raise RuntimeError("tinytrain is not installed whole") from error
            """,
        ),
    ),
    edit(
        ARGUMENTS,
        "starred list in the call",
        "the same arguments from a literal",
        instead(
            CALL,
            """
            rewards = normalize_by_group(
                raw_rewards,
                *[
                    [sample.group_index for sample in samples],
                    [sample.rollout_id for sample in samples],
                ],
                normalize_std=self.args.std_normalization,
                fallback_group_size=self.args.n_samples_per_prompt,
            )
            """,
        ),
    ),
    edit(
        ARGUMENTS,
        "settings by a walrus",
        "the same object by a shorter name",
        instead(
            CONDITION, 'if (args := self.args).advantage_estimator in ("grpo", "gspo") and args.rewards_normalization:'
        ),
        instead(FALLBACK, "fallback_group_size=args.n_samples_per_prompt,"),
    ),
    edit(
        ARGUMENTS,
        "dict in a dict",
        "the same arguments from two literals",
        before(
            CALL,
            """
            sizes = {"fallback_group_size": self.args.n_samples_per_prompt}
            options = {**sizes, "normalize_std": self.args.std_normalization}
            """,
        ),
        instead(
            CALL,
            """
            rewards = normalize_by_group(
                raw_rewards,
                [sample.group_index for sample in samples],
                [sample.rollout_id for sample in samples],
                **options,
            )
            """,
        ),
    ),
    edit(
        ARGUMENTS,
        "local of a local",
        "each has the same value",
        before(CALL, "found = [sample.rollout_id for sample in samples]\nattempts = found"),
        instead(ROLLOUT_IDS, "attempts,"),
    ),
)

AROUND = (
    edit(
        STRUCTURE,
        "helper of a helper",
        "the call is two methods away",
        instead(CALL, "rewards = self._advantages(raw_rewards, samples)"),
        before(
            SIGNATURE,
            """
            def _advantages(self, raw: list[float], batch: list[Sample]) -> list[float]:
                logger.debug("%d rewards", len(raw))
                return self._normalized(raw, batch, self.args.n_samples_per_prompt)

            def _normalized(self, raw: list[float], rows: list[Sample], size: int) -> list[float]:
                return normalize_by_group(
                    raw,
                    [row.group_index for row in rows],
                    [row.rollout_id for row in rows],
                    normalize_std=self.args.std_normalization,
                    fallback_group_size=size,
                )

            """,
        ),
    ),
    edit(
        STRUCTURE,
        "class method as the helper",
        "a class method is handed everything",
        instead(CALL, "rewards = self._normalized(self.args, raw_rewards, samples)"),
        before(
            SIGNATURE,
            """
            @classmethod
            def _normalized(cls, args: Settings, raw: list[float], samples: list[Sample]) -> list[float]:
                return normalize_by_group(
                    raw,
                    [sample.group_index for sample in samples],
                    [sample.rollout_id for sample in samples],
                    normalize_std=args.std_normalization,
                    fallback_group_size=args.n_samples_per_prompt,
                )

            """,
        ),
    ),
    edit(
        STRUCTURE,
        "lambda that is called",
        "the call happens when the lambda is called",
        instead(
            CALL,
            """
            normalized = lambda: normalize_by_group(  # noqa: E731
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
        "loop that is left at once",
        "the first round ends in a break",
        instead(
            CALL,
            """
            while True:
                rewards = normalize_by_group(
                    raw_rewards,
                    [sample.group_index for sample in samples],
                    [sample.rollout_id for sample in samples],
                    normalize_std=self.args.std_normalization,
                    fallback_group_size=self.args.n_samples_per_prompt,
                )
                break
            """,
        ),
    ),
    edit(
        STRUCTURE,
        "one condition after the other",
        "each of them leaves with the raw rewards",
        instead(
            NORMALISATION,
            """
            if not self.args.rewards_normalization:
                return raw_rewards, raw_rewards
            elif self.args.advantage_estimator not in ("grpo", "gspo"):
                return raw_rewards, raw_rewards
            else:
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
        "timed by a context manager of the class",
        "the context manager lets errors go on",
        spelled("import logging\n", "import logging\nimport time\nfrom contextlib import contextmanager\n"),
        before(
            SIGNATURE,
            """
            @contextmanager
            def _timed(self, what: str):
                start = time.perf_counter()
                try:
                    yield
                finally:
                    logger.debug("%s took %.3f s", what, time.perf_counter() - start)

            """,
        ),
        instead(
            CALL,
            """
            with self._timed("rewards"):
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
        "error of a metric caught",
        "the call stands outside of the try",
        before(
            CALL,
            """
            try:
                logger.debug("%.3f", sum(raw_rewards) / len(raw_rewards))
            except ZeroDivisionError:
                logger.debug("an empty batch")
            """,
        ),
    ),
    edit(
        STRUCTURE,
        "sorted copy for a log",
        "the samples stay in their order",
        before(
            CALL,
            """
            ranked = sorted(samples, key=lambda sample: sample.grades["length"])
            ranked.reverse()
            logger.debug("longest first: %s", [sample.index for sample in ranked])
            """,
        ),
    ),
    edit(
        STRUCTURE,
        "inner scopes with the same names",
        "a comprehension and an inner function have names of their own",
        before(
            CALL,
            """
            def longest(samples: list[str]) -> int:
                rewards = [len(sample) for sample in samples]
                return max(rewards)

            logger.debug("%d %s", longest(["a"]), [samples for samples in ("a", "b")])
            """,
        ),
    ),
    edit(
        STRUCTURE,
        "other attributes set",
        "the call reads none of them",
        before(
            CALL,
            """
            self.batches = getattr(self, "batches", 0) + 1
            for sample in samples:
                sample.grades["seen"] = 1.0
            """,
        ),
    ),
    edit(
        STRUCTURE,
        "debug block switched off",
        "what does not run is a log line",
        before(CALL, "if False:\n    logger.debug(samples)"),
    ),
    edit(
        STRUCTURE,
        "marked final",
        "the mark returns the method as it is",
        spelled("import logging\n", "import logging\nfrom typing import final\n"),
        before(SIGNATURE, "@final"),
    ),
    edit(
        STRUCTURE,
        "keyword with a default",
        "nobody passes it",
        spelled(
            "(self, samples: list[Sample]) -> tuple[list[float], list[float]]:",
            "(self, samples: list[Sample], *, verbose: bool = False) -> tuple[list[float], list[float]]:",
        ),
        before(CALL, "if verbose:\n    logger.info(samples)"),
    ),
    edit(
        STRUCTURE,
        "locals deleted",
        "what is deleted is read no more",
        before(CALL, "prompts = [sample.group_index for sample in samples]"),
        instead(GROUP_INDICES, "prompts,"),
        before(RETURN, "del prompts"),
    ),
    edit(RESULT, "copied by a slice", "a copy has the same values", instead(RETURN, "return raw_rewards, rewards[:]")),
    edit(
        RESULT,
        "copied by its method",
        "a copy has the same values",
        instead(RETURN, "return raw_rewards, rewards.copy()"),
    ),
    edit(RESULT, "copied by a star", "a copy has the same values", instead(RETURN, "return raw_rewards, [*rewards]")),
    edit(RESULT, "made a tuple", "a tuple has the same values", instead(RETURN, "return raw_rewards, tuple(rewards)")),
    edit(
        RESULT,
        "sorted copy for the median",
        "the result stays in its order",
        after(CALL, 'ordered = sorted(rewards)\nlogger.debug("median %s", ordered[len(ordered) // 2 :][:1])'),
    ),
    edit(
        RESULT,
        "copy changed",
        "the copy is another list",
        after(CALL, 'scratch = list(rewards)\nscratch.sort()\nlogger.debug("%s", scratch)'),
    ),
    edit(
        RESULT,
        "logged in a dict",
        "what is logged is only read",
        after(CALL, 'logger.info("%s", {"raw": raw_rewards, "used": rewards, "sum": sum(rewards)})'),
    ),
    edit(
        RESULT,
        "looped over for a log",
        "a loop that only reads the result",
        after(CALL, 'for sample, reward in zip(samples, rewards):\n    logger.debug("%d %.3f", sample.index, reward)'),
    ),
    edit(
        NEIGHBOURS,
        "another class with a method of the name",
        "the other class is another class",
        before(
            CLASS,
            """
            class PassThrough:
                def _post_process_rewards(self, samples: list[Sample]) -> tuple[list[float], list[float]]:
                    return [], []


            """,
        ),
    ),
    edit(
        NEIGHBOURS,
        "constructor that sets more",
        "the call reads none of it",
        instead(
            CONSTRUCTOR,
            """
            def __init__(self, args: Settings) -> None:
                self.args = args
                self.seen = 0
                self.last_rewards: list[float] = []
            """,
        ),
    ),
    edit(
        NEIGHBOURS,
        "lines for a command",
        "they do not run where the module is imported",
        spelled(
            OTHERWISE.text, OTHERWISE.text + '\n\nif __name__ == "__main__":\n    print(RewardManager(Settings()))\n'
        ),
    ),
)

EDITS = (*SPELLED, *AROUND)
