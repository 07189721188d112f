"""Note [Saved tensors that hooks have packed]: what hooks get, when, and that gradients do not depend on them."""

import gc
import threading
import weakref

import numpy as np
import pytest
import wengert_core as wc
from wengert_engine import Function, backward, enable_grad, grad, no_grad
from wengert_engine.hooks.saved_hooks import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks
from wengert_engine.namespaces import forward_ad
from wengert_engine.record.node_attributes import SavedTensor


def same(x):
    return x


def copy(x):
    return x.detach().clone()


def in_numpy(x):
    return x.detach().cpu().numpy().copy()


def leaf(*values):
    return wc.tensor(list(values) or [0.5, 2.0], dtype=wc.float64, requires_grad=True)


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        y = x * x
        ctx.save_for_backward(x, y)
        return y * x, y

    @staticmethod
    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        return g * 3 * y + h * 2 * x


def write_in_place(x):
    y = x * 1
    y[:1].exp_()
    return y * x + y.clone().mul_(x).sigmoid_()


PROGRAMS = {
    "inputs": lambda x: x * x * x, "result": lambda x: x.exp().tanh(), "power": lambda x: x**3,
    "index": lambda x: x[wc.tensor([0, 0, 1])] ** 2, "reduction": lambda x: x.prod() * x.var(),
    "several outputs": lambda x: x.sort()[0].unbind(0)[0] * x.max(), "matrix": lambda x: wc.outer(x, x) @ x,
    "function": lambda x: Cube.apply(x)[0] * Cube.apply(x)[1], "writes": write_in_place,
    "broadcast": lambda x: x.reshape(2, 1) * x,
    "views": lambda x: x.expand(3, 2).t()[1:].reshape(-1) ** 2,
}
HOOKS = {"same": (same, same), "copy": (copy, same), "numpy": (in_numpy, wc.tensor),
         "tuple": (lambda t: (t,), lambda t: t[0])}


@pytest.mark.parametrize("hooks", HOOKS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_first_and_second_derivatives_are_those_without_hooks(program, hooks):
    def derivatives(x):
        y = PROGRAMS[program](x).sum()
        (first,) = grad(y, x, create_graph=True)
        (second,) = grad((first * first).sum(), x)
        return y.tolist(), first.tolist(), second.tolist()

    wanted = derivatives(leaf())
    with saved_tensors_hooks(*HOOKS[hooks]):
        assert derivatives(leaf()) == wanted


@pytest.mark.parametrize("hooks", HOOKS)
def test_a_tensor_multiplied_with_itself_in_place(hooks):
    """Without hooks that is refused; hooks get the value before the write."""
    x = leaf()
    with saved_tensors_hooks(*HOOKS[hooks]):
        y = x * 1
        y.mul_(y)
    y.sum().backward()
    assert x.grad.tolist() == (x.detach() * 2).tolist()


def test_hooks_of_the_recording_are_used_outside_of_the_context_too():
    x = leaf()
    with saved_tensors_hooks(in_numpy, wc.tensor):
        y = (x**3).sum()
    (first,) = grad(y, x, create_graph=True)
    assert grad(first.sum(), x)[0].tolist() == (x.detach() * 6).tolist()


def test_a_saved_leaf_that_was_packed_is_a_leaf():
    x = leaf()
    with saved_tensors_hooks(copy, same):
        y = x**2
    kept = y.grad_fn._saved_self
    assert (kept.is_leaf, kept.requires_grad, kept.grad_fn, kept is x) == (True, True, None, False)
    (kept * 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_what_does_not_require_grad_comes_back_without_history():
    x, c = leaf(), leaf().detach()
    with saved_tensors_hooks(same, lambda t: t.requires_grad_() if t.is_leaf else t):
        y = x * c
    assert y.grad_fn._saved_other.grad_fn is None


def test_pack_hooks_get_every_saved_tensor_of_an_index():
    seen = []
    x = leaf()
    with saved_tensors_hooks(lambda t: (seen.append(t.dtype), t)[1], same):
        y = x[wc.tensor([1, 1])]
    assert seen == [wc.int64]
    assert y.grad_fn._saved_indices[0].tolist() == [1, 1]
    assert isinstance(y.grad_fn._raw_saved_indices[0], SavedTensor)


def test_an_index_that_was_written_to_is_an_error():
    x, i = leaf(), wc.tensor([0, 0])
    y = x[i]
    i.add_(1)
    with pytest.raises(RuntimeError, match=r"modified by an inplace operation.*IndexBackward0 saved it as 'indices'"):
        y.sum().backward()


def test_hooks_on_one_tensor_of_an_index():
    x = leaf()
    y = x[wc.tensor([0, 0])]
    raw = y.grad_fn._raw_saved_indices[0]
    raw.register_hooks(lambda t: t + 1, same)
    with pytest.raises(RuntimeError, match="already been set"):
        raw.register_hooks(same, same)
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 2.0]


def test_a_pack_hook_that_raises_leaves_all_as_it_was():
    def fail(t):
        raise KeyError("own")

    x = leaf()
    y = x * 1
    with saved_tensors_hooks(fail, same), pytest.raises(KeyError):
        y.exp()
    assert wc.ones(1, requires_grad=True).exp().requires_grad     # recording goes on, with grad mode as before
    y.exp().sum().backward()
    assert x.grad.tolist() == x.detach().exp().tolist()


def test_an_unpack_hook_that_raises_can_be_tried_again():
    answers = [KeyError("own"), None]

    def unpack(t):
        answer = answers.pop(0)
        if answer is not None:
            raise answer
        return t

    x = leaf()
    with saved_tensors_hooks(copy, unpack):
        y = x.exp().sum()
    with pytest.raises(KeyError):
        y.backward()
    y.backward()
    assert x.grad.tolist() == x.detach().exp().tolist()


def test_a_pack_hook_may_record_and_run_backward_itself():
    slopes = []

    def pack(t):
        with enable_grad(), disable(t):
            z = t.detach().requires_grad_()
            backward((z * z).sum())
            slopes.append(z.grad.tolist())
        return t.detach()

    class disable(saved_tensors_hooks):    # an inner pair, so that the hook is not called by what it does
        def __init__(self, t):
            super().__init__(same, same)

    with saved_tensors_hooks(pack, same):
        y = leaf(3.0).exp()
    assert slopes == [[2 * y.item()]]


def test_each_thread_has_its_own_hooks():
    seen = []
    with saved_tensors_hooks(lambda t: (seen.append(threading.get_ident()), t)[1], same):
        thread = threading.Thread(target=lambda: leaf().exp())
        thread.start()
        thread.join()
        assert seen == []
        leaf().exp()
    assert seen == [threading.get_ident()]


def test_nothing_is_packed_that_is_not_recorded():
    seen = []
    with saved_tensors_hooks(seen.append, same):
        with no_grad():
            leaf().exp()
        leaf().detach().exp()
        leaf() + 1
    assert seen == []


def test_packed_values_go_with_backward():
    kept = []

    class Pack:
        def __init__(self, t):
            self.t = t.detach()
            kept.append(weakref.ref(self))

    with saved_tensors_hooks(Pack, lambda p: p.t):
        y = (leaf().exp() * leaf()).sum()
    assert [r() is None for r in kept] == [False] * 3
    y.backward()
    assert [r() is None for r in kept] == [True] * 3


def test_a_result_that_is_packed_as_itself_is_a_cycle_for_the_collector():
    with saved_tensors_hooks(same, same):
        y = leaf().exp()
    gone = weakref.ref(y.grad_fn)
    del y
    gc.collect()
    assert gone() is None


@pytest.mark.host("a long graph, whatever it is of: minutes on the simulated device")
def test_a_long_chain_with_hooks_is_freed_without_recursion():
    x = y = wc.ones(1, requires_grad=True)
    with saved_tensors_hooks(lambda t: t.detach(), same):
        for _ in range(100_000):
            y = y.sin()
    gone = weakref.ref(y.grad_fn)
    del y
    assert gone() is None
    assert x.grad is None


def test_the_stack_is_empty_after_use():
    hooks = saved_tensors_hooks(lambda t: t, same)
    gone = weakref.ref(hooks.pack_hook)
    with hooks, hooks, pytest.raises(TypeError), saved_tensors_hooks(3, same):
        pass
    with disable_saved_tensors_hooks("no hooks here"):
        pass
    del hooks
    gc.collect()
    assert gone() is None


# ---- save_on_cpu

@pytest.mark.host("on a device save_on_cpu keeps a copy")
def test_save_on_cpu_notices_a_write():
    y = leaf() * 1
    with save_on_cpu():
        z = (y * y).sum()
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


def test_save_on_cpu_pinned_is_a_copy():
    x = leaf()
    y = x * 1
    with save_on_cpu(pin_memory=True):
        z = (y * y).sum()
    y.zero_()
    z.backward()
    assert x.grad.tolist() == (x.detach() * 2).tolist()


# ---- SavedTensor

def test_saved_tensors_come_from_nodes_only():
    with pytest.raises(RuntimeError, match="Trying to create a SavedTensor object from Python is forbidden"):
        SavedTensor()


def test_register_hooks_gets_the_tensor_without_history():
    x = leaf()
    y = (x * 1) ** 2
    seen = []
    y.grad_fn._raw_saved_self.register_hooks(lambda t: (seen.append((t.requires_grad, t.grad_fn)), t)[1], same)
    assert seen == [(False, None)]
    (first,) = grad(y.sum(), x, create_graph=True)
    assert grad(first.sum(), x)[0].tolist() == [2.0, 2.0]


def test_register_hooks_of_what_was_written_to():
    y = leaf() * 1
    z = y**2
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.grad_fn._raw_saved_self.register_hooks(copy, same)


def test_saved_numbers_have_no_hooks():
    node = (leaf() * 2.0).grad_fn
    with pytest.raises(RuntimeError, match="value None is forbidden"):
        node._raw_saved_other.register_hooks(same, same)


def test_register_hooks_of_a_function():
    x = leaf(2.0)
    y = Cube.apply(x)[0]
    for raw in y.grad_fn._raw_saved_tensors:
        raw.register_hooks(in_numpy, lambda a: wc.tensor(np.ascontiguousarray(a)))
    y.backward()
    assert x.grad.tolist() == [12.0]
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        _ = y.grad_fn._raw_saved_tensors


@pytest.mark.host("packs arrays of NumPy, which are of the host")
def test_tangents_do_not_depend_on_hooks() -> None:
    with forward_ad.dual_level():
        x = wc.tensor([1.0, 2.0], requires_grad=True)
        with saved_tensors_hooks(lambda t: t.detach().numpy().copy(), wc.from_numpy):
            y = forward_ad.make_dual(x, wc.tensor([3.0, 4.0])) ** 2
        (g,) = grad(y.sum(), x, create_graph=True)
        assert forward_ad.unpack_dual(g).tangent.tolist() == [6.0, 8.0]
