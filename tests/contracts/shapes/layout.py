"""A module-level function in a `src` layout with relative imports, whose callee takes keywords only."""

from __future__ import annotations

from contracts.shapes.shape import Shape, harmful, harmless, missed, refused

from grpo_lint.contracts import CallSite, Result

ADVANTAGES = '''\
def group_advantages(*, rewards, prompt_ids, scale=True):
    """Rewards less the mean of their prompt."""
    if len(rewards) != len(prompt_ids):
        raise ValueError("lengths")
    groups = {}
    for reward, prompt in zip(rewards, prompt_ids):
        if prompt is None:
            raise ValueError("no prompt")
        groups.setdefault(prompt, []).append(reward)
    means = {prompt: sum(group) / len(group) for prompt, group in groups.items()}
    factor = 2.0 if scale else 1.0
    return [factor * (reward - means[prompt]) for reward, prompt in zip(rewards, prompt_ids)]
'''
LEGACY = '''\
def group_advantages(*, rewards, prompt_ids, scale=True):
    """Rewards less the mean of all."""
    mean = sum(rewards) / len(rewards)
    return [reward - mean for reward in rewards]
'''
STEP = '''\
"""One step of training."""

import logging

from ..core.advantages import group_advantages

logger = logging.getLogger(__name__)


def build_batch(config, rollouts):
    """The columns of a batch."""
    rewards = [rollout.reward for rollout in rollouts]
    advantages = group_advantages(
        rewards=rewards,
        prompt_ids=[rollout.prompt_id for rollout in rollouts],
        scale=config.scale,
    )
    return {"tokens": [rollout.tokens for rollout in rollouts], "advantages": advantages}
'''
DRIVE = """\
from types import SimpleNamespace as N

from lab.train import step

SIZES = [[], [(0.5, 1), (0.25, 2), (1.0, 1), (0.125, 2), (0.75, 3)], [(2.0, 7), (1.0, 7), (4.0, 8)], [(1.0, None)]]


def outcomes():
    for rows in SIZES:
        for scale in (True, False):
            rollouts = [N(reward=reward, prompt_id=prompt, tokens=i) for i, (reward, prompt) in enumerate(rows)]
            try:
                batch = step.build_batch(N(scale=scale, size=2, estimator="grpo"), rollouts)
                yield list(batch["tokens"]), list(batch["advantages"])
            except Exception as error:
                yield type(error).__name__
"""
SITE = CallSite(
    "src/lab/train/step.py",
    "build_batch",
    "lab.core.advantages.group_advantages",
    (("prompt_ids", "[rollout.prompt_id for rollout in rollouts]"),),
    Result.RETURNED,
)
FILES = {
    "pyproject.toml": "[project]\nname = 'lab'\n",
    "src/drive.py": DRIVE,
    "src/lab/__init__.py": "",
    "src/lab/core/__init__.py": "from .advantages import group_advantages\n",
    "src/lab/core/advantages.py": ADVANTAGES,
    "src/lab/core/legacy.py": LEGACY,
    "src/lab/train/__init__.py": "",
    SITE.file: STEP,
}
LAYOUT = Shape("src layout", FILES, SITE, "src")

IMPORT = "from ..core.advantages import group_advantages\n"
CALL = STEP[STEP.index("    advantages = group") : STEP.index("    return {")]
IDS = "[rollout.prompt_id for rollout in rollouts]"
RETURN = STEP[STEP.index("    return {") :]
REWARDS = "    rewards = [rollout.reward for rollout in rollouts]\n"
TOKENS = "[rollout.tokens for rollout in rollouts]"
VALUE = CALL.strip().removeprefix("advantages = ").replace("\n    ", "\n")
ONE_LINE = (
    "group_advantages(rewards=rewards, prompt_ids=[rollout.prompt_id for rollout in rollouts], scale=config.scale)"
)


def returned(text: str) -> tuple[str, str]:
    """Other lines in place of the `return`."""
    return RETURN, "".join(f"    {line}\n" for line in text.replace("TOKENS", TOKENS).splitlines())


def first(text: str) -> tuple[str, str]:
    """Lines between the rewards and the call."""
    return REWARDS, REWARDS + "".join(f"    {line}\n" for line in text.splitlines())


def called(text: str) -> tuple[str, str]:
    """Lines in place of the call; CALL stands for the value."""
    return CALL, "".join(f"    {line}\n" for line in text.replace("CALL", ONE_LINE).splitlines())


EDITS = (
    harmless(LAYOUT, "absolute import", (IMPORT, "from lab.core.advantages import group_advantages\n")),
    harmless(LAYOUT, "import through the package", (IMPORT, "from ..core import group_advantages\n")),
    harmless(
        LAYOUT,
        "import of the package from above",
        (IMPORT, "from .. import core\n"),
        ("= group_advantages(", "= core.group_advantages("),
    ),
    harmless(
        LAYOUT,
        "import under an alias of the package",
        (IMPORT, "import lab.core as c\n"),
        ("= group_advantages(", "= c.advantages.group_advantages("),
    ),
    harmless(
        LAYOUT,
        "batch filled key by key",
        returned('batch = {}\nbatch["tokens"] = TOKENS\nbatch["advantages"] = advantages\nreturn batch'),
    ),
    harmless(LAYOUT, "batch by dict()", returned("batch = dict(tokens=TOKENS, advantages=advantages)\nreturn batch")),
    harmless(
        LAYOUT,
        "batch updated by keyword",
        returned('batch = {"tokens": TOKENS}\nbatch.update(advantages=advantages)\nreturn batch'),
    ),
    harmless(
        LAYOUT,
        "batch updated by a dict",
        returned('batch = {"tokens": TOKENS}\nbatch.update({"advantages": advantages})\nreturn batch'),
    ),
    harmless(
        LAYOUT,
        "batch merged in place",
        returned('batch = {"tokens": TOKENS}\nbatch |= {"advantages": advantages}\nreturn batch'),
    ),
    harmless(LAYOUT, "batch merged", returned('batch = {"tokens": TOKENS}\nreturn batch | {"advantages": advantages}')),
    harmless(
        LAYOUT,
        "batch unpacked",
        returned('batch = {"tokens": TOKENS}\nreturn {**batch, "advantages": advantages}'),
    ),
    harmless(
        LAYOUT,
        "batch copied by dict() with a keyword",
        returned('batch = {"tokens": TOKENS}\nreturn dict(batch, advantages=advantages)'),
    ),
    harmless(
        LAYOUT,
        "rewards as the default of a key",
        returned('batch = {"tokens": TOKENS, "advantages": rewards}\nbatch["advantages"] = advantages\nreturn batch'),
    ),
    harmless(
        LAYOUT,
        "assigned to a name and a key at once",
        called('batch = {"tokens": [rollout.tokens for rollout in rollouts]}\nadvantages = batch["advantages"] = CALL'),
        returned('logger.debug("%s", advantages)\nreturn batch'),
    ),
    harmless(
        LAYOUT,
        "walrus in the display",
        called('batch = {"tokens": [rollout.tokens for rollout in rollouts], "advantages": (found := CALL)}'),
        returned('logger.debug("%s", found)\nreturn batch'),
    ),
    harmless(
        LAYOUT,
        "columns by a comprehension",
        returned(
            'columns = {"tokens": TOKENS, "advantages": advantages}\n'
            "return {key: column for key, column in columns.items()}"
        ),
    ),
    refused(
        LAYOUT,
        "helper that takes the columns by name",
        (
            "def build_batch",
            "def _advantages(config, **columns):\n"
            "    return group_advantages(scale=config.scale, **columns)\n\n\ndef build_batch",
        ),
        called(
            "advantages = _advantages(config, rewards=rewards, prompt_ids=[rollout.prompt_id for rollout in rollouts])"
        ),
    ),
    harmless(
        LAYOUT,
        "helpers five deep",
        (
            "def build_batch",
            "def _a(*x):\n    return _b(*x)\n\n\ndef build_batch".replace("*x", "config, rewards, rollouts"),
        ),
        called("advantages = _a(config, rewards, rollouts)"),
        (
            RETURN,
            RETURN
            + "".join(
                f"\n\ndef _{name}(config, rewards, rollouts):\n    return _{inner}(config, rewards, rollouts)\n"
                for name, inner in zip("bcde", "cdef", strict=False)
            )
            + f"\n\ndef _f(config, rewards, rollouts):\n    return {ONE_LINE}\n",
        ),
    ),
    harmless(
        LAYOUT,
        "decorator of the module that passes the result on",
        (
            "def build_batch",
            "def timed(function):\n    @functools.wraps(function)\n"
            "    def inner(*args, **kwargs):\n        result = function(*args, **kwargs)\n"
            "        logger.debug('done')\n        return result\n\n    return inner\n\n\n@timed\ndef build_batch",
        ),
        ("import logging\n", "import functools\nimport logging\n"),
    ),
    harmless(
        LAYOUT,
        "decorator that passes the result on through try and finally",
        (
            "def build_batch",
            "def timed(function):\n    def inner(*args, **kwargs):\n"
            "        try:\n            return function(*args, **kwargs)\n"
            "        finally:\n            logger.debug('done')\n\n    return inner\n\n\n@timed\ndef build_batch",
        ),
    ),
    harmless(
        LAYOUT,
        "decorator with arguments that passes the result on",
        (
            "def build_batch",
            "def timed(what):\n    def decorate(function):\n"
            "        def inner(*args, **kwargs):\n            logger.debug(what)\n"
            "            return function(*args, **kwargs)\n\n        return inner\n"
            "\n    return decorate\n\n\n@timed('batch')\ndef build_batch",
        ),
    ),
    harmless(LAYOUT, "count of the module", first("global calls\ncalls += 1"), ("logger = ", "calls = 0\nlogger = ")),
    harmless(
        LAYOUT,
        "settings by a pattern",
        called(
            "match config:\n    case object(scale=scale):\n        pass\n"
            "advantages = group_advantages(rewards=rewards, prompt_ids=[r.prompt_id for r in rollouts], scale=scale)"
        ),
    ),
    harmless(
        LAYOUT,
        "result told in an f-string",
        returned('logger.debug(f"{advantages!r} {sum(advantages):.3f}")\n' + RETURN.strip()),
    ),
    harmless(
        LAYOUT,
        "written to the rollouts afterwards",
        returned(
            "for rollout, advantage in zip(rollouts, advantages):\n    rollout.advantage = advantage\n" + RETURN.strip()
        ),
    ),
    harmless(
        LAYOUT,
        "shuffled copy for a log",
        ("import logging\n", "import logging\nimport random\n"),
        first("shuffled = list(rollouts)\nrandom.Random(0).shuffle(shuffled)\nlogger.debug('%s', shuffled[:2])"),
    ),
    harmless(
        LAYOUT,
        "result in an exit stack",
        ("import logging\n", "import contextlib\nimport logging\n"),
        called(
            "with contextlib.ExitStack() as stack:\n    stack.callback(logger.debug, 'done')\n    advantages = CALL"
        ),
    ),
    harmless(
        LAYOUT,
        "None before the try",
        called(
            "advantages = None\ntry:\n    advantages = CALL\nfinally:\n"
            "    if advantages is None:\n        logger.warning('failed')"
        ),
    ),
    harmless(
        LAYOUT,
        "group of errors told",
        called("try:\n    advantages = CALL\nexcept* OSError as errors:\n    raise RuntimeError('disk') from errors"),
    ),
    harmless(LAYOUT, "lambda called at once", called("advantages = (lambda: CALL)()")),
    harmless(
        LAYOUT,
        "result cast",
        ("import logging\n", "import logging\nimport typing\n"),
        called("advantages = typing.cast('list[float]', CALL)"),
    ),
    # harmful
    harmful(LAYOUT, "other column", returned('return {"tokens": TOKENS, "advantages": rewards}')),
    harmful(
        LAYOUT,
        "column overwritten",
        returned('batch = {"tokens": TOKENS, "advantages": advantages}\nbatch["advantages"] = rewards\nreturn batch'),
    ),
    harmful(
        LAYOUT,
        "column overwritten by update",
        returned(
            'batch = {"tokens": TOKENS, "advantages": advantages}\nbatch.update(advantages=rewards)\nreturn batch'
        ),
    ),
    harmful(
        LAYOUT,
        "column overwritten by a merge",
        returned(
            'batch = {"tokens": TOKENS, "advantages": advantages}\nbatch |= {"advantages": rewards}\nreturn batch'
        ),
    ),
    harmful(
        LAYOUT,
        "column overwritten by a merged copy",
        returned('batch = {"tokens": TOKENS, "advantages": advantages}\nreturn batch | {"advantages": rewards}'),
    ),
    harmful(
        LAYOUT,
        "column overwritten in the display",
        returned('return {"tokens": TOKENS, "advantages": advantages, **{"advantages": rewards}}'),
    ),
    harmful(
        LAYOUT,
        "column overwritten after unpacking",
        returned('batch = {"tokens": TOKENS, "advantages": advantages}\nreturn {**batch, "advantages": rewards}'),
    ),
    harmful(
        LAYOUT,
        "key given twice",
        returned('return {"tokens": TOKENS, "advantages": advantages, "advantages": rewards}'),
    ),
    harmful(
        LAYOUT,
        "column overwritten by dict()",
        returned('batch = {"tokens": TOKENS, "advantages": advantages}\nreturn dict(batch, advantages=rewards)'),
    ),
    harmful(
        LAYOUT,
        "column popped",
        returned(
            'batch = {"tokens": TOKENS, "advantages": advantages}\n'
            'batch.pop("advantages")\nbatch.setdefault("advantages", rewards)\nreturn batch'
        ),
    ),
    missed(
        LAYOUT,
        "column set unless it is there",
        returned(
            'batch = {"tokens": TOKENS, "advantages": rewards}\n'
            'batch.setdefault("advantages", advantages)\nreturn batch'
        ),
    ),
    missed(
        LAYOUT,
        "column overwritten by a loop",
        returned(
            'batch = {"tokens": TOKENS, "advantages": advantages}\n'
            'for key in ("advantages",):\n    batch[key] = rewards\nreturn batch'
        ),
    ),
    harmful(
        LAYOUT,
        "zipped the other way round",
        returned("advantages = [reward for reward, _ in zip(rewards, advantages)]\n" + RETURN.strip()),
    ),
    harmful(
        LAYOUT,
        "made whole numbers",
        returned("advantages = [int(advantage) for advantage in advantages]\n" + RETURN.strip()),
    ),
    harmful(LAYOUT, "sorted by list's own method", returned("list.sort(advantages)\n" + RETURN.strip())),
    missed(LAYOUT, "sorted by a method with a name", returned("order = advantages.sort\norder()\n" + RETURN.strip())),
    harmful(LAYOUT, "sorted by getattr", returned('getattr(advantages, "sort")()\n' + RETURN.strip())),
    harmful(
        LAYOUT,
        "set by its special method",
        returned("for i, reward in enumerate(rewards):\n    advantages.__setitem__(i, reward)\n" + RETURN.strip()),
    ),
    harmful(
        LAYOUT,
        "reversed under a name of a pair",
        returned("left, right = rewards, advantages\nright.reverse()\n" + RETURN.strip()),
    ),
    harmful(
        LAYOUT,
        "reversed as an item",
        returned("columns = [rewards, advantages]\ncolumns[1].reverse()\n" + RETURN.strip()),
    ),
    harmful(
        LAYOUT,
        "reversed in a loop over both",
        returned("for column in (rewards, advantages):\n    column.reverse()\n" + RETURN.strip()),
    ),
    harmful(
        LAYOUT,
        "reversed as an entry",
        returned('batch = {"tokens": TOKENS, "advantages": advantages}\nbatch["advantages"].reverse()\nreturn batch'),
    ),
    harmful(
        LAYOUT,
        "filled by a comprehension",
        returned("[advantages.__setitem__(i, 0.0) for i in range(len(advantages))]\n" + RETURN.strip()),
    ),
    harmful(
        LAYOUT,
        "popped by a comprehension",
        returned("advantages = [advantages.pop() for _ in rewards]\n" + RETURN.strip()),
    ),
    harmful(
        LAYOUT,
        "import takes the name",
        returned("from ..defaults import advantages\n" + RETURN.strip()),
        **{"src/lab/defaults.py": "advantages = [0.0] * 9\n"},
    ),
    harmful(
        LAYOUT,
        "function takes the name",
        returned('def advantages():\n    return rewards\n\nreturn {"tokens": TOKENS, "advantages": advantages()}'),
    ),
    harmful(
        LAYOUT,
        "handler of a group of errors",
        called("try:\n    advantages = CALL\nexcept* ValueError:\n    advantages = rewards"),
    ),
    harmful(
        LAYOUT,
        "other import at run time",
        (
            IMPORT,
            "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n"
            "    from ..core.advantages import group_advantages\n"
            "else:\n    from ..core.legacy import group_advantages\n",
        ),
    ),
    harmful(
        LAYOUT,
        "re-export of another",
        (IMPORT, "from ..core import group_advantages\n"),
        **{"src/lab/core/__init__.py": "from .legacy import group_advantages\n"},
    ),
    harmful(
        LAYOUT,
        "relative import one level off",
        (IMPORT, "from .advantages import group_advantages\n"),
        **{"src/lab/train/advantages.py": LEGACY},
    ),
    harmful(
        LAYOUT,
        "keywords swapped",
        (
            "rewards=rewards,\n        prompt_ids=[rollout.prompt_id for rollout in rollouts]",
            "prompt_ids=rewards,\n        rewards=[rollout.prompt_id for rollout in rollouts]",
        ),
    ),
    harmful(LAYOUT, "one id put first", (IDS, "[0] + [rollout.prompt_id for rollout in rollouts][1:]")),
    harmful(
        LAYOUT,
        "ids set by object's method",
        first('for rollout in rollouts:\n    object.__setattr__(rollout, "prompt_id", 0)'),
    ),
    harmful(
        LAYOUT,
        "ids set as a loop's target",
        first("for rollout in rollouts:\n    for rollout.prompt_id in (0,):\n        pass"),
    ),
    harmful(
        LAYOUT, "ids set in a pair", first("for rollout in rollouts:\n    rollout.prompt_id, rollout.seen = 0, True")
    ),
    harmful(LAYOUT, "ids divided in place", first("for rollout in rollouts:\n    rollout.prompt_id //= 4")),
    harmful(LAYOUT, "ids set in a comprehension", first('[setattr(rollout, "prompt_id", 0) for rollout in rollouts]')),
    harmful(LAYOUT, "ids set by index", first("for i in range(len(rollouts)):\n    rollouts[i].prompt_id = 0")),
    harmful(
        LAYOUT,
        "ids set by a helper of one rollout",
        first("for rollout in rollouts:\n    _relabel(rollout)"),
        ("def build_batch", "def _relabel(row):\n    row.prompt_id = 0\n\n\ndef build_batch"),
    ),
    missed(
        LAYOUT,
        "ids set by a mapped helper",
        first("list(map(_relabel, rollouts))"),
        ("def build_batch", "def _relabel(row):\n    row.prompt_id = 0\n\n\ndef build_batch"),
    ),
    harmful(
        LAYOUT,
        "rollouts sorted by list's own method",
        first("list.sort(rollouts, key=lambda rollout: -rollout.reward)"),
    ),
    harmful(LAYOUT, "rollouts shortened", first("del rollouts[0]\nrewards.pop()")),
    missed(
        LAYOUT,
        "rollouts sorted by a helper of another module",
        first("order(rollouts)"),
        (IMPORT, IMPORT + "from .ordering import order\n"),
        **{"src/lab/train/ordering.py": "def order(rows):\n    rows.sort(key=lambda row: -row.reward)\n"},
    ),
    missed(
        LAYOUT,
        "result filled by a helper of another module",
        returned("restore(advantages, rewards)\n" + RETURN.strip()),
        (IMPORT, IMPORT + "from .ordering import restore\n"),
        **{"src/lab/train/ordering.py": "def restore(into, values):\n    into[:] = values\n"},
    ),
    harmful(
        LAYOUT,
        "helper that always raises",
        first("_fail()"),
        ("def build_batch", "def _fail():\n    raise RuntimeError('not yet')\n\n\ndef build_batch"),
    ),
    missed(
        LAYOUT, "only as a script", called('advantages = rewards\nif __name__ == "__main__":\n    advantages = CALL')
    ),
    harmful(
        LAYOUT,
        "not in a set of constants",
        called('advantages = rewards\nif "grpo" in {"gae", "ppo"}:\n    advantages = CALL'),
    ),
    harmful(
        LAYOUT, "in an empty set", called("advantages = rewards\nif config.estimator in set():\n    advantages = CALL")
    ),
    harmful(LAYOUT, "any of nothing", called("advantages = rewards\nif any([]):\n    advantages = CALL")),
    harmful(
        LAYOUT,
        "a condition and its opposite",
        called("advantages = rewards\nif config.scale and not config.scale:\n    advantages = CALL"),
    ),
    harmful(LAYOUT, "length below zero", called("advantages = rewards\nif len(rollouts) < 0:\n    advantages = CALL")),
    harmful(
        LAYOUT,
        "decorator that puts the rewards in",
        (
            "def build_batch",
            "def raw(function):\n    def inner(config, rollouts):\n        batch = function(config, rollouts)\n"
            "        batch['advantages'] = [row.reward for row in rollouts]\n"
            "        return batch\n\n    return inner\n\n\n@raw\ndef build_batch",
        ),
    ),
    harmful(
        LAYOUT,
        "wrapped below",
        (
            RETURN,
            RETURN + "\n\ndef _raw(function):\n    return lambda config, rollouts: {'tokens': [], 'advantages': []}\n"
            "\n\nbuild_batch = _raw(build_batch)\n",
        ),
    ),
    harmful(
        LAYOUT,
        "result turned by a slice step",
        returned('return {"tokens": TOKENS, "advantages": advantages[slice(None, None, -1)]}'),
    ),
    harmful(
        LAYOUT,
        "every other value negated",
        returned("advantages[::2] = [-advantage for advantage in advantages[::2]]\n" + RETURN.strip()),
    ),
    harmful(
        LAYOUT,
        "result or rewards by a constant",
        returned('return {"tokens": TOKENS, "advantages": (rewards, advantages)[0]}'),
    ),
    missed(
        LAYOUT,
        "generator read before",
        returned("advantages = (advantage for advantage in advantages)\nnext(advantages, None)\n" + RETURN.strip()),
    ),
    harmful(LAYOUT, "function made a generator", returned("if not rollouts:\n    yield {}\n" + RETURN.strip())),
)
