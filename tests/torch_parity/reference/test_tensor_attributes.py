"""Attributes and methods of tensors that the reference lists: grad, requires_grad, is_leaf, detach and their kin."""

import pytest
import wengert as torch


def leaf(*values):
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def test_is_leaf_as_in_the_example():
    a = torch.rand(10, requires_grad=True)
    assert a.is_leaf
    c = torch.rand(10, requires_grad=True) + 2
    assert not c.is_leaf                        # c was created by the addition operation
    d = torch.rand(10)
    assert d.is_leaf                            # d does not require gradients and so has no operation creating it
    e = torch.rand(10).requires_grad_()
    assert e.is_leaf                            # e requires gradients and has no operations creating it
    f = torch.rand(10, requires_grad=True, device="cpu")
    assert f.is_leaf
    assert not torch.rand(10, requires_grad=True).double().is_leaf      # as .cuda() in the reference


def test_grad_is_none_then_a_tensor_then_accumulates():
    x = leaf()
    assert x.grad is None
    (x * 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    assert not x.grad.requires_grad
    (x * 3).sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]


def test_only_leaves_get_a_gradient():
    x = leaf()
    y = x * 2
    y.sum().backward()
    with pytest.warns(UserWarning, match="not a leaf Tensor is being accessed"):
        assert y.grad is None


def test_grad_may_be_assigned_and_deleted():
    x = leaf()
    given = torch.tensor([5.0, 6.0])
    x.grad = given
    assert x.grad is given
    x.grad = None
    assert x.grad is None
    x.grad = given
    del x.grad
    assert x.grad is None


@pytest.mark.parametrize(("value", "kind", "phrase"), [
    (lambda x: torch.ones(3), RuntimeError, r"a gradient of size '\[3\]' to a tensor of size '\[2\]'"),
    (lambda x: torch.ones(2).double(), RuntimeError, "dtype 'double' to a tensor with grad_dtype 'Float'"),
    (lambda x: x, RuntimeError, "can't assign Variable as its own grad"),
    (lambda x: 3.0, TypeError, "assigned grad expected to be a Tensor or None but got grad of type float")],
    ids=["size", "dtype", "itself", "number"])
def test_what_grad_refuses(value, kind, phrase):
    x = leaf()
    with pytest.raises(kind, match=phrase):
        x.grad = value(x)


def test_requires_grad():
    x = torch.ones(2)
    assert x.requires_grad is False
    x.requires_grad = True
    assert (x * 2).requires_grad
    assert x.requires_grad_(False) is x
    assert not x.requires_grad
    assert (torch.ones(1) * leaf(1.0)).requires_grad


def test_requires_grad_of_inner_tensors_cannot_be_switched_off():
    phrase = (r"you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
              r"subgraph that doesn't require differentiation use var_no_grad = var.detach\(\).")
    with pytest.raises(RuntimeError, match=phrase):
        (leaf() * 1).requires_grad = False
    with pytest.raises(RuntimeError, match=r"you can only change requires_grad flags of leaf variables."):
        (leaf() * 1).requires_grad_(False)


@pytest.mark.parametrize("dtype", [torch.int64, torch.bool, torch.uint8])
def test_requires_grad_of_integers(dtype):
    with pytest.raises(RuntimeError, match="only Tensors of floating point dtype can require gradients"):
        torch.ones(2, dtype=dtype).requires_grad_()
    with pytest.raises(RuntimeError, match="only Tensors of floating point and complex dtype can require gradients"):
        torch.ones(2, dtype=dtype).requires_grad = True


def test_backward_of_a_tensor():
    x = leaf()
    y = x * x
    assert y.backward(torch.tensor([1.0, 10.0])) is None
    assert x.grad.tolist() == [2.0, 40.0]
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        (x * x).backward()
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad and does not have a grad_fn"):
        torch.ones(1).backward()


def test_backward_of_a_tensor_with_arguments_by_name():
    x, w = leaf(1.0), leaf(2.0)
    y = x * w
    y.backward(gradient=torch.ones(1), retain_graph=True, create_graph=False, inputs=[x])
    y.backward(torch.ones(1), True, False, [w])
    assert (x.grad.tolist(), w.grad.tolist()) == ([2.0], [1.0])


def test_gradient_given_as_a_recorded_tensor_is_only_recorded_with_create_graph():
    x, g = leaf(1.0), leaf(3.0)
    assert not torch.autograd.grad(x * 2, x, g)[0].requires_grad
    assert torch.autograd.grad(x * 2, x, g, create_graph=True)[0].requires_grad


def test_complex_outputs():
    z = torch.ones(1, dtype=torch.complex64, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"grad can be implicitly created only for real scalar outputs but got "
                                           r"torch.complex64"):
        (z * 2).sum().backward()
    (z * 2).abs().sum().backward()
    assert z.grad.tolist() == [2 + 0j]


def test_grad_fn_is_read_only():
    with pytest.raises(AttributeError, match=r"attribute 'grad_fn' of .* objects is not writable"):
        leaf().grad_fn = None


def test_output_nr():
    x = leaf()
    assert [t.output_nr for t in (x, x * 1, *x.unbind(0))] == [0, 0, 0, 1]


def test_grad_dtype():
    x = leaf()
    assert x.grad_dtype == torch.float32
    x.grad_dtype = torch.float64
    (x * 2).sum().backward()
    assert x.grad.dtype == torch.float64


def test_zero_grad_by_hand():
    x = leaf()
    (x * 3).sum().backward()
    held = x.grad
    x.grad.zero_()
    (x * 2).sum().backward()
    assert x.grad is held
    assert held.tolist() == [2.0, 2.0]


@pytest.mark.parametrize("value", [1, "yes", None, 0.0])
def test_requires_grad_is_assigned_a_bool(value):
    x = torch.ones(2)
    with pytest.raises(RuntimeError, match="requires_grad must be a bool"):
        x.requires_grad = value
    assert x.requires_grad is False


def test_a_leaf_that_has_ceased_to_require_grad_gets_none():
    called = []
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    total = (x * y * 2).sum()
    x.register_hook(lambda grad: called.append("hook"))
    x.register_post_accumulate_grad_hook(lambda leaf: called.append("post"))
    edge = torch.autograd.graph.get_gradient_edge(x)
    x.requires_grad_(False)
    total.backward(retain_graph=True)
    assert (x.grad, y.grad.tolist(), called) == (None, [2.0, 2.0], ["hook", "post"])
    assert torch.autograd.grad(total, edge)[0].tolist() == [2.0, 2.0]


def test_a_leaf_that_was_detached_in_place_gets_no_gradient():
    x = torch.ones(2, requires_grad=True)
    total = (x * 2).sum()
    x.detach_()
    total.backward()
    assert x.grad is None
    x.requires_grad_()
    (x * 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
