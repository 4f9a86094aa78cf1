"""The command line: arguments in, text and an exit status out."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from grpo_lint.commands import COMMANDS, INCOMPLETE, INTERRUPTED


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    _open_missing_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status = _run(sys.argv[1:] if argv is None else list(argv))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:  # standard output is closed or full: what it was to say is lost
        _discard_output()
        if not isinstance(error, BrokenPipeError):
            from grpo_lint.report import printable

            sys.stderr.write(f"grpo-lint: {printable(str(error))}\n")
        return INCOMPLETE
    return status


def _open_missing_streams() -> None:
    """What is written to a closed stream is lost, and hinders nothing else."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - until the process ends
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115


def _run(words: list[str]) -> int:
    command, rest = (words[0], words[1:]) if words and words[0] in COMMANDS else ("check", words)
    status: int = import_module(COMMANDS[command]).run(rest)
    return status


def _discard_output() -> None:
    """Let the interpreter's last flush succeed."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
