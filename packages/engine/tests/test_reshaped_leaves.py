"""Leaves whose shape is changed between forward and backward: their gradient has to fit, or is refused."""

import pytest
import wengert_core as wc
from wengert_engine import grad, no_grad


@pytest.mark.parametrize("change", [
    lambda x: x.unsqueeze_(0), lambda x: x.unsqueeze_(0).unsqueeze_(0).unsqueeze_(0), lambda x: x.squeeze_(),
])
@pytest.mark.parametrize("strided", [False, True])
def test_the_gradient_gets_the_new_shape_where_only_ones_were_added_or_dropped(change, strided):
    x = wc.zeros(2, 1, 3, requires_grad=True)
    factor = wc.arange(6.0).reshape(2, 1, 3)
    if strided:  # the gradient has other strides than the leaf: it is copied
        factor = wc.arange(6.0).reshape(3, 1, 2).transpose(0, 2)
    loss = (x * factor).sum()
    with no_grad():
        change(x)
    loss.backward()
    assert x.grad.shape == x.shape
    assert x.grad.flatten().tolist() == factor.flatten().tolist()
    x.sum().backward()
    assert x.grad.flatten().tolist() == [value + 1 for value in factor.flatten().tolist()]


@pytest.mark.parametrize("shape", [(3,), (2, 3), (1, 5, 1), ()])
def test_another_shape_is_refused(shape):
    x = wc.zeros(4, requires_grad=True)
    loss = (x * 3).sum()
    x.data = wc.zeros(shape)
    with pytest.raises(RuntimeError, match=r"AccumulateGrad: the gradient has the shape \[4\].*the leaf now has shape"):
        loss.backward()
    assert x.grad is None


def test_grad_returns_the_shape_that_was_used():
    x = wc.zeros(2, 3, requires_grad=True)
    loss = (x * 2).sum()
    with no_grad():
        x.t_()
    assert grad(loss, x)[0].shape == (2, 3)
