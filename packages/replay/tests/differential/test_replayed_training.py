"""Captured beside eager: modules and optimizers."""

from __future__ import annotations

import copy

import wengert as wg

from .scenarios import leaf, scenario


@scenario(replays=4)
def test_modules(capture):
    wg.manual_seed(1)
    model = wg.nn.Sequential(
        wg.nn.Linear(4, 8), wg.nn.BatchNorm1d(8), wg.nn.ReLU(), wg.nn.Dropout(0.3), wg.nn.Linear(8, 3)
    )
    optimizer = wg.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=0.01)

    def step(x, y):
        optimizer.zero_grad()
        loss = wg.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss.detach()

    f = capture(step, guard_python=True)
    for k in range(6):
        yield f(wg.linspace(-1, 1, 20).view(5, 4) * (k + 1), wg.tensor([0, 1, 2, 1, k % 3])), model
    model.eval()
    yield f(wg.linspace(-1, 1, 20).view(5, 4), wg.tensor([0, 1, 2, 1, 0])), model
    model.train()
    yield f(wg.linspace(-1, 1, 20).view(5, 4), wg.tensor([0, 1, 2, 1, 0])), model


@scenario(replays=4)
def test_the_learning_rate_changes(capture):
    w = leaf(1.0, 2.0)
    optimizer = wg.optim.SGD([w], lr=0.1)

    def step(x):
        optimizer.zero_grad()
        (w * x).pow(2).sum().backward()
        optimizer.step()

    f = capture(step)
    for _k in range(3):
        yield f(wg.ones(2)), w
    # A float of Python is part of the program: the learning rate of the recording stays, so this only loads state.
    optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    for _k in range(3):
        yield f(wg.ones(2)), w


@scenario(replays=9)
def test_momentum_is_loaded(capture):
    w = leaf(1.0, 2.0)
    optimizer = wg.optim.SGD([w], lr=0.1, momentum=0.9)

    def step(x):
        optimizer.zero_grad()
        (w * x).pow(2).sum().backward()
        optimizer.step()

    f = capture(step)
    for _ in range(4):
        yield f(wg.ones(2)), w
    saved = copy.deepcopy(optimizer.state_dict())
    for _ in range(4):
        yield f(wg.ones(2)), w
    optimizer.load_state_dict(saved)
    for _ in range(4):
        yield f(wg.ones(2)), w, list(optimizer.state[w].values())


@scenario(replays=4)
def test_adam(capture):
    w = leaf(1.0, 2.0)
    optimizer = wg.optim.Adam([w], lr=0.1)

    def step(x):
        optimizer.zero_grad()
        loss = (w * x).pow(2).sum()
        loss.backward()
        optimizer.step()
        return loss.detach()

    f = capture(step)
    for k in range(6):
        yield f(wg.full((2,), 1.0 + k)), w, list(optimizer.state[w].values())


@scenario(replays=4)
def test_parameters_are_loaded(capture):
    model = wg.nn.Linear(2, 2)
    with wg.no_grad():
        model.weight.fill_(0.5)
        model.bias.fill_(0.1)

    def step(x):
        model.zero_grad()
        model(x).pow(2).sum().backward()

    f = capture(step)
    for k in range(3):
        yield f(wg.full((1, 2), float(k))), model
    model.load_state_dict({"weight": wg.eye(2), "bias": wg.ones(2)})
    for k in range(3):
        yield f(wg.full((1, 2), float(k))), model
    model.weight = wg.nn.Parameter(wg.full((2, 2), 3.0))
    yield model


@scenario(replays=6)
def test_a_parameter_is_replaced(capture):
    model = wg.nn.Linear(2, 2, bias=False)
    with wg.no_grad():
        model.weight.fill_(0.5)
    f = capture(lambda x: model(x).pow(2).sum().backward())
    for k in range(3):
        yield f(wg.full((1, 2), float(k))), model
    model.weight.data = wg.eye(2)
    for k in range(3):
        yield f(wg.full((1, 2), float(k))), model
    model.weight.data.mul_(3)
    for k in range(3):
        yield f(wg.full((1, 2), float(k))), model


@scenario(replays=2)
def test_clipping_of_gradients(capture):
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)

    def step(x):
        a.grad = b.grad = None
        (a * b * x).pow(2).sum().backward()
        norm = wg.nn.utils.clip_grad_norm_([a, b], 0.5)
        wg.nn.utils.clip_grad_value_([a], 0.2)
        return norm

    f = capture(step)
    for k in range(4):
        yield f(wg.full((2,), 0.2 * k)), a, b


@scenario(replays=8)
def test_modules_change_between_calls(capture):
    """The functions that a module calls are Python's affair; what its parameters are, a program sees."""
    model = wg.nn.Linear(2, 2)
    with wg.no_grad():
        model.weight.fill_(0.5), model.bias.fill_(1)
    f = capture(lambda x: model(x).sum().backward())
    for _ in range(3):
        yield f(wg.ones(1, 2)), model
    model.weight.requires_grad_(False)
    for _ in range(3):
        yield f(wg.ones(1, 2)), model
    model.weight.requires_grad_(True)
    model.zero_grad()
    for _ in range(3):
        yield f(wg.ones(1, 2)), model
    model.double()
    for _ in range(3):
        yield f(wg.ones(1, 2, dtype=wg.float64)), model
    model.float()
    for _ in range(3):
        yield f(wg.ones(1, 2)), model


@scenario(replays=3)
def test_gradient_accumulation_over_steps(capture):
    w = leaf(1.0, 2.0)
    optimizer = wg.optim.SGD([w], lr=0.1)

    def step(x, update):
        loss = (w * x).pow(2).sum() / 2
        loss.backward()
        if update:
            optimizer.step()
            optimizer.zero_grad()
        return loss.detach()

    f = capture(step)
    for k in range(12):
        yield f(wg.full((2,), 0.1 * k), k % 3 == 2), w
