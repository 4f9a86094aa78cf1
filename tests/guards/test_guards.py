"""GRPO102: which tests search the text of the project's source files, and which only look as if they did."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grpo_lint.analysis import parse
from grpo_lint.config import Config
from grpo_lint.gate import passes
from grpo_lint.guards import Suite
from grpo_lint.model import FileResult
from grpo_lint.rules.grpo102_source_text_guard import RULE
from grpo_lint.runner import Mode, check_file
from grpo_lint.source import Source
from grpo_lint.subjects import TESTS

TOP = """\
import ast, inspect, os, re, subprocess, sys, tempfile, textwrap, unittest
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "lab" / "manager.py"

"""

# Programs by what they show. `# !` ends a line at which one finding stands.
LOUD = {
    "a path of a module constant": """
def test_it():
    source = SOURCE.read_text()
    assert "rewards = group_rewards(" in source  # !
    assert "rewards.view(-1, rewards.shape[-1])" not in source
""",
    "one finding for each test": """
def test_import():
    assert "from lab.grouping import group_rewards" in SOURCE.read_text(encoding="utf-8")  # !

def test_argument():
    text = SOURCE.read_text()
    assert "[sample.group_index for sample in samples]" in text  # !
""",
    "one finding for each file": """
def test_it():
    first, second = SOURCE.read_text(), (ROOT / "lab" / "trainer.py").read_text()
    assert "group_rewards(" in first  # !
    assert "group_rewards(" in second  # !
    assert "lab.grouping" in first
""",
    "absences": """
def test_it():
    assert "rewards.view(-1, n)" not in SOURCE.read_text()  # !
""",
    "plain words beside code are of the same finding": """
def test_it():
    source = SOURCE.read_text()
    assert "rewards" in source  # !
    assert "group_rewards(rewards)" in source
""",
    "cases with fields, one of which is the path": """
from dataclasses import dataclass

@dataclass(frozen=True)
class Hook:
    name: str
    file: str
    marker: str

HOOKS = [
    Hook("a", "lab/manager.py", "self.post_process(args, samples)"),
    Hook(name="b", file="lab/trainer.py", marker="self.log(step)"),
]

@pytest.mark.parametrize("hook", HOOKS, ids=[hook.name for hook in HOOKS])
def test_it(hook: Hook):
    assert hook.marker in Path(hook.file).read_text()  # !
""",
    "parametrised needles and paths": """
@pytest.mark.parametrize(("file", "needle"), [("lab/manager.py", "group_rewards("), ("lab/a.py", "import x")])
def test_it(file, needle):
    assert needle in (ROOT / file).read_text()  # !

@pytest.mark.parametrize("needle", ["group_rewards(", pytest.param("self.args.n", id="n")])
def test_needles(needle):
    assert needle in SOURCE.read_text()  # !
""",
    "pytest.param around cases": """
@pytest.mark.parametrize("needle", [pytest.param("group_rewards(", id="call")])
def test_it(needle):
    assert needle in SOURCE.read_text()  # !
""",
    "a dictionary of needles": """
MARKERS = {"lab/manager.py": ["group_rewards(", "import torch"]}

def test_it():
    for name, markers in MARKERS.items():
        text = (ROOT / name).read_text()
        for marker in markers:
            assert marker in text  # !
""",
    "os.path and open": """
def test_it():
    path = os.path.join(os.path.dirname(os.path.dirname(__file__)), "lab", "manager.py")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert "group_rewards(" in text  # !

def test_at_once():
    assert "group_rewards(" in open("lab/manager.py").read()  # !

def test_method():
    with SOURCE.open() as file:
        lines = file.readlines()
    assert any("group_rewards(" in line for line in lines)  # !

def test_lines_of_a_file():
    with open(SOURCE) as file:
        assert any("group_rewards(" in line for line in file)  # !
""",
    "the text by way of a fixture": """
@pytest.fixture(scope="module")
def source():
    return SOURCE.read_text()

def test_it(source):
    assert "group_rewards(" in source  # !
""",
    "the text by way of helpers": """
def _read(name):
    return (ROOT / "lab" / f"{name}.py").read_text()

def _require(text, needle):
    assert needle in text, needle  # !

def test_it():
    assert "group_rewards(" in _read("manager")  # !

def test_by_helper():
    _require(_read("manager"), "group_rewards(")
""",
    "unittest": """
class TestIt(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.source = SOURCE.read_text()

    def test_in(self):
        self.assertIn("group_rewards(", self.source)  # !
        self.assertNotIn("rewards.view(", self.source)

    def test_true(self):
        self.assertTrue("group_rewards(" in self.source)  # !

    def test_regex(self):
        self.assertRegex(self.source, r"group_rewards\\(\\s*rewards")  # !
""",
    "counts and places": """
def test_count():
    assert SOURCE.read_text().count("group_rewards(") == 2  # !

def test_find():
    text = SOURCE.read_text()
    assert text.find("centre(rewards)") < text.find("scale(rewards)")  # !

def test_regular_expression():
    assert re.search(r"group_rewards\\(", SOURCE.read_text())  # !

def test_compiled():
    assert not re.compile(r"rewards\\.view\\(").findall(SOURCE.read_text())  # !
""",
    "loops, any and all": """
def test_all():
    text = SOURCE.read_text()
    assert all(name in text for name in ["group_rewards(", "import torch"])  # !

def test_any():
    text = SOURCE.read_text()
    assert not any(name in text for name in ("rewards.view(", "rewards.reshape("))  # !

def test_missing():
    text = SOURCE.read_text()
    missing = [name for name in ["group_rewards("] if name not in text]
    assert not missing, missing  # !

def test_or():
    text = SOURCE.read_text()
    assert "group_rewards(a)" in text or "group_rewards(b)" in text  # !
""",
    "failing by hand": """
def test_fail():
    if "group_rewards(" not in SOURCE.read_text():  # !
        pytest.fail("gone")

def test_raise():
    text = SOURCE.read_text()
    if "rewards.view(" in text:  # !
        raise AssertionError("it is back")
""",
    "parts and other forms of the text": """
def test_part():
    body = SOURCE.read_text().split("def post_process")[1].split("def ")[0]
    assert "group_rewards(" in body  # !

def test_normalised():
    text = " ".join(SOURCE.read_text().split()).replace("'", '"').lower()
    assert "group_rewards( rewards" in text  # !

def test_window():
    text = SOURCE.read_text()
    start = text.index("def post_process")
    window = text[start : start + 400]
    assert "group_rewards(" in window  # !
""",
    "sources of objects": """
from lab import manager
from lab.trainer import Trainer

def test_module():
    assert "group_rewards(" in inspect.getsource(manager)  # !

def test_method():
    assert "self.centre(" in inspect.getsource(Trainer.step)  # !

def test_lines():
    assert "self.centre(" in "".join(inspect.getsourcelines(Trainer.step)[0])  # !

def test_of_an_instance():
    trainer = Trainer(1)
    assert "self.centre(" not in inspect.getsource(type(trainer).step)  # !

def test_file():
    assert "group_rewards(" in Path(manager.__file__).read_text()  # !

def test_source_file():
    assert "group_rewards(" in Path(inspect.getsourcefile(manager)).read_text()  # !
""",
    "the folder of the project by name": """
def test_it(repo_root):
    assert "group_rewards(" in (repo_root / "lab" / "manager.py").read_text()  # !

def test_of_pytest(pytestconfig):
    assert "group_rewards(" in (pytestconfig.rootpath / "lab/manager.py").read_text()  # !
""",
    "the text at the module's level": """
TEXT = SOURCE.read_text()

def test_it():
    assert "group_rewards(" in TEXT  # !
""",
    "bytes": """
def test_it():
    assert b"group_rewards(" in SOURCE.read_bytes()  # !
    assert "lab.grouping" in SOURCE.read_bytes().decode()
""",
}

QUIET = {
    "a README is prose": """
def test_it():
    assert "lab.group_rewards(" in (ROOT / "README.md").read_text()
""",
    "a licence header is no code": """
def test_it():
    text = SOURCE.read_text()
    assert text.startswith("# Copyright (c) 2024")
    assert "Licensed under the Apache License" in text
    assert "Copyright 2024 The Lab" in text
""",
    "what a package says of itself is data": """
def test_version():
    assert '__version__ = "1.0"' in (ROOT / "lab" / "__init__.py").read_text()

def test_setup():
    assert "python_requires=" in (ROOT / "setup.py").read_text()
""",
    "a program may have made the file": """
def test_it():
    subprocess.run([sys.executable, "-m", "lab.stubs"], check=True)
    assert "def f(" in Path("lab/stubs.py").read_text()
""",
    "the working folder is another one": """
@pytest.fixture(autouse=True)
def elsewhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

def test_it():
    assert "def f(" in Path("lab/stubs.py").read_text()
""",
    "plain words are no code": """
def test_it():
    assert "rewards" in SOURCE.read_text()
    assert "not in use" not in SOURCE.read_text()
""",
    "an unknown needle": """
def test_it(needle):
    assert needle in SOURCE.read_text()
""",
    "no assertion rests on it": """
def test_it():
    if "group_rewards(" in SOURCE.read_text():
        print("there")
    found = "group_rewards(" in SOURCE.read_text()
    pytest.skip("old") if not found else None

def test_skip():
    if "group_rewards(" not in SOURCE.read_text():
        pytest.skip("another version")
""",
    "files that the test makes are not the project's": """
def test_tmp_path(tmp_path):
    path = tmp_path / "out.py"
    path.write_text("x = f(1)")
    assert "f(1)" in path.read_text()

def test_by_another_name(tmp_path):
    folder = tmp_path
    assert "f(1)" in (folder / "lab.py").read_text()

def test_tmpdir(tmpdir):
    assert "f(1)" in tmpdir.join("lab.py").read()

def test_tempfile():
    with tempfile.TemporaryDirectory() as folder:
        assert "f(1)" in open(os.path.join(folder, "lab.py")).read()

def test_working_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert "f(1)" in Path("lab.py").read_text()

def test_written():
    Path("lab.py").write_text("f(1)")
    assert "f(1)" in Path("lab.py").read_text()
""",
    "a fixture may hand out any folder": """
def test_it(project):
    assert "f(1)" in (project / "lab.py").read_text()

@pytest.fixture
def root_dir(tmp_path):
    return tmp_path

def test_root(root_dir):
    assert "f(1)" in (root_dir / "lab.py").read_text()
""",
    "generated code": """
from lab.tools import generate_stubs

def test_it():
    generate_stubs(ROOT)
    assert "def f(x)" in (ROOT / "lab" / "stubs.py").read_text()
""",
    "text that is run or parsed": """
def test_run():
    text = SOURCE.read_text()
    assert "import torch" in text
    exec(text.replace("import torch", ""))

def test_parsed():
    tree = ast.parse(SOURCE.read_text())
    names = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert "post_process" in names
""",
    "objects of the test's own": """
def helper(x):
    return f(x)

class Local:
    pass

def test_it():
    def inner():
        return g(1)
    assert "f(x)" in inspect.getsource(helper)
    assert "g(1)" in inspect.getsource(inner)
    assert "x = 1" not in inspect.getsource(Local)
    assert "x = 1" not in inspect.getsource(Local().step)
""",
    "the standard library is not the project": """
import json

def test_it():
    assert "def loads(" in inspect.getsource(json)
    assert "def loads(" in Path(json.__file__).read_text()
""",
    "helpers of the tests": """
from tests.helpers import wait
from .helpers import run
from conftest import build
import tests.helpers

def test_it():
    assert "time.sleep(" not in inspect.getsource(wait)
    assert "time.sleep(" not in inspect.getsource(run)
    assert "time.sleep(" not in inspect.getsource(build)
    assert "time.sleep(" not in Path(tests.helpers.__file__).read_text()
""",
    "other people's packages": """
def test_it():
    path = ROOT / ".venv/lib/python3.12/site-packages/torch/functional.py"
    assert "def norm(" in path.read_text()
""",
    "tests and their data are no source": """
HERE = Path(__file__).parent

def test_data():
    assert "f(1)" in (HERE / "data" / "case.py").read_text()

def test_of_tests():
    assert "def test_a(" in (ROOT / "tests" / "test_other.py").read_text()

def test_own():
    assert "def test_own(" in Path(__file__).read_text()
""",
    "files of other kinds": """
@pytest.mark.parametrize("name", ["pyproject.toml", "LICENSE", "run.sh", "lab/kernel.cu"])
def test_it(name):
    assert "x = f(1)" in (ROOT / name).read_text()
""",
    "a text that is sometimes something else": """
def test_it():
    text = SOURCE.read_text() if os.environ.get("A") else subprocess.check_output(["a"]).decode()
    assert "f(1)" in text
""",
    "a name that is bound anew": """
def test_it():
    text = SOURCE.read_text()
    text = subprocess.check_output([sys.executable, SOURCE]).decode()
    assert "f(1)" in text
""",
    "what code gives, not how it is written": """
from lab.manager import describe

def test_it():
    assert "f(1)" in describe()
    assert "f(1)" in repr(describe)
""",
    "all files at once: a lint of the project's own": """
def test_it():
    for path in ROOT.rglob("*.py"):
        assert "print(" not in path.read_text()
""",
    "files whose names are not known": """
def test_it(name):
    assert "f(1)" in (ROOT / name).read_text()
    assert "f(1)" in (ROOT / os.environ["NAME"]).read_text()
""",
    "mocks and responses have read methods too": """
def test_it(client):
    assert "f(1)" in client.get("/lab.py").read()
    assert "f(1)" in client.read_text("lab.py")
""",
}


PROGRAMS = [TOP + text for text in (*LOUD.values(), *QUIET.values())]


def check(folder: Path, text: str, name: str = "tests/test_case.py") -> FileResult:
    (folder / "pyproject.toml").touch()
    path = folder / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(text)
    result = check_file(str(path), Config(root=folder), Mode.CHECK, unsafe_fixes=True)
    assert result.fault is None, result.fault
    return result


@pytest.mark.parametrize("shows", LOUD)
def test_guards_are_found(tmp_path: Path, shows: str) -> None:
    text = TOP + LOUD[shows]
    expected = [row for row, line in enumerate(text.splitlines(), 1) if line.endswith("# !")]
    assert expected
    assert [each.range.start.row for each in check(tmp_path, text).findings] == expected
    assert check(tmp_path, text, "lab/manager.py").findings == (), "no file but a test is looked at"


@pytest.mark.parametrize("reason", QUIET)
def test_other_tests_are_quiet(tmp_path: Path, reason: str) -> None:
    assert [(each.range.start.row, each.message) for each in check(tmp_path, TOP + QUIET[reason]).findings] == []


@st.composite
def mutilated(draw: st.DrawFn) -> str:
    """A program in which lines went missing, doubled or took each other's places."""
    lines = draw(st.sampled_from(PROGRAMS)).splitlines()
    for _ in range(draw(st.integers(1, 5))):
        first, second = draw(st.integers(0, len(lines) - 1)), draw(st.integers(0, len(lines) - 1))
        lines[first] = draw(st.sampled_from(["", lines[second], lines[first] + lines[second].strip()]))
    return "\n".join(lines)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(mutilated())
def test_no_test_is_too_strange(text: str) -> None:
    """Whatever parses is read to its end, twice the same, and what is found passes the byte gate."""
    try:
        tree = parse(text)
    except SyntaxError:
        return
    suite = Suite(Source.from_text("/lab/tests/test_case.py", text), tree, Config(root=Path("/lab")))
    found = [guard.first.search.statement.lineno for guard in suite.guards()]
    assert [guard.first.search.statement.lineno for guard in suite.guards()] == found
    if found:
        assert TESTS.may_be_in(suite.source.path, text.encode(), suite.config)
        assert passes(text.encode(), [RULE.gate])


ENDLESS = {
    "a function that calls itself": """
def read(name, n=0):
    return read(name, n + 1) + read(n, name) + SOURCE.read_text()

def test_it():
    assert "f(x)" in read("a") + read("b")
""",
    "names that stand for each other": """
A = B
B = A or A
class TestIt:
    def test_it(self):
        self.a = self.b
        self.b = self.a.lower() + self.b
        assert "f(x)" in self.a
        assert "f(x)" in A
""",
    "many steps": "def test_it():\n    x = SOURCE.read_text()\n"
    + "".join(f"    x = x.lower() + x.strip() + x{'.replace(x, x)' * (row % 7)}\n" for row in range(300))
    + "    assert 'f(x)' in x\n",
    "many values": "CASES = [" + ", ".join(f"('lab/m{row}.py', 'f{row}(x)')" for row in range(3000)) + "]\n"
    "@pytest.mark.parametrize(('file', 'text'), CASES)\n@pytest.mark.parametrize(('a', 'b'), CASES)\n"
    "def test_it(file, text, a, b):\n    assert a + b + text in Path(file + a + b).read_text()\n",
    "a deep expression": "def test_it():\n    assert 'f(x)' in SOURCE.read_text()" + ".strip()" * 200 + "\n",
}


@pytest.mark.parametrize("program", ENDLESS)
def test_the_search_ends(tmp_path: Path, program: str) -> None:
    start = time.process_time()
    check(tmp_path, TOP + ENDLESS[program])
    assert time.process_time() - start < 5
