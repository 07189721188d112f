"""pickle, copy and deepcopy of tensors that take part in differentiation."""

import copy
import pickle

import pytest
import wengert as torch


def leaf(*values):
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def again(x):
    return pickle.loads(pickle.dumps(x))


@pytest.mark.parametrize("requires_grad", [True, False])
def test_pickle_keeps_requires_grad(requires_grad):
    x = torch.ones(2, requires_grad=requires_grad)
    assert again(x).requires_grad is requires_grad
    assert again(x).is_leaf


def test_pickle_of_an_inner_tensor_gives_a_leaf_that_requires_grad():
    y = again(leaf() * 2)
    assert (y.requires_grad, y.grad_fn, y.is_leaf, y.tolist()) == (True, None, True, [2.0, 4.0])


def test_deepcopy_keeps_requires_grad_and_grad():
    x = leaf()
    (x * 3).sum().backward()
    y = copy.deepcopy(x)
    assert (y.requires_grad, y.is_leaf, y.grad.tolist()) == (True, True, [3.0, 3.0])
    assert y.grad is not x.grad
    y.grad.zero_()
    assert x.grad.tolist() == [3.0, 3.0]
    assert y.data_ptr() != x.data_ptr()


def test_deepcopy_of_an_inner_tensor_is_refused():
    with pytest.raises(RuntimeError, match=r"Only Tensors created explicitly by the user \(graph leaves\) support the "
                                           r"deepcopy protocol at the moment."):
        copy.deepcopy(leaf() * 2)


def test_deepcopy_of_shared_memory_stays_shared():
    x = torch.ones(3)
    y = x[:1]
    a, b = copy.deepcopy([x, y])
    a.zero_()
    assert b.tolist() == [0.0]
    c, d = copy.deepcopy((x, x))
    assert c is d


def test_copy_shares_memory():
    x = leaf()
    y = copy.copy(x)
    assert y.data_ptr() == x.data_ptr()
    assert (y.requires_grad, y.is_leaf) == (True, True)


def module_level_hook(grad):
    return grad * 2


def test_hooks_are_not_pickled_and_a_warning_says_so():
    x = leaf()
    x.register_hook(module_level_hook)
    with pytest.warns(UserWarning, match="backward hook .*module_level_hook.* on tensor will not be serialized.  If "
                                         "this is expected, you can decorate the function with "
                                         "@torch.utils.hooks.unserializable_hook to suppress this warning"):
        y = again(x)
    (y * 1).sum().backward()
    assert y.grad.tolist() == [1.0, 1.0]


@pytest.mark.skipif(torch.__name__ == "torch", reason="beyond PyTorch, which loses it")
def test_pickle_keeps_the_gradient():
    x = leaf()
    (x * 3).sum().backward()
    assert again(x).grad.tolist() == [3.0, 3.0]


def test_unserializable_hook_is_silent():
    from wengert.utils.hooks import unserializable_hook

    x = leaf()
    x.register_hook(unserializable_hook(module_level_hook))
    again(x)


def test_deepcopy_and_hooks():
    seen = []
    x = leaf()
    x.register_hook(lambda g: seen.append(1))
    y = copy.deepcopy(x)
    (y * 1).sum().backward()
    assert seen == []


def test_attributes_survive():
    x = leaf()
    x.note = "text"
    assert again(x).note == "text"
    assert copy.deepcopy(x).note == "text"


def test_subclass_survives():
    x = torch.ones(2).as_subclass(Sub)
    assert type(again(x)) is Sub


class Sub(torch.Tensor):
    """A module-level subclass, so that pickle finds it."""
