"""The special functions inside of vmap: those whose family is not pointwise work element by element all the same."""

from __future__ import annotations

import numpy as np
import pytest
import wengert_core as wc
from wengert_core.dispatch.op import Op
from wengert_functional.vmap import vmap
from wengert_special.derivatives import load as load_derivatives
from wengert_special.table import load

OPS = {op.name: op for op in load().ops.values() if isinstance(op, Op)}
X = wc.arange(6.0, dtype=wc.float64).reshape(2, 3) / 5 + 0.2
ARGUMENTS = {"_polygamma": (1,), "_bessel": ("j", 2), "_airy_ai_slope": (), "_gegenbauer": (3, 1.5),
             "_genlaguerre": (2, 1.0)}


def test_each_of_them_has_a_rule():
    batching = load_derivatives().batching
    assert {name for name, op in OPS.items() if op.family != "pointwise"} == set(ARGUMENTS) == set(batching)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_vmap_gives_what_a_loop_gives(name):
    got = vmap(lambda x: OPS[name](x, *ARGUMENTS[name]))(X)
    np.testing.assert_array_equal(got.numpy(), np.stack([OPS[name](x, *ARGUMENTS[name]).numpy() for x in X.unbind(0)]))


@pytest.mark.parametrize("name", ["_gegenbauer", "_genlaguerre"])
def test_degrees_of_each_sample(name):
    degrees = wc.tensor([1.0, 3.0], dtype=wc.float64)
    got = vmap(lambda x, n: OPS[name](x, n, 1.5))(X, degrees)
    expected = np.stack([OPS[name](X[i], degrees[i], 1.5).numpy() for i in range(2)])
    np.testing.assert_array_equal(got.numpy(), expected)
