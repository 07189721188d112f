"""Results that have elements where an input has none are written: they do not depend on what memory held."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import wengert_core as wc
from wengert_testing.calls import function_of, map_arrays
from wengert_testing.case import OpCase, Sample
from wengert_testing.samples import CASES

STEP = 9
"""Every so many rows are run here, and those of the families that had a defect."""
UNSPECIFIED = {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided", "resize_",
               "resize_as_"}  # fmt: skip
"""Their values are what was in memory before."""
ALWAYS = ("fft", "conv", "_upsample")
ROWS = [
    case
    for i, case in enumerate(CASES)
    if case.op not in UNSPECIFIED and (i % STEP == 0 or any(word in case.op for word in ALWAYS))
]


def arrays_of(sample: Sample) -> list[Any]:
    found: list[Any] = []

    def note(array: Any) -> Any:
        found.append(array)
        return array

    for value in [*sample.args, *sample.kwargs.values()]:
        map_arrays(value, note)
    return found


def cuts_of(sample: Sample) -> Iterator[list[tuple[slice, ...]]]:
    """Yield ways to cut a dim of one array, or all dims of a size, to nothing: an index for each array."""
    arrays = arrays_of(sample)
    for size in {n for array in arrays for n in array.shape}:
        yield [tuple(slice(0 if n == size else None) for n in array.shape) for array in arrays]
    for number, array in enumerate(arrays):
        for dim in range(array.ndim):
            yield [
                tuple(slice(0 if (i, d) == (number, dim) else None) for d in range(one.ndim))
                for i, one in enumerate(arrays)
            ]


def spoil_memory(nbytes: set[int], value: float) -> None:
    """Let memory of these sizes that is given out next hold a number."""
    for size in nbytes:
        n = -(-size // 8)
        kept = [(wc.full((n,), value, dtype=wc.float64), np.full(n, value)) for _ in range(8)]
        del kept


def tensors_of(result: Any) -> list[Any]:
    return [t for t in (result if isinstance(result, (tuple, list)) else [result]) if isinstance(t, wc.Tensor)]


def call(case: OpCase, sample: Sample, cut: list[tuple[slice, ...]], spoilt: set[int], value: float) -> list[Any]:
    queue = list(cut)

    def change(array: Any) -> Any:
        return wc.tensor(np.asarray(array)[queue.pop(0)])

    args = tuple(map_arrays(each, change) for each in sample.args)
    kwargs = {name: map_arrays(each, change) for name, each in sample.kwargs.items()}
    wc.manual_seed(3)
    spoil_memory(spoilt, value)
    try:
        return tensors_of(function_of(case.op)(*case.arguments(args), **kwargs))
    except Exception:  # whatever says that it takes no such input
        return []


def bits_of(t: Any) -> bytes:
    found: bytes = (t.float() if t.dtype is wc.bfloat16 else t).resolve_conj().numpy().tobytes() if t.numel() else b""
    return found


@pytest.mark.parametrize("case", ROWS, ids=str)
def test_results_of_nothing_are_written(case: OpCase) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample in case.samples("float64"):
            for cut in cuts_of(sample):
                sizes = {t.nbytes for t in call(case, sample, cut, set(), 0) if t.numel()}
                if sizes:
                    found = [[bits_of(t) for t in call(case, sample, cut, sizes, value)] for value in (7.25, -3.5)]
                    assert found[0] == found[1], (sample, cut)


def test_a_kernel_of_no_size_is_refused() -> None:
    x, two, three = wc.ones(1, 2, 4), wc.ones(1, 2, 4, 4), wc.ones(1, 2, 4, 4, 4)
    with pytest.raises(RuntimeError, match=r"greater than zero, but got kernel_height: 1 kernel_width: 0"):
        wc.conv1d(x, wc.ones(2, 2, 0), padding=1)
    with pytest.raises(RuntimeError, match=r"greater than zero, but got kernel_height: 0 kernel_width: 3"):
        wc.conv_transpose2d(two, wc.ones(2, 2, 0, 3))
    with pytest.raises(RuntimeError, match=r"greater than zero, but got: 2 x 0 x 0 \(TxHxW\)"):
        wc.conv3d(three, wc.ones(2, 2, 2, 0, 0))


def test_half_of_a_spectrum_that_has_nothing() -> None:
    for shape, dim, size in (((0,), 0, 4), ((2, 0), 1, 3), ((0, 3), 0, 2)):
        found = wc.TABLE.ops["_fft_c2r"](wc.zeros(shape, dtype=wc.complex64), [dim], 0, size)
        assert found.dtype is wc.float32
        assert found.shape == (*shape[:dim], size, *shape[dim + 1 :])
        assert not found.any()
