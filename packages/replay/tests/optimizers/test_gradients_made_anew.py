"""Gradients that are set to None between calls: captured functions that add to them, or read them, are replayed."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest
import wengert as wg
from wengert_core import memory

explain = wg.replay.explain


def run(seed, periods, steps, captured, make_optimizer, watch=None):
    """Train for periods of several steps; return all losses and parameters, and what was captured."""
    wg.manual_seed(seed)
    model = wg.nn.Sequential(wg.nn.Linear(4, 8), wg.nn.Tanh(), wg.nn.Linear(8, 1))
    optimizer = make_optimizer(model.parameters())

    def loss_of(x):
        return model(x).pow(2).mean() / steps

    def step(x):
        loss = loss_of(x)
        loss.backward()
        return loss.detach()

    def update():
        optimizer.step()
        optimizer.zero_grad()

    captures = {}
    if "step" in captured:
        step = captures["step"] = wg.capture(step, quiet=True)
    if "loss" in captured:
        loss_of = captures["loss"] = wg.capture(loss_of, quiet=True)
    if "update" in captured:
        update = captures["update"] = wg.capture(update, quiet=True)
    seen = []
    for _ in range(periods):
        for _ in range(steps):
            seen.append(step(wg.randn(5, 4)).item())
            seen += [(one.grad.tolist(), one.grad._version) for one in model.parameters()]
        if watch is not None:
            watch(model)
        update()
        assert all(one.grad is None for one in model.parameters())
        seen += [one.tolist() for one in model.parameters()]
    return seen, captures


OPTIMIZERS = {
    "SGD": lambda parameters: wg.optim.SGD(parameters, lr=0.1, momentum=0.9),
    "Adam": lambda parameters: wg.optim.Adam(parameters, lr=0.01),
}


@pytest.mark.parametrize("captured", ["step", "update", "step update", "loss update"])
@pytest.mark.parametrize("steps", [1, 4])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_periods_of_training_are_replayed(name, steps, captured):
    expected, _ = run(0, 15, steps, "", OPTIMIZERS[name])
    found, captures = run(0, 15, steps, captured, OPTIMIZERS[name])
    assert found == expected
    for capture in captures.values():
        shown = explain(capture)
        assert shown.eager <= 5, shown


def test_gradients_that_the_user_keeps_stay_as_they_are():
    kept = []

    def watch(model):
        kept.append([(one.grad, one.grad.tolist()) for one in model.parameters()])

    expected, _ = run(0, 15, 3, "", OPTIMIZERS["SGD"])
    found, _ = run(0, 15, 3, "step update", OPTIMIZERS["SGD"], watch)
    assert found == expected
    assert all(one.tolist() == values for row in kept for one, values in row)
    assert len({id(one) for row in kept for one, _ in row}) == 15 * 4


def w_and_reader():
    w = wg.ones(3, requires_grad=True)
    read = wg.capture(lambda x: (w.grad * x).sum(), quiet=True)
    return w, read


def test_a_gradient_with_the_memory_of_an_array_stays_on_it():
    w, read = w_and_reader()
    for k in range(6):
        array = np.full(3, k, dtype=np.float32)
        w.grad = wg.from_numpy(array)
        given = w.grad
        del given
        assert read(wg.ones(3)).item() == 3 * k
        array[:] = 7
        assert w.grad.tolist() == [7, 7, 7]


@pytest.mark.parametrize("what", ["view", "weak", "attribute", "hook", "alias"])
def test_a_gradient_that_somebody_could_tell_apart_is_not_replaced(what):
    import weakref

    w, read = w_and_reader()
    told = []
    for k in range(6):
        grad = wg.full((3,), float(k))
        if what == "view":
            told.append(grad[:2])
        elif what == "weak":
            told.append(weakref.ref(grad))
        elif what == "attribute":
            grad.name_of_user = str(k)
        elif what == "hook":
            grad.requires_grad_().register_hook(told.append)
        else:
            told.append(grad.detach())
        w.grad = grad
        del grad
        assert read(wg.ones(3)).item() == 3 * k
        if what == "view":
            w.grad.zero_()
            assert told[-1].tolist() == [0, 0]
        elif what == "weak":
            assert told[-1]() is w.grad
        elif what == "attribute":
            assert w.grad.name_of_user == str(k)
        elif what == "hook":
            assert w.grad.requires_grad
        else:
            assert told[-1].data_ptr() == w.grad.data_ptr()


def test_other_dtypes_layouts_and_sizes_are_read():
    w = wg.ones(2, 3, requires_grad=True)
    read = wg.capture(lambda x: (w.grad * x).sum(), quiet=True)
    made = [
        wg.ones(2, 3),
        wg.ones(3, 2).t(),
        wg.ones(2, 6)[:, ::2].clone(),
        wg.empty_strided((2, 3), (1, 2)).fill_(2.0),
        wg.arange(6.0).view(2, 3),
    ]
    for k in range(20):
        w.grad = made[k % len(made)] * (k + 1)
        assert read(wg.ones(2, 3)).item() == w.grad.sum().item()


def test_memory_is_given_back_with_the_functions():
    def work():
        w = wg.ones(10_000, requires_grad=True)
        step = wg.capture(lambda x: (w * x).sum().backward(), quiet=True)
        for k in range(12):
            step(wg.full((10_000,), float(k)))
            if k % 3 == 2:
                w.grad = None
        assert explain(step).eager <= 4
        return w

    w = work()
    gc.collect()
    before = memory.stats()["bytes_in_use"]
    w = work()
    gc.collect()
    assert memory.stats()["bytes_in_use"] == before
    del w
    gc.collect()
    assert memory.stats()["bytes_in_use"] <= before - 40_000


def test_threads_that_add_to_gradients_of_one_leaf_in_turns():
    w, lock = wg.ones(4, requires_grad=True), threading.Lock()
    captured = [wg.capture(lambda x: (w * x).sum().backward(), quiet=True) for _ in range(2)]
    wrong = []

    def work(step):
        for k in range(300):
            with lock:
                w.grad = None
                step(wg.full((4,), float(k)))
                step(wg.full((4,), 1.0))
                if w.grad.tolist() != [k + 1.0] * 4:
                    wrong.append(k)

    threads = [threading.Thread(target=work, args=(one,)) for one in captured]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_two_leaves_that_share_a_gradient():
    a, b = wg.ones(3, requires_grad=True), wg.ones(3, requires_grad=True)
    read = wg.capture(lambda x: (a.grad + b.grad * 2 + x).sum(), quiet=True)
    for k in range(6):
        a.grad = b.grad = wg.full((3,), float(k))
        assert read(wg.ones(3)).item() == 9 * k + 3
        assert a.grad is b.grad
