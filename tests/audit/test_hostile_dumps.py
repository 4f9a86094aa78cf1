"""A dump is untrusted: none of it is executed, nothing it claims is believed, and what is wrong is said of it alone."""

from __future__ import annotations

import functools
import io
import json
import os
import pickle
import resource
import struct
import subprocess
import sys
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy
import pyarrow
import pytest
import torch
from command_line import run
from dumps import save_slime, slime_samples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from grpo_lint.audit import unpickling
from grpo_lint.audit.formats import read_dumps
from grpo_lint.audit.records import Damage, Dump, Settings, Skipped

ROOT = Path(__file__).parent.parent.parent


def archive(path: Path, data: bytes, compression: int = zipfile.ZIP_STORED, **entries: bytes) -> Path:
    """A file like one of `torch.save` around a pickle."""
    with zipfile.ZipFile(path, "w", compression) as file:
        file.writestr("archive/data.pkl", data)
        file.writestr("archive/version", b"3\n")
        for name, content in entries.items():
            file.writestr(f"archive/{name}", content)
    return path


def outcome(path: Path) -> str:
    """What comes of reading a file: never anything but a dump, a word on why not, or a damage."""
    try:
        return "; ".join(type(each).__name__ for each in read_dumps(path, "it", Settings()))
    except Damage as damage:
        assert damage.reason.isprintable()
        return f"damaged: {damage.reason}"


class Calls:
    """Pickled, it calls a function when it is loaded."""

    def __init__(self, function: Any, *arguments: Any, state: Any = None) -> None:
        self.call = (function, arguments) if state is None else (function, arguments, state)

    def __reduce__(self) -> Any:
        return self.call


def calls_of_all_kinds(mark: Path) -> dict[str, Any]:
    command = f"touch {mark}"
    return {
        "system": Calls(os.system, command),
        "nested": Calls(map, Calls(getattr, Calls(__import__, "os"), "system"), [command]),
        "eval": Calls(eval, f"open({str(mark)!r}, 'w')"),
        "exec": Calls(exec, f"open({str(mark)!r}, 'w')"),
        "open": Calls(open, str(mark), "w"),
        "touch": Calls(Path.touch, mark),
        "build": Calls(type, "made", (), {}, state={"__setstate__": os.system}),
        "popen": Calls(subprocess.Popen, ["touch", str(mark)]),
        "torch": Calls(torch.load, str(mark)),
        "partial": Calls(functools.partial(os.system, command)),
    }


@pytest.mark.parametrize("kind", sorted(calls_of_all_kinds(Path())))
@pytest.mark.parametrize("protocol", [0, 2, 5])
def test_nothing_is_called(tmp_path: Path, kind: str, protocol: int) -> None:
    mark = tmp_path / "executed"
    hostile = calls_of_all_kinds(mark)[kind]
    samples = slime_samples([0, 1], [1.0, 0.0], metadata={"trace": hostile})
    data = pickle.dumps({"rollout_id": 0, "samples": samples, "hook": hostile}, protocol)
    for path in (archive(tmp_path / "a.pt", data), tmp_path / "b.pt"):
        if path.name == "b.pt":
            path.write_bytes(data)
        said = outcome(path)
        assert said == "Dump" or (protocol == 0 and path.name == "b.pt")
    assert not mark.exists()


def test_the_calls_are_ones_that_python_makes(tmp_path: Path) -> None:
    """The test above would notice: the same pickles, loaded by Python, do leave the mark."""
    mark = tmp_path / "executed"
    for kind in ("system", "eval", "open"):
        pickle.loads(pickle.dumps(calls_of_all_kinds(mark)[kind]))
        assert mark.exists()
        mark.unlink()


OPCODES = {
    "inst": b"(S'touch MARK'\nios\nsystem\n.",
    "obj": b"(cos\nsystem\nS'touch MARK'\no.",
    "newobj": b"\x80\x02cos\nsystem\nX\x0a\x00\x00\x00touch MARK\x85\x81.",
    "reduce": b"cos\nsystem\n(S'touch MARK'\ntR.",
    "stack global": b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x0atouch MARK\x85R.",
    "extension": b"\x80\x02\x82\x01.",
    "persistent": b"\x80\x02(X\x07\x00\x00\x00storagecos\nsystem\nX\x01\x00\x00\x000tQ.",
    "persistent text": b"Pstorage\n.",
    "build": b"\x80\x02cos\nsystem\n)\x81}X\x0c\x00\x00\x00__setstate__cos\nsystem\nsb.",
    "append to a class": b"\x80\x02cos\nenviron\n(K\x01K\x02e.",
    "set an item of a module's dict": b"\x80\x02cos\nenviron\nX\x04\x00\x00\x00PATHX\x01\x00\x00\x00xs.",
    "add": b"\x80\x04cos\nenviron\n(K\x01\x90.",
}


@pytest.mark.parametrize("name", OPCODES)
def test_no_opcode_does_anything(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    before = dict(os.environ)
    said = outcome(archive(tmp_path / "a.pt", OPCODES[name]))
    assert said == "Skipped" or said.startswith("damaged: its pickle is damaged")
    assert not (tmp_path / "MARK").exists()
    assert dict(os.environ) == before


def test_tensors_that_are_not_needed_are_not_read(tmp_path: Path) -> None:
    """Their storages may even be missing."""
    path = save_slime(tmp_path / "a.pt", 0, slime_samples([0, 1], [1.0, 0.0], hidden=torch.zeros(1000)))
    with zipfile.ZipFile(path) as file:
        data = file.read("a/data.pkl")
    assert outcome(archive(tmp_path / "b.pt", data)) == "Dump"


def test_storages_of_rewards_that_lie(tmp_path: Path) -> None:
    path = save_slime(tmp_path / "a.pt", 0, slime_samples([0], [torch.tensor(1.0)]))
    with zipfile.ZipFile(path) as file:
        data = file.read("a/data.pkl")
    missing = "damaged: the numbers of a tensor are missing"
    assert outcome(archive(tmp_path / "b.pt", data)) == missing
    assert outcome(archive(tmp_path / "c.pt", data, **{"data/0": b"\0"})) == missing
    assert outcome(archive(tmp_path / "d.pt", data, **{"data/0": struct.pack("<f", 1)})) == "Dump"
    infinite = archive(tmp_path / "e.pt", data, **{"data/0": struct.pack("<f", float("inf"))})
    assert outcome(infinite) == "damaged: the reward of sample 1 is not finite"


def state_of(reference: bytes, state: Any) -> bytes:
    """Opcodes that set the state of what others give."""
    return reference + pickle.dumps(state, 2)[2:-1] + b"b"


@pytest.mark.parametrize(
    "state",
    [[5, "FloatStorage"], [None, None], ["0", []], {"key": 5}, ({}, {"kind": []}), ({"key": 5}, None)],
    ids=repr,
)
def test_where_a_tensor_stands_cannot_be_changed(tmp_path: Path, state: Any) -> None:
    """The state of a storage's place, set between its making and the tensor's."""
    place = b"(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x01tQ"
    tensor = b"ctorch._utils\n_rebuild_tensor_v2\n(" + state_of(place, state) + b"K\x00))tR"
    start = b"\x80\x02}X\x07\x00\x00\x00samples]}(X\x0b\x00\x00\x00group_indexK\x00X\x06\x00\x00\x00reward"
    path = archive(tmp_path / "a.pt", start + tensor + b"uas.", **{"data/0": struct.pack("<f", 1)})
    assert outcome(path).startswith("damaged: its pickle is damaged")
    plain = start + tensor.replace(state_of(place, state), place) + b"uas."
    assert outcome(archive(tmp_path / "b.pt", plain, **{"data/0": struct.pack("<f", 1)})) == "Dump"


def test_a_storage_that_claims_to_be_encrypted(tmp_path: Path) -> None:
    data = bytearray(save_slime(tmp_path / "a.pt", 0, slime_samples([0], [torch.tensor(1.0)])).read_bytes())
    central = data.index(b"a/data/0", data.index(b"PK\x01\x02")) - 46
    data[central + 8] |= 1
    data[data.index(b"a/data/0") - 30 + 6] |= 1
    (tmp_path / "b.pt").write_bytes(data)
    assert outcome(tmp_path / "b.pt") == "damaged: the numbers of a tensor are missing"


@pytest.mark.parametrize(
    "name",
    [
        b"_codecs\nencode",
        b"numpy.core.multiarray\nscalar",
        b"torch._utils\n_rebuild_parameter",
        b"torch._utils\n_rebuild_tensor_v2",
        b"torch\nFloatStorage",
        b"numpy\ndtype",
        b"collections\nOrderedDict",
        b"os\nsystem",
    ],
)
def test_nothing_of_a_dump_outlives_it(tmp_path: Path, name: bytes) -> None:
    """What a dump does to the functions and classes that stand for its own is not there for the next."""
    rewards = [numpy.float64(0.5), torch.tensor(1.5), torch.nn.Parameter(torch.tensor(2.5))]
    whole = save_slime(tmp_path / "whole.pt", 0, slime_samples([0, 1, 1], rewards, table=OrderedDict(a=1)))
    before = snapshot()
    for state in ({"mark": 1}, ({"mark": 1}, {"__defaults__": ("x",), "__kwdefaults__": None, "__doc__": "x"})):
        outcome(archive(tmp_path / "a.pt", b"\x80\x02" + state_of(b"c" + name + b"\n", state) + b"."))
        assert snapshot() == before
    (found,) = read_dumps(whole, "it", Settings())
    assert isinstance(found, Dump)
    assert found.rewards == (0.5, 1.5, 2.5)


def snapshot() -> list[Any]:
    """The state of every function and class of the unpickler."""
    own = [each for each in vars(unpickling).values() if getattr(each, "__module__", None) == unpickling.__name__]
    methods = [each for kind in own if isinstance(kind, type) for each in vars(kind).values() if callable(each)]
    return [
        (each, dict(vars(each)), each.__doc__, getattr(each, "__defaults__", None))
        for each in (*own, *methods)
        if hasattr(each, "__dict__")
    ]


def test_a_thousand_rewards_that_are_tensors_take_no_long(tmp_path: Path) -> None:
    """The archive's list of entries is read once, and not for each."""
    rewards = [torch.tensor(float(at)) for at in range(1000)]
    path = save_slime(tmp_path / "a.pt", 0, slime_samples(range(1000), rewards))
    with zipfile.ZipFile(path) as file:
        assert len(file.namelist()) > 1000
    opened = mock.Mock(wraps=zipfile.ZipFile)
    with mock.patch("zipfile.ZipFile", opened):
        (found,) = read_dumps(path, "it", Settings())
    assert isinstance(found, Dump)
    assert found.rewards == tuple(map(float, range(1000)))
    assert opened.call_count == 1


def test_a_zip_bomb(tmp_path: Path) -> None:
    data = pickle.dumps({"samples": [], "filler": b"\0" * 50_000_000})
    path = archive(tmp_path / "a.pt", data, zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 1_000_000
    assert outcome(path) == "damaged: it is compressed, which torch.save never does"


def test_other_archives(tmp_path: Path) -> None:
    for names in ((), ("word/document.xml",), ("a/data.pkl", "b/data.pkl")):
        with zipfile.ZipFile(tmp_path / "a.pt", "w") as file:
            for name in names:
                file.writestr(name, b"")
        if names:
            assert outcome(tmp_path / "a.pt") == "damaged: it is a zip archive, and none of torch.save"


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_file_that_is_cut_off(tmp_path: Path, share: float) -> None:
    path = save_slime(tmp_path / "a.pt", 0, slime_samples([0] * 50, [0.0] * 50))
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    assert outcome(path).startswith("damaged: ")


def test_a_sparse_file_that_claims_two_gigabytes(tmp_path: Path) -> None:
    """One entry of 2 GB that takes no room on the disk is not read."""
    path = tmp_path / "a.pt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as file:
        file.writestr("archive/data.pkl", b"")
    size = 2 << 30
    entry = bytearray(path.read_bytes())
    for signature, at in ((b"PK\x03\x04", 18), (b"PK\x01\x02", 20)):
        start = entry.index(signature)
        entry[start + at : start + at + 8] = struct.pack("<II", size, size)
    local_end = entry.index(b"PK\x01\x02")
    end = entry.index(b"PK\x05\x06")
    entry[end + 16 : end + 20] = struct.pack("<I", local_end + size)
    with path.open("wb") as out:
        out.write(entry[:local_end])
        out.seek(local_end + size)
        out.write(entry[local_end:])
    assert outcome(path) == f"damaged: it claims {size:,} bytes of objects; at most {1 << 30:,} are read"


CLAIMS = {
    "bytes": b"\x80\x04\x8e" + struct.pack("<Q", 2 << 30) + b"x.",
    "text": b"\x80\x04\x8d" + struct.pack("<Q", 2 << 30) + b"x.",
    "bytearray": b"\x80\x05\x96" + struct.pack("<Q", 2 << 30) + b"x.",
    "frame": b"\x80\x04\x95" + struct.pack("<Q", 2 << 30) + b"x.",
    "long": b"\x80\x02\x8b" + struct.pack("<i", 2**31 - 1) + b"x.",
    "more than there can be": b"\x80\x04\x8e" + struct.pack("<Q", 2**63) + b"x.",
    "memo": b"\x80\x02Nr\xff\xff\xff\xff.",
    "digits": b"I" + b"9" * 10_000 + b"\n.",
    "never ends": b"\x80\x02N",
    "empty stack": b"\x80\x02..",
    "unknown opcode": b"\x80\x02\xff.",
    "later protocol": b"\x80\x7fN.",
}


@pytest.mark.parametrize("name", CLAIMS)
def test_what_a_pickle_claims_takes_no_memory(tmp_path: Path, name: str) -> None:
    """In the process that the command reads dumps in: the machine's memory is not to be had."""
    (tmp_path / "run").mkdir()
    archive(tmp_path / "run/a.pt", CLAIMS[name])
    save_slime(tmp_path / "run/b.pt", 1, slime_samples([0, 0, 1], [1, 0, 1]))
    status, out, err = run("audit", "run", cwd=tmp_path)
    assert status == 2
    assert err.startswith("run/a.pt: it")
    assert err.count("\n") == 1
    assert "dumps                                               1\n" in out


def test_a_dump_that_brings_its_process_down_is_named_and_the_others_are_counted(tmp_path: Path) -> None:
    """A tuple in a tuple, a million deep, as a key: Python's own hash of it overflows the stack."""
    (tmp_path / "run").mkdir()
    archive(tmp_path / "run/m.pt", b"\x80\x02}" + b")" + b"\x85" * 5_000_000 + b"Ns.")
    for step in range(8):
        save_slime(tmp_path / f"run/{'a' if step < 4 else 'z'}{step}.pt", step, slime_samples([0, 0, 1], [1, 0, 1]))
    for jobs in ("1", "3"):
        status, out, err = run("audit", "run", "--jobs", jobs, cwd=tmp_path)
        assert (status, err) == (2, "run/m.pt: it brought down the process that read it\n")
        assert "dumps                                               8\n" in out


def test_few_lists_that_stand_for_very_many_samples(tmp_path: Path) -> None:
    sample = slime_samples([0], [1])[0]
    shared = [[sample] * 10_000] * 10_000
    said = outcome(save_slime(tmp_path / "a.pt", 0, shared))
    assert said == "damaged: it claims more than 10,000,000 samples"


def test_a_prompt_that_is_nested_very_deep(tmp_path: Path) -> None:
    deep = b"]" * 300_000 + b"a" * 299_999
    start = b"\x80\x02}X\x07\x00\x00\x00samples]}(X\x06\x00\x00\x00rewardK\x01X\x06\x00\x00\x00prompt"
    path = archive(tmp_path / "a.pt", start + deep + b"uas.")
    with pytest.raises(Damage, match="the identity of sample 1 is no plain value"):
        list(read_dumps(path, "it", Settings(group_by="prompt")))


def test_places_of_storages_that_lie_outside_the_file(tmp_path: Path) -> None:
    """In the archive's own list: before its start, behind its end, and on no entry."""
    data = save_slime(tmp_path / "a.pt", 0, slime_samples([0], [torch.tensor(1.0)])).read_bytes()
    entry = data.index(b"a/data/0", data.index(b"PK\x01\x02")) - 46
    for place in (0, 7, len(data) - 1, len(data) + 1_000, 0xFFFFFFF0):
        changed = bytearray(data)
        changed[entry + 42 : entry + 46] = struct.pack("<I", place)
        (tmp_path / "b.pt").write_bytes(changed)
        assert outcome(tmp_path / "b.pt") == "damaged: the numbers of a tensor are missing"
    for size in (0, 3, 1 << 30):
        changed = bytearray(data)
        changed[entry + 20 : entry + 28] = struct.pack("<II", size, size)
        (tmp_path / "b.pt").write_bytes(changed)
        said = "damaged: the numbers of a tensor are missing" if size < 4 else "Dump"
        assert outcome(tmp_path / "b.pt") == said


def test_samples_that_hold_themselves(tmp_path: Path) -> None:
    samples: list[Any] = slime_samples([0], [1])
    samples.append(samples)
    assert outcome(save_slime(tmp_path / "a.pt", 0, samples)).startswith("damaged: ")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"reward": float("nan")}, "the reward of sample 1 is not finite"),
        ({"reward": float("-inf")}, "the reward of sample 1 is not finite"),
        ({"reward": 10**400}, "the reward of sample 1 is not finite"),
        ({"reward": None}, "the reward of sample 1 is missing"),
        ({"reward": "1.0"}, "the reward of sample 1 is no number"),
        ({"reward": [1.0]}, "the reward of sample 1 is no number"),
        ({"reward": torch.zeros(2)}, "the reward of sample 1 is no number"),
        ({"group_index": [{1}]}, "the identity of sample 1 is no plain value"),
        ({"group_index": {"a": 1}}, "the identity of sample 1 is no plain value"),
        ({"rollout_id": object()}, "the identity of sample 1 is no plain value"),
    ],
    ids=repr,
)
def test_samples_that_make_no_sense(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    (sample,) = slime_samples([0], [1.0])
    data = io.BytesIO()
    torch.save({"samples": [{**sample, **change}]}, data)
    (tmp_path / "a.pt").write_bytes(data.getvalue())
    assert outcome(tmp_path / "a.pt") == f"damaged: {said}"


def test_names_and_texts_of_a_dump_cannot_write_to_the_terminal(tmp_path: Path) -> None:
    name = "run\x1b[2Jname"
    save_slime(tmp_path / name / "a\nb.pt", 0, slime_samples(["\x1b[31m"] * 2 + ["x"], [1, 0, 1], rollout=None))
    (tmp_path / name / "c\x1b.pt").write_bytes(b"PK\x03\x04")
    status, out, err = run("audit", name, cwd=tmp_path)
    assert status == 2
    assert "\x1b" not in out + err
    assert err.count("\n") == 1


@pytest.fixture
def bounded_memory() -> Iterator[None]:
    """As in the processes that read dumps: random bytes may claim more than there is."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (1 << 30), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


WHOLE: list[bytes] = []


def whole(tmp: Callable[[], Path]) -> bytes:
    if not WHOLE:
        WHOLE.append(save_slime(tmp() / "a.pt", 0, slime_samples([0, 1], [1.0, 0.0], t=torch.zeros(3))).read_bytes())
    return WHOLE[0]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=8))
def test_any_damage_gives_a_dump_or_a_reason(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, int]]
) -> None:
    data = bytearray(whole(lambda: tmp_path_factory.mktemp("whole")))
    for at, byte in changes:
        data[at % len(data)] = byte
    path = tmp_path_factory.mktemp("damaged") / "a.pt"
    path.write_bytes(data)
    assert_no_more_than_read(path)


@pytest.mark.usefixtures("bounded_memory")
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.binary(max_size=200), st.binary(max_size=100).map(lambda data: b"\x80\x04" + data)))
def test_any_bytes_give_a_dump_or_a_reason(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("bytes") / "a.pt"
    path.write_bytes(data)
    assert_no_more_than_read(path)


LINES = b"".join(
    json.dumps({"group": ["a", step], "reward": 1.0, "advantage": 0.5, "step": step}).encode() + b"\n"
    for step in (1, 2, 2)
)


def table() -> bytes:
    out = io.BytesIO()
    columns = {
        "step": [3, 3],
        "prompt": [["a"], ["b"]],
        "completion": ["x", "y"],
        "f": [1.0, None],
        "advantage": [1.0, 0],
    }
    parquet.write_table(pyarrow.table(columns), out)
    return out.getvalue()


CHANGES = st.lists(st.tuples(st.integers(0, 10**6), st.binary(max_size=3)), min_size=1, max_size=8)


@pytest.mark.parametrize("data", [LINES, table()], ids=["lines", "table"])
@pytest.mark.usefixtures("bounded_memory")
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CHANGES)
def test_any_damage_of_lines_and_tables_gives_dumps_or_a_reason(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, changes: list[tuple[int, bytes]]
) -> None:
    changed = bytearray(data)
    for at, new in changes:
        place = at % (len(changed) + 1)
        changed[place : place + 1] = new
    path = tmp_path_factory.mktemp("damaged") / "a"
    path.write_bytes(changed)
    assert_no_more_than_read(path)


def assert_no_more_than_read(path: Path) -> None:
    try:
        found = list(read_dumps(path, "it", Settings()))
    except Damage as damage:
        assert damage.reason.isprintable()
    else:
        assert all(isinstance(each, Dump | Skipped) for each in found)


def test_linting_needs_none_of_what_an_audit_needs() -> None:
    text = (
        "import sys, grpo_lint.cli, grpo_lint.commands.audit, grpo_lint.audit.formats;"
        "print(*{'torch', 'pyarrow', 'matplotlib', 'jinja2', 'ray'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "\n"
