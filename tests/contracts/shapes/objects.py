"""Callees that belong to classes: a class method, a constructor, a method of the caller's class."""

from __future__ import annotations

from contracts.shapes.layout import ADVANTAGES
from contracts.shapes.shape import Shape, harmful, harmless, missed

from grpo_lint.contracts import CallSite, Result

GROUP = ADVANTAGES.replace("group_advantages(*, rewards", "_group(rewards")
CLASSES = (
    GROUP
    + '''

class Advantages:
    """The advantages of a batch."""

    def __init__(self, rewards, uids, scale=True):
        self.values = _group(rewards, uids, scale)

    def __iter__(self):
        return iter(self.values)

    @classmethod
    def of(cls, rewards, uids, *, scale=True):
        return cls(rewards, uids, scale)

    @staticmethod
    def listed(rewards, uids, *, scale=True):
        return _group(rewards, uids, scale)


class Flat(Advantages):
    """Those of a batch without prompts."""

    def __init__(self, rewards, uids, scale=True):
        self.values = list(rewards)

    @classmethod
    def of(cls, rewards, uids, *, scale=True):
        return cls(rewards, uids, scale)

    @staticmethod
    def listed(rewards, uids, *, scale=True):
        return list(rewards)
'''
)
WORKER = """\
import functools

from lab import advantages
from lab.advantages import Advantages, Flat


class Base:
    def _centre(self, rewards, uids, *, scale):
        return Advantages(rewards, uids, scale).values


class Worker(Base):
    def __init__(self, scale):
        self.scale = scale

    def by_class_method(self, items):
        rewards = [item.reward for item in items]
        found = Advantages.of(rewards, [item.uid for item in items], scale=self.scale)
        return found

    def by_constructor(self, items):
        rewards = [item.reward for item in items]
        found = Advantages(rewards, [item.uid for item in items], self.scale)
        return found

    def by_method(self, items):
        rewards = [item.reward for item in items]
        found = self._centre(rewards, [item.uid for item in items], scale=self.scale)
        return found
"""
DRIVE = """\
from types import SimpleNamespace as N

from lab.worker import Worker

SIZES = [[], [(0.5, 1), (0.25, 2), (1.0, 1), (0.125, 2), (0.75, 3)], [(2.0, 7), (1.0, 7), (4.0, 8)], [(1.0, None)]]


def outcomes():
    for rows in SIZES:
        for scale in (True, False):
            for name in ("by_class_method", "by_constructor", "by_method"):
                try:
                    items = [N(reward=reward, uid=uid) for reward, uid in rows]
                    yield list(getattr(Worker(scale), name)(items))
                except Exception as error:
                    yield type(error).__name__
"""
FILE = "lab/worker.py"
ARGUMENTS = (("uids", "[item.uid for item in items]"), ("scale", "self.scale"))


def site(function: str, calls: str) -> CallSite:
    return CallSite(FILE, f"Worker.{function}", calls, ARGUMENTS, Result.RETURNED)


BY_CLASS_METHOD = Shape(
    "class method",
    {
        "pyproject.toml": "[project]\nname = 'lab'\n",
        "drive.py": DRIVE,
        "lab/__init__.py": "",
        "lab/advantages.py": CLASSES,
        FILE: WORKER,
    },
    site("by_class_method", "lab.advantages.Advantages.of"),
)
BY_CONSTRUCTOR = BY_CLASS_METHOD.with_site("constructor", site("by_constructor", "lab.advantages.Advantages"))
BY_METHOD = BY_CLASS_METHOD.with_site("method", site("by_method", "lab.worker.Base._centre"))

OF = "        found = Advantages.of(rewards, [item.uid for item in items], scale=self.scale)\n"
MADE = "        found = Advantages(rewards, [item.uid for item in items], self.scale)\n"
CENTRED = "        found = self._centre(rewards, [item.uid for item in items], scale=self.scale)\n"
INIT = "    def __init__(self, scale):\n        self.scale = scale\n"


def lines(text: str) -> str:
    return "".join(f"        {line}\n" for line in text.splitlines())


EDITS = (
    harmless(BY_CLASS_METHOD, "of the module", (OF, OF.replace("Advantages.of", "advantages.Advantages.of"))),
    harmless(BY_CLASS_METHOD, "of an object", (OF, OF.replace("Advantages.of", "Advantages([], []).of"))),
    harmless(
        BY_CLASS_METHOD, "bound to a name", (OF, lines("make = Advantages.of") + OF.replace("Advantages.of", "make"))
    ),
    harmless(
        BY_CLASS_METHOD,
        "by keyword",
        (OF, OF.replace("rewards, [", "uids=[").replace("scale=", "rewards=rewards, scale=")),
    ),
    harmless(
        BY_CLASS_METHOD,
        "class under an alias",
        (OF, lines("kind = Advantages") + OF.replace("Advantages.of", "kind.of")),
    ),
    harmless(BY_CLASS_METHOD, "listed values", (OF, OF + lines("found = list(found)"))),
    harmful(BY_CLASS_METHOD, "of a subclass", (OF, OF.replace("Advantages.of", "Flat.of"))),
    harmful(
        BY_CLASS_METHOD,
        "class of one of two",
        (OF, lines("kind = Flat if self.scale else Advantages") + OF.replace("Advantages.of", "kind.of")),
    ),
    missed(BY_CLASS_METHOD, "values set on the result", (OF, OF + lines("found.values = rewards"))),
    harmful(BY_CLASS_METHOD, "values changed in the result", (OF, OF + lines("found.values.reverse()"))),
    missed(BY_CLASS_METHOD, "values set by setattr", (OF, OF + lines("setattr(found, 'values', rewards)"))),
    missed(BY_CLASS_METHOD, "values set in the namespace", (OF, OF + lines("vars(found)['values'] = rewards"))),
    harmful(
        BY_CLASS_METHOD,
        "made again",
        (OF, OF + lines("found = found.__class__(rewards, range(len(rewards)), self.scale)")),
    ),
    harmful(BY_CLASS_METHOD, "class method replaced", ("class Base:", "Advantages.of = Flat.of\n\n\nclass Base:")),
    harmless(
        BY_CONSTRUCTOR,
        "partial of the class",
        (
            MADE,
            lines(
                "make = functools.partial(Advantages, scale=self.scale)\n"
                "found = make(rewards, [item.uid for item in items])"
            ),
        ),
    ),
    harmless(BY_CONSTRUCTOR, "its values", (MADE, MADE + lines("found = found.values"))),
    harmless(BY_CONSTRUCTOR, "its values at once", (MADE, MADE.replace("self.scale)", "self.scale).values"))),
    harmless(
        BY_CONSTRUCTOR,
        "by keyword",
        (MADE, MADE.replace("[item", "scale=self.scale, uids=[item").replace(", self.scale)", ")")),
    ),
    harmful(BY_CONSTRUCTOR, "subclass", (MADE, MADE.replace("Advantages(", "Flat("))),
    harmful(
        BY_CONSTRUCTOR, "constructor called again", (MADE, MADE + lines("found.__init__(rewards, range(len(rewards)))"))
    ),
    harmful(BY_CONSTRUCTOR, "class rebound", ("class Base:", "Advantages = Flat\n\n\nclass Base:")),
    harmful(
        BY_CONSTRUCTOR,
        "other order of parameters",
        (MADE, MADE.replace("[item.uid for item in items], self.scale", "self.scale, [item.uid for item in items]")),
    ),
    harmless(BY_METHOD, "by super", (CENTRED, CENTRED.replace("self._centre", "super()._centre"))),
    harmless(BY_METHOD, "of the base class", (CENTRED, CENTRED.replace("self._centre(", "Base._centre(self, "))),
    harmless(
        BY_METHOD,
        "bound to a name",
        (CENTRED, lines("centre = self._centre") + CENTRED.replace("self._centre", "centre")),
    ),
    harmless(
        BY_METHOD,
        "from an inner function",
        (
            CENTRED,
            lines(
                "def centred():\n    return self._centre(rewards, [item.uid for item in items], scale=self.scale)\n"
                "\nfound = centred()"
            ),
        ),
    ),
    harmful(
        BY_METHOD,
        "overridden",
        (INIT, INIT + "\n    def _centre(self, rewards, uids, *, scale):\n        return rewards\n"),
    ),
    harmful(
        BY_METHOD,
        "replaced on the object",
        (INIT, INIT + "        self._centre = lambda rewards, uids, *, scale: rewards\n"),
    ),
    harmful(
        BY_METHOD,
        "replaced on the class",
        (CENTRED, CENTRED),
        (
            "        return Advantages(rewards, uids, scale).values\n",
            "        return Advantages(rewards, uids, scale).values\n\n\n"
            "Base._centre = lambda self, rewards, uids, *, scale: rewards\n",
        ),
    ),
    harmful(
        BY_METHOD,
        "other base",
        (
            "class Worker(Base):",
            "class Raw:\n    def _centre(self, rewards, uids, *, scale):\n"
            "        return rewards\n\n\nclass Worker(Raw, Base):",
        ),
    ),
    harmful(BY_METHOD, "assigned in the class", (INIT, INIT + "\n    _centre = Flat.listed\n")),
    harmful(
        BY_METHOD,
        "replaced under a condition",
        (
            INIT,
            INIT + "        if scale:\n"
            "            object.__setattr__(self, '_centre', lambda rewards, uids, *, scale: rewards)\n",
        ),
    ),
)
