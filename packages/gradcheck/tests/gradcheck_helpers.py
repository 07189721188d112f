"""What the tests of gradcheck share."""

import pytest
import wengert as wg
from wengert.autograd import Function, gradcheck
from wengert_gradcheck import GradcheckError


def op(forward, backward):
    """A Function of two lambdas: backward gets the gradient and the inputs."""

    class CustomFunction(Function):
        @staticmethod
        def forward(ctx, *inputs):
            ctx.save_for_backward(*inputs)
            return forward(*inputs)

        @staticmethod
        def backward(ctx, grad):
            return backward(grad, *ctx.saved_tensors)

    return CustomFunction.apply


def real(*shape):
    return wg.randn(shape, dtype=wg.float64, requires_grad=True)


def complexes(*shape):
    return wg.randn(shape, dtype=wg.complex128, requires_grad=True)


def error(func, *inputs, **options):
    with pytest.raises(GradcheckError) as caught:
        gradcheck(func, inputs, **options)
    return caught.value
