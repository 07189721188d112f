"""checkpoint, beyond the tests of torch_parity/reference: what is freed when, nesting, errors of the second run."""

import gc
import threading
import weakref

import pytest
import wengert as wg
from wengert.utils import checkpoint as module
from wengert.utils.checkpoint import CheckpointError, checkpoint


def leaf(*values):
    return wg.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def later(function, *args, **kwargs):
    return checkpoint(function, *args, use_reentrant=False, **kwargs)


def test_intermediate_tensors_die_and_die_again():
    seen = []

    def f(x):
        for _ in range(4):
            x = x.exp().sin()
            seen.append(weakref.ref(x))
        return x.sum()

    y = later(f, leaf())
    assert [one() for one in seen] == [None] * 4
    y.backward()
    del y
    assert [one() for one in seen] == [None] * len(seen)
    assert gc.collect() >= 0


def test_computed_values_are_freed_one_by_one_while_backward_goes_on():
    kept = []

    class Watch(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x, holders):
            ctx.holders = holders
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            kept.append(sum(len(one().values) for one in ctx.holders if one() is not None))
            return grad, None

    holders = []

    def f(x):
        for _ in range(4):
            x = Watch.apply(x, holders).exp()
        return x.sum()

    y = later(f, leaf())
    for step in wg.autograd.graph.walk(y):
        holders += [weakref.ref(one.value) for one in step.saved if one.kind == "packed"]
    assert len(holders) == 4
    y.backward()
    assert kept == [3, 2, 1, 0]


def test_with_retain_graph_values_go_when_the_run_is_over():
    y = later(lambda x: x.exp().sin(), leaf())
    holders = [one.value for step in wg.autograd.graph.walk(y) for one in step.saved if one.kind == "packed"]
    y.sum().backward(retain_graph=True)
    assert [one.values for one in holders] == [{}, {}]


def test_a_segment_leaves_no_cycle():
    class Function:
        def __call__(self, x):
            return x.exp().sin()

    function = Function()
    alive = weakref.ref(function)
    y = later(function, leaf())
    del function
    gc.collect()
    gc.disable()
    try:
        assert alive() is not None
        y.sum().backward()
        del y
        assert alive() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("depth", [1, 2, 5])
@pytest.mark.parametrize("stop", [True, False])
def test_nested_to_any_depth(depth, stop):
    def f(x, depth):
        inner = f(x * 1.1, depth - 1) if depth else x.sin().exp()
        return inner * x

    def g(x, depth):
        inner = later(g, x * 1.1, depth - 1) if depth else x.sin().exp()
        return inner * x

    x = leaf()
    (wanted,) = wg.autograd.grad(f(x, depth).sum(), x)
    with module.set_checkpoint_early_stop(stop):
        y = later(g, x, depth)
    y.sum().backward()
    assert wg.equal(x.grad, wanted)


def test_a_nested_segment_does_not_keep_the_arguments_alive():
    seen = []

    def inner(x):
        return x.exp()

    def outer(x):
        h = x * 2
        seen.append(weakref.ref(h))
        return later(inner, h) * 3

    y = later(outer, leaf())
    assert seen[0]() is None
    y.sum().backward()


def test_third_order():
    x = leaf(2.0)
    y = later(lambda x: x**4, x)
    for _ in range(2):
        (y,) = wg.autograd.grad(y, x, create_graph=True)
    assert wg.autograd.grad(y, x)[0].item() == 48.0


def test_backward_inside_of_the_function():
    def f(x):
        y = (x * x).exp()
        (slope,) = wg.autograd.grad(y.sum(), x, create_graph=True)
        return y * slope

    x = leaf(0.5, 0.25)
    (wanted,) = wg.autograd.grad(f(x).sum(), x)
    later(f, x).sum().backward()
    assert wg.allclose(x.grad, wanted)


def test_an_argument_that_was_written_to_is_noticed():
    a = leaf() * 1
    y = later(lambda a: a.exp() * a, a)
    with wg.no_grad():
        a.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_saved_tensors_may_be_looked_at():
    y = later(lambda x: x.exp().sin(), leaf(0.0, 0.0))
    assert y.grad_fn._saved_self.tolist() == [1.0, 1.0]
    assert y.grad_fn._saved_self.grad_fn is y.grad_fn.next_functions[0][0]


def test_a_function_that_catches_exceptions_is_stopped_all_the_same():
    ends = []

    def f(x):
        try:
            return x.sin().exp()
        except Exception:
            ends.append("caught")
            raise

    later(f, leaf()).sum().backward()
    assert ends == []


def test_an_error_in_the_second_run_comes_through_and_modes_are_put_back():
    calls = []

    def f(x):
        calls.append(1)
        if len(calls) == 2:
            raise ValueError("the second time")
        return x.exp()

    y = later(f, leaf()).sum()
    state = wg.get_rng_state()
    with pytest.raises(ValueError, match="the second time"):
        y.backward()
    assert wg.is_grad_enabled()
    assert wg.equal(wg.get_rng_state(), state)
    x = leaf()
    assert next(wg.autograd.graph.walk(x.exp())).saved[0].kind == "output"  # no hooks are left


def test_more_tensors_the_second_time():
    flag = [False]

    def f(x):
        return x.sin().exp() if flag[0] else x.sin()

    y = later(f, leaf(), early_stop=False)
    flag[0] = True
    with pytest.raises(CheckpointError, match="trying to save more tensors during recomputation than during"):
        y.sum().backward()
    flag[0] = False
    y = later(f, leaf())
    flag[0] = True
    y.sum().backward()  # stops before it can differ


def test_debug_says_where():
    flag = [True]

    def f(x):
        y = x.sin()
        return y.exp() if flag[0] else y.cos().cos()

    for how in ({"debug": True}, {}):
        flag[0] = True
        with module.set_checkpoint_debug_enabled(None if how else True):
            y = later(f, leaf(), early_stop=False, **how)
        flag[0] = False
        with pytest.raises(CheckpointError, match="An error happened while unpacking tensors") as caught:
            y.sum().backward()
        text = str(caught.value)
        assert "The two runs differ from the tensor at position" in text
        assert "trying to save more tensors" in text
        assert "y = x.sin()" in text
        assert isinstance(caught.value.__cause__, CheckpointError)
    flag[0] = True
    with module.set_checkpoint_debug_enabled(False):
        y = later(f, leaf(), early_stop=False, debug=True)
    flag[0] = False
    with pytest.raises(CheckpointError, match=r"^torch\.utils\.checkpoint: trying"):
        y.sum().backward()


def test_arguments_that_make_no_sense():
    with pytest.raises(ValueError, match=r"determinism_check should be one of \['default', 'none'\], but got foo"):
        later(wg.exp, leaf(), determinism_check="foo")
    with pytest.raises(ValueError, match="Passing `context_fn` or `debug` is only supported when use_reentrant=False"):
        checkpoint(wg.exp, leaf(), use_reentrant=True, debug=True)
    with pytest.raises(ValueError, match="Unexpected keyword arguments: foo,bar"):
        checkpoint(wg.exp, leaf(), use_reentrant=True, foo=1, bar=2)
    with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
        later(lambda x: x, leaf(), foo=1)
    with pytest.raises(RuntimeError, match=r"Only tuple of tensors is supported\. Got Unsupported input type: list"):
        module.detach_variable([leaf()])


def test_sequential_arguments():
    functions = [wg.sin, wg.cos]
    with pytest.warns(UserWarning, match="checkpoint_sequential: the use_reentrant parameter should be passed"):
        module.checkpoint_sequential(functions, 2, leaf())
    with pytest.raises(ValueError, match="Unexpected keyword arguments: foo"):
        module.checkpoint_sequential(functions, 2, leaf(), use_reentrant=False, foo=2)
    with pytest.raises(ValueError, match=r"range\(\) arg 3 must not be zero"):
        module.checkpoint_sequential(functions, 3, leaf(), use_reentrant=False)

    class Modules:
        def children(self):
            return iter(functions)

    x = leaf()
    assert module.checkpoint_sequential(Modules(), 2, x, use_reentrant=False).equal(x.sin().cos())


def test_warnings_point_at_the_users_line():
    with pytest.warns(UserWarning, match="use_reentrant") as caught:
        checkpoint(wg.exp, leaf())
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="None of the inputs") as caught:
        checkpoint(wg.exp, wg.ones(2), use_reentrant=True)
    assert caught[0].filename == __file__


def test_reentrant_in_a_function_without_gradient():
    y = checkpoint(lambda x: x.detach(), leaf(), use_reentrant=True)
    with pytest.raises(RuntimeError, match="none of output has requires_grad=True, this checkpoint"):
        y.sum().backward()


def test_under_no_grad_contexts_are_not_entered():
    class Context:
        def __enter__(self):
            pytest.fail("entered")

        def __exit__(self, *error):
            pass

    with wg.no_grad():
        assert later(wg.exp, leaf(), context_fn=lambda: (Context(), Context())).grad_fn is None


def test_results_of_any_kind():
    x = leaf()
    assert later(lambda x: None, x) is None
    first, rest = later(lambda x: [x * 2, {"a": x * 3}], x)
    (first + rest["a"]).sum().backward()
    assert x.grad.tolist() == [5.0, 5.0]


def test_threads_share_a_segment():
    x = leaf(0.5, 0.25)
    y = later(lambda x: (x.exp() * x.sin()).exp(), x).sum()
    (wanted,) = wg.autograd.grad(y, x, retain_graph=True)
    found = []
    threads = [threading.Thread(target=lambda: found.append(wg.autograd.grad(y, x, retain_graph=True)[0]))
               for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert all(wg.equal(one, wanted) for one in found)


def test_with_hooks_around_the_segment():
    packed = []

    def pack(tensor):
        packed.append(tensor.shape)
        return tensor

    with wg.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        y = later(lambda x: x.exp() * x, leaf())
    assert [tuple(shape) for shape in packed] == [(2,)]  # the argument, nothing of the inside
    y.sum().backward()


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_writes_to_views_inside_of_a_segment(use_reentrant):
    def f(x):
        y = x * 1
        y[1:].add_(x[:1])
        y[:1].exp_()
        return y * x

    x = leaf(0.5, 0.25)
    (wanted,) = wg.autograd.grad(f(x).sum(), x)
    checkpoint(f, x, use_reentrant=use_reentrant).sum().backward()
    assert wg.equal(x.grad, wanted)


def test_second_derivatives_of_writes_to_views():
    def f(x):
        y = x * 1
        y[1:].add_(x[:2])
        y[::2].exp_()
        return y * x

    x = leaf(0.5, 0.25, 0.125)
    found = []
    for y in (f(x), later(f, x)):
        (slope,) = wg.autograd.grad(y.sum(), x, create_graph=True)
        found.append(wg.autograd.grad((slope * slope).sum(), x)[0])
    assert wg.allclose(*found)
