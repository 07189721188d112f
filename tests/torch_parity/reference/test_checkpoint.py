"""utils.checkpoint: reentrant and not, sequential, random numbers, early stop, nesting."""

import importlib

import pytest
import wengert as torch


def leaf(*values):
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def module():
    return importlib.import_module("wengert.utils.checkpoint")


def checkpoint(*args, **kwargs):
    return module().checkpoint(*args, **kwargs)


def count_calls(function):
    def run(*args, **kwargs):
        run.calls += 1
        return function(*args, **kwargs)

    run.calls = 0
    return run


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_same_gradients_and_one_more_forward(use_reentrant):
    x = leaf()
    f = count_calls(lambda x: (x * x).exp().sin())
    wanted = torch.autograd.grad(f(x).sum(), x)[0]
    f.calls = 0
    y = checkpoint(f, x, use_reentrant=use_reentrant)
    assert f.calls == 1
    y.sum().backward()
    assert f.calls == 2
    assert torch.equal(x.grad, wanted)


def test_use_reentrant_should_be_said():
    with pytest.warns(UserWarning, match="torch.utils.checkpoint: the use_reentrant parameter should be passed "
                                         "explicitly."):
        checkpoint(lambda x: x * 2, leaf())


def test_names_of_node():
    assert checkpoint(lambda x: x * 2, leaf(), use_reentrant=True).grad_fn.name() == "CheckpointFunctionBackward"
    assert checkpoint(lambda x: x * 2, leaf(), use_reentrant=False).grad_fn.name() == "MulBackward0"


def test_keyword_arguments_of_the_function():
    y = checkpoint(lambda x, *, scale: x * scale, leaf(), scale=3, use_reentrant=False)
    assert y.tolist() == [3.0, 6.0]
    with pytest.raises(ValueError, match="Unexpected keyword arguments: scale"):
        checkpoint(lambda x, *, scale: x * scale, leaf(), scale=3, use_reentrant=True)


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_several_inputs_and_outputs(use_reentrant):
    a, b = leaf(), leaf(3.0, 4.0)
    y, z, n = checkpoint(lambda a, b, n: (a * b, a.exp(), n), a, b, 7, use_reentrant=use_reentrant)
    assert n == 7
    (y + z).sum().backward()
    assert torch.allclose(a.grad, (b + a.exp()).detach())
    assert b.grad.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_random_numbers_are_the_same_the_second_time(use_reentrant):
    x = leaf(*[1.0] * 50)
    seen = []

    def noisy(x):
        noise = torch.rand(50)
        seen.append(noise)
        return x * x * noise

    y = checkpoint(noisy, x, use_reentrant=use_reentrant)
    torch.rand(3)
    after = torch.get_rng_state()
    y.sum().backward()
    assert torch.equal(seen[0], seen[1])
    assert torch.equal(torch.get_rng_state(), after)


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_preserve_rng_state_false(use_reentrant):
    seen = []

    def noisy(x):
        seen.append(torch.rand(50))
        return x * x

    checkpoint(noisy, leaf(), use_reentrant=use_reentrant, preserve_rng_state=False).sum().backward()
    assert not torch.equal(seen[0], seen[1])


def test_reentrant_does_not_work_with_grad():
    x = leaf()
    y = checkpoint(lambda x: x * x, x, use_reentrant=True)
    with pytest.raises(RuntimeError, match=r"When use_reentrant=True, torch.utils.checkpoint is incompatible with "
                                           r".grad\(\) or passing an `inputs` parameter to .backward\(\). To resolve "
                                           r"this error, you can either set use_reentrant=False, or call .backward"):
        torch.autograd.grad(y.sum(), x)
    with pytest.raises(RuntimeError, match="incompatible with"):
        y.sum().backward(inputs=[x])


def test_reentrant_without_inputs_that_require_grad_warns():
    w = leaf()
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True. Gradients will be None"):
        y = checkpoint(lambda x: x * w, torch.ones(2), use_reentrant=True)
    assert not y.requires_grad


def test_not_reentrant_captures_parameters():
    w = leaf()
    checkpoint(lambda x: (x * w).exp(), torch.ones(2), use_reentrant=False).sum().backward()
    assert torch.allclose(w.grad, w.detach().exp())


def test_not_reentrant_works_with_grad_and_inputs():
    x = leaf()
    assert torch.autograd.grad(checkpoint(lambda x: x * x, x, use_reentrant=False).sum(), x)[0].tolist() == [2.0, 4.0]
    checkpoint(lambda x: x * x, x, use_reentrant=False).sum().backward(inputs=[x])
    assert x.grad.tolist() == [2.0, 4.0]


def test_not_reentrant_second_order():
    x = leaf(2.0)
    y = checkpoint(lambda x: x**3, x, use_reentrant=False)
    (slope,) = torch.autograd.grad(y, x, create_graph=True)
    assert torch.autograd.grad(slope, x)[0].item() == 12.0


def test_early_stop_is_the_default_and_can_be_switched_off():
    for stop in (True, False):
        seen = []

        def f(x, seen=seen):
            y = x.sin().exp()
            seen.append("end")
            return y

        with module().set_checkpoint_early_stop(stop):
            y = checkpoint(f, leaf(), use_reentrant=False)
        y.sum().backward()
        assert len(seen) == (1 if stop else 2)


def test_nested_not_reentrant():
    x = leaf()

    def inner(x):
        return x.sin().exp()

    def outer(x):
        return checkpoint(inner, x, use_reentrant=False) * x

    wanted = torch.autograd.grad((inner(x) * x).sum(), x)[0]
    checkpoint(outer, x, use_reentrant=False).sum().backward()
    assert torch.allclose(x.grad, wanted)


def test_nested_reentrant():
    x = leaf()

    def outer(x):
        return checkpoint(lambda x: x.sin().exp(), x, use_reentrant=True) * x

    wanted = torch.autograd.grad((x.sin().exp() * x).sum(), x)[0]
    checkpoint(outer, x, use_reentrant=True).sum().backward()
    assert torch.allclose(x.grad, wanted)


def test_nothing_is_saved_until_backward():
    saved = []
    x = leaf()

    def f(x):
        y = x.exp()
        saved.append(y.grad_fn)
        return y * 1

    y = checkpoint(f, x, use_reentrant=True)
    assert saved == [None]
    y.sum().backward()
    assert saved[1] is not None


def test_recomputation_that_differs_is_noticed():
    flag = [True]

    def f(x):
        return x.sin().exp() if flag[0] else x.sin()

    y = checkpoint(f, leaf(), use_reentrant=False)
    flag[0] = False
    with pytest.raises(module().CheckpointError, match=r"A different number of tensors was saved during the original "
                                                       r"forward and recomputation."):
        y.sum().backward()


def test_recomputation_of_another_shape_is_noticed():
    size = [2]

    def f(x):
        return (x[:size[0]] * x[:size[0]]).sum()

    y = checkpoint(f, leaf(), use_reentrant=False)
    size[0] = 1
    with pytest.raises(module().CheckpointError, match=r"Recomputed values for the following tensors have different "
                                                       r"metadata than during the forward pass."):
        y.backward()


def test_determinism_check_can_be_left_out():
    size = [2]

    def f(x):
        return (x[:size[0]] ** 2).sum()

    x = leaf(1.0, 1.0)
    y = checkpoint(f, x, use_reentrant=False, determinism_check="none")
    y.backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_context_fn():
    seen = []

    class Context:
        def __init__(self, name):
            self.name = name

        def __enter__(self):
            seen.append(self.name)

        def __exit__(self, *error):
            pass

    y = checkpoint(torch.exp, leaf(), use_reentrant=False, context_fn=lambda: (Context("first"), Context("again")))
    y.sum().backward()
    assert seen == ["first", "again"]
    with pytest.raises(ValueError, match=r"Passing `context_fn` or `debug` is only supported when "
                                         r"use_reentrant=False."):
        checkpoint(lambda x: x, leaf(), use_reentrant=True, context_fn=lambda: (Context("a"), Context("b")))


def test_retain_graph():
    x = leaf()
    f = count_calls(lambda x: x.exp())
    y = checkpoint(f, x, use_reentrant=False).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert torch.allclose(x.grad, 2 * x.detach().exp())
    assert f.calls == 3


def test_under_no_grad_nothing_is_recorded():
    with torch.no_grad():
        y = checkpoint(lambda x: x * 2, leaf(), use_reentrant=False)
    assert not y.requires_grad


@pytest.mark.parametrize("use_reentrant", [True, False])
@pytest.mark.parametrize("segments", [1, 2, 3])
def test_sequential(segments, use_reentrant):
    functions = [count_calls(f) for f in (torch.sin, torch.exp, lambda x: x * x, torch.tanh)]
    x = leaf()
    y = module().checkpoint_sequential(functions, segments, x, use_reentrant=use_reentrant)
    wanted = torch.autograd.grad(torch.tanh(x.sin().exp() ** 2).sum(), x)[0]
    y.sum().backward()
    assert torch.allclose(x.grad, wanted)
    length = 4 // segments
    assert [f.calls for f in functions] == [2 if i < length * (segments - 1) else 1 for i in range(4)]
