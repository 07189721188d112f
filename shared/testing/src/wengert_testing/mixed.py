"""The sample table with one tensor on another device than the others: what does not go together is refused.

@pytest.mark.parametrize("case", rows(), ids=str)
def test_mixed(case):
check_mixed(case, "mydevice")
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

from wengert_core import random
from wengert_core.tensors.tensor import Tensor

from wengert_testing.calls import array_of, as_tensors, contiguous, function_of
from wengert_testing.case import OpCase, Sample
from wengert_testing.devices import RANDOM, UNDEFINED, options
from wengert_testing.tolerance import assert_close

REFUSED = ("on the same device", "indices should be either on cpu")


def check_mixed(case: OpCase, device: str, rtol: float = 1e-9) -> int:
    """AssertionError unless a call with tensors of both places gives the CPU's values, or says that they differ.

    Returns the number of calls that were refused.
    """
    refused = 0
    for sample in case.samples("float64"):
        n = count(sample)
        for one in range(n if n > 1 else 0):
            for there in ({one}, set(range(n)) - {one}):
                refused += is_refused(case, sample, device, there, rtol)
    return refused


def count(sample: Sample) -> int:
    """The number of tensors in a sample."""
    found: list[Any] = []
    as_tensors(sample, found.append)
    return len(found)


def is_refused(case: OpCase, sample: Sample, device: str, there: set[int], rtol: float) -> bool:
    """Whether the call with some of its tensors on the device is refused; AssertionError when it gives other values."""
    what = f"{case.op}{sample!r} with tensors {sorted(there)} on {device}"
    try:
        got = call_with_devices(case, sample, device, there)
    except RuntimeError as error:
        if not any(text in str(error) for text in REFUSED):
            raise AssertionError(f"{what}: {error}") from error
        return True
    for e, g in zip(case.results(call_with_devices(case, sample, device, set())), case.results(got), strict=True):
        if isinstance(e, Tensor) and case.op not in RANDOM | UNDEFINED:
            assert_close(array_of(g.detach().cpu()), array_of(e), what, rtol=case.rtol or rtol)
    return False


def call_with_devices(case: OpCase, sample: Sample, device: str, there: set[int]) -> tuple[Any, ...]:
    """All results of the op, of whose tensors those in ``there`` (by their number) are on the device."""
    places = devices_of(device, there)
    random.manual_seed(0)
    args, kwargs = as_tensors(sample, lambda array: contiguous(array).to(next(places)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = function_of(case.op)(*case.arguments(args), **kwargs, **options(case, "cpu"))
    return tuple(found) if isinstance(found, (tuple, list)) else (found,)


def devices_of(device: str, there: set[int]) -> Iterator[str]:
    """The device of each tensor in turn."""
    number = 0
    while True:
        yield device if number in there else "cpu"
        number += 1
