"""What goes in and comes out: lists, tuples, tensors, arrays and their dtypes."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from grpo_lint import reference
from grpo_lint.reference import normalize_rewards_by_group

pytestmark = pytest.mark.filterwarnings("error")

REWARDS = [0.0, 2.0, 1.0, 5.0, 3.0]
GROUPS = ["a", "a", "b", "b", "b"]
CENTRED = [-1.0, 1.0, -2.0, 2.0, 0.0]


def centred(rewards, groups=GROUPS, **settings):
    return normalize_rewards_by_group(rewards, groups, **{"normalize_std": False} | settings)


@pytest.mark.parametrize("kind", [list, tuple])
@pytest.mark.parametrize("number", [float, int, np.float64, np.float16, np.int32, torch.tensor, np.array])
def test_sequence_gives_a_list_of_floats(kind, number):
    actual = centred(kind(map(number, REWARDS)))
    assert actual == CENTRED
    assert type(actual) is list and {type(value) for value in actual} == {float}


def test_list_is_computed_in_float32():
    rewards = [0.1, 0.2, 0.7]
    expected = torch.tensor(rewards) - torch.tensor(rewards).mean()
    assert centred(rewards, "aaa") == expected.tolist()
    # Equal in float32, though not in float64.
    assert centred([0.3, 0.1 + 0.2], "aa", normalize_std=True, eps=1e-12) == [0.0, 0.0]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_tensor_keeps_its_floating_dtype(dtype):
    actual = centred(torch.tensor(REWARDS, dtype=dtype))
    assert actual.dtype == dtype and actual.tolist() == CENTRED


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int32, torch.int64])
def test_tensor_of_integers_becomes_float32(dtype):
    actual = centred(torch.tensor(REWARDS, dtype=dtype))
    assert actual.dtype == torch.float32 and actual.tolist() == CENTRED


def test_tensor_of_booleans_becomes_float32():
    actual = centred(torch.tensor([True, False]), "aa")
    assert actual.dtype == torch.float32 and actual.tolist() == [0.5, -0.5]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "longdouble", ">f4", ">f8"])
def test_array_keeps_its_floating_dtype(dtype):
    actual = centred(np.array(REWARDS, dtype=dtype))
    assert isinstance(actual, np.ndarray) and actual.dtype == np.dtype(dtype) and actual.tolist() == CENTRED


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint16", ">i4", object])
def test_array_of_anything_else_becomes_float64(dtype):
    actual = centred(np.array(REWARDS).astype(dtype))
    assert actual.dtype == np.float64 and actual.tolist() == CENTRED


def test_float64_is_computed_in_float64():
    rewards = np.array([1.0, 1.0 + 1e-12])
    assert centred(rewards, "aa")[1] == pytest.approx(5e-13, rel=1e-3)
    assert centred(torch.from_numpy(rewards), "aa")[1].item() == pytest.approx(5e-13, rel=1e-3)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_types_are_computed_in_float32(dtype):
    values = torch.rand(64, generator=torch.Generator().manual_seed(0)).to(dtype)
    groups = torch.arange(8).repeat(8)
    actual = centred(values, groups, normalize_std=True)
    assert torch.equal(actual, centred(values.float(), groups, normalize_std=True).to(dtype))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_types_are_clamped_to_their_range(dtype):
    limit = torch.finfo(dtype).max
    actual = centred(torch.tensor([limit, -limit, -limit, -limit], dtype=dtype), "aaaa")
    assert actual[0].item() == limit and torch.isfinite(actual).all()


def test_half_array_is_clamped_to_its_range():
    actual = centred(np.array([65504, -65504, -65504, -65504], dtype="float16"), "aaaa")
    assert actual.dtype == np.float16 and actual[0] == 65504 and np.isfinite(actual).all()


@pytest.mark.parametrize(
    "rewards",
    [[], (), torch.empty(0), torch.empty(0, dtype=torch.float16), np.empty(0), np.empty(0, dtype="float32")],
    ids=lambda rewards: f"{type(rewards).__name__} {getattr(rewards, 'dtype', '')}",
)
def test_empty_gives_empty(rewards):
    for ids in ([], torch.empty(0), np.empty(0)):
        actual = centred(rewards, ids, rollout_ids=ids, normalize_std=True)
        assert len(actual) == 0 and type(actual) is (list if isinstance(rewards, tuple) else type(rewards))
        assert getattr(actual, "dtype", None) == getattr(rewards, "dtype", None)


def test_input_is_not_changed():
    values, array = torch.tensor(REWARDS), np.array(REWARDS)
    centred(values)
    centred(array)
    assert values.tolist() == array.tolist() == REWARDS


def test_strided_and_read_only_input():
    wide = np.array([REWARDS[::-1], REWARDS])
    wide.setflags(write=False)
    assert centred(wide[0, ::-1]).tolist() == CENTRED
    assert centred(torch.tensor(REWARDS).repeat_interleave(2)[::2]).tolist() == CENTRED


@pytest.mark.parametrize("size", [3, 8, 33])
@pytest.mark.parametrize("stride", [2, 7])
def test_strides_change_no_bit(size, stride):
    values = torch.randn(size * 40, generator=torch.Generator().manual_seed(size))
    strided = torch.stack([values] * stride, dim=1)[:, 0]
    groups = torch.arange(40).repeat_interleave(size)
    assert torch.equal(centred(strided, groups, normalize_std=True), centred(values, groups, normalize_std=True))


def test_no_gradient_flows():
    values = torch.tensor(REWARDS, requires_grad=True)
    assert not centred(values, normalize_std=True).requires_grad
    assert centred(values).tolist() == CENTRED


def test_default_device_and_dtype_do_not_matter():
    in_float32 = centred([0.1, 0.2], "aa")
    torch.set_default_device("meta")
    torch.set_default_dtype(torch.float64)
    try:
        assert centred(REWARDS, rollout_ids=[1, 2, None, 3, 4]) == CENTRED
        assert centred(np.array(REWARDS)).tolist() == CENTRED
        assert centred([0.1, 0.2], "aa") == in_float32
    finally:
        torch.set_default_device(None)
        torch.set_default_dtype(torch.float32)


DEVICES = ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]


@pytest.mark.parametrize("device", DEVICES)
def test_tensor_stays_on_its_device(device):
    values = torch.tensor(REWARDS, device=device)
    for groups in (GROUPS, torch.tensor([0, 0, 1, 1, 1], device=device), list(values.new_tensor([0, 0, 1, 1, 1]))):
        actual = centred(values, groups)
        assert actual.device == values.device and actual.tolist() == CENTRED


def test_module_imports_only_torch_and_the_standard_library():
    tree = ast.parse(Path(reference.__file__).read_text(encoding="utf-8"))
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a vendored file has no package to be relative to"
            names.add(node.module.partition(".")[0])
    assert names - sys.stdlib_module_names == {"torch"}


def test_module_runs_alone(tmp_path):
    """Copied out of the package, in a process of its own, where NumPy cannot be imported."""
    vendored = tmp_path / "vendored_reference.py"
    vendored.write_text(Path(reference.__file__).read_text(encoding="utf-8"), encoding="utf-8")
    script = (
        "import sys; sys.modules['numpy'] = None\n"
        "import vendored_reference as reference\n"
        "assert reference.normalize_rewards_by_group([0.0, 2.0], [7, 7], normalize_std=False) == [-1.0, 1.0]\n"
        "assert 'grpo_lint' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True, cwd=tmp_path)
