"""In-place operations: history, views, version checks, what is refused."""

import copy
import math

import pytest
import wengert_core as wc
from wengert_engine import Function, grad, inference_mode, no_grad


def leaf(*values):
    return wc.tensor(list(values), requires_grad=True)


def test_inplace_on_an_inner_tensor_continues_its_history():
    x = leaf(1.0, 2.0)
    y = x * 2
    y.mul_(3)
    y.sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]
    assert y._version == 1


def test_mul_by_a_tensor_that_needs_the_old_value():
    x, w = leaf(2.0), leaf(5.0)
    y = x * 1
    y.mul_(w)
    y.sum().backward()
    assert (x.grad.item(), w.grad.item()) == (5.0, 2.0)


def test_a_plain_tensor_takes_part_after_a_write_from_one_that_requires_grad():
    w = leaf(3.0)
    y = wc.zeros(1)
    y.add_(w)
    assert y.requires_grad
    (y * 2).sum().backward()
    assert w.grad.tolist() == [2.0]


def test_write_to_a_view_reaches_the_base():
    x = leaf(1.0, 2.0, 3.0)
    y = x * 1
    y[1].mul_(10)
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 10.0, 1.0]


def test_assignment_cuts_off_what_was_overwritten():
    x, w = leaf(1.0, 2.0, 3.0), leaf(7.0)
    y = x * 2
    y[0:1] = w
    (y * y).sum().backward()
    assert x.grad.tolist() == [0.0, 16.0, 24.0]
    assert w.grad.tolist() == [14.0]


def test_write_to_the_base_is_seen_by_a_view_made_before():
    x = leaf(1.0, 2.0, 3.0)
    y = x * 1
    view = y[1:]
    y.mul_(5)
    view.sum().backward()
    assert x.grad.tolist() == [0.0, 5.0, 5.0]


def test_write_to_one_view_is_seen_by_another():
    x = leaf(1.0, 2.0, 3.0, 4.0)
    y = x * 1
    a, b = y[:2], y[1:3]
    a.mul_(10)
    (b * b).sum().backward()
    assert x.grad.tolist() == [0.0, 2 * 20.0 * 10, 2 * 3.0, 0.0]


def test_view_of_a_plain_base_takes_part_after_the_base_was_written_to():
    w = leaf(3.0)
    base = wc.zeros(2, 2)
    row = base[0]
    base[0, 0] = w[0]
    assert base.requires_grad
    assert row.requires_grad
    row.sum().backward()
    assert w.grad.tolist() == [1.0]


def test_second_order_through_a_write_to_a_view():
    x = leaf(2.0, 3.0)
    y = x * x
    y[0].mul_(y[1].detach().clone())
    (g,) = grad(y.sum(), x, create_graph=True)
    (h,) = grad((g * g).sum(), x)
    assert g.tolist() == [2 * 2.0 * 9, 2 * 3.0]
    assert h.tolist() == [2 * 36.0 * 18, 2 * 6.0 * 2]


def test_a_saved_tensor_that_was_written_to_is_an_error():
    x = leaf(1.0, 2.0)
    y = x.exp()
    y.add_(1)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        y.sum().backward()


def test_the_version_is_shared_by_views_and_detached_aliases_but_not_by_data():
    x = wc.zeros(3)
    view, detached, data = x[1:], x.detach(), x.data
    view.add_(1)
    assert (x._version, view._version, detached._version, data._version) == (1, 1, 1, 0)


def test_writing_through_data_is_not_noticed():
    x = leaf(1.0, 2.0)
    y = x.exp()
    y.data.mul_(2)
    y.sum().backward()
    assert x.grad.tolist() == pytest.approx([2 * 2.718281828, 2 * 7.389056099], rel=1e-6)


@pytest.mark.parametrize(("write", "phrase"), [
    (lambda x: x.add_(1), "a leaf Variable that requires grad is being used in an in-place operation"),
    (lambda x: x[0].add_(1), "a view of a leaf Variable that requires grad is being used in an in-place operation"),
    (lambda x: (x * 1).unbind(0)[0].add_(1), "is a view and is being modified inplace"),
    (lambda x: (x * 1).expand(3, 2).add_(1),
     "more than one element of the written-to tensor refers to a single memory location"),
    (lambda x: (x * 1)[0].detach_(), "Can't detach views in-place"),
])
def test_what_must_not_be_written_to(write, phrase):
    x = leaf(1.0, 2.0)
    before = x.tolist()
    with pytest.raises(RuntimeError, match=phrase):
        write(x)
    assert x.tolist() == before


def test_a_view_made_under_no_grad_must_not_be_written_to_outside():
    x = leaf(1.0, 2.0)
    y = x * 1
    with no_grad():
        view = y[0]
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode"):
        view.add_(1)


def test_parameters_are_updated_under_no_grad():
    x = leaf(1.0, 2.0)
    (x * x).sum().backward()
    with no_grad():
        x.sub_(x.grad, alpha=0.5)
    assert x.tolist() == [0.0, 0.0]
    assert x.is_leaf
    assert x.requires_grad


def test_inference_tensors_are_refused_outside():
    with inference_mode():
        t = wc.ones(2)
        t.add_(1)
    assert t.is_inference()
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
        t.add_(1)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        leaf(1.0, 1.0) * t


def test_detach_and_detach_in_place():
    x = leaf(1.0)
    y = x * 2
    assert not y.detach().requires_grad
    y.detach_()
    assert (y.requires_grad, y.is_leaf, y.grad_fn) == (False, True, None)


def test_a_view_made_before_its_base_came_to_require_grad_is_recorded_without_being_asked():
    w = leaf(3.0)
    base = wc.ones(2)
    view = base[0]
    base.mul_(w)
    y = view * 2
    assert y.requires_grad
    y.backward()
    assert w.grad.tolist() == [2.0]


def test_writing_through_such_a_view():
    w = leaf(3.0)
    base = wc.ones(2)
    view = base[0]
    base.mul_(w)
    view.mul_(5)
    base.sum().backward()
    assert w.grad.tolist() == [6.0]


def test_every_output_of_an_op_with_many_is_differentiable():
    x = wc.ones(100, requires_grad=True)
    parts = x.unbind(0)
    assert all(part.requires_grad for part in parts)
    (parts[20] * 2 + parts[99] * 3).backward()
    assert (x.grad[20].item(), x.grad[99].item(), x.grad.sum().item()) == (2.0, 3.0, 5.0)


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_saved_tensor_that_was_detached_in_place_is_an_error_in_backward(create_graph):
    x = leaf(2.0)
    y = x * 3
    z = y * y
    y.detach_()                        # after it was saved
    with pytest.raises(RuntimeError, match=r"a saved tensor that has been detached in-place.*MulBackward0 saved other"):
        grad(z.sum(), x, create_graph=create_graph)


def test_a_saved_output_may_be_detached_in_place():
    x = leaf(2.0)
    y = x.exp()
    z = y * 1
    y.detach_()
    (g,) = grad(z.sum(), x, create_graph=True)
    (h,) = grad(g.sum(), x)
    assert g.item() == h.item() == pytest.approx(math.exp(2.0))


@pytest.mark.parametrize("view", [False, True])
def test_higher_orders_through_the_old_value_of_a_write(view):
    x, w = leaf(2.0), leaf(5.0)
    y = x * x
    (y[0:1] if view else y).mul_(w)
    (gw,) = grad(y.sum(), w, create_graph=True)
    assert gw.item() == 4.0
    assert grad(gw.sum(), x)[0].item() == 4.0


def test_a_write_that_overwrites_its_own_other_operand_is_an_error_in_backward():
    x = leaf(2.0)
    y = x * 1
    y.mul_(y)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        y.sum().backward()


@pytest.mark.parametrize("take", [
    lambda v: v[0], lambda v: v[:1], lambda v: v.narrow(0, 0, 1), lambda v: v.movedim(0, 0), lambda v: v.reshape(2),
    lambda v: v.flatten(), lambda v: v[None, 0]],
                         ids=["int", "slice", "narrow", "movedim", "reshape", "flatten", "several"])
def test_a_view_taken_of_such_a_view_is_recorded(take):
    w, base = leaf(3.0), wc.ones(3)
    view = base[:2]
    base.mul_(w)
    take(view).sum().backward()
    assert w.grad.item() > 0


def test_nothing_is_written_when_another_operand_is_refused():
    x = leaf(1.0, 2.0)
    y, target = x * 1, wc.zeros(())
    dead = y.unbind(0)[0]
    y.mul_(2)
    with pytest.raises(RuntimeError, match="its base or another view of its base has been modified inplace"):
        target.add_(dead)
    assert (target.item(), target._version, target.requires_grad) == (0.0, 0, False)


def test_copying_a_tensor_to_itself_is_a_write():
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        x.copy_(x)
    y = x * 3
    y.copy_(y)
    y.sum().backward()
    assert (y._version, x.grad.tolist()) == (1, [3.0, 3.0])
    wide = wc.ones(1).expand(3)
    assert wide.copy_(wide).tolist() == [1.0] * 3


def test_second_derivative_of_a_write_that_saves_its_result():
    x = leaf(1.0, 1.0, 1.0)
    base = x * 1
    base[:2].exp_()
    (slope,) = grad(base.sum(), x, create_graph=True)
    slope.sum().backward()
    assert x.grad.tolist() == pytest.approx([2.718281, 2.718281, 0.0])


def of_a_base_written_to_later(x, read=lambda base: base.view(base.shape)):
    """A view of a plain tensor, to which x is added after that."""
    base = wc.zeros(x.shape)
    view = read(base)
    base.add_(x)
    return view


class Double(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class DoubleInPlace(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


@pytest.mark.parametrize("function", [Double, DoubleInPlace])
def test_a_function_takes_such_a_view(function):
    x = leaf(1.0, 2.0)
    function.apply(of_a_base_written_to_later(x)).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    "call",
    [
        lambda view, out: wc.mul(view, 2, out=out),
        lambda view, out: wc.cat([view, view], out=out),
        lambda view, out: wc.sum(view, 0, out=out),
        lambda view, out: wc.where(view > 0, view, view, out=out),
        lambda view, out: wc.sort(view, out=(out, wc.empty(0, dtype=wc.int64))),
        lambda view, out: wc.matmul(view, view, out=out),
    ],
)
def test_out_is_refused_where_such_a_view_takes_part(call):
    view = of_a_base_written_to_later(leaf(1.0, 2.0))
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        call(view, wc.empty(0))
    with no_grad():
        call(view, wc.empty(0))
    wc.gt(view, 0, out=wc.empty(2, dtype=wc.bool))


def test_a_bound_of_clamp_may_be_such_a_view():
    x = leaf(1.0, 5.0)
    bound = of_a_base_written_to_later(x, lambda base: base[0])
    wc.clamp(wc.zeros(3), bound, wc.tensor(4.0)).sum().backward()
    assert x.grad.tolist() == [3.0, 0.0]


def test_such_a_view_has_no_deep_copy():
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match="graph leaves"):
        copy.deepcopy(of_a_base_written_to_later(x))
    assert copy.deepcopy(of_a_base_written_to_later(x.detach())).tolist() == [1.0, 2.0]


def test_asarray_of_such_a_view_without_grad():
    assert not wc.asarray(of_a_base_written_to_later(leaf(1.0, 2.0)), requires_grad=False).requires_grad


@pytest.mark.parametrize("write", [lambda base, view: view.add_(1), lambda base, view: base.add_(1)])
def test_a_view_written_to_before_its_base_came_to_require_grad(write):
    base = wc.zeros(3)
    view = base[1:]
    write(base, view)
    base.requires_grad_()
    (view * 2).sum().backward()
    assert base.grad.tolist() == [0.0, 2.0, 2.0]


def test_inputs_that_require_grad_by_their_base_alone():
    x = leaf(1.0, 2.0)
    with no_grad():
        view = x.view(2)
    y = (view * x).sum()
    assert grad(y, [x, view], allow_unused=True, retain_graph=True)[1] is None
    assert grad(y, view, materialize_grads=True, retain_graph=True)[0].tolist() == [0.0, 0.0]
    y.backward(inputs=[view, x], retain_graph=True)
    assert (view.grad, x.grad.tolist()) == (None, [1.0, 2.0])
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        grad(y, view)
