"""Harmful edits of the second set."""

from __future__ import annotations

from contracts.study.edit import (
    CALL,
    CONDITION,
    CONSTRUCTOR,
    FALLBACK,
    GROUP_INDICES,
    IMPORT,
    LOGGER,
    NORMALISATION,
    RETURN,
    ROLLOUT_IDS,
    SIGNATURE,
    Rewrite,
    after,
    at_end,
    before,
    instead,
    spelled,
    without,
)
from contracts.study.edits.harmful_arguments import CHANGED, WRONG
from contracts.study.edits.harmful_callee import (
    BATCH_FUNCTION,
    CALLEE,
    LEGACY,
    REPLACED,
    SECOND_METHOD,
    called,
    edit,
    in_class,
)
from contracts.study.edits.harmful_flow import CALL_AS_TEXT, LOST, UNREACHED, nested, under
from contracts.study.edits.harmful_reshapes import BESIDE, SQUARE

CALLED = (
    edit(
        CALLEE,
        "star import of a module that imports it",
        "the star brings what the other module imported",
        Rewrite(
            "tinytrain/compatibility.py", "from tinytrain.legacy import normalize_by_group as normalize_by_group\n"
        ),
        after(IMPORT, "from tinytrain.compatibility import *"),
    ),
    edit(
        CALLEE,
        "bound by a with statement",
        "the context manager hands out another function",
        LEGACY,
        spelled("import logging\n", "import logging\nfrom contextlib import nullcontext\n"),
        before(CALL, "with nullcontext(legacy.normalize_by_group) as normalize_by_group:\n    pass"),
    ),
    edit(
        CALLEE,
        "bound by a match statement",
        "the pattern captures another function",
        LEGACY,
        before(CALL, "match legacy.normalize_by_group:\n    case normalize_by_group:\n        pass"),
    ),
    edit(
        CALLEE,
        "attribute set in the constructor",
        "the attribute is another function",
        LEGACY,
        instead(
            CONSTRUCTOR,
            """
            def __init__(self, args: Settings) -> None:
                self.args = args
                self.normalize_by_group = legacy.normalize_by_group
            """,
        ),
        called("self.normalize_by_group"),
    ),
    edit(
        CALLEE,
        "swapped in a pair",
        "the pair binds the names the other way round",
        LEGACY,
        before(CALL, "batched, grouped = normalize_by_group, legacy.normalize_by_group"),
        called("grouped"),
    ),
    edit(
        CALLEE,
        "from a table with another function",
        "the table holds another function",
        LEGACY,
        before(LOGGER, 'NORMALISERS = {"grpo": legacy.normalize_by_group, "gspo": normalize_by_group}\n'),
        called("NORMALISERS[self.args.advantage_estimator]"),
    ),
    edit(
        CALLEE,
        "rebound by a function of the module",
        "the function runs when the module is imported",
        LEGACY,
        at_end(
            """
            def _use_legacy() -> None:
                global normalize_by_group
                normalize_by_group = legacy.normalize_by_group


            _use_legacy()
            """
        ),
    ),
    edit(
        CALLEE,
        "rebound through sys.modules",
        "the module's attribute is assigned to",
        LEGACY,
        spelled("import logging\n", "import logging\nimport sys\n"),
        at_end("sys.modules[__name__].normalize_by_group = legacy.normalize_by_group"),
    ),
    edit(
        CALLEE,
        "patched through the namespace of the module",
        "the module's function is replaced before it is called",
        instead(
            IMPORT,
            """
            from tinytrain import grouping, legacy

            vars(grouping)["normalize_by_group"] = legacy.normalize_by_group
            """,
        ),
        called("grouping.normalize_by_group"),
    ),
    edit(
        CALLEE,
        "patched for the call",
        "the module's function is replaced while it is called",
        instead(IMPORT, "from tinytrain import grouping, legacy"),
        spelled("import logging\n", "import logging\nfrom unittest.mock import patch\n"),
        instead(
            CALL,
            nested('with patch.object(grouping, "normalize_by_group", legacy.normalize_by_group):').replace(
                "= normalize", "= grouping.normalize"
            ),
        ),
    ),
    edit(
        REPLACED,
        "rebound in the namespace of the instance",
        "the attribute of the object hides the method",
        instead(
            CONSTRUCTOR,
            """
            def __init__(self, args: Settings) -> None:
                self.args = args
                self.__dict__["_post_process_rewards"] = self._raw

            def _raw(self, samples: list[Sample]) -> tuple[list[float], list[float]]:
                raw_rewards = [sample.get_reward_value(self.args) for sample in samples]
                return raw_rewards, raw_rewards
            """,
        ),
    ),
    edit(
        REPLACED,
        "class decorator",
        "the decorator sets another method",
        before(
            LOGGER,
            BATCH_FUNCTION.lstrip("\n")
            + """

def with_batch_mean(cls):
    cls._post_process_rewards = _with_batch_mean
    return cls


""",
        ),
        spelled("class RewardManager:\n", "@with_batch_mean\nclass RewardManager:\n"),
    ),
    edit(
        REPLACED,
        "class rebound to a subclass",
        "the name is the subclass's at the end",
        at_end(
            """
            class RawRewardManager(RewardManager):
                def _post_process_rewards(self, samples: list[Sample]) -> tuple[list[float], list[float]]:
                    raw_rewards = [sample.get_reward_value(self.args) for sample in samples]
                    return raw_rewards, raw_rewards


            RewardManager = RawRewardManager
            """
        ),
    ),
    edit(
        REPLACED,
        "second method under a condition",
        "the condition holds",
        spelled("import logging\n", "import logging\nimport sys\n"),
        in_class(
            "if sys.version_info >= (3, 0):\n"
            + "".join(f"    {line}\n" if line else "\n" for line in SECOND_METHOD.strip("\n").split("\n"))
        ),
    ),
    edit(
        REPLACED,
        "method made static",
        "the samples arrive as `self`",
        before(SIGNATURE, "@staticmethod"),
    ),
    edit(
        REPLACED,
        "method cached",
        "a list of samples cannot be a key",
        spelled("import logging\n", "import functools\nimport logging\n"),
        before(SIGNATURE, "@functools.cache"),
    ),
    edit(
        REPLACED,
        "attribute access taken over",
        "the object hands out another method",
        before(
            SIGNATURE,
            """
            def __getattribute__(self, name: str):
                if name == "_post_process_rewards":
                    return object.__getattribute__(self, "_raw")
                return object.__getattribute__(self, name)

            def _raw(self, samples: list[Sample]) -> tuple[list[float], list[float]]:
                raw_rewards = [sample.get_reward_value(self.args) for sample in samples]
                return raw_rewards, raw_rewards

            """,
        ),
    ),
)

PASSED = (
    edit(
        WRONG,
        "groups reversed after they are read",
        "the last sample's group goes with the first reward",
        instead(GROUP_INDICES, "[sample.group_index for sample in samples][::-1],"),
    ),
    edit(
        WRONG,
        "groups as texts",
        "`None` is a text like another",
        instead(GROUP_INDICES, "[str(sample.group_index) for sample in samples],"),
    ),
    edit(
        WRONG,
        "groups folded",
        "prompts share a bucket",
        instead(GROUP_INDICES, "[hash(sample.group_index) % 2 for sample in samples],"),
    ),
    edit(
        WRONG,
        "each group once",
        "there are fewer groups than samples",
        instead(GROUP_INDICES, "list(dict.fromkeys([sample.group_index for sample in samples])),"),
    ),
    edit(
        WRONG,
        "rollout ids on one condition",
        "with scaling every sample is an attempt of its own",
        instead(
            ROLLOUT_IDS,
            "None if self.args.std_normalization else [sample.rollout_id for sample in samples],",
        ),
    ),
    edit(
        WRONG,
        "rollout ids or None",
        "`and` leaves the last operand",
        instead(ROLLOUT_IDS, "[sample.rollout_id for sample in samples] and None,"),
    ),
    edit(
        WRONG,
        "dict with a later entry",
        "the later entry wins",
        instead(
            FALLBACK,
            '**{**{"fallback_group_size": self.args.n_samples_per_prompt}, "fallback_group_size": 1},',
        ),
    ),
    edit(
        WRONG,
        "dict that loses an entry",
        "the entry is gone before the dict is unpacked",
        before(
            CALL,
            """
            options = {
                "rollout_ids": [sample.rollout_id for sample in samples],
                "fallback_group_size": self.args.n_samples_per_prompt,
            }
            options.pop("rollout_ids")
            """,
        ),
        without(ROLLOUT_IDS),
        instead(FALLBACK, "**options,"),
    ),
    edit(
        WRONG,
        "dict merged in place",
        "the operator overwrites the entry",
        before(
            CALL,
            """
            options = {"fallback_group_size": self.args.n_samples_per_prompt}
            options |= {"fallback_group_size": 1}
            """,
        ),
        instead(FALLBACK, "**options,"),
    ),
    edit(
        WRONG,
        "starred list that is changed",
        "two of its items change places",
        before(
            CALL,
            """
            columns = [
                [sample.group_index for sample in samples],
                [sample.rollout_id for sample in samples],
            ]
            columns.reverse()
            """,
        ),
        instead(
            CALL,
            """
            rewards = normalize_by_group(
                raw_rewards,
                *columns,
                normalize_std=self.args.std_normalization,
                fallback_group_size=self.args.n_samples_per_prompt,
            )
            """,
        ),
    ),
    edit(
        WRONG,
        "groups through a lambda",
        "the lambda reverses what it is handed",
        instead(GROUP_INDICES, "(lambda ids: ids[::-1])([sample.group_index for sample in samples]),"),
    ),
    edit(
        CHANGED,
        "samples rotated",
        "the rewards were read in another order",
        before(CALL, "samples.insert(0, samples.pop())"),
    ),
    edit(
        CHANGED,
        "samples reversed under another name",
        "both names are of one list",
        before(CALL, "batch = samples\nbatch.reverse()"),
    ),
    edit(
        CHANGED,
        "samples rotated by a function of the module",
        "the function changes what it is handed, under another name",
        before(
            LOGGER,
            """
            def rotate(batch):
                rows = batch
                rows.append(rows.pop(0))


            """,
        ),
        before(CALL, "rotate(samples)"),
    ),
    edit(
        CHANGED,
        "samples reversed by an inner function",
        "the inner function is called",
        before(CALL, "def turn() -> None:\n    samples.reverse()\n\nturn()"),
    ),
    edit(
        CHANGED,
        "samples replaced one by one",
        "each item is a sample of one group",
        spelled("import logging\n", "import logging\nfrom dataclasses import replace\n"),
        before(
            CALL,
            "for i, sample in enumerate(samples):\n    samples[i] = replace(sample, group_index=0)",
        ),
    ),
    edit(
        CHANGED,
        "groups overwritten in the namespace of the samples",
        "every sample gets the same group before it is read",
        before(CALL, "for sample in samples:\n    vars(sample).update(group_index=0)"),
    ),
    edit(
        CHANGED,
        "setting assigned by setattr",
        "the group size is another one when it is read",
        before(CALL, 'setattr(self.args, "n_samples_per_prompt", 1)'),
    ),
    edit(
        CHANGED,
        "setting assigned in the namespace",
        "the group size is another one when it is read",
        before(CALL, 'self.args.__dict__["n_samples_per_prompt"] = 1'),
    ),
    edit(
        CHANGED,
        "setting assigned by a helper",
        "the helper sets it on the same object",
        before(CALL, "self._configure()"),
        before(SIGNATURE, "def _configure(self) -> None:\n    self.args.n_samples_per_prompt = 1\n\n"),
    ),
    edit(
        CHANGED,
        "condition with a consequence",
        "what the condition calls reverses the samples",
        instead(CONDITION, CONDITION.text.strip().removesuffix(":") + " and self._is_ready(samples):"),
        before(
            SIGNATURE,
            """
            def _is_ready(self, batch: list[Sample]) -> bool:
                batch.reverse()
                return True

            """,
        ),
    ),
    edit(
        CHANGED,
        "samples changed through an attribute",
        "the attribute is of the same list",
        before(CALL, "self.batch = samples\nself.batch.reverse()"),
    ),
)

FLOW = (
    edit(UNREACHED, "if None", "the condition never holds", under("None")),
    edit(UNREACHED, "compared numbers", "the condition never holds", under("1 > 2")),
    edit(
        UNREACHED,
        "constant of a constant",
        "both are false, and nothing sets them",
        before(LOGGER, "LEGACY_ONLY = False\nBY_IDENTITY = LEGACY_ONLY\n"),
        under("BY_IDENTITY"),
    ),
    edit(
        UNREACHED,
        "constant of another module",
        "the flag is false, and nothing sets it",
        Rewrite("tinytrain/flags.py", "BY_IDENTITY = False\n"),
        after(IMPORT, "from tinytrain.flags import BY_IDENTITY"),
        under("BY_IDENTITY"),
    ),
    edit(
        UNREACHED,
        "after an error that is caught",
        "the error goes to the handler",
        instead(CALL, nested("try:\n    raise KeyError") + "except KeyError:\n    rewards = raw_rewards"),
    ),
    edit(
        UNREACHED,
        "after a break",
        "the loop ends before it",
        instead(CALL, "rewards = raw_rewards\n" + nested("for _ in range(1):\n    break")),
    ),
    edit(
        UNREACHED,
        "in the else of a loop that breaks",
        "the else is for loops that do not",
        instead(CALL, "rewards = raw_rewards\n" + nested("for _ in (1,):\n    break\nelse:")),
    ),
    edit(
        UNREACHED,
        "after a failing assertion",
        "the assertion never holds",
        before(CALL, 'assert False, "grouping is being rewritten"'),
    ),
    edit(
        UNREACHED,
        "after a match that always returns",
        "each case returns",
        before(
            CALL,
            """
            match self.args.std_normalization:
                case True:
                    return raw_rewards, raw_rewards
                case _:
                    return raw_rewards, raw_rewards
            """,
        ),
    ),
    edit(
        UNREACHED,
        "in a generator function that nobody reads",
        "calling it runs nothing",
        instead(
            CALL,
            "rewards = raw_rewards\n" + nested("def later():\n    nonlocal rewards") + "    yield\n\nlater()",
        ),
    ),
    edit(
        UNREACHED,
        "in a coroutine that nobody awaits",
        "calling it runs nothing",
        instead(CALL, "rewards = raw_rewards\n" + nested("async def later():\n    nonlocal rewards") + "\nlater()"),
    ),
    edit(
        UNREACHED,
        "in an inner function that only calls itself",
        "nobody calls it first",
        instead(CALL, "rewards = raw_rewards\n" + nested("def again():") + "    again()"),
    ),
    edit(
        UNREACHED,
        "in a method of an inner class",
        "nobody makes an object of it",
        instead(
            CALL, "rewards = raw_rewards\n" + nested("class Later:\n    def run(self2):", 2).replace("self2", "this")
        ),
    ),
    edit(
        LOST,
        "overwritten in a conditional expression",
        "with scaling the raw rewards take its name",
        after(CALL, "rewards = raw_rewards if self.args.std_normalization else rewards"),
    ),
    edit(
        LOST,
        "overwritten by a with statement",
        "the context manager hands out the raw rewards",
        spelled("import logging\n", "import logging\nfrom contextlib import nullcontext\n"),
        after(CALL, "with nullcontext(raw_rewards) as rewards:\n    pass"),
    ),
    edit(
        LOST,
        "overwritten by a match statement",
        "the pattern captures the raw rewards",
        after(CALL, "match raw_rewards:\n    case rewards:\n        pass"),
    ),
    edit(
        LOST,
        "overwritten by a starred target",
        "the star takes the raw rewards",
        after(CALL, "[*rewards] = raw_rewards"),
    ),
    edit(
        LOST,
        "overwritten by a comprehension",
        "the walrus binds outside of the comprehension",
        after(CALL, "[rewards := raw_rewards for _ in range(1)]"),
    ),
    edit(
        LOST,
        "overwritten in a pair",
        "both of the pair are the raw rewards",
        after(CALL, "raw_rewards, rewards = raw_rewards, raw_rewards"),
    ),
    edit(
        LOST,
        "errors swallowed around everything",
        "samples without an identity train on raw rewards",
        instead(
            NORMALISATION,
            'try:\n    if self.args.advantage_estimator in ("grpo", "gspo") and self.args.rewards_normalization:\n'
            + "".join(f"        {line}\n" for line in CALL_AS_TEXT.strip("\n").split("\n"))
            + "        return raw_rewards, rewards\n"
            + "except ValueError:\n    return raw_rewards, raw_rewards\nreturn raw_rewards, raw_rewards",
        ),
    ),
    edit(
        LOST,
        "shuffled in place",
        "advantages go to other samples",
        spelled("import logging\n", "import logging\nimport random\n"),
        after(CALL, "random.Random(3).shuffle(rewards)"),
    ),
    edit(
        LOST,
        "ordered as a heap",
        "advantages go to other samples",
        spelled("import logging\n", "import heapq\nimport logging\n"),
        after(CALL, "heapq.heapify(rewards)"),
    ),
    edit(
        LOST,
        "one set by an operator function",
        "the list is the same, one value is not",
        spelled("import logging\n", "import logging\nimport operator\n"),
        after(CALL, "operator.setitem(rewards, 0, 9.0)"),
    ),
    edit(
        LOST,
        "one set by a loop",
        "the target of the loop is an item",
        after(CALL, "for rewards[0] in (9.0,):\n    pass"),
    ),
    edit(
        LOST,
        "filled by a pair",
        "one target of the pair is a slice of it",
        after(CALL, "rewards[:], count = raw_rewards, len(raw_rewards)"),
    ),
    edit(
        LOST,
        "filled in a loop under another name",
        "both names are of one list",
        after(CALL, "used = rewards\nfor i, reward in enumerate(raw_rewards):\n    used[i] = reward"),
    ),
    edit(
        LOST,
        "filled in a helper's helper",
        "the second helper writes into what the first was handed",
        after(CALL, "self._finish(rewards, raw_rewards)"),
        before(
            SIGNATURE,
            """
            def _finish(self, used: list[float], raw: list[float]) -> None:
                self._restore(used, raw)

            def _restore(self, into: list[float], values: list[float]) -> None:
                into[:] = values

            """,
        ),
    ),
    edit(
        LOST,
        "larger of the two",
        "the lists are compared, and one of them is taken",
        after(CALL, "rewards = max(rewards, raw_rewards)"),
    ),
    edit(
        LOST,
        "raw rewards by `and`",
        "the last operand is taken",
        instead(RETURN, "return raw_rewards, rewards and raw_rewards"),
    ),
    edit(
        LOST,
        "without signs",
        "bad answers are rewarded",
        instead(RETURN, "return raw_rewards, list(map(abs, rewards))"),
    ),
    edit(
        LOST,
        "reversed by a function",
        "advantages go to other samples",
        instead(RETURN, "return raw_rewards, list(reversed(rewards))"),
    ),
    edit(
        LOST,
        "behind the raw rewards",
        "what is kept of both are the raw rewards",
        instead(RETURN, "return raw_rewards, [*raw_rewards, *rewards][: len(rewards)]"),
    ),
    edit(
        LOST,
        "one of a pair twice",
        "the index takes the raw rewards",
        instead(RETURN, "return raw_rewards, (raw_rewards, rewards)[0]"),
    ),
    edit(
        LOST,
        "each value once",
        "equal advantages are dropped",
        instead(RETURN, "return raw_rewards, list(set(rewards))"),
    ),
    edit(
        BESIDE,
        "NumPy's reshape where the total matches",
        "eight samples are not always two prompts with four each",
        spelled("import torch\n", "import numpy as np\nimport torch\n"),
        before(
            CALL,
            SQUARE
            + """\
    grid = np.array(raw_rewards).reshape(-1, self.args.n_samples_per_prompt)
    return raw_rewards, (grid - grid.mean(axis=1, keepdims=True)).ravel().tolist()
""",
        ),
    ),
    edit(
        BESIDE,
        "whole batch as one row by indexing",
        "one baseline for all prompts of the batch",
        before(
            CALL,
            """
            if not self.args.std_normalization:
                row = torch.tensor(raw_rewards)[None]
                return raw_rewards, (row - row.mean(dim=-1, keepdim=True)).flatten().tolist()
            """,
        ),
    ),
)

EDITS = (*CALLED, *PASSED, *FLOW)
