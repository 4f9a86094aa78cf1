"""What is said of a file whose check ended in an exception."""

from __future__ import annotations

import sys

from grpo_lint.depth import TooDeep
from grpo_lint.model import Position
from grpo_lint.outcome import Fault

_PARSER = "Python {}.{}".format(*sys.version_info)  # a newer one may know the syntax


def fault_of(error: Exception) -> Fault:
    """The fault that an exception is: of the file where it is the file's, else an internal error."""
    match error:
        case SyntaxError():
            position = Position(error.lineno, max(error.offset or 1, 1)) if error.lineno else None
            return Fault(error.msg if position is None else f"{error.msg} (as {_PARSER} reads it)", position)
        case UnicodeDecodeError():
            return Fault(f"cannot be decoded as {error.encoding}: {error.reason}")
        case ValueError():
            return Fault(f"cannot be parsed: {error}")
        case TooDeep():
            return Fault(str(error))
        case OSError():
            return Fault(error.strerror or str(error))
        case RecursionError() | MemoryError():
            return Fault("nested too deeply to be analysed")
        case _:
            return Fault(f"internal error: {type(error).__name__}: {error}")
