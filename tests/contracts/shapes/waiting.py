"""An asynchronous method that awaits an asynchronous callee."""

from __future__ import annotations

from contracts.shapes.layout import ADVANTAGES
from contracts.shapes.shape import Shape, harmful, harmless

from grpo_lint.contracts import CallSite, Result

GROUPING = (
    ADVANTAGES.replace("def group_advantages(*, rewards", "def _group(rewards")
    + '\n\nasync def normalize(scores, uids, *, scale):\n    """Scores less the mean of their prompt."""\n'
    "    return _group(scores, uids, scale)\n"
)
TRAINER = """\
import asyncio
import logging

from lab.grouping import normalize

logger = logging.getLogger(__name__)


class Trainer:
    def __init__(self, settings):
        self.settings = settings
        self.lock = asyncio.Lock()

    async def score(self, samples):
        await asyncio.sleep(0)
        return [sample["reward"] for sample in samples]

    async def lengths(self, samples):
        return [len(sample) for sample in samples]

    async def prepare(self, samples):
        scores = await self.score(samples)
        advantages = await normalize(scores, [sample["uid"] for sample in samples], scale=self.settings["scale"])
        return advantages
"""
DRIVE = """\
import asyncio

from lab.trainer import Trainer

SIZES = [[], [(0.5, 1), (0.25, 2), (1.0, 1), (0.125, 2), (0.75, 3)], [(2.0, 7), (1.0, 7), (4.0, 8)], [(1.0, None)]]


async def run(rows, scale):
    return list(await Trainer({"scale": scale}).prepare([{"reward": reward, "uid": uid} for reward, uid in rows]))


def outcomes():
    for rows in SIZES:
        for scale in (True, False):
            try:
                yield asyncio.run(run(rows, scale))
            except Exception as error:
                yield type(error).__name__
"""
SITE = CallSite(
    "lab/trainer.py",
    "Trainer.prepare",
    "lab.grouping.normalize",
    (("uids", '[sample["uid"] for sample in samples]'), ("scale", 'self.settings["scale"]')),
    Result.RETURNED,
)
WAITING = Shape(
    "async",
    {
        "pyproject.toml": "[project]\nname = 'lab'\n",
        "drive.py": DRIVE,
        "lab/__init__.py": "",
        "lab/grouping.py": GROUPING,
        SITE.file: TRAINER,
    },
    SITE,
)
CALL = 'normalize(scores, [sample["uid"] for sample in samples], scale=self.settings["scale"])'
LINE = f"        advantages = await {CALL}\n"
RETURN = "        return advantages\n"


def called(text: str) -> tuple[str, str]:
    return LINE, "".join(f"        {line}\n" for line in text.replace("CALL", CALL).splitlines())


def after(text: str) -> tuple[str, str]:
    return RETURN, "".join(f"        {line}\n" for line in text.splitlines()) + RETURN


def before(text: str) -> tuple[str, str]:
    return LINE, "".join(f"        {line}\n" for line in text.splitlines()) + LINE


EDITS = (
    harmless(WAITING, "under a lock", called("async with self.lock:\n    advantages = await CALL")),
    harmless(WAITING, "as a task", called("task = asyncio.create_task(CALL)\nadvantages = await task")),
    harmless(WAITING, "the coroutine in a name", called("found = CALL\nadvantages = await found")),
    harmless(WAITING, "within a time", called("advantages = await asyncio.wait_for(CALL, 10)")),
    harmless(
        WAITING,
        "with another coroutine",
        called("advantages, lengths = await asyncio.gather(CALL, self.lengths(samples))\nlogger.debug(lengths)"),
    ),
    harmless(WAITING, "alone in a gather", called("(advantages,) = await asyncio.gather(CALL)")),
    harmless(WAITING, "shielded", called("advantages = await asyncio.shield(CALL)")),
    harmless(
        WAITING,
        "in a helper that awaits",
        called("advantages = await self._normalized(scores, samples)"),
        (
            "    async def lengths",
            f"    async def _normalized(self, scores, samples):\n        return await {CALL}\n\n    async def lengths",
        ),
    ),
    harmless(
        WAITING,
        "in a helper that hands the coroutine out",
        called("advantages = await self._normalized(scores, samples)"),
        (
            "    async def lengths",
            f"    def _normalized(self, scores, samples):\n        return {CALL}\n\n    async def lengths",
        ),
    ),
    harmless(
        WAITING,
        "ids by an asynchronous comprehension elsewhere",
        before("seen = [length async for length in _each(samples)]\nlogger.debug(seen)"),
        (
            "class Trainer",
            "async def _each(samples):\n    for sample in samples:\n        yield sample['uid']\n\n\nclass Trainer",
        ),
    ),
    harmless(
        WAITING,
        "quotes of the keys",
        called("advantages = await normalize(scores, [each['uid'] for each in samples], scale=self.settings['scale'])"),
    ),
    harmful(WAITING, "not awaited", called("advantages = CALL")),
    harmful(WAITING, "a task that nobody awaits", called("asyncio.create_task(CALL)\nadvantages = scores")),
    harmful(
        WAITING,
        "the other one of a gather",
        called("lengths, advantages = await asyncio.gather(CALL, self.lengths(samples))\nlogger.debug(lengths)"),
    ),
    harmful(
        WAITING,
        "errors as results of a gather",
        called(
            "(advantages,) = await asyncio.gather(CALL, return_exceptions=True)\n"
            "if isinstance(advantages, Exception):\n    advantages = scores"
        ),
    ),
    harmful(
        WAITING,
        "errors caught where it is awaited",
        called("found = CALL\ntry:\n    advantages = await found\nexcept ValueError:\n    advantages = scores"),
    ),
    harmful(
        WAITING,
        "errors caught where the task is awaited",
        called(
            "task = asyncio.create_task(CALL)\ntry:\n    advantages = await task\n"
            "except Exception:\n    advantages = scores"
        ),
    ),
    harmful(
        WAITING,
        "overwritten by an asynchronous loop",
        after("async for advantages in _each(scores):\n    pass"),
        ("class Trainer", "async def _each(scores):\n    yield scores\n\n\nclass Trainer"),
    ),
    harmful(
        WAITING,
        "overwritten by an asynchronous context manager",
        after("async with _held(scores) as advantages:\n    pass"),
        ("class Trainer", "@asynccontextmanager\nasync def _held(scores):\n    yield scores\n\n\nclass Trainer"),
        ("import logging\n", "import logging\nfrom contextlib import asynccontextmanager\n"),
    ),
    harmful(
        WAITING,
        "samples reversed while scores are awaited",
        before("await self._prepare(samples)"),
        (
            "    async def lengths",
            "    async def _prepare(self, batch):\n        batch.reverse()\n\n    async def lengths",
        ),
    ),
    harmful(WAITING, "ids overwritten by their key", before("for sample in samples:\n    sample['uid'] = 0")),
    harmful(WAITING, "ids updated", before("for sample in samples:\n    sample.update(uid=0)")),
    harmful(WAITING, "a setting by its key", before("self.settings['scale'] = True")),
    harmful(WAITING, "settings replaced", before("self.settings = {'scale': True}")),
    harmful(WAITING, "settings updated", before("self.settings.update(scale=True)")),
    harmful(
        WAITING,
        "helper that is not awaited",
        called("self._normalized(scores, samples)\nadvantages = scores"),
        (
            "    async def lengths",
            f"    async def _normalized(self, scores, samples):\n        return await {CALL}\n\n    async def lengths",
        ),
    ),
)
