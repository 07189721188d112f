"""Arguments that the function may look up as well: a program takes them for arguments while it still finds them."""

import types

import pytest
import wengert as wg


def run(make, given, capture, **options):
    """Return results for arguments that are tensors of the state where ``given`` is true, and else new ones."""
    state = types.SimpleNamespace(w=wg.full((3,), 2.0), h=wg.full((3,), 3.0))
    function = make(state)
    function = wg.capture(function, quiet=True, **options) if capture else function
    results = []
    for number, is_own in enumerate(given):
        results.append(function(state.w if is_own else wg.full((3,), 5.0 + number)).tolist())
    return results, function


def times(state):
    return lambda x: x * state.w


def with_write(state):
    def step(x):
        state.h.add_(1)
        return x * state.w + state.h

    return step


def with_graph(state):
    state.w.requires_grad_()
    return lambda x: (x * state.w).sum() * x


@pytest.mark.parametrize("options", [{}, {"guard_python": True}, {"validate": True}], ids=str)
@pytest.mark.parametrize("make", [times, with_write, with_graph], ids=lambda one: one.__name__)
@pytest.mark.parametrize("given", [(1, 1, 0, 0, 1, 0), (0, 0, 1, 0, 1, 1), (1, 0, 0, 1, 1, 0)])
def test_an_own_tensor_is_given_in_some_calls(make, given, options):
    expected, _ = run(make, given, capture=False)
    found, function = run(make, given, capture=True, **options)
    assert found == expected
    assert wg.replay.explain(function).replays > 0


def test_a_state_that_each_call_replaces():
    """The argument is what the function would find in each call: one program."""

    class Cell:
        def __init__(self):
            self.h = wg.ones(3)

        def step(self, h, x):
            return (h * 0.5 + x).tanh()

    cell, plain = Cell(), Cell()
    cell.step = wg.capture(cell.step)
    for number in range(10):
        x = wg.full((3,), float(number))
        cell.h, plain.h = cell.step(cell.h, x), plain.step(plain.h, x)
        assert cell.h.tolist() == plain.h.tolist()
    assert wg.replay.explain(cell.step).replays == 9


def test_parameters_of_a_functional_call():
    model = wg.nn.Linear(3, 1)

    def loss(parameters, x):
        return (wg.func.functional_call(model, parameters, (x,)) ** 2).mean()

    def descend(function):
        parameters = dict(model.named_parameters())
        for _ in range(12):
            grads = wg.func.grad(function)(parameters, wg.ones(2, 3))
            parameters = {name: one.detach() - 0.1 * grads[name] for name, one in parameters.items()}
        return [one.tolist() for one in parameters.values()]

    captured = wg.capture(lambda parameters, x: wg.func.grad(loss)(parameters, x), quiet=True)

    def descend_captured():
        parameters = dict(model.named_parameters())
        for _ in range(12):
            grads = captured(parameters, wg.ones(2, 3))
            parameters = {name: one.detach() - 0.1 * grads[name] for name, one in parameters.items()}
        return [one.tolist() for one in parameters.values()]

    assert descend_captured() == descend(loss)
    assert wg.replay.explain(captured).replays > 8


def test_batches_that_the_object_has():
    class Training:
        def __init__(self):
            self.batches = [wg.full((3,), float(number)) for number in range(12)]
            self.w = wg.ones(3)

        def step(self, x):
            return x * self.w

    training = Training()
    training.step = wg.capture(training.step)
    assert [training.step(x)[0].item() for x in training.batches] == [float(number) for number in range(12)]
    assert wg.replay.explain(training.step).replays == 11
