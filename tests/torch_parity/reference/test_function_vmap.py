"""Function under vmap: its own rule, a generated one, none."""

from typing import ClassVar

import pytest
import wengert as torch


class Cube(torch.autograd.Function):
    """x ** 3, with the slope as a second output."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x**3, 3 * x**2

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], output[1])

    @staticmethod
    def backward(ctx, grad_output, grad_slope):
        x, slope = ctx.saved_tensors
        return grad_output * slope + grad_slope * 6 * x


class Scale(torch.autograd.Function):
    """x * factor, by a rule of its own."""

    seen: ClassVar[list] = []

    @staticmethod
    def forward(x, factor):
        return x * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.factor = inputs[1]

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.factor, None

    @staticmethod
    def vmap(info, in_dims, x, factor):
        Scale.seen.append((info.batch_size, info.randomness, in_dims, tuple(x.shape)))
        return Scale.apply(x, factor), in_dims[0]


X = torch.arange(6.0).reshape(2, 3)


def test_own_rule():
    del Scale.seen[:]
    result = torch.vmap(lambda x: Scale.apply(x, 2))(X)
    assert result.tolist() == (2 * X).tolist()
    assert Scale.seen == [(2, "error", (0, None), (2, 3))]
    slopes = torch.vmap(torch.func.grad(lambda x: (Scale.apply(x, 2) * x).sum()))(X)
    assert slopes.tolist() == (4 * X).tolist()


def test_generated_rule():
    x = X.clone().requires_grad_()
    cube, slope = torch.vmap(Cube.apply)(x)
    assert cube.tolist() == (X**3).tolist()
    assert slope.tolist() == (3 * X**2).tolist()
    assert torch.autograd.grad(cube.sum(), x)[0].tolist() == (3 * X**2).tolist()
    assert torch.vmap(torch.func.jacrev(lambda x: Cube.apply(x)[0].sum()))(X).tolist() == (3 * X**2).tolist()


def test_without_rule():
    class Plain(Cube):
        generate_vmap_rule = False

    class Old(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

    with pytest.raises(RuntimeError, match="You tried to vmap over Plain, but it does not have vmap support"):
        torch.vmap(Plain.apply)(X)
    with pytest.raises(RuntimeError, match="it must override the setup_context staticmethod"):
        torch.vmap(Old.apply)(X)
