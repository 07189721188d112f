"""scatter_reduce and index_reduce by kernels give what their references give, to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wengert_core as wc

DTYPES = (
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
)
REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")
INDEX = np.array([[0, 2, 1, 2], [1, 1, 0, 2], [0, 0, 0, 0]])
PLACES = np.array([2, 0, 2])


def numbers(dtype: str, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, (3, 4)).astype(bool)
    if "float" in dtype:
        return rng.normal(size=(3, 4)).astype(dtype)
    low = 0 if dtype.startswith("u") else -100
    return rng.integers(low, 120, (3, 4)).astype(dtype)


def with_gaps(array: Any) -> Any:
    wide = np.zeros((8, 3), array.dtype).T
    wide[:, ::2] = array
    return wc.from_numpy(wide)[:, ::2]


@pytest.mark.filterwarnings("ignore:index_reduce.. is in beta")
@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", REDUCTIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_reductions_beside_references(dtype: str, reduce: str, include_self: bool) -> None:
    if (dtype, reduce) == ("bool", "mean"):
        return  # refused, see below
    x, source = numbers(dtype, 1), numbers(dtype, 2)
    calls = [("scatter_reduce", 0, INDEX), ("scatter_reduce", 1, INDEX)]
    calls += [("index_reduce", 0, PLACES)] if reduce != "sum" else []
    for name, dim, index in calls:
        op = wc.TABLE.ops[name]
        with np.errstate(all="ignore"):
            want = np.asarray(op.reference(np, x, dim, index, source, reduce, include_self)).astype(x.dtype)
        for make in (wc.from_numpy, with_gaps):
            got = op(make(x.copy()), dim, wc.from_numpy(index), make(source.copy()), reduce, include_self=include_self)
            assert got.numpy().tobytes() == want.tobytes(), (name, dim)
        changed = wc.from_numpy(x.copy())
        wc.TABLE.ops[f"{name}_"](
            changed, dim, wc.from_numpy(index), wc.from_numpy(source), reduce, include_self=include_self
        )
        assert changed.numpy().tobytes() == want.tobytes(), (name, dim)


@pytest.mark.parametrize("reduce", ["amax", "amin", "prod", "sum"])
def test_nan_goes_through(reduce: str) -> None:
    x, index = wc.tensor([1.0, float("nan"), 3.0]), wc.tensor([0, 1, 2, 2])
    found = x.scatter_reduce(0, index, wc.tensor([5.0, 1.0, float("nan"), 7.0]), reduce)
    assert found.isnan().tolist() == [False, True, True]


def test_what_is_refused() -> None:
    x, index = wc.zeros(3), wc.tensor([0, 3])
    with pytest.raises(RuntimeError, match="index 3 is out of bounds for dimension 0 with size 3"):
        x.scatter_reduce(0, index, wc.zeros(2), "amax")
    with pytest.raises(RuntimeError, match="reduce argument must be either sum, prod, mean, amax or amin, got most"):
        x.scatter_reduce(0, index[:1], wc.zeros(2), "most")
    with pytest.raises(RuntimeError, match="Expected reduce to be one of prod, mean, amax or amin but got sum"):
        x.index_reduce(0, index[:1], wc.zeros(1), "sum")
    with pytest.raises(RuntimeError, match="amax or amin but got max"):
        x.index_reduce(0, index[:1], wc.zeros(1), "max")
    with pytest.raises(NotImplementedError, match="not implemented for 'ComplexFloat'"):
        wc.zeros(3, dtype=wc.complex64).scatter_reduce(0, index[:1], wc.zeros(1, dtype=wc.complex64), "amax")
    for name in ("scatter_reduce", "index_reduce"):
        with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
            wc.TABLE.ops[name](wc.zeros(3, dtype=wc.bool), 0, index[:1], wc.zeros(1, dtype=wc.bool), "mean")
    with pytest.raises(RuntimeError, match="same scalar type"), pytest.warns(UserWarning, match="in beta"):
        x.index_reduce(0, index[:1], wc.zeros(1, dtype=wc.float64), "prod")
