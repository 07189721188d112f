"""Function: the methods and attributes of ctx."""

import inspect

import pytest
import wengert as torch
from wengert.autograd import Function
from wengert.autograd.function import FunctionCtx


def leaf(*values):
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def function(forward, backward):
    """A Function from two functions."""
    return type("F", (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def keep_input(ctx, x):
    ctx.save_for_backward(x)
    return x * 2


def test_names_of_ctx():
    for name in ("save_for_backward", "save_for_forward", "mark_dirty", "mark_non_differentiable",
                 "set_materialize_grads", "mark_shared_storage"):
        assert callable(getattr(FunctionCtx, name))


def test_the_older_name_of_the_mixin():
    from wengert.autograd.function import _ContextMethodMixin

    for name in ("mark_dirty", "mark_non_differentiable", "save_for_backward"):
        assert callable(getattr(_ContextMethodMixin, name))


def test_static_methods_of_function():
    for name in ("forward", "backward", "vjp", "jvp", "vmap", "setup_context"):
        assert isinstance(inspect.getattr_static(Function, name), staticmethod), name
    assert Function.generate_vmap_rule is False


def test_ctx_is_the_node_and_keeps_any_attribute():
    seen = []

    def forward(ctx, x):
        ctx.note = {"a": 1}
        return x * 2

    def backward(ctx, g):
        seen.append((ctx.note, type(ctx).__name__))
        return g * 2

    y = function(forward, backward).apply(leaf())
    assert y.grad_fn.note == {"a": 1}
    assert isinstance(y.grad_fn, torch.autograd.graph.Node)
    y.sum().backward()
    assert seen == [({"a": 1}, "FBackward")]


def test_ctx_is_made_once_for_forward_and_backward():
    seen = []

    def forward(ctx, x):
        seen.append(id(ctx))
        return x * 2

    def backward(ctx, g):
        seen.append(id(ctx))
        return g

    function(forward, backward).apply(leaf()).sum().backward()
    assert seen[0] == seen[1]


def test_needs_input_grad_in_forward_and_backward():
    seen = []

    def forward(ctx, a, b, c):
        seen.append(ctx.needs_input_grad)
        return a * b

    def backward(ctx, g):
        seen.append(ctx.needs_input_grad)
        return g, None, None

    function(forward, backward).apply(leaf(), torch.ones(2), 3).sum().backward()
    assert seen == [(True, False, False)] * 2


def test_needs_input_grad_says_what_requires_grad_not_what_is_asked_for():
    seen = []

    def backward(ctx, g):
        seen.append(ctx.needs_input_grad)
        return g, g

    a, b = leaf(), leaf()
    y = function(lambda ctx, a, b: a * b, backward).apply(a, b).sum()
    torch.autograd.grad(y, a)
    assert seen == [(True, True)]


def test_saved_tensors_are_the_same_objects():
    seen = []

    def forward(ctx, x, w):
        ctx.save_for_backward(x, None, w)
        return x * w

    def backward(ctx, g):
        seen.append(ctx.saved_tensors)
        return g, None

    x, w = leaf(), torch.ones(2)
    function(forward, backward).apply(x, w).sum().backward()
    (saved,) = seen
    assert saved[0] is x
    assert saved[1] is None
    assert saved[2] is w


def test_saved_output_has_the_node_as_its_history():
    seen = []

    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    def backward(ctx, g):
        (result,) = ctx.saved_tensors
        seen.append(result.grad_fn is ctx)
        return g * result

    x = leaf()
    y = function(forward, backward).apply(x)
    y.sum().backward()
    assert seen == [True]
    assert torch.allclose(x.grad, y.detach())


def test_saved_tensors_are_checked_for_changes():
    y = leaf() * 1
    z = function(keep_input, lambda ctx, g: g * ctx.saved_tensors[0]).apply(y)
    y.add_(1)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        z.sum().backward()


def test_save_for_backward_twice_keeps_the_last():
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.save_for_backward(x, x)
        return x * 2

    seen = []
    function(forward, lambda ctx, g: (seen.append(len(ctx.saved_tensors)), g)[1]).apply(leaf()).sum().backward()
    assert seen == [2]


def test_saved_variables_is_deprecated():
    z = function(keep_input, lambda ctx, g: g * ctx.saved_variables[0]).apply(leaf())
    with pytest.warns(DeprecationWarning, match="'saved_variables' is deprecated; use 'saved_tensors'"):
        z.sum().backward()


def test_saved_tensors_after_free():
    z = function(keep_input, lambda ctx, g: g).apply(leaf())
    z.sum().backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        _ = z.grad_fn.saved_tensors


def test_saved_attributes_of_the_node():
    x = leaf()
    node = function(keep_input, lambda ctx, g: g).apply(x).grad_fn
    assert node.saved_tensors[0] is x
    assert len(node._raw_saved_tensors) == 1


def test_save_for_forward_keeps_nothing_for_backward():
    def forward(ctx, x):
        ctx.save_for_forward(x)
        return x * 2

    x = leaf()
    y = function(forward, lambda ctx, g: (ctx.saved_tensors, g * 2)[1]).apply(x)
    assert y.grad_fn.saved_tensors == ()
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_materialize_grads_default_and_off():
    for materialize, expected in ((True, [0.0, 0.0]), (False, None)):
        seen = []

        def forward(ctx, x, materialize=materialize):
            ctx.set_materialize_grads(materialize)
            return x * 1, x * 2

        def backward(ctx, a, b, seen=seen):
            seen.append(b if b is None else b.tolist())
            return a

        function(forward, backward).apply(leaf())[0].sum().backward()
        assert seen == [expected]


def test_mark_non_differentiable_gets_zeros():
    seen = []

    def forward(ctx, x):
        values, indices = x * 2, x > 1
        ctx.mark_non_differentiable(indices)
        return values, indices

    def backward(ctx, g, unused):
        seen.append((unused.tolist(), unused.dtype))
        return g * 2

    values, indices = function(forward, backward).apply(leaf())
    assert (values.requires_grad, indices.requires_grad, indices.grad_fn) == (True, False, None)
    values.sum().backward()
    assert seen == [([False, False], torch.bool)]


def test_mark_dirty_makes_a_leafs_copy_part_of_the_graph():
    def forward(ctx, x):
        x.mul_(3)
        ctx.mark_dirty(x)
        return x

    x = leaf()
    y = x * 1
    version = y._version
    z = function(forward, lambda ctx, g: g * 3).apply(y)
    assert z is y
    assert y._version == version + 2       # mul_ and mark_dirty
    z.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_mark_dirty_of_what_was_saved_before_is_seen():
    def forward(ctx, x):
        x.mul_(3)
        ctx.mark_dirty(x)
        return x

    y = leaf() * 1
    w = y.exp() * y
    function(forward, lambda ctx, g: g * 3).apply(y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        w.sum().backward()


def test_bases_of_nodes_and_of_functions():
    from wengert.autograd.function import BackwardCFunction, FunctionMeta

    class Double(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    assert isinstance(Double, FunctionMeta)
    assert isinstance(Double.apply(torch.ones(2, requires_grad=True)).grad_fn, BackwardCFunction)


def test_a_function_that_saves_nothing_may_run_backward_again():
    class Double(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.factor = 2
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor

    x = torch.ones(2, requires_grad=True)
    y = Double.apply(x).sum()
    y.backward()
    y.backward()
    assert x.grad.tolist() == [4.0, 4.0]
