"""The derivative of ctc_loss behind log_softmax, where it is PyTorch's and that of the function itself."""

from __future__ import annotations

import numpy as np
import pytest
import wengert_core as wc
import wengert_engine as we

LABELS = wc.tensor([[1, 2], [2, 2], [1, 0]])
LOGITS = np.random.default_rng(3).normal(size=(4, 3, 3))


def loss(logits, reduction):
    softmax, ctc = wc.TABLE.ops["log_softmax"], wc.TABLE.ops["nn.functional.ctc_loss"]
    value = ctc(softmax(logits, 2), LABELS, [4, 4, 2], [2, 2, 1], reduction=reduction)
    return (value * wc.tensor([1.0, 2.0, -1.0], dtype=wc.float64)).sum()


def difference(f, x, direction, step=1e-6):
    return (f(x + step * direction) - f(x - step * direction)) / (2 * step)


def value(x, reduction):
    return loss(wc.tensor(x), reduction).item()


def gradient(x, reduction):
    leaf = wc.tensor(x, requires_grad=True)
    return we.grad(loss(leaf, reduction), leaf)[0].numpy()


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_the_gradient_by_logits_agrees_with_differences(reduction):
    direction = np.random.default_rng(4).normal(size=LOGITS.shape)
    numeric = difference(lambda x: value(x, reduction), LOGITS, direction)
    assert np.vdot(gradient(LOGITS, reduction), direction) == pytest.approx(numeric, rel=1e-6)


def test_the_second_derivative_agrees_with_differences():
    direction, along = np.random.default_rng(5).normal(size=(2, *LOGITS.shape))
    leaf = wc.tensor(LOGITS, requires_grad=True)
    (first,) = we.grad(loss(leaf, "mean"), leaf, create_graph=True)
    (second,) = we.grad((first * wc.tensor(direction)).sum(), leaf)
    numeric = difference(lambda x: np.vdot(gradient(x, "mean"), direction), LOGITS, along)
    assert np.vdot(second.numpy(), along) == pytest.approx(numeric, rel=1e-6)
