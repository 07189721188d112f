"""The functions that have SciPy's names: values, dtypes, layouts, derivatives of both orders and modes, on devices.

The edges of their domains are in test_scipy_edges.py.
"""

import numpy as np
import pytest
import wengert as wg
from wengert_registry import registry
from wengert_special.table import load
from wengert_testing.extend import (
    SimDevice,
    check_dtypes,
    check_gradients,
    check_strided,
    check_value,
    devices,
)

from .scipy_cases import CASES

load()
WITH_ORACLE = [one for one in CASES if one.oracle is not None]


@pytest.mark.parametrize("case", WITH_ORACLE, ids=str)
def test_values_are_those_of_scipy_in_every_layout(case):
    for sample in case.samples("float64"):
        check_value(case, sample)
        check_strided(case, sample)


@pytest.mark.parametrize("case", WITH_ORACLE, ids=str)
def test_every_dtype_gives_scipys_values(case):
    check_dtypes(case)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_derivatives_of_both_orders_and_modes_agree_with_differences(case):
    for sample in case.samples("float64"):
        check_gradients(case, sample)


@pytest.mark.parametrize("case", [one for one in CASES if one.op.startswith("special.")], ids=str)
def test_vmap_gives_what_a_loop_gives(case):
    function = getattr(wg.special, case.op.removeprefix("special."))
    for sample in case.samples("float64"):
        args = [wg.tensor(a) if isinstance(a, np.ndarray) else a for a in sample.args]
        axes = tuple(0 if isinstance(a, wg.Tensor) and a.ndim and a.shape[0] > 1 else None for a in args)
        sizes = {a.shape[0] for a, axis in zip(args, axes, strict=True) if axis == 0}
        if len(sizes) == 1:
            compare_with_loop(function, args, axes, sizes.pop())


def compare_with_loop(function, args, axes, size):
    """Assert that vmap over axes gives the stacked results of the calls of each sample."""
    got = wg.vmap(function, in_dims=axes)(*args)
    loop = [function(*(a[i] if axis == 0 else a for a, axis in zip(args, axes, strict=True))) for i in range(size)]
    for one, rows in zip(as_tuple(got), zip(*map(as_tuple, loop), strict=True), strict=True):
        np.testing.assert_allclose(one.numpy(), wg.stack(list(rows)).numpy(), rtol=1e-12, atol=1e-13)


def as_tuple(value):
    return value if isinstance(value, tuple) else (value,)


@pytest.fixture
def sim():
    """The simulated device, registered where wengert-testing is not installed."""
    group = registry.group("devices")
    if "sim" in group:
        yield
        return
    with group.register("sim", SimDevice, owner="packages/special/tests"):
        yield


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_device_gives_values_and_gradients_of_the_cpu(case, sim):
    devices.check_values(case, "sim")
    devices.check_gradients(case, "sim")
