"""No gate hides a finding, and no code makes the analysis fail: over all cases, and over cases that were mutilated."""

from __future__ import annotations

import ast
import keyword
import re
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from test_cases import CASES, NAMES, expectations

from grpo_lint.config_file import load_config
from grpo_lint.declarations import ProjectDeclarations
from grpo_lint.flow.module import analyse
from grpo_lint.flow.vocabulary import Vocabulary
from grpo_lint.gate import mention_of_rewards, mentions_rewards, passes
from grpo_lint.project import Cache
from grpo_lint.rules import CODES, RULES, load
from grpo_lint.runner import Mode, check_file
from grpo_lint.search import occurs
from grpo_lint.source import Source
from grpo_lint.subjects import FUNCTIONS

TEXTS = {name: (CASES / f"{name}.py").read_text() for name in NAMES}
WORD = re.compile(r"[^\W\d]\w*|[-+*/.,:()\[\]]|\d+")
WORDS = sorted({word for text in TEXTS.values() for word in WORD.findall(text)} - set(keyword.kwlist))


def reported(text: str, is_gated: bool) -> set[tuple[str, int, int]]:
    tree = ast.parse(text)
    source = Source.from_text(str(CASES / "case.py"), text)
    declarations = ProjectDeclarations(CASES / "case.py", tree, Cache)
    return {
        (rule.code, report.node.lineno, report.node.col_offset)
        for facts in analyse(source, tree, Vocabulary(), is_gated, declarations)
        for rule, check in load(FUNCTIONS)
        for report in check(facts)
    }


def test_the_gates_hide_nothing_of_the_cases() -> None:
    for text in TEXTS.values():
        found = reported(text, is_gated=False)
        assert found == reported(text, is_gated=True)
        assert {row for _, row, _ in found} >= {each.row for each in expectations(text)}
        for code in {code for code, _, _ in found}:
            gate = next(rule.gate for rule in RULES if rule.code == code)
            assert passes(text.encode(), [gate])
            assert mentions_rewards(text.encode(), ())


def is_let_through(data: bytes, extra: tuple[str, ...] = ()) -> bool:
    return mentions_rewards(data, extra) and passes(data, [rule.gate for rule, _ in load(FUNCTIONS)])


def test_the_byte_gate_lets_plain_code_go() -> None:
    assert not is_let_through(b"import os\nprint(os.sep)\n")
    assert not is_let_through(b"x = logits.view(-1, n).mean(-1)\n")
    assert not is_let_through(b"rewards = rewards.view(-1, n)\n")
    assert is_let_through(b"rewards = rewards.view(-1, n).mean(-1)\n")


def test_the_byte_gate_knows_configured_words() -> None:
    assert not is_let_through(b"x = utility.view(-1, n).mean(-1)\n")
    assert is_let_through(b"x = utility.view(-1, n).mean(-1)\n", ("utility",))


PROGRAM = """\
# coding: {encoding}
def centre({name}, n_samples_per_prompt):
    grid = {name}.view(-1, n_samples_per_prompt)
    return grid - grid.mean(-1, keepdim=True)
"""


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("récompense", "utf-8"),
        ("récompense", "latin-1"),
        ("récompense", "cp1252"),
        ("récompense", "utf-8-sig"),
        ("Ñandú", "latin-1"),
        ("ut\u0103", "utf-8"),
        ("ut\u0103", "cp1250"),
        ("é", "latin-1"),
        ("奖励", "utf-8"),
        ("奖励", "gb18030"),
        ("獎勵", "big5"),
        ("報酬x", "shift_jis"),
        ("報酬", "euc_jp"),
        ("utility", "latin-1"),
    ],
)
@pytest.mark.parametrize("written", ["NFC", "NFD"])
@pytest.mark.parametrize("configured", ["NFC", "NFD"])
def test_the_byte_gate_knows_configured_words_in_any_encoding(
    name: str, encoding: str, written: str, configured: str, tmp_path: Path
) -> None:
    if not encoding.startswith("utf") and written == "NFD":
        written = "NFC"  # no combining marks there
    path = tmp_path / "a.py"
    text = PROGRAM.format(encoding="utf-8" if encoding == "utf-8-sig" else encoding, name=normalize(written, name))
    path.write_bytes(text.encode(encoding))
    toml = f'reward-names = ["{normalize(configured, name)}"]\n'
    (tmp_path / "grpo-lint.toml").write_text(toml, "utf-8")
    config = load_config(tmp_path, CODES)
    assert config is not None
    (found,) = check_file(str(path), config, Mode.CHECK, False).findings
    assert found.code == "GRPO001"
    assert not check_file(str(path), config._replace(reward_names=("other",)), Mode.CHECK, False).findings


@given(st.text("ardvewscorntu _ReWARDSÄä\u017f", max_size=30), st.lists(st.sampled_from(["Utility", "Güte"])))
@example("CRewArDs", [])
@example("my_gÜte", ["Güte"])
@example("güte", ["Güte"])
@example("UTILITY", ["Utility"])
def test_the_literal_test_for_rewards_is_the_search_for_the_expression(text: str, extra: list[str]) -> None:
    data = text.encode()
    assert mentions_rewards(data, extra) == bool(re.search(mention_of_rewards(extra).encode(), data, re.IGNORECASE))


PATTERNS = [
    rb"\b(?:view|as)\b",
    rb"(?:view|sum)\b",
    rb"\b(?:view|new)\b|\[\s*None\b",
    rb"(?:view|a_b)\b|x",
    rb"\bview\b",
    rb"\b(?:view|vie.)\b",
    rb"\b(?:view|new)\b.",
    rb"\b(?:view|)\b|x",
    rb"\b(?:view|new)\b|",
    rb"\b(?:view|review|viewed|new|renew)\b",
    rb"(?:a|aa|_a|new|a_b)\b",
    rb"x|//(?<![:/]//)\s*[\w(]|[|]1|\|\[|[]|]x",
    rb"(?:view|(?:as|x)1|[)]_)|(?!view)new\s",
    rb"view(?![-_]as|\d{3})|sum.?new",
]


@pytest.mark.parametrize("pattern", PATTERNS)
@given(
    st.lists(
        st.sampled_from(
            [
                b"view",
                b"as",
                b"sum",
                b"a_b",
                b"new",
                b"None",
                b"[",
                b" ",
                b"_",
                b"x",
                b"1",
                b"\xe9",
                b"/",
                b":",
                b"|",
                b"]",
                b")",
                b"re",
                b"ed",
            ]
        )
    )
)
@example([b"view"])
@example([b"x", b"view"])
@example([b"view", b"view", b" "])
@example([b"[", b"\n", b"None"])
def test_words_are_found_as_the_expression_finds_them(pattern: bytes, parts: list[bytes]) -> None:
    data = b"".join(parts)
    assert passes(data, [(pattern,)]) == bool(re.search(pattern, data))


RULE_PATTERNS = sorted({pattern for rule in RULES for pattern in rule.gate})


@pytest.mark.parametrize("pattern", RULE_PATTERNS, ids=range(len(RULE_PATTERNS)))
def test_the_patterns_of_rules_are_found_as_the_expression_finds_them(pattern: bytes) -> None:
    files = [path.read_bytes() for path in sorted(CASES.glob("*.py"))]
    pieces = [piece for data in files for piece in data.split(b"\n\n\n")]
    assert [occurs(pattern, piece) for piece in pieces] == [re.search(pattern, piece) is not None for piece in pieces]


def test_a_gate_wants_all_its_patterns_and_one_gate_is_enough() -> None:
    gates = [(rb"\b(?:a)\b", rb"\b(?:b)\b"), (rb"c",)]
    assert [passes(data, gates) for data in (b"a", b"b", b"b a", b"c", b"")] == [False, False, True, True, False]


@given(st.lists(st.text("ardvewscorntu_ReWARDS\u00dc\u017f", min_size=1, max_size=12)))
@example(["\u017fcore"])
@example(["x", "G\u00dcTE"])
def test_the_vocabulary_and_the_gate_find_the_same_words_of_rewards(words: list[str]) -> None:
    extra = ("g\u00fcte",)
    found = any(re.search(mention_of_rewards(extra), word, re.IGNORECASE) for word in words)
    assert Vocabulary(extra).is_mentioned(words) == found


@st.composite
def mutilated(draw: st.DrawFn) -> str:
    """A case in which lines went missing or changed places, and words became other words."""
    lines = TEXTS[draw(st.sampled_from(NAMES))].splitlines()
    start = draw(st.integers(0, len(lines) - 1))
    lines = lines[start : start + draw(st.integers(10, 60))]
    for _ in range(draw(st.integers(0, 3))):
        if len(lines) > 1:
            del lines[draw(st.integers(0, len(lines) - 1))]
    for _ in range(draw(st.integers(0, 6))):
        row = draw(st.integers(0, len(lines) - 1))
        places = list(WORD.finditer(lines[row]))
        if places:
            place = draw(st.sampled_from(places))
            lines[row] = lines[row][: place.start()] + draw(st.sampled_from(WORDS)) + lines[row][place.end() :]
    return "\n".join(lines) + "\n"


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(mutilated())
def test_mutilated_code_is_analysed_the_same_with_and_without_the_gates(text: str) -> None:
    try:
        ast.parse(text)
    except SyntaxError:
        return
    found = reported(text, is_gated=False)
    assert found == reported(text, is_gated=True)
    if found:
        assert is_let_through(text.encode())
