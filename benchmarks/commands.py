"""Other programs as candidates, and grpo-lint installed as users have it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

from rounds import Candidate

ROOT = Path(__file__).resolve().parent.parent

# Whatever keeps Python from writing .pyc files, or brings in modules from elsewhere, would distort cold starts.
_UNSET = {"PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONSTARTUP", "VIRTUAL_ENV"}


def command(words: Sequence[str], folder: Path, name: str | None = None, at_most: int | None = None) -> Candidate:
    """Give a candidate that runs the words in the folder, its output thrown away."""
    environment = {key: value for key, value in os.environ.items() if key not in _UNSET}

    def run() -> int:
        return subprocess.run(
            words, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
        ).returncode

    return Candidate(name or shlex.join(words), run, at_most)


def find(program: str) -> str | None:
    """Give the path of a program beside this Python, else on the PATH."""
    beside = str(Path(sys.executable).parent)
    return shutil.which(program, path=os.pathsep.join([beside, os.environ.get("PATH", "")]))


def install(folder: Path) -> Path:
    """Install this checkout, not editable and with .pyc files, in a new environment; give its folder of programs."""
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run(
        [programs / "python", "-m", "pip", "install", "-qq", "--compile", str(ROOT)],
        env={key: value for key, value in os.environ.items() if key not in _UNSET},
        check=True,
    )
    return programs
