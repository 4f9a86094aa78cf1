"""The configured expression of a prompt: what is accepted is repaired right, what is not is said so."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from command_line import run

from grpo_lint.config import Config
from grpo_lint.identity_template import SAMPLE, complaint_of, gather
from grpo_lint.runner import Mode, check_file

MODULE = """\
import torch


class Trainer:
    async def advantages_of(self, args, samples):
        rewards = torch.tensor([{element}["reward"] for {element} in samples])
        rewards = rewards.view(-1, args.n_samples_per_prompt)
        return (rewards - rewards.mean(dim=-1, keepdim=True)).flatten()
"""


class Sample(SimpleNamespace):
    def __getitem__(self, key: object) -> object:
        return f"item {key}"

    def key(self, *words: object, **more: object) -> tuple[object, ...]:
        return (self.uid, *words, *more.values())


SAMPLES = [Sample(uid=7, epoch=1, group_index=None), Sample(uid=8, epoch=2, group_index=3)]
GOOD = [
    "{sample}.uid",
    " {sample}.uid  ",
    "{sample}",
    "({sample}.epoch, {sample}.uid)",
    "({sample}.uid,)",
    "{sample}['uid']",
    '{sample}["a # b"]',
    "{sample}['é']",
    "{sample}['it''s', \"{'a': 1}\"]",
    "{sample}[1:2, ...]",
    "str({sample}.uid) + repr({sample}['uid'])",
    "{sample}.uid if {sample}.group_index is None else {sample}.group_index",
    "{sample}.group_index or {sample}.uid",
    "not {sample}.uid",
    "-{sample}.uid ** 2",
    "{sample}.uid < 3 <= 4",
    "{sample}.key(1, *'ab', word={sample}.epoch, **{'a': 2})",
    "f'{{sample}.uid}-{{sample}.epoch!r:>5}'",
    "f'{{sample}[\"uid\"]}'",
    "'%s %s' % ({sample}.uid, {sample}.epoch)",
    "(({sample}.uid))",
    "frozenset({{sample}.uid, 1})",
    "{sample}.uid is 1",
    "getattr({sample}, 'uid', None)",
    "({sample}.epoch, str({sample}.uid), {sample}['the name of a very long key'], {sample}['and of another one'], 1)",
    "{sample}['a']" + " * 2" * 20,
]
BAD = {
    "{sample}.uid # x": "is no expression",
    "{sample}.uid,": "has commas outside of brackets: put it in parentheses",
    "{sample}.a, {sample}.b": "has commas outside of brackets: put it in parentheses",
    "*{sample}.a": "is no expression",
    "{sample}.a; 1": "is no expression",
    "{sample}.a = 1": "is no expression",
    "{sample}.a := 1": "is no expression",
    "{sample}.a for x in 'ab'": "is no expression",
    "{sample}.a] + [{sample}.b": "is no expression",
    "{sample}.a) + ({sample}.b": "is no expression",
    "({sample}.a": "is no expression",
    "return {sample}": "is no expression",
    "f'{{sample}.a'": "is no expression",
    "(" * 150 + "{sample}" + ")" * 250: "is no expression",
    "0" * 300 + "1 + {sample}.a": "is no expression",
    "(yield {sample})": "holds a yield",
    "(yield from {sample})": "holds a yield",
    "(await {sample}.a)": "holds an await",
    "(x := {sample}.a)": "holds an assignment",
    "(lambda: {sample}.a)()": "holds a lambda",
    "(lambda {sample}: 1)(2)": "holds a lambda",
    "tuple(id for id in {sample}.ids)": "holds a comprehension",
    "[{sample} for {sample} in {sample}.a]": "holds a comprehension",
    "f'{[id for id in {sample}.ids]}'": "holds a comprehension",
    "'{sample}'": "has a {sample} that is not read",
    "f'{sample}'": "has a {sample} that is not read",
    "my_{sample}.uid": "has a {sample} that is not read",
    "{sample}.{sample}": "has a {sample} that is not read",
    "str({sample}=1)": "has a {sample} that is not read",
    "{sample}s.uid": "has a {sample} that is not read",
    "{sample}.uid + sample.uid": "reads 'sample'",
    "{sample}.uid + \uff53ample.uid": "has a {sample} that is not read",
    "uid_of({sample})": "reads 'uid_of'",
    "f'{uid_of({sample})}'": "reads 'uid_of'",
    "{sample}.__uid": "reads '__uid'",
    "{sample}\n.uid": "has a backslash",
    "({sample}\r\n.uid)": "has a backslash",
    "{sample}.uid\x0c": "has a backslash",
    "{sample}\0": "has a backslash",
    "{sample}['\\d']": "has a backslash",
    "{sample}" + ".a" * 60: "is nested more than 50 levels deep",
    "-" * 400 + "{sample}.a": "is nested more than 50 levels deep",
    "{sample}" + ".a" * 30_000: "is longer than 500 characters",
    "(" * 30_000 + "{sample}": "is longer than 500 characters",
}


@pytest.mark.parametrize("element", ["sample", "s", "x1"])
@pytest.mark.parametrize("template", GOOD)
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_what_is_accepted_is_repaired_to_the_letter(template: str, element: str, tmp_path: Path) -> None:
    assert complaint_of(template) is None
    path = tmp_path / "a.py"
    path.write_text(MODULE.format(element=element))
    result = check_file(str(path), Config(group_index=template, root=tmp_path), Mode.FIX, unsafe_fixes=False)
    assert (result.fault, result.findings, len(result.fixed)) == (None, (), 1)
    repaired = ast.parse(path.read_text())
    compile(repaired, "a.py", "exec")
    _, gathered = (node for node in ast.walk(repaired) if isinstance(node, ast.ListComp))
    values = eval(ast.unparse(gathered), {"samples": SAMPLES})
    assert values == [eval(template.strip().replace(SAMPLE, "this"), {"this": each}) for each in SAMPLES]


@pytest.mark.parametrize(("template", "complaint"), BAD.items())
def test_what_is_refused(template: str, complaint: str) -> None:
    said = complaint_of(template)
    assert said is not None
    assert complaint in said
    assert said.isprintable()
    assert len(said) < 200


@pytest.mark.parametrize(
    "template", ["{sample}.uid", "(lambda: {sample}.a)()", "{sample}.a # x", "{sample}" + ".a" * 9999]
)
def test_on_the_command_line(template: str, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(MODULE.format(element="sample"))
    (tmp_path / "grpo-lint.toml").write_text(f"group-index = {json.dumps(template)}\n")
    complaint = complaint_of(template)
    status, out, err = run("--fix", cwd=tmp_path)
    if complaint is None:
        assert (status, out) == (0, "Found 1 finding (1 fixed, 0 remaining).\n")
        assert gather(template, "sample", "samples") in path.read_text()
    else:
        assert (status, err) == (2, f"grpo-lint.toml: group-index: {complaint}\n")
        assert path.read_text() == MODULE.format(element="sample")


@pytest.mark.parametrize(
    ("statement", "is_repaired"),
    [
        ("str = repr", False),
        ("from lab import str", False),
        ("import lab.words as str", False),
        ("import str.words", False),
        ("def str(value): ...", False),
        ("for str in 'ab': pass", False),
        ("try: pass\nexcept OSError as str: pass", False),
        ("repr = str", True),
        ("from str import words", True),
        ("class Words:\n    def str(self): ...", True),
        ("def other(str): ...", True),
    ],
)
def test_what_the_expression_reads_is_pythons_own(statement: str, is_repaired: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(MODULE.format(element="sample").replace("class Trainer", f"{statement}\n\n\nclass Trainer"))
    result = check_file(str(path), Config(group_index="str({sample}.uid)", root=tmp_path), Mode.FIX, True)
    assert len(result.fixed) == is_repaired
    reasons = [finding.fix_reason for finding in result.findings]
    assert is_repaired or "the configured `group-index` reads `str`, which line " in str(reasons)


@pytest.mark.parametrize(
    "program", [MODULE.replace("self, args", "self, args, str"), MODULE.replace("{element}", "str")]
)
def test_a_local_named_like_what_the_expression_reads(program: str, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(program.format(element="sample"))
    config = Config(group_index="str({sample}.uid)", root=tmp_path)
    assert not check_file(str(path), config, Mode.FIX, True).fixed
    assert check_file(str(path), config._replace(group_index="repr({sample}.uid)"), Mode.FIX, True).fixed
