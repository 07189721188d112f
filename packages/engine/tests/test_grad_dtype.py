"""grad_dtype: gradients of another dtype than their leaf."""

import pytest
import wengert_core as wc
from wengert_engine import Function, grad


def leaf(*values):
    return wc.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def test_arriving_gradients_are_converted_before_hooks_see_them():
    x = leaf()
    y = x * 2                          # its graph is there already
    x.grad_dtype = wc.float64
    seen = []
    x.register_hook(lambda g: seen.append(g.dtype))
    y.sum().backward()
    (x * 2).sum().backward()
    assert (seen, x.grad.dtype, x.grad.tolist()) == ([wc.float64] * 2, wc.float64, [4.0, 4.0])
    assert grad((x * 2).sum(), x)[0].dtype is wc.float64


def test_none_allows_any():
    class Double(Function):
        @staticmethod
        def forward(ctx, x):
            return x.double()

        @staticmethod
        def backward(ctx, g):
            return g

    x = leaf()
    x.grad_dtype = None
    assert x.grad_dtype is None
    Double.apply(x).sum().backward()
    assert x.grad.dtype is wc.float64
    x.grad = wc.ones(2, dtype=wc.float16)
    (x.detach() * x).sign().sum().backward()               # zeros are made for it
    assert x.grad.tolist() == [1.0, 1.0]


def test_what_is_refused():
    x = leaf()
    with pytest.raises(RuntimeError, match="grad_dtype can only be accessed on leaf tensors"):
        _ = (x * 2).grad_dtype
    with pytest.raises(RuntimeError, match="grad_dtype can only be set on leaf tensors"):
        (x * 2).grad_dtype = wc.float64
    with pytest.raises(RuntimeError, match=r"grad_dtype must be a torch.dtype or None, but got int"):
        x.grad_dtype = 3
    x.grad_dtype = wc.float64
    with pytest.raises(RuntimeError, match=r"with dtype 'float' to a tensor with grad_dtype 'Double'. The gradient"):
        x.grad = wc.ones(2)
    x.grad = wc.ones(2).double()
    with pytest.raises(RuntimeError, match=r"Cannot set grad_dtype to 'Float' because there is already a gradient with "
                                           r"dtype 'double'. Please clear the gradient"):
        x.grad_dtype = wc.float32
    assert x.grad_dtype is wc.float64


def test_it_ends_with_its_leaf():
    for _ in range(100):               # memory of a leaf that is gone is taken again
        x = leaf()
        assert x.grad_dtype is wc.float32
        x.grad_dtype = wc.float64


def test_a_result_lacks_the_attribute():
    result = leaf() * 2
    assert not hasattr(result, "grad_dtype")
    with pytest.raises(RuntimeError, match="only be accessed on leaf tensors"):
        result.grad_dtype  # noqa: B018
