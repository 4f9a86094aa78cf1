"""`grpo-lint config`: the settings that are in force for a path, and where each comes from."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from grpo_lint.commands import CLEAN, INCOMPLETE
from grpo_lint.commands._options import add_selection, read_selection, resolver
from grpo_lint.commands._parser import Parser
from grpo_lint.report import ReportOptions, printable

if TYPE_CHECKING:
    from grpo_lint.config import Config


def run(words: list[str]) -> int:
    from grpo_lint.config import ConfigError

    parser = Parser("grpo-lint config", "Print the configuration of a file or folder, and where each value comes from.")
    parser.add_argument("path", nargs="?", default=".", metavar="PATH", help="(default: the current folder)")
    parser.add_argument("--schema", action="store_true", help="print the JSON schema of a configuration instead")
    add_selection(parser)
    options = read_selection(parser, words)
    if options.schema:
        return _print_schema()
    path = Path(options.path).absolute()
    if not path.exists():
        parser.error(f"{printable(options.path)}: No such file or directory")
    folder = path if path.is_dir() else path.parent
    try:
        in_force, in_file = (resolver(options, has_overrides).for_folder(folder) for has_overrides in (True, False))
    except ConfigError as error:
        sys.stderr.write(f"{printable(str(error.path))}: {printable(str(error))}\n")
        return INCOMPLETE
    sys.stdout.writelines(_lines(in_force, in_file))
    return CLEAN


def _print_schema() -> int:
    from grpo_lint.config_keys import schema_of
    from grpo_lint.rules import CODES

    sys.stdout.write(json.dumps(schema_of(CODES), indent=2) + "\n")
    return CLEAN


def _lines(in_force: Config, in_file: Config) -> Iterator[str]:
    """The settings as TOML. What the file leaves open is a default, and what it says otherwise the command line's."""
    from grpo_lint.config_keys import KEYS

    file = ReportOptions(str(Path.cwd())).displayed(str(in_file.file)) if in_file.file else ""
    for key in KEYS:
        value = getattr(in_force, key.field)
        value = dict(value) if key.field == "per_file_ignores" else value
        origin = file if key.field in in_file.given else "default"
        if getattr(in_force, key.field) != getattr(in_file, key.field):
            origin = "command line"
        yield f"# {key.name}: {key.unset}\n" if value is None else f"{f'{key.name} = {_toml(value)}':<40}  # {origin}\n"


def _toml(value: object) -> str:
    from grpo_lint.contracts.call_site import CallSite
    from grpo_lint.contracts.reading import Misfit, table_of

    match value:
        case dict():
            return "{" + ", ".join(f"{_toml(pattern)} = {_toml(codes)}" for pattern, codes in value.items()) + "}"
        case CallSite():
            return _toml(table_of(value))
        case Misfit(reason=reason):
            return _toml({"unfit": reason})
        case tuple():
            return "[" + ", ".join(map(_toml, value)) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)
