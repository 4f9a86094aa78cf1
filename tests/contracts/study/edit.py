"""An edit of the study's project, and the project as it leaves it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent, indent

PROJECT = Path(__file__).parent / "project"
PACKAGE_FILE = "tinytrain/__init__.py"
GROUPING = "tinytrain/grouping.py"
MANAGER = "tinytrain/manager.py"


class Kind(Enum):
    """What an edit does to the advantages, and whether the contract speaks of that.

    After a restated one the advantages are the same, and the contract may be due for a change; one that is beyond the
    contract changes them by what it says nothing about.
    """

    HARMLESS = "harmless"
    HARMFUL = "harmful"
    RESTATED = "restated"
    BEYOND = "beyond"

    @property
    def is_harmless(self) -> bool:
        return self in (Kind.HARMLESS, Kind.RESTATED)


@dataclass(frozen=True, slots=True)
class Family:
    """Edits that have one thing in common."""

    kind: Kind
    title: str


@dataclass(frozen=True, slots=True)
class Replacement:
    """Text of a file that must be there exactly once, and what takes its place."""

    path: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A whole file; without a text it is removed."""

    path: str
    text: str | None


Change = Replacement | Rewrite


@dataclass(frozen=True, slots=True)
class Edit:
    """What somebody does to the project, and why it is harmless or does harm."""

    family: Family
    name: str
    reason: str
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the manager that edits replace, and the indentation of it."""

    text: str
    indentation: int = 0

    def laid_out(self, text: str) -> str:
        """The text as whole lines, indented as the piece is."""
        lines = dedent(text).removeprefix("\n")
        return indent(lines if lines.endswith("\n") else lines + "\n", " " * self.indentation)


IMPORT = Piece("from tinytrain.grouping import normalize_by_group\n")
LOGGER = Piece("logger = logging.getLogger(__name__)\n")
CLASS = Piece("class RewardManager:\n")
CONSTRUCTOR = Piece("    def __init__(self, args: Settings) -> None:\n        self.args = args\n", 4)
COLUMNS = Piece("        raw_rewards, rewards = self._post_process_rewards(samples)\n", 8)
SIGNATURE = Piece("    def _post_process_rewards(self, samples: list[Sample]) -> tuple[list[float], list[float]]:\n", 4)
DOCSTRING = Piece('        """The rewards as they were graded, and as the loss uses them."""\n', 8)
RAW = Piece("        raw_rewards = [sample.get_reward_value(self.args) for sample in samples]\n", 8)
CONDITION = Piece(
    '        if self.args.advantage_estimator in ("grpo", "gspo") and self.args.rewards_normalization:\n', 8
)
GROUP_INDICES = Piece("                [sample.group_index for sample in samples],\n", 16)
ROLLOUT_IDS = Piece("                [sample.rollout_id for sample in samples],\n", 16)
FALLBACK = Piece("                fallback_group_size=self.args.n_samples_per_prompt,\n", 16)
CALL = Piece(
    "            rewards = normalize_by_group(\n"
    "                raw_rewards,\n"
    + GROUP_INDICES.text
    + ROLLOUT_IDS.text
    + "                normalize_std=self.args.std_normalization,\n"
    + FALLBACK.text
    + "            )\n",
    12,
)
RETURN = Piece("            return raw_rewards, rewards\n", 12)
OTHERWISE = Piece("        return raw_rewards, raw_rewards\n", 8)
NORMALISATION = Piece(CONDITION.text + CALL.text + RETURN.text + OTHERWISE.text, 8)
BODY = Piece(RAW.text + NORMALISATION.text, 8)
METHOD = Piece(SIGNATURE.text + DOCSTRING.text + BODY.text, 4)


def instead(piece: Piece, text: str) -> Replacement:
    """The text in place of the piece, indented as it is."""
    return Replacement(MANAGER, piece.text, piece.laid_out(text))


def before(piece: Piece, text: str) -> Replacement:
    return Replacement(MANAGER, piece.text, piece.laid_out(text) + piece.text)


def after(piece: Piece, text: str) -> Replacement:
    return Replacement(MANAGER, piece.text, piece.text + piece.laid_out(text))


def at_end(text: str) -> Replacement:
    """The text, at the level of the module, below the class."""
    return Replacement(MANAGER, OTHERWISE.text, OTHERWISE.text + "\n\n" + dedent(text).strip("\n") + "\n")


def without(piece: Piece) -> Replacement:
    return Replacement(MANAGER, piece.text, "")


def spelled(old: str, new: str) -> Replacement:
    """A part of a line of the manager, spelled otherwise."""
    return Replacement(MANAGER, old, new)


@contextmanager
def written(edit: Edit | None) -> Iterator[Path]:
    """A folder with the project as the edit leaves it, or as it is."""
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        for path, text in files_after(edit).items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
        yield folder


def files_after(edit: Edit | None) -> dict[str, str]:
    """Each file of the project, with its text after the edit."""
    files = {path.relative_to(PROJECT).as_posix(): path.read_text("utf-8") for path in PROJECT.rglob("*.py")}
    for change in edit.changes if edit else ():
        _make(change, files)
    return files


def _make(change: Change, files: dict[str, str]) -> None:
    match change:
        case Replacement(path, old, new):
            if files[path].count(old) != 1:
                raise ValueError(f"{path} has {files[path].count(old)} times: {old!r}")
            files[path] = files[path].replace(old, new)
        case Rewrite(path, None):
            del files[path]
        case Rewrite(path, text):
            files[path] = text
