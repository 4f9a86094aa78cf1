"""Calls in loops over micro-batches, and in generators of batches."""

from __future__ import annotations

from contracts.shapes.layout import ADVANTAGES, LEGACY
from contracts.shapes.shape import Shape, harmful, harmless, missed

from grpo_lint.contracts import CallSite, Result

GROUPING = ADVANTAGES.replace("*, rewards", "rewards")
STREAM = """\
import itertools
import logging

from lab.grouping import group_advantages

logger = logging.getLogger(__name__)


def listed(batches, scale):
    out = []
    for batch in batches:
        rewards = [item["reward"] for item in batch]
        found = group_advantages(rewards, [item["uid"] for item in batch], scale=scale)
        out.extend(found)
    return out


def streamed(batches, scale):
    for batch in batches:
        raw = [item["reward"] for item in batch]
        values = group_advantages(raw, [item["uid"] for item in batch], scale=scale)
        yield values
"""
DRIVE = """\
from lab.stream import listed, streamed

ROWS = [
    [],
    [[(0.5, 1), (0.25, 2), (1.0, 1)], [(0.125, 2), (0.75, 3)], [(4.0, 8), (1.0, 8)]],
    [[(2.0, 7), (1.0, 7), (4.0, 8)]],
    [[(1.0, 1), (2.0, 1)], [(3.0, None)]],
]


def outcomes():
    for rows in ROWS:
        for scale in (True, False):
            for function in (listed, streamed):
                try:
                    batches = [[{"reward": reward, "uid": uid} for reward, uid in batch] for batch in rows]
                    found = list(function(batches, scale))
                    yield [each if isinstance(each, float) else list(each) for each in found]
                except Exception as error:
                    yield type(error).__name__
"""
FILE = "lab/stream.py"
ARGUMENTS = (("prompt_ids", '[item["uid"] for item in batch]'), ("scale", "scale"))
LOOP = Shape(
    "micro-batches",
    {
        "pyproject.toml": "[project]\nname = 'lab'\n",
        "drive.py": DRIVE,
        "lab/__init__.py": "",
        "lab/grouping.py": GROUPING,
        "lab/legacy.py": LEGACY.replace("*, rewards", "rewards"),
        FILE: STREAM,
    },
    CallSite(FILE, "listed", "lab.grouping.group_advantages", ARGUMENTS, Result.RETURNED),
)
GENERATOR = LOOP.with_site(
    "generator", CallSite(FILE, "streamed", "lab.grouping.group_advantages", ARGUMENTS, Result.RETURNED)
)
LISTED = STREAM[STREAM.index("    out = []\n") : STREAM.index("\n\ndef streamed")]
STREAMED = STREAM[STREAM.index("    for batch in batches:\n        raw") :]
KEPT = "        out.extend(found)\n"
CALL = 'group_advantages([item["reward"] for item in batch], [item["uid"] for item in batch], scale=scale)'


def listed(text: str) -> tuple[str, str]:
    return LISTED, "".join(f"    {line}\n" for line in text.replace("CALL", CALL).splitlines())


def kept(text: str) -> tuple[str, str]:
    return KEPT, "".join(f"        {line}\n" for line in text.splitlines())


def streamed(text: str) -> tuple[str, str]:
    return STREAMED, "".join(f"    {line}\n" for line in text.replace("CALL", CALL).splitlines())


def yielded(text: str) -> tuple[str, str]:
    return "        yield values\n", "".join(f"        {line}\n" for line in text.splitlines())


EDITS = (
    harmless(
        LOOP,
        "numbered rounds",
        (
            "for batch in batches:\n        rewards",
            "for number, batch in enumerate(batches):\n        logger.debug(number)\n        rewards",
        ),
    ),
    harmless(
        LOOP,
        "empty batches passed over",
        (
            "for batch in batches:\n        rewards",
            "for batch in batches:\n        if not batch:\n            continue\n        rewards",
        ),
    ),
    harmless(LOOP, "added in place", kept("out += found")),
    harmless(LOOP, "appended one by one", kept("for value in found:\n    out.append(value)")),
    harmless(LOOP, "added to a copy", kept("out = out + found")),
    harmless(LOOP, "unpacked into a copy", kept("out = [*out, *found]")),
    harmless(
        LOOP,
        "chained",
        listed("parts = [CALL for batch in batches]\nreturn list(itertools.chain.from_iterable(parts))"),
    ),
    harmless(
        LOOP,
        "chained by a star",
        listed("parts = []\nfor batch in batches:\n    parts.append(CALL)\nreturn list(itertools.chain(*parts))"),
    ),
    harmless(LOOP, "nested comprehension", listed("return [value for batch in batches for value in CALL]")),
    harmless(
        LOOP,
        "flattened by a comprehension",
        listed("parts = [CALL for batch in batches]\nreturn [value for part in parts for value in part]"),
    ),
    harmless(LOOP, "summed lists", listed("return sum([CALL for batch in batches], [])")),
    harmless(
        LOOP,
        "one of a dict by number",
        listed(
            "parts = {}\nfor number, batch in enumerate(batches):\n    parts[number] = CALL\n"
            "return [value for part in parts.values() for value in part]"
        ),
    ),
    harmless(
        LOOP,
        "while loop",
        listed("out, left = [], list(batches)\nwhile left:\n    batch = left.pop(0)\n    out.extend(CALL)\nreturn out"),
    ),
    harmless(
        LOOP,
        "helper for one batch",
        listed("out = []\nfor batch in batches:\n    out.extend(_one(batch, scale))\nreturn out"),
        ("def listed(", f"def _one(batch, scale):\n    return {CALL}\n\n\ndef listed("),
    ),
    harmful(LOOP, "last round only", kept("out = found")),
    harmful(LOOP, "last round only by its name", ("    return out\n", "    return found if batches else []\n")),
    missed(LOOP, "first round only", kept("out.extend(found)\nreturn out")),
    harmful(LOOP, "rewards added", kept("out.extend(rewards)")),
    harmful(LOOP, "rewards added where scaled", kept("out.extend(rewards if scale else found)")),
    harmful(
        LOOP,
        "emptied each round",
        ("for batch in batches:\n        rewards", "for batch in batches:\n        out = []\n        rewards"),
    ),
    harmful(LOOP, "cleared each round", kept("out.clear()\nout.extend(found)")),
    harmful(LOOP, "added backwards", kept("out[:0] = found")),
    harmful(LOOP, "added backwards by insert", kept("for value in found:\n    out.insert(0, value)")),
    harmful(LOOP, "only good ones added", kept("out.extend(value for value in found if value > 0)")),
    harmful(LOOP, "sorted at the end", ("    return out\n", "    out.sort()\n    return out\n")),
    harmful(
        LOOP,
        "sorted under another name at the end",
        ("    return out\n", "    rows = out\n    rows.sort()\n    return out\n"),
    ),
    harmful(
        LOOP,
        "errors of a round passed over",
        (
            '        found = group_advantages(rewards, [item["uid"] for item in batch], scale=scale)\n'
            "        out.extend(found)\n",
            "        try:\n"
            '            out.extend(group_advantages(rewards, [item["uid"] for item in batch], scale=scale))\n'
            "        except ValueError:\n            out.extend(rewards)\n",
        ),
    ),
    harmful(
        LOOP, "batch reversed between", ("        found = group", "        batch = batch[::-1]\n        found = group")
    ),
    harmful(
        LOOP,
        "batch sorted in place between",
        ("        found = group", '        batch.sort(key=lambda item: -item["reward"])\n        found = group'),
    ),
    harmful(
        LOOP,
        "whole list for each batch",
        (
            'for batch in batches:\n        rewards = [item["reward"] for item in batch]\n',
            'for batch in batches:\n        rewards = [item["reward"] for item in batch]\n        batch = batches[0]\n',
        ),
    ),
    harmful(
        LOOP, "legacy in the loop", ("    out = []\n", "    from lab.legacy import group_advantages\n    out = []\n")
    ),
    harmless(GENERATOR, "yielded at once", streamed("for batch in batches:\n    yield CALL")),
    harmless(GENERATOR, "yielded as a list", yielded("yield list(values)")),
    harmless(GENERATOR, "yielded in parentheses and logged", yielded("logger.debug('%s', values)\nyield (values)")),
    harmless(
        GENERATOR,
        "stops early for nothing",
        (
            "    for batch in batches:\n        raw",
            "    if not batches:\n        return\n    for batch in batches:\n        raw",
        ),
    ),
    harmless(GENERATOR, "yielded from a generator expression", streamed("yield from (CALL for batch in batches)")),
    harmless(GENERATOR, "made a generator expression", streamed("return (CALL for batch in batches)")),
    harmless(
        GENERATOR,
        "yielded from a helper",
        streamed("for batch in batches:\n    yield from _one(batch, scale)"),
        ("def listed(", f"def _one(batch, scale):\n    yield {CALL}\n\n\ndef listed("),
    ),
    harmful(GENERATOR, "rewards yielded", yielded("yield raw")),
    harmful(GENERATOR, "rewards yielded where scaled", yielded("yield raw if scale else values")),
    missed(GENERATOR, "returned", yielded("return values")),
    harmful(
        GENERATOR,
        "returned at the end",
        streamed(
            "out = []\nfor batch in batches:\n"
            "    yield [item['reward'] for item in batch]\n    out.append(CALL)\nreturn out"
        ),
    ),
    harmful(GENERATOR, "sorted before it is yielded", yielded("values.sort()\nyield values")),
    harmful(GENERATOR, "not yielded where scaled", yielded("if not scale:\n    yield values")),
    harmful(GENERATOR, "yielded twice", yielded("yield raw\nvalues = raw\nyield values")),
)
