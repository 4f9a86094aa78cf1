"""The JSON schema of a configuration: it says of every table what the reader of files says of it."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

import grpo_lint
from grpo_lint.config import ConfigError
from grpo_lint.config_file import load_config
from grpo_lint.config_keys import KEYS, schema_of
from grpo_lint.contracts import CallSite
from grpo_lint.rules import CODES

SHIPPED = json.loads((Path(grpo_lint.__file__).parent / "grpo-lint.schema.json").read_text("utf-8"))

SITE: dict[str, object] = {"file": "a.py", "function": "A.f", "calls": "b.g"}

GOOD: dict[str, list[object]] = {
    "select": [[], ["ALL"], ["GRPO"], ["GRPO0", "GRPO001"]],
    "ignore": [["GRPO002"]],
    "per-file-ignores": [{}, {"tests/": ["ALL"], "!src/**": []}],
    "preview": [True, False],
    "exclude": [[], ["a/", "*_pb2.py"]],
    "extend-exclude": [["build"]],
    "force-exclude": [False],
    "unsafe-fixes": [True],
    "reference-module": ["a", "a.b_c.d1"],
    "group-index": ["{sample}.uid", "({sample}.a, {sample}['b'])", "f'{{sample}.a}'", " {sample}['#'] "],
    "rollout-ids": [False],
    "reward-names": [[], ["fitness", "奖励"]],
    "group-size-names": [["fan_out"]],
    "line-length": [1, 100],
    "call-sites": [
        [],
        [SITE],
        [{**SITE, "arguments": {"ids": "[s.id for s in x]"}, "result": "used", "absent": ["GRPO001"]}],
    ],
}
BAD: dict[str, list[object]] = {
    "select": ["ALL", [1], ["GRPO9"], ["grpo001"], ["E501"], ["GRP"]],
    "ignore": [["GRPO0011"]],
    "per-file-ignores": [[], {"a": "ALL"}, {"a": ["X"]}, {" ": []}],
    "preview": ["true", 1],
    "exclude": ["a", [1], [" "]],
    "extend-exclude": [[""]],
    "force-exclude": ["no"],
    "unsafe-fixes": [0],
    "reference-module": [1, "", "a.", "a b", "1a"],
    "group-index": [1, "uid", "({sample}\n.a)", "{sample}['\\\\']", "{sample}" + ".a" * 30_000],
    "rollout-ids": [[]],
    "reward-names": ["fitness", ["a.b"], ["1a"], [True]],
    "group-size-names": [[""]],
    "line-length": [0, -1, "88", 88.5, True],
    "call-sites": [
        {},
        ["a"],
        [SITE, {**SITE, "call": "a.b"}],
        [{"file": "a.py", "function": "f"}],
        [{**SITE, "file": " "}],
        [{**SITE, "function": "f()"}],
        [{**SITE, "calls": "f"}],
        [{**SITE, "arguments": {"ids": 1}}],
        [{**SITE, "result": "dropped"}],
        [{**SITE, "absent": ["GRPO101"]}],
    ],
    "no-such-key": [1],
}


def is_accepted(table: dict[str, object], folder: Path) -> bool:
    """Whether the reader of files takes a table. TOML is written as JSON here, which it takes for single values."""
    (folder / "grpo-lint.toml").write_text("".join(f"{key} = {toml(value)}\n" for key, value in table.items()))
    try:
        config = load_config(folder, CODES)
    except ConfigError:
        return False
    return config is not None and all(isinstance(each, CallSite) for each in config.call_sites)


def toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


def is_valid(table: dict[str, object]) -> bool:
    return jsonschema.Draft7Validator(SHIPPED).is_valid(table)


def test_the_schema_is_one_and_is_the_shipped_one() -> None:
    jsonschema.Draft7Validator.check_schema(SHIPPED)
    assert schema_of(CODES) == SHIPPED
    assert list(SHIPPED["properties"]) == [key.name for key in KEYS] == list(GOOD)


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in GOOD.items() for value in values])
def test_what_both_accept(key: str, value: object, tmp_path: Path) -> None:
    assert is_accepted({key: value}, tmp_path)
    assert is_valid({key: value})


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in BAD.items() for value in values])
def test_what_both_refuse(key: str, value: object, tmp_path: Path) -> None:
    assert not is_accepted({key: value}, tmp_path)
    assert not is_valid({key: value})
