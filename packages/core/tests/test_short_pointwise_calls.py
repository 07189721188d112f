"""Pointwise calls in the shortest way give what the general way gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wengert_core as wc
from wengert_core.drivers.pointwise.pointwise_checks import have_one_shape

OPS = wc.TABLE.ops


def numbers(seed: int, dtype: str = "float32") -> Any:
    return wc.from_numpy(np.random.default_rng(seed).uniform(0.1, 2.0, (5, 7)).astype(dtype))


def with_gaps(x: Any) -> Any:
    """The same numbers, of which the shortest way takes none."""
    wider = wc.zeros(*x.shape[:-1], 2 * x.shape[-1], dtype=x.dtype)
    wider[..., ::2] = x
    return wider[..., ::2]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_a_variant_given_by_keyword(approximate: str, dtype: str) -> None:
    x = numbers(0, dtype)
    found, want = OPS["gelu"](x, approximate=approximate), OPS["gelu"](with_gaps(x), approximate=approximate)
    assert found.dtype == want.dtype
    np.testing.assert_allclose(found.numpy(), want.numpy(), 1e-6)
    into = wc.empty(5, 7, dtype=x.dtype)
    assert OPS["nn.functional.gelu"](x, approximate=approximate, out=into) is into
    assert into.tolist() == found.tolist()


def test_the_variant_is_checked() -> None:
    with pytest.raises(RuntimeError, match="approximate argument must be either none or tanh"):
        OPS["gelu"](numbers(0), approximate="erf")


@pytest.mark.parametrize("name", ["where", "lerp", "addcmul", "clamp"])
def test_three_tensors(name: str) -> None:
    a, b, c = numbers(1), numbers(2), numbers(3)
    a = a > 1 if name == "where" else a
    found, want = OPS[name](a, b, c), OPS[name](a, with_gaps(b), c)
    np.testing.assert_allclose(found.numpy(), want.numpy(), 1e-6)
    into = wc.empty(5, 7)
    assert OPS[name](a, b, c, out=into) is into
    assert into.tolist() == found.tolist()
    assert OPS[name](a[:, :1], b[:1], c).shape == (5, 7)


def test_one_shape() -> None:
    assert have_one_shape(wc.zeros(2, 3), wc.ones(2, 3).double())
    assert not have_one_shape(wc.zeros(2, 3), wc.zeros(3, 2))
    assert not have_one_shape(wc.zeros(3), wc.zeros(1, 3))
