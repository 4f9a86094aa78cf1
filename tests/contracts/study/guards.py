"""What guards a call site: each guard accepts a project or refuses it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from contracts.study.edit import MANAGER, PROJECT

from grpo_lint.syntax import parse_quietly

CLASS_NAME = "RewardManager"
METHOD_NAME = "_post_process_rewards"

IMPORTED = "from tinytrain.grouping import normalize_by_group"
CALLED = "rewards = normalize_by_group("
PASSED = (
    "[sample.group_index for sample in samples]",
    "[sample.rollout_id for sample in samples]",
    "fallback_group_size=self.args.n_samples_per_prompt",
)
RETURNED = "return (raw_rewards, rewards)"
RESHAPES = ("rewards.view(-1, rewards.shape[-1])", "rewards.reshape(-1, self.args.n_samples_per_prompt)")


@dataclass(frozen=True, slots=True)
class Guard:
    """A way to guard the call site: its name, what it looks at, and whether it accepts the project of a folder."""

    title: str
    description: str
    accepts: Callable[[Path], bool]


def file_text(root: Path) -> bool:
    """As projects write it: the file is read, and must hold some texts and may not hold others."""
    text = (root / MANAGER).read_text("utf-8")
    return all(wanted in text for wanted in (IMPORTED, CALLED, *PASSED)) and not any(old in text for old in RESHAPES)


def function_text(root: Path) -> bool:
    """The most that can be made of texts: the function's own code, without comments and formatting, and its result."""
    module = parse_quietly((root / MANAGER).read_text("utf-8"))
    method = method_of(module)
    if method is None:
        return False
    text = ast.unparse(method)
    has_all = all(wanted in text for wanted in (CALLED, *PASSED, RETURNED))
    return IMPORTED in ast.unparse(module) and has_all and ".view(" not in text and ".reshape(" not in text


def dump(root: Path) -> bool:
    """The function's syntax tree is the one that it was, whatever its docstring says."""
    return dumped(root) == dumped(PROJECT)


def dumped(root: Path) -> str:
    method = method_of(parse_quietly((root / MANAGER).read_text("utf-8")))
    return ast.dump(method) if method else ""


def method_of(module: ast.Module) -> ast.FunctionDef | None:
    """The guarded method without its docstring, or nothing if there is none of that name."""
    for class_ in module.body:
        if isinstance(class_, ast.ClassDef) and class_.name == CLASS_NAME:
            for method in class_.body:
                if isinstance(method, ast.FunctionDef) and method.name == METHOD_NAME:
                    if ast.get_docstring(method) is not None:
                        del method.body[0]
                    return method
    return None


FILE_TEXT = Guard(
    "text of the file",
    "as projects write it today: `read_text()`, then assertions that the import, the opening of the call and what it "
    "passes as `group_indices`, `rollout_ids` and `fallback_group_size` are in the text, and that the two reshapes "
    "that the call replaced are not.",
    file_text,
)
FUNCTION_TEXT = Guard(
    "text of the function",
    "the best that can be made of that: only the function's code counts, as `ast.unparse` writes it, so without "
    "comments, docstring and formatting. It must also end in `return raw_rewards, rewards`, and have no `.view(` and "
    "no `.reshape(` at all.",
    function_text,
)
DUMP = Guard(
    "dump of the function",
    "its `ast.dump`, docstring aside, is the one that was recorded.",
    dump,
)
GUARDS = (FILE_TEXT, FUNCTION_TEXT, DUMP)
