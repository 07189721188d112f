"""Captured beside eager: checkpoints and hooks for saved tensors inside of the function, and leaves that it makes."""

from __future__ import annotations

import functools

import pytest
import wengert as wg
from wengert.utils.checkpoint import checkpoint, checkpoint_sequential, create_selective_checkpoint_contexts

from .scenarios import scenario


def parameter():
    return wg.linspace(-1, 1, 9).view(3, 3).requires_grad_()


def step_of(w, block, **settings):
    """Return a training step with three checkpoints, whose gradients are there before the first call."""
    w.grad = wg.zeros(3, 3)

    def step(x):
        y = x
        for _ in range(3):
            y = checkpoint(block, y, **settings)
        y.pow(2).sum().backward()
        return y.detach()

    return step


@pytest.mark.parametrize("preserve", [True, False])
@pytest.mark.parametrize("reentrant", [True, False])
def test_a_checkpoint_draws_the_same_numbers_again(reentrant, preserve):
    @scenario(replays=4)
    def compare(capture):
        w = parameter()
        f = capture(
            step_of(
                w,
                lambda x: wg.nn.functional.dropout((x @ w).tanh(), 0.5),
                use_reentrant=reentrant,
                preserve_rng_state=preserve,
            )
        )
        for k in range(5):
            x = wg.full((2, 3), 0.1 * k, requires_grad=True)
            yield f(x), w, x.grad, wg.rand(1)

    compare()


@scenario(replays=4)
def test_parts_of_a_sequence_are_checkpointed(capture):
    w = parameter()
    w.grad = wg.zeros(3, 3)
    parts = [lambda x: (x @ w).sin(), wg.tanh, lambda x: x * w.sum(), wg.exp]

    def step(x):
        loss = checkpoint_sequential(parts, 2, x, use_reentrant=False).sum()
        loss.backward()
        return loss.detach()

    f = capture(step)
    for k in range(5):
        yield f(wg.full((2, 3), 0.1 * k)), w


@scenario(replays=4)
def test_a_random_number_guards_what_follows_a_checkpoint(capture):
    w = parameter()
    f = capture(step_of(w, lambda x: x @ w + wg.rand(2, 3), use_reentrant=False))

    def choose(x):
        y = f.function(x) if hasattr(f, "function") else f(x)
        return y * 2 if y.sum() > 3 else y - 1

    g = capture(choose)
    for k in range(8):
        yield g(wg.full((2, 3), 0.1 * (k % 4))), w, wg.rand(1)


def test_checkpoints_give_no_warning():
    w = parameter()
    step = wg.capture(step_of(w, lambda x: (x @ w).tanh(), use_reentrant=True))
    for _ in range(3):
        step(wg.ones(2, 3, requires_grad=True))
    assert wg.replay.explain(step).reasons == []
    assert wg.replay.explain(step).replays == 2


PAIRS = {
    "factor": (lambda t: t * 2, lambda t: t // 2 if t.dtype is wg.int64 else t / 2),
    "dtype": (
        lambda t: t.int() if t.dtype is wg.int64 else t.double(),
        lambda t: t.long() if t.dtype is wg.int32 else t.float(),
    ),
    "copy": (lambda t: t.clone(), lambda t: t.clone()),
    "alias": (lambda t: t.detach(), lambda t: t),
}


@pytest.mark.parametrize("pair", PAIRS)
def test_operations_of_hooks_for_saved_tensors_are_steps(pair):
    @scenario(replays=4)
    def compare(capture):
        w = wg.tensor([1.0, 2.0], requires_grad=True)
        w.grad = wg.zeros(2)

        def step(x):
            with wg.autograd.graph.saved_tensors_hooks(*PAIRS[pair]):
                y = (w * x).exp().tanh()
                y = y[wg.tensor([0, 1, 0])] * y[0]
            y.sum().backward()
            return y.detach()

        f = capture(step)
        for k in range(5):
            yield f(wg.full((2,), 0.1 * k)), w

    compare()


@scenario(replays=4)
def test_hooks_pack_what_operations_in_place_save(capture):
    w = wg.tensor([1.0, 2.0], requires_grad=True)
    w.grad = wg.zeros(2)

    def step(x):
        with wg.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t / 2):
            y = (w * x).exp_().mul_(x).sigmoid_()
        y.sum().backward()
        return y.detach()

    f = capture(step)
    for k in range(5):
        yield f(wg.full((2,), 0.1 * k)), w


def test_an_error_of_a_pack_hook_is_raised_from_the_operation():
    w = wg.ones(2, requires_grad=True)

    def pack(t):
        raise ValueError("not packed")

    @wg.capture
    def step(x):
        with wg.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            return (w * x).exp()

    for _ in range(2):
        with pytest.raises(ValueError, match="not packed"):
            step(wg.ones(2))
    assert wg.replay.explain(step).programs == []


@scenario(replays=4)
def test_a_leaf_on_the_memory_of_an_argument_is_new_in_each_call(capture):
    def step(x):
        y = x.detach().requires_grad_()
        (y**3).sum().backward()
        return y.grad, x * 2

    f = capture(step)
    for k in range(5):
        yield f(wg.full((2,), 0.1 * k))


@scenario(replays=4)
def test_a_leaf_on_memory_from_outside_is_new_in_each_call(capture):
    w = wg.ones(2)

    def step(x):
        y = w.detach().requires_grad_()
        ((y * x) ** 3).sum().backward()
        ((y * x) ** 2).sum().backward()
        return y.grad * 2 if y.grad.sum() > 0 else y.grad

    f = capture(step)
    for k in range(5):
        yield f(wg.full((2,), 0.1 + k))


@pytest.mark.parametrize("reentrant", [True, False])
@pytest.mark.parametrize("share", [0.0, 0.5])
def test_a_result_may_have_a_graph_with_a_checkpoint(reentrant, share):
    @(scenario(reason="use_reentrant=True") if reentrant else scenario(replays=3))
    def compare(capture):
        w = parameter()

        def loss(x):
            return checkpoint(
                lambda x: wg.nn.functional.dropout((x @ w).tanh(), share), x, use_reentrant=reentrant
            ).sum()

        f = capture(loss, quiet=True) if capture.__name__ == "capture" else loss
        for k in range(5):
            x = wg.full((2, 3), 0.1 * k, requires_grad=True)
            y = f(x)
            y.backward()
            yield y.detach(), x.grad, w.grad, wg.rand(1)

    compare()


@pytest.mark.parametrize("policy", [[wg.ops.aten.mm.default], lambda *args, **kwargs: True, []])
def test_kept_outputs_of_a_selective_checkpoint_are_those_of_the_call(policy):
    @scenario(replays=4)
    def compare(capture):
        w = parameter()
        contexts = functools.partial(create_selective_checkpoint_contexts, policy)
        f = capture(step_of(w, lambda x: ((x @ w).sin() * x).tanh(), use_reentrant=False, context_fn=contexts))
        for k in range(5):
            x = wg.full((2, 3), 0.1 * k, requires_grad=True)
            yield f(x), w, x.grad

    compare()


@scenario(replays=4)
def test_running_statistics_move_in_both_runs_of_a_checkpoint(capture):
    norm = wg.nn.BatchNorm1d(3)

    def step(x):
        y = checkpoint(norm, x, use_reentrant=False)
        return y.detach(), wg.autograd.grad((y * y).sum(), x)[0]

    f = capture(step)
    for k in range(5):
        yield f(wg.arange(6.0).view(2, 3).mul(k + 1).requires_grad_()), norm.running_mean, norm.running_var
