"""Views and in-place operations: rebased history, regenerated grad_fn, what views refuse; set_ and resize_."""

import pytest
import wengert as torch


def inner(*values):
    x = torch.tensor(list(values) or [1.0, 2.0, 3.0], requires_grad=True)
    return x, x * 1


def test_write_to_a_view_is_recorded_in_the_base():
    x, y = inner()
    y[:1].mul_(10)
    assert y.grad_fn.name() == "torch::autograd::CopySlices"
    y.sum().backward()
    assert x.grad.tolist() == [10.0, 1.0, 1.0]


def test_grad_fn_of_views_is_regenerated_lazily():
    x, y = inner()
    view = y[1:]
    before = view.grad_fn
    y.mul_(2)
    after = view.grad_fn
    assert after is not before
    assert after.name() == "AsStridedBackward0"
    assert after.next_functions[0][0].name() == "MulBackward0"
    assert view.grad_fn is after
    view.sum().backward()
    assert x.grad.tolist() == [0.0, 2.0, 2.0]


def test_a_view_sees_a_write_through_another_view():
    x, y = inner()
    one, other = y[:2], y[1:]
    one.mul_(5)
    assert other.grad_fn.name() == "AsStridedBackward0"
    assert other.grad_fn.next_functions[0][0].name() == "torch::autograd::CopySlices"
    other.sum().backward()
    assert x.grad.tolist() == [0.0, 5.0, 1.0]


def test_the_written_view_keeps_its_own_view_node():
    _, y = inner()
    view = y[:2]
    view.mul_(5)
    assert view.grad_fn.name() == "AsStridedBackward0"
    assert y.grad_fn is view.grad_fn.next_functions[0][0]


def test_chain_of_views():
    x, y = inner(1.0, 2.0, 3.0, 4.0)
    y.view(2, 2)[1].view(2, 1)[0].mul_(7)
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0, 7.0, 1.0]


def test_base_and_is_view():
    _, y = inner()
    view = y[:2][:1]
    assert view._base is y
    assert view._is_view()
    assert y._base is None
    assert not y._is_view()
    assert view.detach()._base is None


def test_constant_base_takes_part_after_a_recorded_write():
    x, base = torch.ones(1, requires_grad=True), torch.zeros(3)
    view = base[:1]
    view.copy_(x * 4)
    assert (base.requires_grad, base.grad_fn.name(), base.is_leaf) == (True, "torch::autograd::CopySlices", False)
    base.sum().backward()
    assert x.grad.tolist() == [4.0]


def test_view_made_under_no_grad():
    _, y = inner()
    with torch.no_grad():
        view = y[:1]
    assert (view.grad_fn, view._base is y) == (None, True)
    phrase = (r"A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given that "
              r"this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
              r"the view and the inplace either both inside the no_grad block \(if you don't want the inplace to be "
              r"tracked\) or both outside \(if you want the inplace to be tracked\).")
    with pytest.raises(RuntimeError, match=phrase):
        view.add_(1)
    with torch.no_grad():
        view.add_(1)
    assert y[0].item() == 2


@pytest.mark.parametrize(("make", "node"), [
    (lambda y: y.unbind(0), "Unbind"), (lambda y: y.split(1), "Split"),
    (lambda y: y.chunk(3), "Split"), (lambda y: y.split([1, 2]), "SplitWithSizes")])
def test_outputs_of_multi_output_views_are_refused(make, node):
    _, y = inner()
    phrase = (f"Output 0 of {node} is a view and is being modified inplace. This view is the output of a function that "
              "returns multiple views. Such functions do not allow the output views to be modified inplace. You should "
              "replace the inplace operation by an out-of-place one.")
    with pytest.raises(RuntimeError, match=phrase):
        make(y)[0].mul_(2)


def test_base_may_change_after_a_multi_output_view_but_the_views_are_dead_then():
    _, y = inner()
    part = y.unbind(0)[0]
    y.mul_(2)
    with pytest.raises(RuntimeError, match=r"Output 0 of Unbind is a view and its base or another view of its base has "
                                           r"been modified inplace. This view is the output of a function that returns "
                                           r"multiple views."):
        _ = part.grad_fn


def test_multi_output_view_under_no_grad():
    _, y = inner()
    with torch.no_grad():
        part = y.unbind(0)[0]
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is being modified inplace"):
        part.add_(1)


def test_requires_grad_of_a_view_of_a_constant_leaf():
    base = torch.zeros(2)
    view = base[:1].requires_grad_()
    assert (view.is_leaf, view.requires_grad, base.requires_grad) == (True, True, False)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad is being used"):
        view.add_(1)


def test_hooks_and_retained_gradients_of_the_base_follow():
    x, y = inner()
    y.retain_grad()
    y[:1].mul_(10)
    y.sum().backward()
    assert (y.grad.tolist(), x.grad.tolist()) == ([1.0, 1.0, 1.0], [10.0, 1.0, 1.0])


def test_set_shares_the_storage_of_another_tensor():
    x, source = torch.ones(2), torch.zeros(3)
    assert x.set_(source) is x
    assert (x.shape, x.data_ptr()) == (source.shape, source.data_ptr())
    source.add_(1)
    assert x.tolist() == [1.0] * 3


def test_set_counts_as_a_change():
    x = torch.ones(2)
    x.set_(torch.zeros(3))
    assert x._version == 1


def test_set_without_arguments_empties():
    x = torch.ones(2)
    x.set_()
    assert x.shape == (0,)


def test_set_of_a_tensor_in_the_graph_is_not_differentiable():
    _, y = inner()
    y.set_(torch.zeros(3))
    assert y.grad_fn.name() == "torch::autograd::NotImplemented"
    with pytest.raises(RuntimeError, match="derivative for set_ is not implemented"):
        y.sum().backward()


def test_set_of_a_leaf():
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"a leaf Variable that requires grad is being used in an in-place "
                                           r"operation."):
        x.set_(torch.zeros(3))
    with torch.no_grad():
        x.set_(torch.zeros(3))
    assert (x.shape, x.requires_grad) == ((3,), True)


def test_resize():
    x = torch.arange(6.0)
    assert x.resize_(2, 2) is x
    assert x.tolist() == [[0.0, 1.0], [2.0, 3.0]]
    x.resize_((3, 2))
    assert x.tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
    assert x.resize_as_(torch.ones(2)).shape == (2,)


def test_resize_of_variables_that_require_grad():
    for tensor in (torch.ones(2, requires_grad=True), inner()[1]):
        with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
            tensor.resize_(1)


def test_resize_of_what_numpy_owns():
    import numpy as np

    x = torch.from_numpy(np.zeros(2, np.float32))
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
        x.resize_(100)


# The name of a node without its number: torch numbers overloads, wengert does not.
@pytest.mark.parametrize(("change", "shape", "node"), [
    (lambda t: t.t_(), (3, 1), "TBackward"), (lambda t: t.transpose_(0, 1), (3, 1), "TransposeBackward"),
    (lambda t: t.squeeze_(), (3,), "SqueezeBackward"), (lambda t: t.squeeze_(0), (3,), "SqueezeBackward"),
    (lambda t: t.unsqueeze_(0), (1, 1, 3), "UnsqueezeBackward"),
    (lambda t: t.swapaxes_(0, 1), (3, 1), "TransposeBackward"),
    (lambda t: t.as_strided_((3,), (1,)), (3,), "AsStridedBackward")])
def test_geometry_in_place_is_recorded(change, shape, node):
    x = torch.ones(1, 3, requires_grad=True)
    y = x * 2
    result = change(y)
    assert result is y
    assert y.shape == shape
    assert y.grad_fn.name().rstrip("0123456789") == node
    (y * 3).sum().backward()
    assert x.grad.tolist() == [[6.0] * 3]
