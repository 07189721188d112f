"""Losses, activations and layers of nn.functional: recorded PyTorch results; nll_loss against its formula."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import wengert_core as wg
from wengert_core.exchange.arrays import from_array, to_array
from wengert_core.ops.loss.cross_entropy_nll import nll, nll_gradient

from .recorded_networks import Namespace, check_fact, load

SETUP, FACTS = load("nn_and_loss")
F = Namespace("nn.functional")
SHAPES = [((5,), ()), ((5,), (1,)), ((4, 5), (4,)), ((2, 5, 3), (2, 3)), ((2, 3, 4, 5), (2, 4, 5))]


@pytest.mark.parametrize(("code", "want"), FACTS, ids=[code for code, _ in FACTS])
def test_same_as_recorded(code: str, want: dict[str, Any]) -> None:
    check_fact(code, SETUP, want)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_nll_loss_and_its_gradient(shapes: tuple[tuple[int, ...], tuple[int, ...]], dtype: str) -> None:
    rng = np.random.default_rng(0)
    classes = shapes[0][0] if len(shapes[0]) == 1 else shapes[0][1]
    x, weight = rng.standard_normal(shapes[0]).astype(dtype), rng.uniform(0.5, 2, classes).astype(dtype)
    tolerance = 4e-3 if dtype == "float16" else 1e-6
    for w, reduction, ignored in itertools.product((None, weight), (0, 1, 2), (-100, 1)):
        target = rng.integers(0, classes, shapes[1])
        given = (from_array(np.asarray(target)), None if w is None else from_array(w), reduction, ignored)
        got = wg.TABLE.ops["nll_loss"](from_array(np.ascontiguousarray(x.T).T), *given)
        wide = None if w is None else w.astype(float)
        want = nll(np, x.astype(float), target, wide, reduction, ignored)
        np.testing.assert_allclose(to_array(got), want, rtol=tolerance, atol=tolerance)
        assert got.dtype.name == dtype
        grad = rng.standard_normal(got.shape).astype(dtype)
        back = wg.TABLE.ops["nll_loss_backward"](from_array(np.asarray(grad)), tuple(x.shape), *given)
        want = nll_gradient(np, np.asarray(grad, float), x.shape, target, wide, reduction, ignored)
        assert back.shape == x.shape
        np.testing.assert_allclose(to_array(back), want, rtol=tolerance, atol=tolerance)


def test_gradient_of_nll_loss_is_its_slope() -> None:
    rng = np.random.default_rng(1)
    x, target, weight = rng.standard_normal((3, 4)), np.array([0, 3, 2]), rng.uniform(0.5, 2, 4)
    given = (from_array(target), from_array(weight), 1, -100)
    back = to_array(wg.TABLE.ops["nll_loss_backward"](wg.tensor(1.0, dtype=wg.float64), (3, 4), *given))
    for i, k in itertools.product(range(3), range(4)):
        moved = x.copy()
        moved[i, k] += 1.0
        step = wg.TABLE.ops["nll_loss"](from_array(moved), *given) - wg.TABLE.ops["nll_loss"](from_array(x), *given)
        np.testing.assert_allclose(back[i, k], step.item(), atol=1e-12)


@pytest.mark.parametrize("reduction", [0, 1, 2])
def test_gradient_refuses_classes_out_of_range_and_wrong_sizes(reduction: int) -> None:
    backward = wg.TABLE.ops["nll_loss_backward"]
    grad = wg.ones(2) if reduction == 0 else wg.ones(())
    with pytest.raises(IndexError, match="Target 3 is out of bounds"):
        backward(grad, (2, 3), wg.tensor([0, 3]), None, reduction, -100)
    with pytest.raises(RuntimeError, match="does not fit an input of shape"):
        backward(wg.ones(5), (2, 3), wg.tensor([0, 1]), None, reduction, -100)


def test_all_targets_ignored_give_no_gradient() -> None:
    back = wg.TABLE.ops["nll_loss_backward"](wg.tensor(1.0), (2, 3), wg.tensor([7, 7]), None, 1, 7)
    assert back.tolist() == [[0.0] * 3] * 2


def test_dropout_keeps_a_share_and_scales_it() -> None:
    wg.manual_seed(0)
    x = wg.ones(10000)
    y = to_array(F.dropout(x, 0.25))
    assert set(np.unique(y).tolist()) == {0.0, float(np.float32(1 / 0.75))}
    assert abs(y.mean() - 1) < 0.03
    assert x.tolist() == [1.0] * 10000
    assert F.dropout(x, 0.5, True, True) is x
    assert 0 < to_array(x).mean() < 2


@pytest.mark.parametrize("name", ["hardtanh", "relu6", "elu", "selu", "celu", "hardsigmoid", "hardswish", "mish"])
def test_inplace_activations_write_into_their_input(name: str) -> None:
    x = wg.linspace(-4, 4, 9)
    want = getattr(F, name)(x).tolist()
    assert getattr(F, name)(x, inplace=True) is x
    assert x.tolist() == want


def test_rrelu_slopes_are_between_its_bounds() -> None:
    wg.manual_seed(0)
    y = to_array(F.rrelu(wg.full((1000,), -1.0), 0.1, 0.3, training=True))
    assert y.min() >= -0.3
    assert y.max() <= -0.1
    assert y.std() > 0.03


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_layer_norm_of_low_precision_is_computed_in_float32(dtype: str) -> None:
    x = wg.linspace(1, 2, 256).to(getattr(wg, dtype))
    assert F.layer_norm(x, (256,)).tolist() == F.layer_norm(x.float(), (256,)).to(x.dtype).tolist()


def test_smoothing_is_a_cross_entropy_of_smoothed_probabilities() -> None:
    rng = np.random.default_rng(3)
    x, target, weight = (
        from_array(rng.standard_normal((6, 4))),
        wg.tensor([0, 1, 2, 3, 0, 1]),
        from_array(rng.uniform(1, 2, 4)),
    )
    probabilities = F.one_hot(target, 4).double() * 0.7 + 0.3 / 4
    for reduction in ("none", "sum"):
        a = F.cross_entropy(x, target, weight, reduction=reduction, label_smoothing=0.3)
        b = F.cross_entropy(x, probabilities, weight, reduction=reduction)
        np.testing.assert_allclose(to_array(a), to_array(b), rtol=1e-12)
