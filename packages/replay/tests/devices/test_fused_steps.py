"""Every pointwise operation in a chain on a device: the bits of usual calls, of all rows of the sample table."""

from __future__ import annotations

import warnings

import pytest
import wengert as wg
from wengert_core.devices import device as devices
from wengert_testing.calls import as_tensors, contiguous, function_of, is_floating, op_of
from wengert_testing.devices import rows

CASES = [case for case in rows() if (op := op_of(case)) is not None and op.family == "pointwise"]
ALONE = set(
    """
    positive conj conj_physical bitwise_and bitwise_or bitwise_xor bitwise_not bitwise_left_shift bitwise_right_shift eq
    ne lt le gt ge isnan isinf isfinite isposinf isneginf signbit logical_and logical_or logical_xor logical_not gcd lcm
    where
""".split()
)
"""Operations that compute nothing for real numbers, or whose arguments or results are none."""


def extend(value):
    """A value with one more operation in its chain, where it may be one."""
    return value * 1 if is_floating(value) else value


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_chain_with_an_operation_gives_the_bits_of_usual_calls(case, dtype):
    kernels = devices.plugin_of("sim").fused_kernels
    kernels.clear()
    for sample in case.samples(dtype):
        tensors: list[wg.Tensor] = []
        as_tensors(sample, lambda array: tensors.append(contiguous(array).to("sim")))  # noqa: B023

        def function(*given):
            left = iter(given)
            args, kwargs = as_tensors(sample, lambda array: extend(next(left)))  # noqa: B023
            found = function_of(case.op)(*case.arguments(args), **kwargs)
            return tuple(extend(one) for one in (found if isinstance(found, tuple) else (found,)))

        if not tensors:
            continue
        run = wg.capture(function, quiet=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = function(*tensors)
            for _ in range(3):
                for got, one in zip(run(*tensors), expected, strict=True):
                    assert (got.dtype, got.shape, got.stride()) == (one.dtype, one.shape, one.stride())
                    assert got.cpu().numpy().tobytes() == one.cpu().numpy().tobytes(), sample
    names = {step.op.partition(" ")[0] for one in kernels for step in one.steps}
    assert case.op in names | ALONE
    assert case.op not in names & ALONE
