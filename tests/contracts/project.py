"""A small project in a temporary folder, with one function that a contract speaks of."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent

from grpo_lint.contracts import Breach, CallSite, Result, check

GROUPING = '''\
def normalize_by_prompt(rewards, prompts, attempts=None, *, scale, size=None, eps=1e-6):
    """Rewards less the mean of their prompt."""
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

IMPORT = "from lab.grouping import normalize_by_prompt\n"

BODY = """\
raw = [sample.reward for sample in samples]
if self.args.normalize:
    rewards = normalize_by_prompt(
        raw,
        [sample.prompt for sample in samples],
        attempts=[sample.attempt for sample in samples],
        scale=self.args.scale,
        size=self.args.n_samples,
    )
    return raw, rewards
return raw, raw
"""

SITE = CallSite(
    "lab/manager.py",
    "Manager.post_process",
    "lab.grouping.normalize_by_prompt",
    (
        ("prompts", "[sample.prompt for sample in samples]"),
        ("attempts", "[sample.attempt for sample in samples]"),
        ("size", "self.args.n_samples"),
    ),
    Result.RETURNED,
    ("GRPO001", "GRPO002"),
)


def manager(body: str = BODY, imports: str = IMPORT, after: str = "", inside: str = "") -> str:
    """The module that holds the function: with this body, imports, text after the class and in it."""
    method = "def post_process(self, samples):\n" + indent(dedent(body), "    ")
    return f"{dedent(imports)}\n\nclass Manager:\n{indent(method + dedent(inside), '    ')}\n\n{dedent(after)}"


def write(root: Path, module: str, files: dict[str, str] | None = None) -> Path:
    """Write the project, with this module as the contract's file."""
    for name, text in {**FILES, "lab/manager.py": module, **(files or {})}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def breaches(root: Path, module: str, site: CallSite = SITE, files: dict[str, str] | None = None) -> tuple[Breach, ...]:
    """The breaches of a contract in the project with this module."""
    return check(site, write(root, module, files))
