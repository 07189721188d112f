"""Parameters that the user freezes and thaws between calls, and gradients that are others in each call."""

from __future__ import annotations

import pytest
import wengert as wg
from wengert import nn

explain = wg.replay.explain


def training_step(model):
    optimizer = wg.optim.SGD(model.parameters(), 0.1)

    def step(x):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def compare(change, calls=40):
    """Compare steps of a model, which ``change`` freezes and thaws, with those of a captured step; explain that."""
    seen = []
    for is_captured in (False, True):
        wg.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
        step = training_step(model)
        called = wg.capture(step, quiet=True) if is_captured else step
        seen.append([])
        for k in range(calls):
            change(model, k)
            loss = called(wg.ones(2, 3) + k)
            rows = [(one, one.grad is None or one.grad.tolist()) for one in model.parameters()]
            numbers = [(one.tolist(), one._version, grad) for one, grad in rows]
            seen[-1].append((loss.item(), numbers))
    assert seen[1] == seen[0]
    return explain(called)


def flip(period):
    def change(model, k):
        model[0].requires_grad_(k // period % 2 == 0)

    return change


def thaw(model, k):
    for number, one in enumerate(model.parameters()):
        one.requires_grad_(number >= 3 - k // 8)


@pytest.mark.parametrize("period", [1, 2, 3, 7])
def test_a_step_without_an_optimizer_has_a_program_for_each_state(period):
    seen = []
    for is_captured in (False, True):
        model = nn.Linear(3, 2)
        with wg.no_grad():
            model.weight.fill_(0.5), model.bias.zero_()

        def step(x, model=model):
            model.zero_grad()
            loss = model(x).square().mean()
            loss.backward()
            with wg.no_grad():
                for one in model.parameters():
                    if one.grad is not None:
                        one.sub_(0.01 * one.grad)
            return loss.detach()

        called = wg.capture(step, quiet=True) if is_captured else step
        seen.append([])
        for k in range(30):
            model.weight.requires_grad_(k // period % 2 == 0)
            seen[-1].append((called(wg.ones(2, 3) + k).item(), model.weight.tolist(), model.bias.tolist()))
    assert seen[1] == seen[0]
    assert explain(called).replays >= 24


@pytest.mark.parametrize(("period", "least"), [(1, 20), (2, 15), (3, 15), (7, 20)])
def test_a_program_is_used_again_where_parameters_are_frozen_and_thawed(period, least):
    """An optimizer puts small parameters together anew where gradients come and go, which is recorded, too."""
    found = compare(flip(period))
    assert found.replays >= least
    assert not any("between calls" in one for one in found.reasons)


def test_parameters_that_are_thawed_one_after_the_other():
    assert compare(thaw).replays >= 25


def test_two_functions_that_each_set_it_are_told_so():
    critic = nn.Linear(3, 1)

    def function(value):
        def run(x):
            critic.requires_grad_(value)
            return critic(x).detach().mean()

        return wg.capture(run, quiet=True)

    first, second = function(True), function(False)
    for _ in range(20):
        first(wg.ones(2, 3)), second(wg.ones(2, 3))
    for one in (first, second):
        assert "requires_grad of tensors from outside is changed between calls: 12 of 13" in explain(one).reasons[-1]
        assert "set it outside of the function" in repr(explain(one))


# ---- gradients


def with_two_backwards(w, x):
    (w * x).sum().backward()
    w.grad = None
    (w * x * x).sum().backward()


def with_a_step(w, x):
    with wg.no_grad():
        w.sub_(w.grad * x)
    w.grad = None


def give_gradient(w, k):
    w.grad = wg.ones(2) * k


READS = {"two backwards": (with_two_backwards, lambda w, k: None), "a step alone": (with_a_step, give_gradient)}


@pytest.mark.parametrize("is_kept", [False, True])
@pytest.mark.parametrize("name", READS)
def test_gradients_that_are_others_in_each_call(name, is_kept):
    function, before = READS[name]
    seen = []
    for is_captured in (False, True):
        w, kept = wg.ones(2, requires_grad=True), []

        def step(x, w=w):
            function(w, x)

        called = wg.capture(step, quiet=True) if is_captured else step
        seen.append([])
        for k in range(14):
            before(w, k)
            if is_kept:
                kept.append(w.grad)
            called(wg.ones(2) * k)
            if is_kept:
                kept.append(w.grad)
            seen[-1].append((w.tolist(), None if w.grad is None else w.grad.tolist()))
        seen[-1].append([None if one is None else one.tolist() for one in kept])
    assert seen[1] == seen[0]
    if not is_kept:
        assert explain(called).replays >= 11
    else:  # somebody has them: a program cannot put another tensor in their place
        assert "gradients that it reads are other tensors between calls: 8 of " in explain(called).reasons[-1]
        assert "zero_grad(set_to_none=False)" in repr(explain(called))


@pytest.mark.parametrize("is_used", [True, False])
def test_a_result_whose_freed_graph_leads_to_a_leaf_of_the_function(is_used):
    w = wg.ones(3, requires_grad=True)

    def function(x):
        w.grad = None
        x = x.detach().requires_grad_()
        grad, = wg.autograd.grad((w * x * x).sum(), x, create_graph=True)
        loss = grad.sum()
        loss.backward()
        return loss if is_used else loss.detach()

    captured = wg.capture(function, quiet=True)
    for k in range(10):
        assert captured(wg.ones(3) * k).item() == 6 * k
    if is_used:
        assert explain(captured).reasons == ["the function runs backward, and a result has a graph"]
    else:
        assert explain(captured).replays == 8
