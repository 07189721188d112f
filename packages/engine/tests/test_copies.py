"""copy, deepcopy and pickle of tensors with gradients and hooks."""

import copy
import pickle

import pytest
import wengert_core as wc
from wengert_engine.graph.removable_handle import unserializable_hook, warn_if_has_hooks


def leaf_with_grad():
    x = wc.tensor([1.0, 2.0], requires_grad=True)
    (x * 3).sum().backward()
    return x


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_keeps_the_gradient_in_memory_of_its_own(protocol):
    x = leaf_with_grad()
    x.note = "text"
    y = pickle.loads(pickle.dumps(x, protocol))
    assert (y.grad.tolist(), y.note, y.requires_grad, y.is_leaf) == ([3.0, 3.0], "text", True, True)
    y.grad.zero_()
    assert x.grad.tolist() == [3.0, 3.0]


def test_copy_shares_the_gradient():
    x = leaf_with_grad()
    assert copy.copy(x).grad is x.grad
    assert copy.deepcopy(x).grad is not x.grad


@pytest.mark.host("what is in a pickle of the host's")
def test_a_gradient_that_does_not_fit_is_no_pickle():
    rebuild, arguments = leaf_with_grad().__reduce_ex__(4)
    with pytest.raises(ValueError, match="not a pickled tensor"):
        rebuild(*arguments[:-1], wc.ones(3))


def test_lost_hooks_are_told():
    x = leaf_with_grad()
    x.register_hook(unserializable_hook(lambda g: g))
    copy.copy(x)
    handle = x.register_hook(print)
    copy.deepcopy(x)
    for lose in (copy.copy, pickle.dumps, warn_if_has_hooks):
        with pytest.warns(UserWarning, match="backward hook <built-in function print> on tensor will not be "):
            lose(x)
    handle.remove()
    pickle.dumps(x)


def test_hooks_of_an_inner_tensor_are_told():
    y = wc.ones(1, requires_grad=True) * 2
    y.register_hook(print)
    with pytest.warns(UserWarning, match="will not be serialized"):
        pickle.dumps(y)


def test_a_part_whose_base_was_written_to_can_be_copied() -> None:
    base = wc.arange(4.0, requires_grad=True) * 1
    part = base.split(2)[0]
    base.mul_(2)
    assert copy.copy(part).tolist() == pickle.loads(pickle.dumps(part)).tolist() == [0.0, 2.0]


def test_nodes_say_that_they_cannot_be_pickled() -> None:
    node = (wc.ones(2, requires_grad=True) * 2).grad_fn
    for function in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot pickle 'MulBackward0' object"):
            function(node)
