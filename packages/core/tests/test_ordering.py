"""The kernel of sort, topk, kthvalue and the medians gives what the rows' references give: all dtypes and layouts."""

import itertools

import numpy as np
import pytest
import wengert_core as wc

SHAPES = [(1,), (24,), (25,), (300,), (5000,), (40, 3), (2, 3, 4, 5)]
DTYPES = ["uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
          "float64"]  # fmt: skip


def numbers(shape: tuple[int, ...], dtype: str) -> wc.Tensor:
    """With ties, both zeros, infinities and NaN where the dtype has them."""
    rng = np.random.default_rng(len(shape) + shape[0])
    if "float" not in dtype:
        return wc.tensor(rng.integers(0, 100, shape).tolist(), dtype=getattr(wc, dtype))
    x, kind = rng.standard_normal(shape), rng.random(shape)
    for limit, value in ((0.3, 0.0), (0.2, -0.0), (0.1, np.inf), (0.07, -np.inf), (0.05, np.nan)):
        x[kind < limit] = value
    return wc.tensor(x.tolist(), dtype=getattr(wc, dtype))


def array(tensor: wc.Tensor) -> np.ndarray:
    return (tensor.float() if tensor.dtype in (wc.float16, wc.bfloat16) else tensor).numpy()


def calls(n: int) -> list[tuple[str, tuple[object, ...]]]:
    """(op, its arguments but for dim) for a dim of n elements."""
    found: list[tuple[str, tuple[object, ...]]] = [("argsort", (False, False)), ("argsort", (True, True))]
    found += [("sort", (False, True)), ("sort", (True, False)), ("median.dim", (True,)), ("nanmedian.dim", (False,))]
    found += [("topk", (k, largest, True)) for k in {1, n, min(n, 8), (n + 1) // 2} for largest in (True, False)]
    return found + [("kthvalue", (k, True)) for k in {1, n, (n + 1) // 2}]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_same_as_the_reference(shape, dtype):
    x = numbers(shape, dtype)
    for t in (x, x.transpose(0, -1)):
        for dim in range(t.ndim):
            for name, arguments in calls(t.shape[dim]):
                op = wc.TABLE.ops[name]
                before = arguments[:1] if name in ("topk", "kthvalue") else ()
                after = arguments[len(before):]
                want = op.reference(np, array(t), *before, dim, *after)
                stable = {"stable": after[1]} if "sort" in name else {}
                got = op(t, *before, dim, *after[: 1 if stable else None], **stable)
                if name == "topk":  # which of equal elements are taken is open: values, and places that have them
                    assert np.array_equal(array(got[0]), want[0], equal_nan="float" in dtype)
                    taken = np.take_along_axis(array(t), got[1].numpy(), dim)
                    assert np.array_equal(taken, want[0], equal_nan="float" in dtype)
                    continue
                for part, wanted in zip(*(r if isinstance(r, tuple) else (r,) for r in (got, want)), strict=True):
                    assert np.array_equal(array(part), wanted, equal_nan="float" in dtype), (name, arguments, dim)


def test_sorting_is_stable_and_does_not_depend_on_threads():
    x = wc.tensor([i % 7 for i in range(300_000)]).reshape(100, -1)
    before = wc.get_num_threads()
    try:
        found = []
        for threads in (1, 2):
            wc.set_num_threads(threads)
            found.append(x.sort(-1).indices)
    finally:
        wc.set_num_threads(before)
    assert (found[0] == found[1]).all()
    places = found[0][0].tolist()
    assert all(a < b for a, b in itertools.pairwise(places) if a % 7 == b % 7)
