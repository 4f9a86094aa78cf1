"""The keys of a configuration: what each means, what may stand there, and how it is read.

All else that speaks of keys is made from this table: the reader of files, `grpo-lint config`, the JSON schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from keyword import iskeyword
from unicodedata import normalize

from grpo_lint.identity_template import complaint_of
from grpo_lint.selectors import unknown_selector

Schema = Mapping[str, object]
Codes = tuple[str, ...]


class Unfit(Exception):
    """What is wrong with a value."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of value. `read` gives what `Config` holds, or raises Unfit; `schema` describes it."""

    read: Callable[[object, Codes], object]
    schema: Callable[[Codes], Schema]


@dataclass(frozen=True, slots=True)
class Key:
    """A key; `name` with underscores is the field of `Config`, and `unset` says what holds where that is None."""

    name: str
    kind: Kind
    summary: str
    unset: str = ""

    @property
    def field(self) -> str:
        return self.name.replace("-", "_")


def _expected(what: str, value: object) -> Unfit:
    return Unfit(f"expected {what}, found {value!r}")


# kinds


def _read_text(value: object, complain: Callable[[str], str | None]) -> str:
    if not isinstance(value, str):
        raise _expected("a string", value)
    if complaint := complain(value):
        raise Unfit(complaint)
    return value


def _read_texts(value: object, complain: Callable[[str], str | None]) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise _expected("a list of strings", value)
    return tuple(_read_text(each, complain) for each in value)


def _read_names(value: object, _: Codes) -> tuple[str, ...]:
    """Names as Python reads them, to which the characters of one that can be written in several ways are the same."""
    return tuple(normalize("NFKC", name) for name in _read_texts(value, _no_name))


def _read_selectors(value: object, codes: Codes) -> tuple[str, ...]:
    return _read_texts(value, lambda selector: unknown_selector(selector, codes))


def _selector_schema(codes: Codes) -> Schema:
    prefixes = {code[:length] for code in codes for length in range(len(code.rstrip("0123456789")), len(code) + 1)}
    return {"type": "array", "items": {"enum": ["ALL", *sorted(prefixes)]}}


def _read_selectors_by_pattern(value: object, codes: Codes) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise _expected("a table of patterns with lists of codes", value)
    return tuple((_read_text(pattern, _no_pattern), _read_selectors(each, codes)) for pattern, each in value.items())


def _read_flag(value: object, _: Codes) -> bool:
    if not isinstance(value, bool):
        raise _expected("true or false", value)
    return value


def _read_length(value: object, _: Codes) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise _expected("a whole number above 0", value)
    return value


def _texts(complain: Callable[[str], str | None], schema: Schema) -> Kind:
    return Kind(lambda value, _: _read_texts(value, complain), lambda _: {"type": "array", "items": schema})


def _text(complain: Callable[[str], str | None], schema: Schema) -> Kind:
    return Kind(lambda value, _: _read_text(value, complain), lambda _: schema)


def _no_pattern(value: str) -> str | None:
    is_pattern = value.strip() and value.strip() != "!" and not value.startswith("!!")
    return None if is_pattern else f"{value!r} is no pattern"


def _no_name(value: str) -> str | None:
    return None if value.isidentifier() else f"{value!r} is no name that Python code can use"


def _no_module(value: str) -> str | None:
    is_dotted_name = all(part.isidentifier() and not iskeyword(part) for part in value.split("."))
    return None if is_dotted_name else f"{value!r} is no module name such as 'package.module'"


_SELECTORS = Kind(_read_selectors, _selector_schema)
_FLAG = Kind(_read_flag, lambda _: {"type": "boolean"})
_LENGTH = Kind(_read_length, lambda _: {"type": "integer", "minimum": 1})
_PATTERN_SCHEMA = {"type": "string", "pattern": r"^(?!!!)(?!\s*!?\s*$)"}
_PATTERNS = _texts(_no_pattern, _PATTERN_SCHEMA)
_NAMES = Kind(_read_names, lambda _: {"type": "array", "items": {"type": "string", "pattern": r"^[^\W\d]\w*$"}})
_MODULE = _text(_no_module, {"type": "string", "pattern": r"^[^\W\d]\w*(\.[^\W\d]\w*)*$"})
_TEMPLATE = _text(complaint_of, {"type": "string", "pattern": r"^[^\\\n\r]*\{sample\}[^\\\n\r]*$", "maxLength": 500})
_SELECTORS_BY_PATTERN = Kind(
    _read_selectors_by_pattern,
    lambda codes: {
        "type": "object",
        "propertyNames": _PATTERN_SCHEMA,
        "additionalProperties": _selector_schema(codes),
    },
)


def _read_call_sites(value: object, _: Codes) -> object:
    """The contracts; an entry that is none stays in its place with the reason, and the others hold."""
    from grpo_lint.contracts.reading import read_entry
    from grpo_lint.rules import FUNCTION_CODES

    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise Unfit("expected a list of tables, each under a header in two pairs of brackets: [[…call-sites]]")
    return tuple(read_entry(each, FUNCTION_CODES) for each in value)


def _call_sites_schema(_: Codes) -> Schema:
    from grpo_lint.rules import FUNCTION_CODES

    text, name = {"type": "string", "pattern": r"\S"}, r"[^\W\d]\w*"
    properties = {
        "file": {"description": "the file, relative to the configuration's folder", **text},
        "function": {
            "description": "the qualified name of the function in it",
            "type": "string",
            "pattern": rf"^\s*{name}(\.{name})*\s*$",
        },
        "calls": {
            "description": "the dotted name of what it must call",
            "type": "string",
            "pattern": rf"^\s*{name}(\.{name})+\s*$",
        },
        "arguments": {
            "description": "expressions by parameter",
            "type": "object",
            "additionalProperties": {"type": "string"},
        },
        "result": {"description": "what must become of the result", "enum": ["returned", "used"]},
        "absent": {
            "description": "rules that report nothing in the function",
            **_selector_schema(FUNCTION_CODES),
        },
    }
    entry = {"type": "object", "additionalProperties": False, "required": ["file", "function", "calls"]}
    return {"type": "array", "items": {**entry, "properties": properties}}


_CALL_SITES = Kind(_read_call_sites, _call_sites_schema)

KEYS = (
    Key("select", _SELECTORS, "rules to run: codes, prefixes or ALL"),
    Key("ignore", _SELECTORS, "rules to leave out"),
    Key("per-file-ignores", _SELECTORS_BY_PATTERN, "rules to leave out, by patterns of files"),
    Key("preview", _FLAG, "run the rules in preview too"),
    Key(
        "exclude",
        _PATTERNS,
        "patterns of what is not checked, in place of the built-in folders",
        "the built-in folders",
    ),
    Key("extend-exclude", _PATTERNS, "more patterns of what is not checked"),
    Key("force-exclude", _FLAG, "leave out what is excluded even if it is named on the command line"),
    Key("unsafe-fixes", _FLAG, "apply the unsafe repairs too"),
    Key(
        "reference-module",
        _MODULE,
        "where repaired code imports normalize_rewards_by_group from",
        "grpo_lint.reference",
    ),
    Key("group-index", _TEMPLATE, "the expression of a sample's prompt, with {sample} for the sample", "group_index"),
    Key("rollout-ids", _FLAG, "pass rollout_id where the class of the samples declares it"),
    Key("reward-names", _NAMES, "more names that mean per-sample rewards"),
    Key("group-size-names", _NAMES, "more names that always mean the number of samples per prompt"),
    Key(
        "line-length",
        _LENGTH,
        "the line length of repaired code; without it black's or ruff's, else 88",
        "the formatter's",
    ),
    Key("call-sites", _CALL_SITES, "contracts of call sites: what functions must call, and how"),
)


def keys_by_name(keys: Iterable[Key] = KEYS) -> dict[str, Key]:
    return {key.name: key for key in keys}


def schema_of(codes: Codes) -> Schema:
    """The JSON schema of a configuration, for editors and validators."""
    properties = {key.name: {"description": key.summary, **key.kind.schema(codes)} for key in KEYS}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "grpo-lint",
        "description": "The table [tool.grpo-lint] of a pyproject.toml, or a grpo-lint.toml.",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }
