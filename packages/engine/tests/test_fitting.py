"""A gradient has its input's shape and dtype: broadcasting and conversion are undone by the engine's edge."""

import pytest
import wengert_core as wc
from wengert_engine import Function


@pytest.mark.parametrize("shape", [(), (1,), (4,), (3, 1), (3, 4), (1, 1), (2, 1, 4), (2, 3, 1)])
def test_broadcast_inputs_get_their_own_shape(shape):
    x = wc.ones(shape, requires_grad=True)
    other = wc.ones(2, 3, 4)
    (x * other).sum().backward()
    assert x.grad.shape == shape
    assert x.grad.sum().item() == 24.0


@pytest.mark.parametrize(("dtype", "other"), [("float32", "float64"), ("float64", "float32"), ("float16", "float32"),
                                              ("bfloat16", "float32"), ("float32", "complex64")])
def test_promoted_inputs_get_their_own_dtype(dtype, other):
    x = wc.ones(3, dtype=getattr(wc, dtype), requires_grad=True)
    y = x * wc.ones(3, dtype=getattr(wc, other))
    y.backward(wc.ones(3, dtype=y.dtype))
    assert x.grad.dtype is x.dtype
    assert x.grad.tolist() == [1.0] * 3


def test_a_gradient_that_cannot_fit_names_the_node():
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return wc.ones(5)

    x = wc.ones(3, requires_grad=True)
    message = r"WrongBackward returned an invalid gradient at index 0 - got \[5\] but expected"
    with pytest.raises(RuntimeError, match=message):
        Wrong.apply(x).sum().backward()
