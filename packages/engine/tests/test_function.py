"""Custom Functions: the context, several outputs, in-place, errors, higher order."""

import pytest
import wengert_core as wc
from wengert_engine import Function, grad, once_differentiable


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x * x


class Split(Function):
    @staticmethod
    def forward(x, power, scale):
        return x**power * scale, x.detach() > 0

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.power, ctx.scale = inputs
        ctx.save_for_backward(x)
        ctx.mark_non_differentiable(output[1])

    @staticmethod
    def backward(ctx, g, _):
        (x,) = ctx.saved_tensors
        return g * ctx.scale * ctx.power * x ** (ctx.power - 1), None, None


def leaf(*values):
    return wc.tensor(list(values), requires_grad=True)


def test_gradient_and_name():
    x = leaf(2.0)
    y = Cube.apply(x)
    assert type(y.grad_fn).__name__ == "CubeBackward"
    y.sum().backward()
    assert x.grad.tolist() == [12.0]


def test_double_backward_goes_through_the_backward_formula():
    x = leaf(2.0)
    (g,) = grad(Cube.apply(x).sum(), x, create_graph=True)
    (h,) = grad(g.sum(), x)
    assert h.tolist() == [12.0]


def test_setup_context_and_arguments_that_are_no_tensors():
    x = leaf(2.0)
    y, positive = Split.apply(x, 3, 10.0)
    assert (y.requires_grad, positive.requires_grad, positive.tolist()) == (True, False, [True])
    y.sum().backward()
    assert x.grad.tolist() == [120.0]


def test_saved_tensors_are_freed_and_checked():
    x = leaf(2.0)
    y = Cube.apply(x)
    y.sum().backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.sum().backward()
    z = x * 1
    y = Cube.apply(z)
    z.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_needs_input_grad_tells_each_argument():
    seen = []

    class Mul(Function):
        @staticmethod
        def forward(ctx, a, b, c):
            return a * b

        @staticmethod
        def backward(ctx, g):
            seen.append(ctx.needs_input_grad)
            return g, None, None

    Mul.apply(leaf(1.0), wc.ones(1), "x").sum().backward()
    assert seen == [(True, False, False)]


def test_missing_gradients_are_zeros_unless_told_otherwise():
    seen = []

    class Two(Function):
        materialize = True

        @classmethod
        def forward(cls, ctx, x):
            ctx.set_materialize_grads(cls.materialize)
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, a, b):
            seen.append(b if b is None else b.tolist())
            return a

    for Two.materialize in (True, False):
        Two.apply(leaf(1.0))[0].sum().backward()
    assert seen == [[0.0], None]


def test_mark_dirty_writes_in_place_with_history():
    class Double(Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = leaf(1.0)
    y = x * 3
    z = Double.apply(y)
    assert z is y
    z.sum().backward()
    assert (y.tolist(), x.grad.tolist()) == ([6.0], [6.0])


def test_returning_an_input_gives_an_alias_with_its_own_history():
    class Same(Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 5

    x = leaf(1.0)
    y = Same.apply(x)
    assert y is not x
    assert y.data_ptr() == x.data_ptr()
    y.sum().backward()
    assert x.grad.tolist() == [5.0]


def test_once_differentiable_refuses_a_second_order():
    class Once(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        @once_differentiable
        def backward(ctx, g):
            return g * 2

    x = leaf(1.0)
    y = Once.apply(x) * x
    (g,) = grad(y.sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="marked with @once_differentiable"):
        g.sum().backward()


class WrongNumber(Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * b

    @staticmethod
    def backward(ctx, g):
        return g


class ForANumber(Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * b

    @staticmethod
    def backward(ctx, g):
        return g, g


class NoBackward(Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * b


class SavesText(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward("text")
        return a


@pytest.mark.parametrize(("cls", "kind", "phrase"), [
    (WrongNumber, RuntimeError, "WrongNumberBackward returned an incorrect number of gradients"),
    (ForANumber, RuntimeError, "returned a gradient different than None at position 2"),
    (NoBackward, NotImplementedError, "You must implement either the backward or vjp method"),
    (SavesText, TypeError, "save_for_backward can only save variables"),
], ids=lambda value: getattr(value, "__name__", None))
def test_mistakes(cls, kind, phrase):
    with pytest.raises(kind, match=phrase):
        cls.apply(leaf(1.0), 2.0).sum().backward()


def test_instances_are_of_no_use():
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        instance = Cube()
    with pytest.raises(RuntimeError, match="Legacy autograd function"):
        instance(leaf(1.0))
