"""NestedIOFunction and Variable: deprecated, still there."""

import pytest
import wengert as torch
from wengert import autograd
from wengert.autograd import Function, Variable


def test_nested_io_function():
    from wengert.autograd import NestedIOFunction

    assert autograd.function.NestedIOFunction is NestedIOFunction
    assert issubclass(NestedIOFunction, Function)
    for name in ("forward_extended", "backward_extended", "save_for_backward", "mark_dirty", "mark_non_differentiable"):
        assert callable(getattr(NestedIOFunction, name))
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        instance = NestedIOFunction()
    with pytest.raises(NotImplementedError):
        instance.forward_extended()
    with pytest.raises(NotImplementedError):
        instance.backward_extended()


def test_variable_returns_tensors():
    tensor = torch.ones(2)
    for variable in (Variable(tensor), Variable(tensor, True), Variable(tensor, requires_grad=True)):
        assert type(variable) is torch.Tensor
        assert isinstance(variable, Variable)
    assert not isinstance(3, Variable)
    assert isinstance(torch.ones(1), Variable)


def test_variable_shares_memory_and_drops_history():
    x = torch.ones(2, requires_grad=True)
    v = Variable(x * 2)
    assert (v.requires_grad, v.is_leaf, v.grad_fn) == (False, True, None)
    source = torch.ones(2)
    assert Variable(source).data_ptr() == source.data_ptr()


def test_variable_data_is_tensor_data():
    v = Variable(torch.ones(2), requires_grad=True)
    assert v.data.tolist() == [1.0, 1.0]
    assert (v.data.requires_grad, v.data.data_ptr()) == (False, v.data_ptr())


def test_methods_of_variables():
    seen = []
    var = Variable(torch.tensor([2.0]), requires_grad=True)
    handle = var.register_hook(seen.append)
    (var * 3).backward()
    handle.remove()
    assert (seen[0].tolist(), var.grad.tolist(), var.detach().requires_grad) == ([3.0], [3.0], False)


def test_volatile_is_gone():
    with pytest.warns(UserWarning, match="volatile was removed and now has no effect. Use `with "
                                         "torch.no_grad\\(\\):` instead"):
        Variable(torch.ones(1), volatile=True)


def test_requires_grad_of_variable_is_a_number_or_bool():
    assert Variable(torch.ones(2), requires_grad=1).requires_grad is True
    with pytest.raises(TypeError, match="'NoneType' object cannot be interpreted as an integer"):
        Variable(torch.ones(2), requires_grad=None)


def test_empty_variable():
    assert Variable().shape == (0,)


def test_variable_wants_a_tensor():
    with pytest.raises(TypeError, match="Variable data has to be a tensor, but got list"):
        Variable([1.0])


def test_module_variable():
    assert autograd.variable.Variable is Variable
    assert Variable._execution_engine is not None


@pytest.mark.parametrize("make", [torch.randn, torch.zeros, torch.ones, torch.rand, torch.empty])
def test_factories_take_requires_grad(make):
    autograd_tensor = make((2, 3, 4), requires_grad=True)
    assert (autograd_tensor.requires_grad, autograd_tensor.is_leaf, autograd_tensor.shape) == (True, True, (2, 3, 4))
