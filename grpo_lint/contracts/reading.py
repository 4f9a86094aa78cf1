"""Contracts as a configuration writes them: entries of `call-sites`."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from grpo_lint.contracts.call_site import CallSite, ContractError, Result
from grpo_lint.selectors import unknown_selector
from grpo_lint.suggestion import did_you_mean
from grpo_lint.syntax import parse_expression

KEYS = ("file", "function", "calls", "arguments", "result", "absent")
_REQUIRED = ("file", "function", "calls")


@dataclass(frozen=True, slots=True)
class Misfit:
    """An entry that is no contract, and why."""

    reason: str


def read_entry(value: object, codes: tuple[str, ...]) -> CallSite | Misfit:
    """The contract that an entry stands for; `codes` are those of the rules about functions."""
    try:
        return site_of(value, codes)
    except ContractError as error:
        return Misfit(str(error))


def site_of(value: object, codes: tuple[str, ...]) -> CallSite:
    """The contract in a table. Raises ContractError."""
    if not isinstance(value, Mapping):
        raise ContractError(f"expected a table, found {value!r}")
    for key in value:
        if key not in KEYS:
            raise ContractError(f"unknown key {key!r}{did_you_mean(str(key), KEYS)}")
    for key in _REQUIRED:
        if key not in value:
            raise ContractError(f"`{key}` is missing")
    return CallSite(
        _file(_text(value, "file")),
        _dotted(_text(value, "function"), "function", 1),
        _dotted(_text(value, "calls"), "calls", 2),
        tuple(_arguments(value.get("arguments", {}))),
        _result(value.get("result")),
        tuple(_absent(value.get("absent", []), codes)),
    )


def _text(table: Mapping[str, object], key: str) -> str:
    value = table[key]
    if not isinstance(value, str) or not value.strip():
        raise ContractError(f"{key}: expected a string, found {value!r}")
    return value.strip()


def _file(name: str) -> str:
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts:
        raise ContractError(f"file: {name!r} is not below the folder of the configuration")
    return str(path)


def _dotted(name: str, key: str, least: int) -> str:
    parts = name.split(".")
    if key == "calls" and parts[0] in ("self", "cls"):
        raise ContractError(f"calls: name the class in place of `{parts[0]}`: package.module.Class.{parts[-1]}")
    if len(parts) < least or not all(part.isidentifier() for part in parts):
        example = "RolloutManager.post_process" if key == "function" else "package.module.function"
        raise ContractError(f"{key}: {name!r} is no name such as {example!r}")
    return name


def _arguments(value: object) -> Iterator[tuple[str, str]]:
    if not isinstance(value, Mapping):
        raise ContractError(f"arguments: expected a table of expressions, found {value!r}")
    for name, text in value.items():
        if not isinstance(text, str):
            raise ContractError(f"arguments.{name}: expected an expression in a string, found {text!r}")
        parse_wanted(str(name), text)
        yield str(name), text


def parse_wanted(name: str, text: str) -> ast.expr:
    """An expression that must be passed for a parameter. Raises ContractError."""
    try:
        return parse_expression(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ContractError(f"arguments.{name}: `{text}` is no expression") from error


def _result(value: object) -> Result | None:
    words = [each.value for each in Result]
    if value is not None and value not in words:
        raise ContractError(f"result: {value!r} is neither {words[0]!r} nor {words[1]!r}")
    return None if value is None else Result(value)


def _absent(value: object, codes: tuple[str, ...]) -> Iterator[str]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise ContractError(f"absent: expected a list of codes, found {value!r}")
    for code in value:
        if not isinstance(code, str):
            raise ContractError(f"absent: expected a code, found {code!r}")
        if complaint := unknown_selector(code, codes):
            raise ContractError(f"absent: {complaint} (of the rules about functions)")
        yield code


def table_of(site: CallSite) -> dict[str, object]:
    """A contract as plain values, under the keys of a configuration."""
    table: dict[str, object] = {"file": site.file, "function": site.function, "calls": site.calls}
    if site.arguments:
        table["arguments"] = dict(site.arguments)
    if site.result is not None:
        table["result"] = site.result.value
    if site.absent:
        table["absent"] = list(site.absent)
    return table


def toml_of(site: CallSite, header: str) -> str:
    """A contract as an entry of a TOML file, under a header such as `tool.grpo-lint.call-sites`."""
    lines = [f"[[{header}]]"]
    for key, value in table_of(site).items():
        if isinstance(value, dict):
            items = ", ".join(f"{name} = {_toml(each)}" for name, each in value.items())
            lines.append(f"{key} = {{ {items} }}")
        else:
            lines.append(f"{key} = {_toml(value)}")
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
