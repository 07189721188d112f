"""Reductions of expanded dims count what they would read again and again: 2**40 copies take no time."""

import os

import numpy as np
import pytest
import wengert_core as wc

MANY = 2**40


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64"])
def test_sums_and_means(dtype):
    x = wc.tensor([0.25, 1.5], dtype=getattr(wc, dtype))
    found = x.expand(2**24, 2).sum(0, keepdim=True)
    assert found.dtype is x.dtype
    assert wc.equal(found, wc.tensor([[2.0**22, 1.5 * 2.0**24]], dtype=wc.float64).to(x.dtype))
    assert wc.equal(x.expand(MANY, 2).mean(0), x)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64", "uint64"])
def test_integers_wrap(dtype):
    x = wc.tensor([3, 1], dtype=getattr(wc, dtype))
    ours = [int(n) for n in x.tolist()]
    assert x.expand(MANY, 2).sum(0).tolist() == [n * MANY for n in ours]
    expected = [int(np.int64(pow(n, MANY, 2**64) - (2**64 if pow(n, MANY, 2**64) >= 2**63 else 0))) for n in ours]
    assert x.expand(MANY, 2).prod(0).tolist() == expected


def test_what_is_not_expanded_is_read():
    x = wc.arange(3.0)[:, None].expand(3, 2**23)
    assert x.sum().item() == 3 * 2.0**23
    assert x.sum(0)[:2].tolist() == [3.0, 3.0]
    assert x.mean(1).tolist() == [0.0, 1.0, 2.0]


def test_gradients():
    engine = pytest.importorskip("wengert", reason="core is installed alone, without gradients")
    x = engine.ones(1, requires_grad=True)
    x.expand(2**25).mean().backward()
    assert x.grad.tolist() == [1.0]


@pytest.mark.skipif(os.environ.get("WENGERT_KERNELS") == "python", reason="the reference lays out 32 GiB of zeros")
def test_a_stride_far_beyond_the_result():
    x, w = wc.ones(1, 4, 3), wc.ones(4, 1, 2)
    n = 2**31 - 1
    found = wc.conv_transpose1d(x, w, None, n, n, 1, 2)
    assert found.shape == (1, 2, 3)
    assert wc.equal(found, wc.conv_transpose1d(x, w, None, 9, 9, 1, 2))
