"""Operations take uint16, uint32 and uint64 where they take uint8, with the same results for small numbers."""

import warnings

import numpy as np
import pytest
import wengert as wg
from wengert_core import TABLE
from wengert_testing.calls import array_of, as_tensors, as_tuple, function_of
from wengert_testing.samples import CASES

UNSIGNED = ("uint16", "uint32", "uint64")
ONLY_BYTES = {  # what PyTorch has for uint8 alone
    "index": "a byte index is a mask",
    "index_put": "a byte index is a mask",
    "nn.functional.interpolate": "a resize of pixels",
}
WRAPS = """
    sub rsub neg diff bitwise_not pow threshold nn.functional.threshold trapezoid trapz cumulative_trapezoid cross
    linalg.cross pairwise_distance nn.functional.pairwise_distance nn.functional.l1_loss margin_ranking_loss
    nn.functional.margin_ranking_loss triplet_margin_loss nn.functional.triplet_margin_loss
    nn.functional.triplet_margin_with_distance_loss convolution
""".split()
"""Operations some of whose small arguments have results below 0 or above 255, which depend on the dtype."""
UNSET = "empty empty_like empty_strided new_empty new_empty_strided random_".split()
WITH_INT64 = "cov vander linalg.vander".split()
"""Operations that promote with int64, which gives float64 for uint64."""
PUBLIC = [case for case in CASES if case.op not in TABLE.hidden]


def outcome(case, sample, dtype):
    """Results of a sample whose floating numbers and bytes are small numbers of the dtype; or its error."""
    def tensor_of(array):
        if array.dtype.kind not in "fc" and array.dtype != np.uint8:
            return wg.tensor(array)
        size = np.nan_to_num(np.abs(array.real), nan=1, posinf=7, neginf=7)
        return wg.tensor(np.clip(2.5 * size, 0, 40, dtype="float64").astype(np.uint8)).to(getattr(wg, dtype))

    wg.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        args, words = as_tensors(sample, tensor_of)
        try:
            return as_tuple(function_of(case.op)(*case.arguments(args), **words))
        except (RuntimeError, TypeError, ValueError, IndexError) as error:
            return error


@pytest.mark.parametrize("case", PUBLIC, ids=str)
def test_what_takes_uint8_takes_the_others(case):
    for sample in case.samples("float64"):
        wanted = outcome(case, sample, "uint8")
        for dtype in UNSIGNED if isinstance(wanted, tuple) and case.op not in ONLY_BYTES else ():
            found = outcome(case, sample, dtype)
            assert isinstance(found, tuple), f"{dtype}: {found!r}"
            for one, other in zip(found, wanted, strict=True):
                check(case.op, one, other, dtype)


def check(op, one, other, dtype):
    """Fail unless a result for the dtype is that for uint8, as far as the two can agree."""
    if not isinstance(other, wg.Tensor):
        assert one == other
        return
    assert one.shape == other.shape
    if op not in WITH_INT64 or dtype != "uint64":
        truth = op in ("any", "all")
        assert one.dtype.name == ("bool" if truth else dtype if other.dtype is wg.uint8 else other.dtype.name)
    if op not in WRAPS and op not in UNSET:
        one, other = (np.asarray(array_of(x), "complex128") for x in (one, other))
        np.testing.assert_allclose(one, other, 1e-5 if op in WITH_INT64 else 0, 1e-5 if op in WITH_INT64 else 0)


def test_the_exceptions_are_operations():
    assert {*ONLY_BYTES, *WRAPS, *UNSET, *WITH_INT64} - {case.op for case in CASES} == set()
