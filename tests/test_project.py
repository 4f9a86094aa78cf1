"""What a project is read for: classes behind annotations, functions of a name, who is first party."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from grpo_lint.project import Argument, Cache, Fit, Project, accepts_call

ITEM = "class Episode:\n    score: float\n    group_index: int\n\n    def final_score(self): ...\n"


def write(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root.joinpath(*name.split("__in__")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def package(root: Path, **files: str) -> Project:
    """A package `lab` with these modules; the project of its `trainer`."""
    write(root, **{f"lab__in__{name}": text for name, text in {"__init__": "", "trainer": "", **files}.items()})
    return Project.for_file(root / "lab" / "trainer.py")


def annotation(project: Project) -> ast.expr:
    """The annotation of the first parameter of the last function of the trainer."""
    module = project.module()
    assert module is not None
    function = next(node for node in reversed(module.tree.body) if isinstance(node, ast.FunctionDef))
    found = function.args.args[0].annotation
    assert found is not None
    return found


def proves(project: Project, *reads: str, attribute: str = "group_index") -> bool:
    module = project.module()
    assert module is not None
    return project.proves_attribute(annotation(project), set(reads), module, attribute)


@pytest.mark.parametrize(
    "text",
    [
        "Episode",  # not a sequence
        "list",  # of what?
        "list[dict]",  # a dict has no such attribute
        "list[object]",
        "list[Unknown]",
        "dict[str, Episode]",
        "list[Episode] | list[Unknown]",  # an alternative that is not found proves nothing
        "list[Episode | Plain]",  # a Plain has a score too, but no group
        "'list['",
        "Loop",
    ],
)
def test_proves_nothing(tmp_path: Path, text: str) -> None:
    trainer = (
        f"from lab.items import Episode, Plain\nfrom elsewhere import Unknown\nLoop = Loop2\nLoop2 = Loop\n"
        f"def f(x: {text}): ...\n"
    )
    project = package(tmp_path, items=ITEM + "class Plain:\n    score: float\n", trainer=trainer)
    assert not proves(project, "score")


@pytest.mark.parametrize(
    "text",
    [
        "list[Episode]",
        "List[Episode]",
        "typing.Sequence[Episode]",
        "cabc.Iterable[Episode]",
        "tuple[Episode, ...]",
        "set[Episode]",
        "'list[Episode]'",
        "list['Episode']",
        "Optional[list[Episode]]",
        "list[Episode] | None",
        "Union[List[Episode], Tuple[Episode, ...]]",
        "list[Episode] | list[list[Episode]]",  # a list has no `score`
        "list[Episode | None]",
        "list[Episode | Bare]",  # a Bare has no `score`
        "Annotated[list[Episode], 'flat']",
        "Episodes",
        "Typed",
        "elsewhere_here.Batch",
    ],
)
def test_proves_group_index(tmp_path: Path, text: str) -> None:
    trainer = (
        "import collections.abc as cabc\nimport typing\n"
        "from typing import Annotated, List, Optional, Tuple, TypeAlias, Union\n"
        "from lab.items import Bare, Episode\nimport lab.aliases as elsewhere_here\n"
        f"Episodes = list[Episode]\nTyped: TypeAlias = 'list[Episode]'\ndef f(x: {text}): ...\n"
    )
    aliases = "from .items import Episode\nBatch = list[Episode]\n"
    project = package(tmp_path, items=ITEM + "class Bare: ...\n", aliases=aliases, trainer=trainer)
    assert proves(project, "score")
    assert not proves(project, "score", attribute="rollout_id")


def test_alternatives_without_a_read_all_count(tmp_path: Path) -> None:
    trainer = "from lab.items import Episode\ndef f(x: list[Episode] | list[list[Episode]]): ...\n"
    project = package(tmp_path, items=ITEM, trainer=trainer)
    assert not proves(project)
    module = project.module()
    assert module is not None
    names = [element.name for element in project.element_classes(annotation(project), module)]
    assert names == ["Episode", "list"]


def test_type_statement(tmp_path: Path) -> None:
    """A statement of Python 3.12: an older interpreter cannot read the file, and nothing in it is proven."""
    alias = "type Episodes = list[Episode]"
    project = package(
        tmp_path,
        items=ITEM,
        aliases=f"from .items import Episode\n{alias}\n",
        trainer=("from lab.aliases import Episodes\ndef f(x: Episodes): ...\n"),
    )
    assert proves(project, "score") is (sys.version_info >= (3, 12))


@pytest.mark.parametrize(
    "imports",
    [
        "from lab.items import Episode",
        "from .items import Episode",
        "from . import items\nEpisode = items.Episode",
        "import lab.items\nEpisode = lab.items.Episode",
        "from lab.items import Episode as Renamed\nEpisode = Renamed",
        "from lab.api import Episode",
        "from lab.api.public import Episode",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from lab.items import Episode",
        "try:\n    from lab.items import Episode\nexcept ImportError:\n    Episode = None",
        "from lab.items import *",
    ],
)
def test_follows_imports(tmp_path: Path, imports: str) -> None:
    project = package(
        tmp_path,
        items=ITEM,
        api__in____init__="from .public import *\n",
        api__in__public="from ..items import Episode\n",
        trainer=imports + "\ndef f(x: list[Episode]): ...\n",
    )
    assert proves(project, "score")


def test_two_different_classes_prove_nothing(tmp_path: Path) -> None:
    trainer = "try:\n    from lab.a import Episode\nexcept ImportError:\n    from lab.b import Episode\n"
    project = package(tmp_path, a=ITEM, b=ITEM, trainer=trainer + "def f(x: list[Episode]): ...\n")
    assert not proves(project, "score")


def test_import_cycle_ends(tmp_path: Path) -> None:
    trainer = "from lab.a import Episode\ndef f(x: list[Episode]): ...\n"
    project = package(tmp_path, a="from .b import *\n", b="from .a import Episode\n", trainer=trainer)
    assert not proves(project)


def test_broken_module_proves_nothing(tmp_path: Path) -> None:
    trainer = "from lab.items import Episode\ndef f(x: list[Episode]): ...\n"
    assert not proves(package(tmp_path, items="class Episode(\n", trainer=trainer))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("class C: ...", False),
        ("class C:\n    def f(self, group_index): ...", False),
        ("class C:\n    def f(self, other): other.group_index = 1", False),
        ("class C:\n    @staticmethod\n    def f(x): x.group_index = 1", False),
        ("class C(Missing): ...", False),
        ("class C(C): ...", False),
        ("class C:\n    group_index: int | None = None", True),
        ("class C:\n    group_index = None", True),
        ("class C:\n    __slots__ = ('group_index',)", True),
        ("class C:\n    @property\n    def group_index(self): ...", True),
        ("class C:\n    def __init__(self): self.group_index = 1", True),
        ("class C:\n    def __init__(this): this.group_index: int = 1", True),
        ("class C:\n    def __init__(self): self.a, self.group_index = 1, 2", True),
        ("class B:\n    group_index: int\nclass C(B): ...", True),
        ("from .items import Episode\nclass C(Episode): ...", True),
        ("from .items import Episode\nfrom typing import Generic\nclass C(Generic[int], Episode): ...", True),
    ],
)
def test_declares(tmp_path: Path, body: str, expected: bool) -> None:
    project = package(tmp_path, items=ITEM, trainer=body + "\n")
    module = project.module()
    assert module is not None
    reference = project.find_class(module, "C")
    assert reference is not None
    assert project.declares(reference, "group_index") is expected


def test_nested_class(tmp_path: Path) -> None:
    trainer = "class Outer:\n    class Inner:\n        group_index: int\ndef f(x: list[Outer.Inner]): ...\n"
    assert proves(package(tmp_path, trainer=trainer), "group_index")


def test_class_that_may_have_more_is_not_excluded(tmp_path: Path) -> None:
    trainer = (
        "from lab.items import Episode\nclass Open:\n    def __getattr__(self, name): ...\n"
        "def f(x: list[Episode | Open]): ...\n"
    )
    assert not proves(package(tmp_path, items=ITEM, trainer=trainer), "score")


def test_roots_of_package_project_and_script(tmp_path: Path) -> None:
    write(tmp_path, src__in__lab__in____init__="", src__in__lab__in__a="", scripts__in__run="")
    (tmp_path / "pyproject.toml").write_text("")
    inner = Project.for_file(tmp_path / "src" / "lab" / "a.py")
    assert inner.roots == (tmp_path / "src", tmp_path)
    assert inner.resolve_module("lab.a") == tmp_path / "src" / "lab" / "a.py"
    assert inner.resolve_module("lab") == tmp_path / "src" / "lab" / "__init__.py"
    assert inner.resolve_module("nothing") is None
    assert inner.package == "lab"
    script = Project.for_file(tmp_path / "scripts" / "run.py")
    assert script.roots == (tmp_path, tmp_path / "src", tmp_path / "scripts")


def test_namespace_folder_is_passed_through(tmp_path: Path) -> None:
    write(tmp_path, lab__in____init__="", lab__in__deep__in__items=ITEM)
    write(tmp_path, lab__in__trainer="from lab.deep.items import Episode\ndef f(x: list[Episode]): ...\n")
    assert proves(Project.for_file(tmp_path / "lab" / "trainer.py"), "score")


def test_cache_is_shared(tmp_path: Path) -> None:
    cache = Cache()
    first = package(tmp_path, items=ITEM)
    again = Project.for_file(first.path, cache)
    assert Project.for_file(first.path, cache).module() is again.module()


FUNCTION = "def group_rewards(rewards, group_ids): ...\n"


def test_finds_no_function(tmp_path: Path) -> None:
    hidden = {f"{name}__in__x": FUNCTION for name in (".venv", "__pycache__", "node_modules", "build")}
    write(tmp_path, **hidden)
    other = "def group_rewards_twice(): ...\nclass A:\n    def group_rewards(self): ...\n"
    assert package(tmp_path, other=other).find_function("group_rewards") == ()


def test_finds_functions_near_ones_first_and_tests_last(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    write(tmp_path, tests__in__copy=FUNCTION, another__in____init__="", another__in__maths=FUNCTION)
    project = package(tmp_path, maths=FUNCTION, test_maths=FUNCTION)
    found = [candidate.module for candidate in project.find_function("group_rewards")]
    assert found == ["lab.maths", "another.maths", "lab.test_maths", "tests.copy"]


def function(signature: str) -> ast.FunctionDef:
    node = ast.parse(f"def normalize{signature}: ...").body[0]
    assert isinstance(node, ast.FunctionDef)
    return node


NEEDED = (
    Argument("normalize_std", "flag"),
    Argument("fallback_group_size", "args.n"),
    Argument("eps", "0.000001", is_default=True),
)


@pytest.mark.parametrize(
    "signature",
    [
        "()",
        "(args, samples, normalize_std, fallback_group_size)",  # another function of that name
        "(rewards, group_indices, normalize_std)",  # nowhere to say the size
        "(rewards, group_indices, *, normalize_std, fallback_group_size, device)",
        "(rewards: torch.Tensor, group_indices, *, normalize_std, fallback_group_size)",
        "(rewards, group_indices, *, normalize_std, fallback_group_size) -> torch.Tensor",
    ],
)
def test_call_does_not_fit(signature: str) -> None:
    assert accepts_call(function(signature), 3, NEEDED, "list") is None


@pytest.mark.parametrize(
    ("signature", "fit"),
    [
        (
            "(rewards, group_indices, rollout_ids=None, *, normalize_std, fallback_group_size=None, eps=1e-6)",
            Fit(frozenset({"eps"})),
        ),
        (
            "(rewards, group_indices, *, rollout_ids=None, normalize_std, fallback_group_size, eps=1e-8)",
            Fit(by_keyword=frozenset({"rollout_ids"})),
        ),
        ("(rewards: list[float], groups, normalize_std, fallback_group_size)", Fit(frozenset({"rollout_ids", "eps"}))),
        ("(scores: 'Sequence[float]', uids, **options) -> list", Fit(frozenset({"rollout_ids", "eps"}))),
        (
            "(rewards: Tensor | list, groups: Any, normalize_std, fallback_group_size) -> Tensor | list",
            Fit(frozenset({"rollout_ids", "eps"})),
        ),
    ],
)
def test_call_fits(signature: str, fit: Fit) -> None:
    assert accepts_call(function(signature), 3, NEEDED, "list") == fit


def test_first_and_third_parties(tmp_path: Path) -> None:
    configuration = (
        "[tool.isort]\nknown_third_party = ['wheel']\n[tool.ruff.lint.isort]\nknown-first-party = ['sibling']\n"
    )
    (tmp_path / "pyproject.toml").write_text(configuration)
    write(tmp_path, src__in__core__in____init__="", loose="", folder__in__sub__in__x="")
    parties = package(tmp_path).parties()
    assert parties.first == {"sibling"}
    assert parties.third == {"wheel"}
    assert parties.own >= {"lab", "core", "loose", "folder.sub"}
