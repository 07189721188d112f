"""Tensors from outside that the user replaces, however the function has used them; and results that lie on them."""

from __future__ import annotations

import numpy as np
import pytest
import wengert as wg
from wengert_replay.refusal import NO_HISTORY, SHARED_OUTSIDE

from .differential.scenarios import check_reason, compare_runs


class Model:
    def __init__(self, value):
        self.state = wg.full((3,), value)
        self.weight = wg.full((3,), value, requires_grad=True)
        self.array = wg.from_numpy(np.full(3, value, dtype=np.float32))
        self.view = self.state[1:]


FUNCTIONS = {
    "detach": lambda m, x: x * m.state.detach(),
    "data": lambda m, x: x * m.state.data,
    "detached view": lambda m, x: x * m.state.detach()[1:],
    "detached leaf": lambda m, x: x * m.weight.detach(),
    "data of a leaf": lambda m, x: x * m.weight.data,
    "new leaf": lambda m, x: (x * m.weight.detach().requires_grad_()).detach(),
    "view": lambda m, x: x * m.view,
    "array": lambda m, x: x * m.array,
    "parameter": lambda m, x: (x * wg.nn.Parameter(m.state)).detach(),
    "written by a detached tensor": lambda m, x: (m.state.detach().add_(x), x * 2)[1],
    "result": lambda m, x: m.state.mul_(x),
    "result in a list": lambda m, x: [m.state.mul_(x), x * 2],
    "leaf as a result": lambda m, x: (m.weight, x * m.weight.detach()),
    "view as a result": lambda m, x: m.state.mul_(x)[1:],
    "detached result": lambda m, x: m.state.add_(x).detach(),
    "result on detached memory": lambda m, x: m.state.detach().add_(x),
    "data as a result": lambda m, x: m.state.add_(x).data,
}  # fmt: skip


def numbers_of(result):
    """The numbers alone: whoever has the result keeps the tensor that it is, or is a view of."""
    return [one.tolist() for one in result] if isinstance(result, (list, tuple)) else result.tolist()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_replaced_tensor_is_noticed(name):
    def generate(capture):
        models = [Model(1.0)]
        function = capture(lambda x: FUNCTIONS[name](models[-1], x))
        for _ in range(4):
            yield numbers_of(function(wg.tensor(2.0)))
        models.append(Model(5.0))
        del models[0]
        for _ in range(3):
            yield numbers_of(function(wg.tensor(2.0))), vars(models[0])

    replays = compare_runs(generate).replays
    assert replays >= 4 or name == "parameter"  # a leaf on memory from outside is another one in each call


CHANGES = {
    "shape": lambda t: t.unsqueeze_(0),
    "flag": lambda t: t.requires_grad_(),
    "attribute": lambda t: setattr(t, "mark", 1),
    "memory": lambda t: setattr(t, "data", wg.zeros(3)),
}


@pytest.mark.parametrize("name", ["view as a result", "detached result", "result on detached memory"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_result_leaves_later_results_alone(name, change):
    def generate(capture):
        model, kept = Model(1.0), []
        function = capture(lambda x: FUNCTIONS[name](model, x))
        for _ in range(4):
            kept.append(function(wg.tensor(2.0)))
            yield kept[-1], vars(kept[-1]), kept[-1]._base is model.state
            CHANGES[change](kept[-1])

    assert compare_runs(generate).replays >= 2


@pytest.mark.parametrize("differentiates", [True, False])
def test_the_graph_of_a_leaf_that_the_function_makes_is_a_graph(differentiates):
    def generate(capture):
        function = capture(lambda x: (x.detach().clone().requires_grad_() * 2).sum())
        for _ in range(4):
            result = function(wg.ones(3))
            yield result
            if differentiates:
                result.backward()

    assert compare_runs(generate).replays >= 2


def test_a_result_whose_history_cannot_be_asked_for_is_given():
    def generate(capture):
        state = wg.ones(3)
        view = state[1:]
        with wg.no_grad():
            late = state[:2]
        state.mul_(wg.ones(3, requires_grad=True))
        function = capture(lambda x: (x * 2, late))
        with wg.no_grad():
            for _ in range(3):
                result = function(wg.ones(2))
                yield result[0], result[1] is late, view.detach() * 1

    check_reason(compare_runs(generate), NO_HISTORY)


def test_a_tensor_from_outside_that_shares_memory_with_an_argument_stays_itself():
    def generate(capture):
        memory = wg.ones(3)
        view, detached = memory[...], memory.detach()
        function = capture(lambda x: (view.mul_(2), x * detached)[1])
        for one in (memory, memory, wg.ones(3), wg.ones(3)):
            yield function(one) * 1, one * 1, memory * 1, memory._version

    check_reason(compare_runs(generate), SHARED_OUTSIDE)


CHANGED = {
    "another": lambda model: Model(5.0),
    "the same, with other strides": lambda model: (model.square.t_(), model)[1],
    "the same": lambda model: model,
}
WITH_GRAPHS = {
    "tensor": lambda m, x, w: (x * m.state * w).sum(),
    "leaf": lambda m, x, w: (x * m.weight * w).sum(),
    "detached": lambda m, x, w: (x * m.state.detach() * w).sum(),
    "view": lambda m, x, w: (x * m.view.sum() * w).sum(),
    "square": lambda m, x, w: (m.square[0] * w).sum(),
}


@pytest.mark.parametrize("name", WITH_GRAPHS)
@pytest.mark.parametrize("change", CHANGED)
@pytest.mark.parametrize("differentiates", [range(0), range(9), range(2, 9)], ids=["never", "always", "later"])
def test_a_tensor_that_is_replaced_behind_the_first_call_with_a_graph_is_noticed(name, change, differentiates):
    def generate(capture):
        models, w = [Model(1.0)], wg.ones(3, requires_grad=True)
        models[0].square = wg.arange(9.0).reshape(3, 3)
        function = capture(lambda x: WITH_GRAPHS[name](models[-1], x, w))
        with wg.no_grad():
            yield [numbers_of(function(wg.tensor(2.0))) for _ in range(3)]
        for k in range(9):
            result = function(wg.tensor(2.0))
            yield numbers_of(result)
            if k in differentiates:
                result.backward()
            result = None
            if k in (0, 4):
                models.append(CHANGED[change](models[-1]))
                del models[0]
                if change == "another":
                    models[-1].square = wg.arange(9.0).reshape(3, 3) * 2
            with wg.no_grad():
                yield numbers_of(function(wg.tensor(2.0))), numbers_of(w), w.grad is None or numbers_of(w.grad)

    assert compare_runs(generate).replays >= 6


def test_a_tensor_that_is_replaced_between_a_call_and_its_backward_is_noticed():
    def generate(capture):
        models, w = [Model(1.0)], wg.ones(3, requires_grad=True)
        function = capture(lambda x: (x * models[-1].state * w).sum())
        for k in range(8):
            result = function(wg.tensor(2.0))
            if k in (0, 5):
                models.append(Model(5.0 + k))
                del models[0]
            if k not in (0, 5):  # its backward would run the function again
                result.backward()
            yield numbers_of(result), w.grad is None or numbers_of(w.grad)
            result = None

    assert compare_runs(generate).replays >= 3


@pytest.mark.parametrize("differentiate", ["grad", "backward"])
def test_a_leaf_that_gets_no_gradient_is_watched(differentiate):
    """It is among ``inputs``, and the graph does not come to it until it is replaced."""

    def generate(capture):
        w = wg.ones(2, requires_grad=True)
        model = Model(1.0)

        def step(x):
            w.grad = None
            if differentiate == "backward":
                (x * w).sum().backward(inputs=[w, model.weight])
                return w.grad
            return wg.autograd.grad((x * w).sum(), (w, model.weight), allow_unused=True)

        function = capture(step)
        for k in range(6):
            if k == 3:
                model.weight = w
            found = function(wg.tensor([1.0, 2.0]))
            yield found, w.grad if differentiate == "backward" else [one is None for one in found]

    assert compare_runs(generate).replays >= 3


@pytest.mark.parametrize("size", [0, 3])
def test_a_call_that_gives_what_nothing_uses_runs_as_usual(size):
    """A result that is kept would hide that the tensor was replaced."""

    def generate(capture):
        model, kept = Model(1.0), []
        model.state = wg.zeros(size)
        function = capture(lambda x: (model.state, x * 2), quiet=True)
        for k in range(5):
            if k == 3:
                model.state = wg.zeros(3)
            kept.append(function(wg.ones(3)))
            yield kept[-1], kept[-1][0] is model.state

    assert compare_runs(generate).reasons == ["a result is a tensor from outside that no operation has used"]


@pytest.mark.parametrize("differentiates", [False, True], ids=["plain", "graph"])
def test_results_without_elements(differentiates):
    """A tensor that is made anew is another one in each call; one that was there and is used is the same."""

    def generate(capture):
        empty, base = wg.zeros(0, 3), wg.zeros(4)
        w = wg.ones(2, requires_grad=differentiates)
        function = capture(lambda x: (x * w, wg.zeros(0), base[1:1], empty * 2, empty.detach(), empty.add_(1), empty))
        for k in range(5):
            found = function(wg.full((2,), float(k)))
            yield found, found[-1] is empty, empty._version, base._version, [one._version for one in found]
            empty.mul_(2)

    assert compare_runs(generate).replays >= 2
