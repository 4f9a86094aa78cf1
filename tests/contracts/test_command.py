"""Contracts through the command line: checked, listed, inferred, and told apart from errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import child
from contracts.project import BODY, IMPORT, SITE, manager, write

from grpo_lint.contracts import CallSite, check
from grpo_lint.contracts.reading import toml_of
from grpo_lint.testing import configured_call_sites

ENTRY = toml_of(SITE, "tool.grpo-lint.call-sites")
DROPPED = BODY.replace("return raw, rewards", "return raw, raw")


def run(folder: Path, *words: str) -> tuple[int, str, str]:
    return child("-m", "grpo_lint", *words, cwd=folder)


def project(root: Path, module: str, *entries: str) -> Path:
    return write(root, module, {"pyproject.toml": "".join(entries or (ENTRY,))})


def test_a_contract_that_holds_is_quiet(tmp_path: Path) -> None:
    assert run(project(tmp_path, manager())) == (0, "All checks passed!\n", "")


def test_a_breach_is_a_finding_on_its_line(tmp_path: Path) -> None:
    status, out, err = run(project(tmp_path, manager(DROPPED)), "lab", "--output-format", "concise")
    assert (status, err) == (1, "")
    assert out.startswith("lab/manager.py:15:13: GRPO101 the result of `normalize_by_prompt` must be returned;")


@pytest.mark.parametrize("words", [["manager.py"], ["../lab"], ["./manager.py", "--no-such"][:1]])
def test_the_file_is_known_by_whatever_path(words: list[str], tmp_path: Path) -> None:
    project(tmp_path, manager(DROPPED))
    assert "GRPO101" in run(tmp_path / "lab", *words)[1]


@pytest.mark.parametrize("name", ["a_link.py", "z_link.py"])
@pytest.mark.parametrize("is_entry", [True, False])
def test_a_link_is_the_file_that_it_leads_to(name: str, is_entry: bool, tmp_path: Path) -> None:
    entry = ENTRY.replace("lab/manager.py", f"lab/{name}") if is_entry else ENTRY
    project(tmp_path, manager(DROPPED), entry)
    (tmp_path / "lab" / name).symlink_to("manager.py")

    assert run(tmp_path, "lab", "--output-format", "concise")[1].count("GRPO101") == 1


def test_other_files_are_not_checked_for_it(tmp_path: Path) -> None:
    project(tmp_path, manager(DROPPED))
    assert run(tmp_path, "lab/grouping.py")[0] == 0


@pytest.mark.parametrize("words", [["--ignore", "GRPO101"], ["--select", "GRPO0"], ["--isolated"]])
def test_the_rule_can_be_left_out(words: list[str], tmp_path: Path) -> None:
    assert run(project(tmp_path, manager(DROPPED)), *words)[0] == 0


def test_a_comment_on_the_line_answers_for_a_breach(tmp_path: Path) -> None:
    body = DROPPED.replace("    return raw, raw\nreturn", "    return raw, raw  # noqa: GRPO101 - for now\nreturn")
    assert run(project(tmp_path, manager(body)))[0] == 0


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (ENTRY.replace("lab/manager.py", "lab/manger.py"), "there is no file lab/manger.py"),
        (ENTRY.replace("calls =", "call ="), "unknown key 'call': did you mean 'calls'?"),
        (ENTRY.replace("file =", "# file ="), "`file` is missing"),
        (ENTRY.replace('"self.args.n_samples"', '"self.args."'), "arguments.size: `self.args.` is no expression"),
        (ENTRY.replace('"self.args.n_samples"', "1"), "arguments.size: expected an expression in a string, found 1"),
        (ENTRY.replace('"returned"', '"kept"'), "result: 'kept' is neither 'returned' nor 'used'"),
        (ENTRY.replace('"GRPO001"', '"GRPO01x"'), "absent: unknown code 'GRPO01x': did you mean 'GRPO001'?"),
        (ENTRY.replace("lab/manager.py", "/lab/manager.py"), "is not below the folder of the configuration"),
        (ENTRY.replace("lab/manager.py", "../manager.py"), "is not below the folder of the configuration"),
        (ENTRY.replace("Manager.post_process", "post process"), "function: 'post process' is no name such as"),
        (ENTRY.replace("lab.grouping.normalize", "normalize"), "calls: 'normalize_by_prompt' is no name such as"),
        (ENTRY.replace("lab.grouping", "self"), "name the class in place of `self`: package.module.Class.normalize_by"),
        (ENTRY.replace('["GRPO001", "GRPO002"]', '"GRPO001"'), "absent: expected a list of codes, found 'GRPO001'"),
    ],
)
def test_an_entry_that_is_none_is_named_and_the_others_are_checked(entry: str, said: str, tmp_path: Path) -> None:
    status, out, err = run(project(tmp_path, manager(DROPPED), entry, ENTRY))
    assert status == 2
    assert err.startswith("pyproject.toml: call-sites, entry 1")
    assert said in err
    assert "GRPO101 the result of" in out, "the second entry"


def test_a_module_is_nothing_to_call(tmp_path: Path) -> None:
    status, _, err = run(project(tmp_path, manager(), ENTRY.replace(".normalize_by_prompt", "")))
    assert (status, "calls: `lab.grouping` is a module" in err) == (2, True)


def test_a_function_that_is_defined_twice(tmp_path: Path) -> None:
    twice = manager(inside="\n\ndef post_process(self, samples):\n    return samples, samples\n")
    other = ENTRY.replace("Manager.post_process", "Manager.other")
    status, out, err = run(project(tmp_path, twice, ENTRY, other))
    assert status == 2
    assert err.startswith("lab/manager.py: call-sites, entry 1 (lab/manager.py::Manager.post_process): ")
    assert "is defined twice in lab/manager.py, on lines 5 and 19" in err
    assert "has no function `Manager.other`" in out


def test_overloads_and_setters_are_no_second_definition(tmp_path: Path) -> None:
    before = "class Manager:\n    @overload\n    def post_process(self, samples: int) -> None: ...\n\n"
    module = manager().replace("class Manager:\n", before)
    assert run(project(tmp_path, module))[0] == 0


def test_a_file_that_does_not_parse_is_said_once(tmp_path: Path) -> None:
    status, _, err = run(project(tmp_path, manager() + "\nx = ("), "lab")
    assert status == 2
    assert err.count("lab/manager.py") == 1


def test_a_breach_shows_whatever_the_changes_touch(tmp_path: Path) -> None:
    """A change of another file may be what breaks a contract."""
    project(tmp_path, manager())
    for command in ("init -q", "add -A", "-c user.name=a -c user.email=a@b commit -qm a"):
        assert (
            child("-c", f"import subprocess; subprocess.run('git {command}'.split(), check=True)", cwd=tmp_path)[0] == 0
        )
    (tmp_path / "lab/grouping.py").write_text("def normalise_by_prompt(rewards):\n    return rewards\n")
    status, out, _ = run(tmp_path, "--diff-base", "HEAD", "--output-format", "concise")
    assert status == 1
    assert "`lab.grouping.normalize_by_prompt`, which `Manager.post_process` must call, is not defined" in out


# the command


def test_contracts_are_listed_with_their_state(tmp_path: Path) -> None:
    broken = ENTRY.replace("sample.attempt", "sample.index")
    missing = ENTRY.replace("lab/manager.py", "lab/gone.py")
    status, out, err = run(
        project(tmp_path, manager(), ENTRY, broken, missing, "[[tool.grpo-lint.call-sites]]\n"), "contracts"
    )
    name = "lab/manager.py::Manager.post_process calls lab.grouping.normalize_by_prompt"
    assert (status, err) == (2, "")
    assert out.splitlines() == [
        f"{name}: holds",
        f"{name}: broken",
        "  lab/manager.py:11:26: `attempts` of `normalize_by_prompt` must be `[sample.index "
        "for sample in samples]`, and is"
        " `[sample.attempt for sample in samples]`",
        f"{name.replace('manager', 'gone')}: cannot be checked",
        "  there is no file lab/gone.py",
        "entry 4: cannot be checked",
        "  `file` is missing",
        "pyproject.toml: 4 contracts: 1 held, 1 broken, 2 cannot be checked.",
    ]


@pytest.mark.parametrize(("module", "status"), [(manager(), 0), (manager(DROPPED), 1)])
def test_the_status_of_the_list(module: str, status: int, tmp_path: Path) -> None:
    assert run(project(tmp_path, module), "contracts", "lab")[0] == status


def test_no_contracts(tmp_path: Path) -> None:
    write(tmp_path, manager())
    assert run(tmp_path, "contracts") == (0, "No contracts: there is no configuration.\n", "")


def test_what_is_inferred_holds_and_can_be_pasted(tmp_path: Path) -> None:
    write(
        tmp_path,
        manager(
            "samples = list(samples)\nprompts = [s.prompt for s in samples]\n"
            + BODY.replace("[sample.prompt for sample in samples]", "prompts")
        ),
    )
    status, out, err = run(tmp_path, "contracts", "infer", "lab/manager.py::Manager.post_process")
    assert (status, err) == (0, "")
    (tmp_path / "pyproject.toml").write_text(out)
    (site,) = configured_call_sites(tmp_path)
    assert dict(site.arguments)["size"] == "self.args.n_samples"
    assert dict(site.arguments)["rewards"] == "[sample.reward for sample in samples]"
    assert (site.result and site.result.value, site.absent[:2]) == ("returned", ("GRPO001", "GRPO002"))
    assert check(site, tmp_path) == ()


def test_inference_leaves_out_what_does_not_hold_and_says_why(tmp_path: Path) -> None:
    body = "self.args.n_samples = 4\n" + BODY.replace("return raw, rewards", "return raw, [2 * r for r in rewards]")
    write(tmp_path, manager(body))
    out = run(tmp_path, "contracts", "infer", "lab/manager.py::Manager.post_process")[1]
    assert "size =" not in out
    assert 'result = "used"' in out
    assert "# left out: `size`, since line 6: `self.args.n_samples` is set here, before the call" in out


def test_inference_without_a_configuration_names_the_file_from_the_projects_folder(tmp_path: Path) -> None:
    write(tmp_path, manager())
    (tmp_path / "pyproject.toml").unlink()
    (tmp_path / ".git").mkdir()
    status, out, _ = run(tmp_path / "lab", "contracts", "infer", "manager.py::Manager.post_process")
    assert status == 0
    assert 'file = "lab/manager.py"' in out
    assert out.startswith(f"# for {tmp_path / 'pyproject.toml'}")


@pytest.mark.parametrize("calls", ["_centre", "self._centre", "lab.manager.Manager._centre"])
def test_inference_of_a_method(calls: str, tmp_path: Path) -> None:
    body = "return samples, self._centre(samples)\n"
    write(tmp_path, manager(body, inside="\n\ndef _centre(self, samples):\n    return samples\n"))
    out = run(tmp_path, "contracts", "infer", "lab/manager.py::Manager.post_process", "--calls", calls)[1]
    assert 'calls = "lab.manager.Manager._centre"' in out
    assert 'arguments = { samples = "samples" }' in out


def test_modules_are_found_in_a_folder_under_version_control(tmp_path: Path) -> None:
    """Without a pyproject.toml, and in a folder that is no package."""
    write(tmp_path, manager())
    for name in ("pyproject.toml", "lab/__init__.py"):
        (tmp_path / name).unlink()
    (tmp_path / "grpo-lint.toml").write_text(toml_of(SITE, "call-sites"))
    assert run(tmp_path, "contracts")[0] == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[call-sites]]\nfile = 'a.py'\n", "call-sites: in this file the header is [[tool.grpo-lint.call-sites]]"),
        ("[[tool.grpo_lint.call-sites]]\nfile = 'a.py'\n", "tool.grpo_lint: the table is called [tool.grpo-lint]"),
        ("[tool.grpo-lint.call-sites]\nfile = 'a.py'\n", "each under a header in two pairs of brackets"),
    ],
)
def test_a_header_that_is_not_looked_for(text: str, said: str, tmp_path: Path) -> None:
    write(tmp_path, manager(), {"pyproject.toml": text})
    for words in ([], ["contracts"]):
        status, _, err = run(tmp_path, *words)
        assert status == 2
        assert said in err


@pytest.mark.parametrize("word", ["list", "infr", "gone.toml"])
def test_a_word_that_is_no_path(word: str, tmp_path: Path) -> None:
    status, _, err = run(write(tmp_path, manager()), "contracts", word)
    assert status == 2
    assert f"'{word}' is neither a path nor `infer`" in err


def test_what_the_command_says_holds_whatever_is_left_out(tmp_path: Path) -> None:
    """The command checks every entry, and `grpo-lint` what its settings leave in."""
    table = '[tool.grpo-lint]\nselect = ["GRPO001"]\n'
    project(tmp_path, manager(DROPPED), table, ENTRY)
    assert run(tmp_path)[0] == 0
    assert run(tmp_path, "contracts")[0] == 1


@pytest.mark.parametrize("absent", ['["ALL"]', '["GRPO0"]', '["GRPO001"]'])
def test_codes_prefixes_and_all_may_be_absent(absent: str, tmp_path: Path) -> None:
    body = BODY.replace(
        "return raw, raw",
        "rewards = torch.tensor(raw).reshape(-1, self.args.n_samples_per_prompt)\n"
        "return raw, (rewards - rewards.mean(-1, keepdim=True)).flatten()",
    )
    entry = ENTRY.replace('["GRPO001", "GRPO002"]', absent)
    out = run(project(tmp_path, manager(f"import torch\n{body}"), entry), "contracts")[1]
    assert "GRPO001 is reported here" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["lab/manager.py"], "is no place such as FILE::FUNCTION"),
        (["lab/gone.py::f"], "there is no file"),
        (["lab/manager.py::Manager.process"], "has no function `Manager.process`"),
        (["lab/manager.py::Manager.post_process", "--calls", "lab.legacy.f"], "is not defined in the project"),
        (
            ["lab/manager.py::Manager.post_process", "--calls", "print"],
            "calls no `print`: choose with\n  --calls lab.grouping.normalize",
        ),
        (["lab/grouping.py::normalize_by_prompt"], "calls no function of other files"),
    ],
)
def test_what_cannot_be_inferred(words: list[str], said: str, tmp_path: Path) -> None:
    write(tmp_path, manager())
    status, out, err = run(tmp_path, "contracts", "infer", *words)
    assert (status, out) == (2, "")
    assert said in err


def test_the_normaliser_is_what_is_inferred_among_several(tmp_path: Path) -> None:
    imports = (
        "from lab.legacy import normalize_by_prompt as old\n"
        "from grpo_lint.reference import normalize_rewards_by_group\n"
    )
    write(
        tmp_path,
        manager("old(samples)\nreturn normalize_rewards_by_group(samples, samples, normalize_std=False)\n", imports),
    )
    out = run(tmp_path, "contracts", "infer", "lab/manager.py::Manager.post_process")[1]
    assert 'calls = "grpo_lint.reference.normalize_rewards_by_group"' in out
    assert 'group_indices = "samples"' in out, "its signature is known"
    chosen = run(
        tmp_path, "contracts", "infer", "lab/manager.py::Manager.post_process", "--calls", "normalize_by_prompt"
    )[1]
    assert 'calls = "lab.legacy.normalize_by_prompt"' in chosen


def test_a_contract_is_one_value_everywhere() -> None:
    assert CallSite(SITE.file, SITE.function, SITE.calls, SITE.arguments, SITE.result, SITE.absent) == SITE
    assert hash(SITE) == hash(CallSite(SITE.file, SITE.function, SITE.calls, SITE.arguments, SITE.result, SITE.absent))
    assert IMPORT in manager()
