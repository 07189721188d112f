"""A pointwise operation gives a number the same bits alone, in a vector of any length, and in one with gaps."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import wengert_core as wc
from wengert_core.dispatch.op import Op

N = 17
DTYPES = ("bool", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128")
NUMBERS = (None, 2, 3, 0.5, -1, 2.5)
"""Second arguments that are numbers; None: there is none."""
OPS = [
    name
    for name, op in sorted(wc.TABLE.ops.items())
    if isinstance(op, Op) and op.family == "pointwise" and not op.is_inplace
]


def numbers(dtype: str, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    if dtype.startswith("complex"):
        values: Any = rng.normal(size=N) + 1j * rng.normal(size=N)
    elif dtype == "bool":
        values = rng.integers(0, 2, N)
    elif "int" in dtype:
        values = rng.integers(1, 5, N)
    else:
        values = rng.uniform(0.1, 0.9, N)
    if dtype == "bfloat16":
        return wc.from_numpy(values.astype("float32")).bfloat16()
    return wc.from_numpy(np.asarray(values).astype(dtype))


def bits_of(t: Any) -> bytes:
    found: bytes = (t.float() if t.dtype is wc.bfloat16 else t).contiguous().numpy().tobytes()
    return found


def with_gaps(x: Any) -> Any:
    wider = wc.zeros(2 * x.shape[0], dtype=x.dtype)
    wider[::2] = x
    return wider[::2]


def check_pieces(run: Callable[..., Any], xs: list[Any]) -> None:
    """Compare a call with calls for parts of the arguments."""
    try:
        whole = run(*xs)
    except (RuntimeError, TypeError, NotImplementedError):  # not for this dtype, or so many arguments
        return
    if not isinstance(whole, wc.Tensor):
        return
    for n in range(1, N + 1):
        assert bits_of(run(*[x[:n].clone() for x in xs])) == bits_of(whole[:n]), f"the first {n}"
        assert bits_of(run(*[with_gaps(x[:n]) for x in xs])) == bits_of(whole[:n]), f"the first {n}, with gaps"
    for i in range(N):
        assert bits_of(run(*[x[i].clone() for x in xs])) == bits_of(whole[i]), f"number {i} without dims"
        assert bits_of(run(*[x[i : i + 1].clone() for x in xs])) == bits_of(whole[i : i + 1]), f"number {i} alone"


@pytest.mark.parametrize("name", OPS)
def test_one_number_or_many(name: str) -> None:
    op = wc.TABLE.ops[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for dtype in DTYPES:
            for n_tensors in (1, 2, 3):
                xs = [numbers(dtype, seed) for seed in range(n_tensors)]
                for number in NUMBERS if n_tensors == 1 else (None,):
                    rest = () if number is None else (number,)
                    check_pieces(lambda *tensors, rest=rest: op(*tensors, *rest), xs)
