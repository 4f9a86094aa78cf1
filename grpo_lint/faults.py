"""What is said of a file whose check ended in an exception."""

from __future__ import annotations

import sys

from grpo_lint.model import Position
from grpo_lint.outcome import Fault, Unreadable

_PARSER = "Python {}.{}".format(*sys.version_info)  # a newer one may know the syntax
_TOO_DEEP = "nested too deeply to be analysed"


def fault_of(error: Exception) -> Fault:
    """The fault that an exception is: of the file where that cannot be read, else an internal error."""
    match error:
        case Unreadable(__cause__=BaseException() as cause):
            return _fault_of_file(cause)
        case RecursionError():
            return Fault(_TOO_DEEP)
        case _:
            return Fault(f"internal error: {type(error).__name__}: {error}")


def _fault_of_file(cause: BaseException) -> Fault:
    match cause:
        case SyntaxError():
            position = Position(cause.lineno, max(cause.offset or 1, 1)) if cause.lineno else None
            return Fault(cause.msg if position is None else f"{cause.msg} (as {_PARSER} reads it)", position)
        case UnicodeDecodeError():
            return Fault(f"cannot be decoded as {cause.encoding}: {cause.reason}")
        case ValueError():
            return Fault(f"cannot be parsed: {cause}")
        case OSError():
            return Fault(cause.strerror or str(cause))
        case RecursionError() | MemoryError():
            return Fault(_TOO_DEEP)
        case _:
            return Fault(str(cause))
