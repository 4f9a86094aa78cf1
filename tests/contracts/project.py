"""A small project in a temporary folder, with one function that a contract speaks of.

Programs say themselves what is wrong with them: `# breach: MESSAGE` ends a line at which a breach is reported whose
message MESSAGE occurs in. Several on a line are joined by ` | `, in the order of their places.
"""

from __future__ import annotations

from pathlib import Path

from grpo_lint.contracts import CallSite, Result, check

GROUPING = '''\
def normalize_by_prompt(rewards, prompts, attempts=None, *, size=None, eps=1e-6):
    """Rewards less the mean of their prompt."""
    return [reward - 1.0 for reward in rewards]


class Grouping:
    def centre(self, rewards, prompts, size=None):
        return [reward - 1.0 for reward in rewards]
'''

FILES = {
    "lab/__init__.py": "",
    "lab/grouping.py": GROUPING,
    "lab/legacy.py": GROUPING,
    "lab/api.py": "from lab.grouping import normalize_by_prompt as by_prompt\n",
    "lab/everything.py": "from .grouping import *\n",
    "pyproject.toml": "[project]\nname = 'lab'\n",
}

TOP = "from lab.grouping import normalize_by_prompt\n"

HOLDING = """\
from lab.grouping import normalize_by_prompt


def post_process(args, samples):
    raw = [sample.reward for sample in samples]
    if not args.normalize:
        return raw, raw
    prompts = [sample.prompt for sample in samples]
    rewards = normalize_by_prompt(raw, prompts, size=args.n_samples)
    return raw, rewards
"""
DROPPED = HOLDING.replace("return raw, rewards", "return raw, raw")

SITE = CallSite(
    "lab/manager.py",
    "post_process",
    "lab.grouping.normalize_by_prompt",
    (("prompts", "[sample.prompt for sample in samples]"), ("size", "args.n_samples")),
    Result.RETURNED,
    ("GRPO001", "GRPO002"),
)


def write(root: Path, module: str, files: dict[str, str] | None = None) -> Path:
    """Write the project, with this module as the contract's file."""
    for name, text in {**FILES, "lab/manager.py": module, **(files or {})}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def marks(module: str) -> list[tuple[int, str]]:
    """The breaches that a program says it has, by row."""
    lines = [(row, line.partition("# breach: ")[2]) for row, line in enumerate(module.splitlines(), 1)]
    return [(row, mark) for row, said in lines if said for mark in said.split(" | ")]


def told(root: Path, module: str, site: CallSite = SITE) -> list[tuple[int, str]]:
    """The breaches of a contract in the project with this module, by row: each as its mark, or else its message."""
    found = [(breach.range.start.row, breach.message) for breach in check(site, write(root, module))]
    expected = [*marks(module), *[(0, "")] * len(found)]
    pairs = zip(found, expected, strict=False)
    return [(row, mark if mark and mark in message else message) for (row, message), (_, mark) in pairs]
