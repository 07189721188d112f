"""Function: what forward may return, views and inputs among it, and what backward may return."""

import gc
import weakref

import pytest
import wengert as torch
from wengert.autograd import Function


def leaf(*values):
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def function(forward, backward):
    """A Function from two functions."""
    return type("F", (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def test_the_example_of_the_reference():
    class Exp(Function):
        @staticmethod
        def forward(ctx, i):
            result = i.exp()
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx, grad_output):
            (result,) = ctx.saved_tensors
            return grad_output * result

    i = leaf(0.0, 1.0)
    output = Exp.apply(i)
    assert output.grad_fn.name() == "ExpBackward"
    output.sum().backward()
    assert torch.allclose(i.grad, output.detach())


def test_a_list_is_passed_through_unrecorded():
    out = function(lambda ctx, x: [x * 2], lambda ctx, g: g * 2).apply(leaf())
    assert type(out) is list
    assert not out[0].requires_grad


@pytest.mark.parametrize(("result", "kind"), [
    (lambda x: x * 2, torch.Tensor), (lambda x: (x * 2,), tuple),
    (lambda x: (x * 2, 3, "text", None), tuple)], ids=["tensor", "tuple", "mixed"])
def test_kinds_of_results(result, kind):
    x = leaf()
    out = function(lambda ctx, x: result(x), lambda ctx, g, *more: g * 2).apply(x)
    assert type(out) is kind
    first = out if kind is torch.Tensor else out[0]
    first.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    if kind is tuple:
        assert out[1:] in ((), (3, "text", None))


def test_forward_runs_in_no_grad_mode_and_may_enable_it():
    seen = []

    def forward(ctx, x):
        seen.append(torch.is_grad_enabled())
        with torch.enable_grad():
            seen.append((x * 2).requires_grad)
        return x * 2

    function(forward, lambda ctx, g: g).apply(leaf())
    assert seen == [False, True]


def test_backward_runs_with_grad_mode_only_under_create_graph():
    seen = []
    f = function(lambda ctx, x: x * 2, lambda ctx, g: (seen.append(torch.is_grad_enabled()), g * 2)[1])
    for create_graph in (False, True):
        x = leaf()
        torch.autograd.grad(f.apply(x).sum(), x, create_graph=create_graph)
    assert seen == [False, True]


def test_nothing_is_recorded_when_no_input_requires_grad():
    f = function(lambda ctx, x: x * 2, lambda ctx, g: g)
    assert f.apply(torch.ones(1)).grad_fn is None
    with torch.no_grad():
        assert not f.apply(leaf()).requires_grad


def test_returned_input_is_an_alias_with_the_node():
    x = leaf()
    y = function(lambda ctx, x: x, lambda ctx, g: g * 5).apply(x)
    assert y is not x
    assert (y.data_ptr(), y.grad_fn.name(), y._is_view()) == (x.data_ptr(), "FBackward", True)
    y.sum().backward()
    assert x.grad.tolist() == [5.0, 5.0]


def test_output_that_is_a_view_of_an_input():
    x = leaf()
    inner = x * 1
    y = function(lambda ctx, x: x[:1], lambda ctx, g: torch.cat([g, g * 0])).apply(inner)
    assert y._is_view()
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 0.0]


def test_inplace_on_an_output_that_is_a_view_of_an_input():
    y = function(lambda ctx, x: x[:1], lambda ctx, g: torch.cat([g, g])).apply(leaf() * 1)
    phrase = (r"Output 0 of F is a view and is being modified inplace. This view was created inside a custom Function "
              r"\(or because an input was returned as-is\) and the autograd logic to handle view\+inplace would "
              r"override the custom backward associated with the custom Function, leading to incorrect gradients. This "
              r"behavior is forbidden. You can fix this by cloning the output of the custom Function.")
    with pytest.raises(RuntimeError, match=phrase):
        y.add_(1)


def test_inplace_on_one_of_several_views():
    y, _ = function(lambda ctx, x: (x[:1], x[1:]), lambda ctx, a, b: torch.cat([a, b])).apply(leaf() * 1)
    with pytest.raises(RuntimeError, match=r"Output 0 of F is a view and is being modified inplace. This view is the "
                                           r"output of a function that returns multiple views."):
        y.add_(1)


def test_one_tensor_returned_twice():
    def forward(ctx, x):
        y = x * 2
        return y, y

    x = leaf()
    a, b = function(forward, lambda ctx, a, b: a * 2 + b * 20).apply(x)
    (a + b).sum().backward()
    assert a is b
    assert x.grad.tolist() == [40.0, 40.0]          # all of the gradient comes with the last output


@pytest.mark.parametrize("dtype", [torch.int64, torch.bool])
def test_outputs_of_other_dtypes_do_not_require_grad(dtype):
    out = function(lambda ctx, x: (x * 2, torch.ones(2, dtype=dtype)), lambda ctx, g, _: g).apply(leaf())[1]
    assert (out.requires_grad, out.grad_fn) == (False, None)


def test_gradients_are_summed_to_a_broadcast_input():
    x = leaf(1.0)
    function(lambda ctx, x: x * torch.ones(3, 1), lambda ctx, g: g * 2).apply(x).sum().backward()
    assert x.grad.tolist() == [6.0]


def test_none_gradient_is_no_gradient():
    x, y = leaf(), leaf()
    function(lambda ctx, x, y: x * y, lambda ctx, g: (None, g)).apply(x, y).sum().backward()
    assert x.grad is None
    assert y.grad.tolist() == [1.0, 1.0]


def test_gradient_dtype_is_cast_to_the_inputs():
    x = leaf()
    function(lambda ctx, x: x * 2, lambda ctx, g: g.double()).apply(x).sum().backward()
    assert x.grad.dtype == torch.float32


def test_double_backward_through_a_custom_function():
    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 2 * x

    x = leaf(3.0)
    (slope,) = torch.autograd.grad(Square.apply(x) * x, x, create_graph=True)
    (curvature,) = torch.autograd.grad(slope, x)
    assert (slope.item(), curvature.item()) == (27.0, 18.0)


def test_reference_cycle_of_an_output_kept_as_an_attribute_is_collected():
    def forward(ctx, x):
        ctx.output = x * 2
        return ctx.output

    y = function(forward, lambda ctx, g: g).apply(leaf())
    node = weakref.ref(y.grad_fn)
    del y
    gc.collect()
    assert node() is None


def test_saved_output_is_no_cycle():
    def forward(ctx, x):
        result = x * 2
        ctx.save_for_backward(result)
        return result

    gc.disable()
    try:
        y = function(forward, lambda ctx, g: g).apply(leaf())
        node = weakref.ref(y.grad_fn)
        del y
        assert node() is None
    finally:
        gc.enable()


def test_reentrant_backward_inside_backward():
    def backward(ctx, g):
        with torch.enable_grad():
            t = torch.ones(2, requires_grad=True)
            (t * 3).sum().backward()
        return g * t.grad

    x = leaf()
    function(lambda ctx, x: x * 3, backward).apply(x).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_apply_of_a_node_of_a_function():
    node = function(lambda ctx, x: x * 2, lambda ctx, g: g * 2).apply(leaf()).grad_fn
    assert node.apply(torch.ones(2)).tolist() == [2.0, 2.0]


def test_outputs_that_are_no_tensors_have_no_gradient():
    seen = []

    class Several(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, "text", 5, None, x.long()

        @staticmethod
        def backward(ctx, *grads):
            seen.append([None if grad is None else grad.tolist() for grad in grads])
            return grads[0]

    x = torch.ones(2, requires_grad=True)
    outputs = Several.apply(x)
    assert outputs[1:4] == ("text", 5, None)
    outputs[0].sum().backward()
    assert seen == [[[1.0, 1.0], None, None, None, [0, 0]]]


class Same(Function):
    """Returns its input."""

    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad


def test_returned_input_without_a_graph_is_a_view():
    x, w = torch.ones(2), torch.ones(2, requires_grad=True)
    y = Same.apply(x)
    assert (y is x, y._base is x, y.requires_grad) == (False, True, False)
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is being modified inplace"):
        y.mul_(w)
    x.mul_(w)
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and its base or another view of"):
        y + 1


def test_returned_input_in_no_grad_mode_does_not_require_grad():
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        y = Same.apply(x)
    assert (y.requires_grad, y.grad_fn, y.is_leaf, y.data_ptr() == x.data_ptr()) == (False, None, True, True)
