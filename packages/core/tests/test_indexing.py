"""Indexing: results and errors against recorded PyTorch results, random indices against NumPy, every dtype."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest
import wengert_core as wg
from wengert_core.exchange.arrays import from_array, to_array
from wengert_core.optable.core_table import TABLE

from .recorded_geometry import check, check_error, load, outcome

SETUP, FACTS = load("index")
FACTS = [fact for fact in FACTS if fact[0] != "x[::-1]"]  # PyTorch refuses negative steps: test_negative_steps.py
DTYPES = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "uint16",
    "uint32",
    "uint64",
]


@pytest.mark.parametrize(("code", "want"), FACTS, ids=[code for code, _ in FACTS])
def test_same_as_recorded(code: str, want: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if "error" in want:
            with pytest.raises(Exception) as caught:  # noqa: PT011 - check_error looks at the type
                outcome(code, SETUP)
            check_error(caught.value, want)
        else:
            check(outcome(code, SETUP), want)


def random_item(rng: random.Random, size: int) -> Any:
    """A basic index item, or an index array, for a dim of some size."""
    kind = rng.randrange(6)
    if kind == 0:
        return rng.randrange(-size, size)
    if kind == 1:
        return slice(rng.choice([None, 0, 1, -2]), rng.choice([None, 2, -1, 9]), rng.choice([None, 1, 2]))
    if kind == 2:
        return np.array([rng.randrange(-size, size) for _ in range(3)])
    if kind == 3:
        return np.array([[rng.randrange(size)], [rng.randrange(-size, 0)]])
    if kind == 4:
        return np.array([rng.random() < 0.5 for _ in range(size)])
    return slice(None)


def random_index(rng: random.Random, shape: tuple[int, ...]) -> tuple[Any, ...]:
    items = [random_item(rng, size) for size in shape[: rng.randint(1, len(shape))]]
    masks = [i for i, item in enumerate(items) if getattr(item, "dtype", None) == np.bool_]
    for i in masks[1:]:  # two masks rarely broadcast
        items[i] = slice(None)
    if masks and any(getattr(item, "ndim", 0) for i, item in enumerate(items) if i != masks[0]):
        items[masks[0]] = slice(None)
    if rng.random() < 0.3:
        items.insert(rng.randint(0, len(items)), None)
    if any(isinstance(item, int) for item in items) and any(isinstance(item, np.ndarray) for item in items):
        items = [
            slice(i, i + 1 or None) if isinstance(i, int) else i for i in items
        ]  # torch selects first, NumPy does not
    return tuple(items)


def random_array(rng: random.Random) -> np.ndarray[Any, Any]:
    shape = [rng.randint(2, 4) for _ in range(rng.randint(1, 4))]
    array = np.arange(float(np.prod(shape)), dtype=np.float32).reshape(shape)
    return array.transpose(rng.sample(range(array.ndim), array.ndim)) if rng.random() < 0.5 else array


@pytest.mark.parametrize("seed", range(150))
def test_random_reads_and_writes_agree_with_numpy(seed: int) -> None:
    rng = random.Random(seed)
    array = random_array(rng)
    index = random_index(rng, array.shape)
    tensor, want = from_array(array), array[index]
    got = tensor[index]
    assert tuple(got.shape) == want.shape
    np.testing.assert_array_equal(to_array(got), want)
    changed, ours = array.copy(), tensor.clone()
    changed[index] = -1
    ours[index] = -1
    np.testing.assert_array_equal(to_array(ours), changed)
    values = np.random.default_rng(seed).random(want.shape, np.float32)
    if not any(isinstance(item, np.ndarray) for item in index):
        changed[index] = values
        ours[index] = from_array(values)
        np.testing.assert_array_equal(to_array(ours), changed)


def sample(dtype: str, shape: tuple[int, ...]) -> Any:
    """A tensor of small whole numbers, exact in every dtype."""
    values = np.arange(np.prod(shape)).reshape(shape) % 5
    return from_array(values.astype("bool" if dtype == "bool" else "float32")).to(wg.__dict__[dtype])


ONE_DIM = from_array(np.array([2, 0, 2]))
PER_ELEMENT = from_array(np.array([[1, 0, 2], [2, 2, 0]]))
MASK = from_array(np.array([[True], [False], [True], [True]]))
OPS: dict[str, tuple[Any, ...]] = {
    "gather": (0, PER_ELEMENT),
    "index_select": (0, ONE_DIM),
    "scatter": (0, PER_ELEMENT, "source"),
    "scatter_add": (0, PER_ELEMENT, "source"),
    "scatter_reduce": (0, PER_ELEMENT, "source", "prod"),
    "index_reduce": (1, ONE_DIM, "columns", "prod"),
    "index_add": (1, ONE_DIM, "columns"),
    "index_copy": (1, from_array(np.array([2, 0, 1])), "columns"),
    "index_fill": (1, ONE_DIM, 1),
    "masked_fill": (MASK, 1),
    "index": ((None, ONE_DIM),),
    "index_put": ((None, ONE_DIM), "columns"),
    "flip": ((0, 1),),
    "roll": ((1, 2), (0, 1)),
    "tril": (-1,),
    "triu": (1,),
    "masked_select": (MASK,),
    "masked_scatter": (MASK, "source"),
}


def arguments(name: str, dtype: str) -> list[Any]:
    sources = {"source": sample(dtype, (4, 3)), "columns": sample(dtype, (4, 3))}
    return [sources.get(arg, arg) if isinstance(arg, str) else arg for arg in OPS[name]]


@pytest.mark.filterwarnings("ignore:index_reduce.. is in beta")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OPS)
@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_same_as_reference_in_every_dtype(name: str, dtype: str, layout: str) -> None:
    x = sample(dtype, (4, 3)) if layout == "rows" else sample(dtype, (3, 4)).t()
    op, args = TABLE.ops[name], arguments(name, dtype)
    before = to_array(x).copy()
    got = op(x, *args)
    arrays = [as_array(arg) for arg in args]
    want = op.reference(np, before, *arrays, *defaults(op, len(args)))
    assert got.dtype is x.dtype
    np.testing.assert_array_equal(to_array(got), want)
    np.testing.assert_array_equal(to_array(x), before)
    if f"{name}_" in TABLE.ops:
        assert TABLE.ops[f"{name}_"](x, *args) is x
        np.testing.assert_array_equal(to_array(x), want)


def as_array(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(as_array(v) for v in value)
    return to_array(value) if isinstance(value, wg.Tensor) else value


def defaults(op: Any, given: int) -> list[Any]:
    known = {"value": None, "reduce": None, "alpha": 1, "accumulate": False, "sparse_grad": False, "include_self": True}
    return [known[name] for name in op.params[1 + given :] if name != "out"]


def test_every_op_of_the_family_has_a_case() -> None:
    family = {name for name, op in TABLE.ops.items() if getattr(op, "family", "") == "indexing" and not op.is_inplace}
    assert family - set(OPS) == {"fill", "nonzero"}  # in the recorded facts
    for name in ("fill", "nonzero", "copy_", "zero_", "take", "put", "take_along_dim", "rot90", "argwhere"):
        assert any(f".{name}(" in code for code, _ in FACTS), name


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_repeated_positions(dtype: str, accumulate: bool) -> None:
    x = sample(dtype, (3,)) if dtype == "bool" else sample(dtype, (3,)) * 0
    ones = sample(dtype, (5,))[1:2].expand(4)
    x.index_put_((from_array(np.array([1, 1, 1, 0])),), ones, accumulate)
    want = [True, True, to_array(x)[2]] if dtype == "bool" else [1, 3 if accumulate else 1, 0]
    assert to_array(x).tolist() == want


def test_the_last_of_repeated_positions_wins() -> None:
    x = wg.zeros(2)
    x[[0, 0, 0]] = wg.tensor([1.0, 2.0, 3.0])
    assert x.tolist() == [3, 0]


def test_what_is_assigned_may_overlap_the_target_where_torch_cannot_tell() -> None:
    x = wg.arange(6.0)
    x[2::2] = x[:-2:2]  # has gaps: torch writes [0, 1, 0, 3, 0, 5]
    assert x.tolist() == [0, 1, 0, 3, 2, 5]
    x[:] = x[3]
    assert x.tolist() == [3] * 6


def test_arrays_and_numpy_numbers_may_be_assigned() -> None:
    x = wg.zeros(2, 2)
    x[0] = np.array([1, 2])
    x[1, 1] = np.float64(3)
    assert x.tolist() == [[1, 2], [0, 3]]


def test_a_failed_write_changes_nothing() -> None:
    x = wg.zeros(3)
    for wrong in (
        lambda: x.__setitem__([0, 5], 1),
        lambda: x.index_add_(0, wg.tensor([0, 9]), wg.ones(2)),
        lambda: x.scatter_(0, wg.tensor([0, -1]), 1.0),
        lambda: x.__setitem__(slice(2), wg.ones(3)),
        lambda: x.__setitem__(0, "a"),
        lambda: x.masked_fill_(wg.tensor([True, False]), 1),
    ):
        with pytest.raises((IndexError, RuntimeError, TypeError)):
            wrong()
    assert x.tolist() == [0, 0, 0]
    assert x._version == 0


def test_writes_raise_the_version_once() -> None:
    x, index = wg.zeros(3, 3), wg.tensor([0])
    writes = [
        lambda: x.__setitem__(0, 1),
        lambda: x.__setitem__((0, 1), wg.tensor(2.0)),
        lambda: x.__setitem__([0], 1),
        lambda: x.__setitem__(x > 0, 2),
        lambda: x.fill_(1),
        lambda: x.zero_(),
        lambda: x.copy_(wg.ones(3)),
        lambda: x.index_fill_(0, index, 1),
        lambda: x.index_add_(0, index, wg.ones(1, 3)),
        lambda: x.tril_(),
        lambda: x.scatter_add_(0, wg.tensor([[0]]), wg.ones(1, 1)),
        lambda: x.masked_fill_(x > 0, 1),
    ]
    for n, write in enumerate(writes):
        assert x._version == n
        write()


def test_warnings_of_deprecated_indices() -> None:
    x = wg.arange(4)
    with pytest.warns(UserWarning, match="uint8 is now deprecated"):
        assert x[wg.tensor([1, 0, 0, 1], dtype=wg.uint8)].tolist() == [0, 3]
    with pytest.warns(UserWarning, match="non-tuple sequence"):
        assert wg.zeros(2, 2)[[slice(None), 1]].shape == (2,)


def test_large_blocks_along_several_dims() -> None:
    array = np.arange(2 * 300 * 130, dtype=np.float32).reshape(2, 300, 130)
    index = np.array([5, -1, 17, 17])
    np.testing.assert_array_equal(to_array(from_array(array)[:, index]), array[:, index])
    np.testing.assert_array_equal(to_array(from_array(array)[..., index]), array[..., index])
    x = wg.zeros(2, 300, 130)
    x.index_put_((None, from_array(index)), wg.ones(130), accumulate=True)
    assert x.sum().item() == 2 * 4 * 130
    assert x[:, 17].sum().item() == 2 * 2 * 130
