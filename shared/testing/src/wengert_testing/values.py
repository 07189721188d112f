"""Checks of values: against the oracle, for other memory layouts, in place and into out=, in every dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_testing.calls import array_of, as_tensors, call, contiguous, inplace_of, op_of, strided_copy
from wengert_testing.case import COMPLEX_OF, Array, OpCase, Sample
from wengert_testing.tolerance import assert_close

LOOSE = 50
"""How many roundings deep a result may be: the tolerance of its dtype is multiplied by it."""


def oracle_value(case: OpCase, sample: Sample) -> tuple[Any, ...]:
    """What the oracle gives."""
    assert case.oracle is not None
    with np.errstate(all="ignore"):
        return case.results(case.oracle(*case.arguments(sample.args), **sample.kwargs))


def compare(
    case: OpCase, sample: Sample, got: tuple[Any, ...], expected: tuple[Any, ...], what: str = "result"
) -> None:
    """Each result against the expected one, within the tolerance of its dtype or the case's own."""
    label = f"{case.op}{sample!r}: {what}"
    assert len(got) == len(expected), f"{label}: {len(got)} results, expected {len(expected)}"
    for y, e in zip(got, expected, strict=True):
        array = np.asarray(array_of(y))
        name = y.dtype.name if isinstance(y, Tensor) else array.dtype.name
        assert_close(array, e, label, rtol=case.rtol or LOOSE * TOLERANCES.get(name, 0.0))


TOLERANCES = {
    "bfloat16": 2e-2 / 3,
    "float16": 1e-3 / 3,
    "float32": 1e-7,
    "complex64": 3e-7,
    "float64": 1e-14,
    "complex128": 1e-14,
}


def check_value(case: OpCase, sample: Sample) -> None:
    """The op's results are the oracle's; those of the in-place variant and of out= too."""
    got = call(case, sample)
    expected = oracle_value(case, sample)
    compare(case, sample, got, expected)
    if len(got) == 1 and isinstance(got[0], Tensor):
        check_out(case, sample, got[0])
        check_inplace(case, sample, got[0])


def check_strided(case: OpCase, sample: Sample) -> None:
    """Inputs with gaps and reversed dims give the same."""
    if case.strided:
        compare(
            case,
            sample,
            call(case, sample, strided_copy),
            oracle_value(case, sample),
            "result of non-contiguous inputs",
        )


DIM_FIRST = ("sum", "prod")
"""What takes out= together with a dim only, as in PyTorch."""


def check_out(case: OpCase, sample: Sample, result: Tensor) -> None:
    """out= gets the result and is returned; an empty one is resized."""
    op = op_of(case)
    if op is None or "out" not in op.params or (op.name in DIM_FIRST and len(sample.args) + len(sample.kwargs) < 2):
        return
    for out in (wc.empty(0, dtype=result.dtype), strided_copy(np.zeros(tuple(result.shape), result.numpy().dtype))):
        args, kwargs = as_tensors(sample, contiguous)
        returned = op(*args, **kwargs, out=out)
        assert returned is out, f"{case.op}: out= is not what was returned"
        compare(case, sample, (out,), (array_of(result),), "out=")


def check_inplace(case: OpCase, sample: Sample, result: Tensor) -> None:
    """The in-place variant changes its first argument into the result and returns it."""
    op = inplace_of(case)
    args, kwargs = as_tensors(sample, contiguous)
    if op is None or not args or not fits(args[0], result):
        return
    version = args[0]._version
    assert op(*args, **kwargs) is args[0], f"{op.name} did not return its first argument"
    assert args[0]._version == version + 1, f"{op.name} did not raise the version"
    compare(case, sample, (args[0],), (array_of(result),), "in-place variant")


def fits(target: Any, result: Tensor) -> bool:
    """Whether a result can be written into a tensor."""
    return isinstance(target, Tensor) and target.shape == result.shape and target.dtype is result.dtype


# ---- dtypes
def dtypes_of(case: OpCase) -> tuple[str, ...]:
    """The names of the dtypes a case is tried in: those its op's row claims, or the case's own."""
    op = op_of(case)
    claimed = op.options.get("dtypes") if op is not None else None
    return tuple(case.dtypes) or (tuple(d.name for d in claimed) if claimed else ("float32", "float64"))


def check_dtypes(case: OpCase) -> None:
    """A sample with several elements, in each dtype: the result is the oracle's on the same numbers in float64."""
    for name in dtypes_of(case):
        sample = sample_in(case, name)
        compare(case, sample, call(case, sample), oracle_value(case, wide(sample)), name)


def sample_in(case: OpCase, name: str) -> Sample:
    """A sample whose arrays have this dtype where it was free."""
    samples = list(case.samples("complex128" if name.startswith("complex") else "float64"))
    sample = samples[min(1, len(samples) - 1)]
    dtype = contiguous(np.zeros(1)).to(getattr(wc, name)).numpy().dtype if name != "bfloat16" else bfloat16()
    args, kwargs = as_tensors(sample, lambda a: convert_array(a, dtype) if a.dtype.kind in "fc" else a)
    return Sample(args, kwargs)


def convert_array(array: Array, dtype: Any) -> Array:
    """An array in another dtype: as whole numbers, from 1 on, when that is one of integers."""
    if dtype.kind in "iub":
        return np.asarray(np.argsort(np.argsort(array, axis=None)).reshape(array.shape) % 5 + 1, dtype)
    if array.dtype.kind == "c" and dtype.kind != "c":
        return array.astype(COMPLEX_OF.get(dtype.name, array.dtype))
    return array.astype(dtype)


def bfloat16() -> Any:
    """NumPy's dtype of bfloat16."""
    import ml_dtypes

    return np.dtype(ml_dtypes.bfloat16)


def wide(sample: Sample) -> Sample:
    """The same numbers in float64, complex128 or int64."""
    wider = {"c": np.complex128, "f": np.float64, "V": np.float64, "i": np.int64, "u": np.int64}
    args, kwargs = as_tensors(sample, lambda a: a.astype(wider.get(a.dtype.kind, a.dtype)))
    return Sample(args, kwargs)
