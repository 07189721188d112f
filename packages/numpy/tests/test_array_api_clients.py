"""Libraries that take any namespace of the array API: array-api-compat, array-api-extra, einops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wengert as wg
import wengert.array_api as xp

from .array_api_cases import floats


def tensor(*shape: int) -> Any:
    """Return a tensor that requires a gradient."""
    return wg.tensor(floats(*shape), requires_grad=True)


def test_array_api_compat_recognizes_tensors() -> None:
    compat = pytest.importorskip("array_api_compat", reason="array-api-compat is not installed")
    x = tensor(2, 3)
    assert compat.array_namespace(x, 2.0, None) is xp
    assert compat.is_array_api_obj(x)
    assert compat.device(x) == x.device
    assert compat.to_device(x, "cpu") is x
    assert compat.is_writeable_array(x)


def test_array_api_extra_differentiates() -> None:
    extra = pytest.importorskip("array_api_extra", reason="array-api-extra is not installed")
    x = tensor(3, 4)
    wg.autograd.gradcheck(extra.cov, (x,))
    assert extra.cov(x).detach().numpy() == pytest.approx(np.cov(x.detach().numpy()))
    assert extra.kron(x, x).shape == (9, 16)
    assert extra.nunique(x).item() == 12
    assert extra.atleast_nd(x, ndim=3).shape == (1, 3, 4)
    written = extra.at(x, 0).set(0.0, copy=True)
    xp.sum(written).backward()
    assert x.grad.tolist() == [[0.0] * 4, [1.0] * 4, [1.0] * 4]


def test_einops_rearranges_by_the_namespace() -> None:
    einops = pytest.importorskip("einops.array_api", reason="einops is not installed")
    x = tensor(2, 6)
    moved = einops.rearrange(x, "a (b c) -> c b a", b=2)
    assert moved.shape == (3, 2, 2)
    assert einops.reduce(x, "a b -> b", "mean").shape == (6,)
    assert wg.autograd.gradcheck(lambda t: einops.reduce(t, "a (b c) -> b", "max", b=2), (x,))
