"""functional_call: the module is as it was before, whatever happens inside; equal to a module with that state."""

import copy
import threading

import pytest
import wengert as wg
from hypothesis import given
from hypothesis import strategies as st
from wengert import nn
from wengert.func import functional_call, grad, stack_module_state, vmap

from .module_trees import members, no_clock, same, trees


def snapshot(tree):
    return [*members(tree, "_parameters"), *members(tree, "_buffers")]


@no_clock
@given(trees(), st.data())
def test_a_call_equals_that_of_a_copy_with_this_state_and_leaves_the_module(tree, data):
    before = snapshot(tree)
    names = [name for name, _ in (*tree.named_parameters(), *tree.named_buffers())]  # tied ones once
    chosen = data.draw(st.lists(st.sampled_from(names), unique=True)) if names else []
    state = {name: wg.tensor([100.0 + number]) for number, name in enumerate(chosen)}
    other = copy.deepcopy(tree)
    places = {**dict(other.named_parameters()), **dict(other.named_buffers())}
    with wg.no_grad():
        for name, tensor in state.items():
            places[name].copy_(tensor)
    x = wg.ones(1)
    assert wg.equal(functional_call(tree, state, (x,)), other(x))
    assert same(before, snapshot(tree))
    halves = [{name: state[name]} for name in state]
    assert wg.equal(functional_call(tree, halves, (x,)), other(x))


@no_clock
@given(trees())
def test_untied_names_are_replaced_each_for_itself(tree):
    names = [name for name, _ in snapshot(tree)]
    x = wg.ones(1)
    state = {name: wg.tensor([float(number)]) for number, name in enumerate(names)}
    before = snapshot(tree)
    functional_call(tree, state, (x,), tie_weights=False, strict=True)
    assert same(before, snapshot(tree))


@no_clock
@given(trees(), st.data())
def test_an_error_restores_the_module(tree, data):
    before = snapshot(tree)
    names = [name for name, _ in before]
    state = dict.fromkeys(names, wg.zeros(1))
    bad = data.draw(st.sampled_from(["nowhere.weight", "training", ""]))
    position = data.draw(st.integers(0, len(names)))
    items = [*state.items()]
    items.insert(position, (bad, wg.zeros(1)))
    with pytest.raises((AttributeError, TypeError, KeyError)):
        functional_call(tree, dict(items), (wg.ones(1),))
    assert same(before, snapshot(tree))


class Deleting(nn.Module):
    """Changes its own tables while it runs."""

    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(wg.ones(1))
        self.register_buffer("b", wg.ones(1))

    def forward(self, x):
        x = x * self.a + self.b
        del self.a
        self.b = self.b + 1
        self.c = x
        return x


def test_what_forward_changes_is_undone_where_it_was_replaced():
    module, state = Deleting(), {"a": wg.zeros(1), "b": wg.zeros(1) + 5}
    a, b = module.a, module.b
    assert functional_call(module, state, (wg.ones(1),)).item() == 5
    assert (module.a is a, module.b is b) == (True, True)
    assert state["b"].item() == 6
    assert state["a"].item() == 0


def test_calls_may_be_nested():
    layer = nn.Linear(1, 1, bias=False)

    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = layer

        def forward(self, x):
            inner = functional_call(self.layer, {"weight": self.layer.weight * 2}, (x,))
            return inner + self.layer(x)

    weight = layer.weight
    assert functional_call(Twice(), {"layer.weight": wg.tensor([[10.0]])}, (wg.ones(1),)).item() == 30
    assert layer.weight is weight


def test_threads_with_copies_of_a_module_do_not_disturb_each_other():
    module = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    results = {}

    def run(number):
        own = copy.deepcopy(module)
        state = {name: wg.full_like(parameter, number) for name, parameter in own.named_parameters()}
        results[number] = {functional_call(own, state, (wg.ones(2),)).item() for _ in range(20)}

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: {2 * number * 3 * number + number} for number in range(4)}


def test_a_property_without_setter_is_refused():
    class Odd(nn.Module):
        @property
        def weight(self):
            return wg.ones(1)

        def forward(self, x):
            return x * self.weight

    with pytest.raises(AttributeError, match="property 'weight' of 'Odd' object has no setter"):
        functional_call(Odd(), {"weight": wg.zeros(1)}, (wg.ones(1),))


class Classifier(nn.Module):
    """The network of PyTorch's tutorials on per-sample gradients and ensembles, smaller."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 5, dtype=wg.float64)
        self.second = nn.Linear(5, 3, dtype=wg.float64)

    def forward(self, x):
        return wg.log_softmax(self.second(wg.tanh(self.first(x))), -1)


def data(samples=6):
    x = wg.linspace(-1, 1, samples * 4, dtype=wg.float64).reshape(samples, 4)
    return x, wg.arange(samples) % 3


def test_per_sample_gradients_equal_those_of_a_loop():
    net = Classifier()
    x, y = data()

    def loss(parameters, x, y):
        output = functional_call(net, parameters, (x.unsqueeze(0),))
        return nn.functional.nll_loss(output, y.unsqueeze(0))

    parameters = {name: parameter.detach() for name, parameter in net.named_parameters()}
    grads = vmap(grad(loss), in_dims=(None, 0, 0))(parameters, x, y)
    for number in range(len(x)):
        net.zero_grad()
        nn.functional.nll_loss(net(x[number : number + 1]), y[number : number + 1]).backward()
        for name, parameter in net.named_parameters():
            assert wg.allclose(grads[name][number], parameter.grad)


def test_an_ensemble_equals_its_models_and_trains_them():
    models = [Classifier() for _ in range(3)]
    x, y = data()
    parameters, buffers = stack_module_state(models)

    def call(parameters, buffers, x):
        return functional_call(models[0], (parameters, buffers), (x,))

    outputs = vmap(call, in_dims=(0, 0, None))(parameters, buffers, x)
    assert wg.allclose(outputs, wg.stack([model(x) for model in models]))
    nn.functional.nll_loss(outputs.flatten(0, 1), y.repeat(3)).backward()
    for number, model in enumerate(models):
        (nn.functional.nll_loss(model(x), y) / 3).backward()
        for name, parameter in model.named_parameters():
            assert wg.allclose(parameters[name].grad[number], parameter.grad)


def test_stacked_state_is_made_of_leaves_that_are_no_views_of_the_models():
    models = [nn.Linear(2, 2) for _ in range(2)]
    parameters, _ = stack_module_state(models)
    with wg.no_grad():
        parameters["weight"].zero_()
    assert all(model.weight.abs().sum() > 0 for model in models)
    assert all(parameter.is_leaf and parameter.requires_grad for parameter in parameters.values())


def test_the_older_context_manager_replaces_and_restores():
    layer = nn.Linear(2, 1, bias=False)
    weight = layer.weight
    with wg.nn.utils.stateless._reparametrize_module(layer, {"weight": wg.ones(1, 2)}):
        assert layer(wg.ones(2)).item() == 2
    assert layer.weight is weight


def test_batch_normalizations_of_what_is_no_module():
    with pytest.raises(TypeError, match=r"expected a torch\.nn\.Module, got tuple"):
        wg.func.replace_all_batch_norm_modules_((wg.ones(2),))
