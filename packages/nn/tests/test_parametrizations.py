"""Parametrized modules: copies, pickles, classes, threads, lifetimes and derivatives."""

import copy
import gc
import pickle
import threading
import weakref

import pytest
import wengert as wg
from wengert import nn
from wengert.func import functional_call, grad
from wengert.nn.utils import parametrizations, parametrize


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).T

    def right_inverse(self, x):
        return x.triu()


class Mask(nn.Module):
    """A mask, which takes the place of pruning."""

    def __init__(self, mask):
        super().__init__()
        self.register_buffer("mask", mask)

    def forward(self, x):
        return x * self.mask


def symmetric_layer():
    return parametrize.register_parametrization(nn.Linear(3, 3, dtype=wg.float64), "weight", Symmetric())


# ---- classes


def test_modules_with_the_same_parametrized_names_have_one_class():
    one, other = symmetric_layer(), symmetric_layer()
    assert type(one) is type(other)
    parametrize.register_parametrization(one, "bias", nn.Identity())
    assert type(one) is not type(other)
    assert type(one).__bases__ == type(other).__bases__ == (nn.Linear,)
    parametrize.remove_parametrizations(one, "bias")
    assert type(one) is type(other)
    assert "weight" not in vars(nn.Linear)


def test_removal_from_a_copy_leaves_the_other_parametrized():
    one = symmetric_layer()
    other = copy.deepcopy(one)
    parametrize.remove_parametrizations(other, "weight")
    assert type(other) is nn.Linear
    assert wg.equal(one.weight, one.weight.T)
    assert parametrize.is_parametrized(one, "weight")


def test_a_subclass_of_the_layer_has_a_class_of_its_own():
    class Mine(nn.Linear):
        pass

    mine = parametrize.register_parametrization(Mine(3, 3), "weight", Symmetric())
    assert type(mine).__name__ == "ParametrizedMine"
    assert type(symmetric_layer()).__name__ == "ParametrizedLinear"
    assert parametrize.type_before_parametrizations(mine) is Mine
    assert isinstance(mine, Mine)


# ---- copies


@pytest.mark.parametrize(
    "make", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one)), lambda one: pickle.loads(pickle.dumps(one, 0))]
)
def test_deep_copies_and_pickles_are_parametrized_and_independent(make):
    net = nn.Sequential(symmetric_layer(), nn.Linear(3, 2, dtype=wg.float64))
    other = make(net)
    assert type(other[0]) is type(net[0])
    assert wg.equal(other[0].weight, net[0].weight)
    assert repr(other) == repr(net)
    before = net[0].weight.clone()
    with wg.no_grad():
        other[0].parametrizations.weight.original.zero_()
        other[0].weight = wg.eye(3, dtype=wg.float64)
    assert wg.equal(other[0].weight, wg.eye(3, dtype=wg.float64))
    assert wg.equal(net[0].weight, before)


def test_a_shallow_copy_shares_the_tables():
    layer = symmetric_layer()
    other = copy.copy(layer)
    assert other.parametrizations is layer.parametrizations
    assert wg.equal(other.weight, layer.weight)


def test_a_module_with_a_deepcopy_of_its_own_is_copied_by_it():
    class CallCounter(nn.Linear):
        copies = 0

        def __deepcopy__(self, memo):
            type(self).copies += 1
            return self

    layer = parametrize.register_parametrization(CallCounter(3, 3), "weight", Symmetric())
    assert copy.deepcopy(layer) is layer


def test_spectral_and_orthogonal_layers_survive_pickling():
    for make in (parametrizations.spectral_norm, parametrizations.orthogonal, parametrizations.weight_norm):
        layer = make(nn.Linear(4, 3)).eval()
        other = pickle.loads(pickle.dumps(layer))
        assert wg.equal(other.weight, layer.weight)
        assert other.state_dict().keys() == layer.state_dict().keys()


# ---- the optimizer's view


def test_the_original_stays_the_parameter_that_an_optimizer_knows():
    layer = nn.Linear(3, 3, dtype=wg.float64)
    weight = layer.weight
    parametrize.register_parametrization(layer, "weight", Symmetric())
    assert layer.parametrizations.weight.original is weight
    layer(wg.ones(3, dtype=wg.float64)).sum().backward()
    assert weight.grad.tril(-1).abs().sum() == 0
    parametrize.remove_parametrizations(layer, "weight")
    assert layer.weight is weight
    assert weight.is_leaf


def test_a_mask_takes_the_place_of_pruning():
    layer = nn.Linear(3, 2)
    mask = wg.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    parametrize.register_parametrization(layer, "weight", Mask(mask))
    layer(wg.ones(3)).sum().backward()
    assert wg.equal(layer.weight == 0, mask == 0)
    assert wg.equal(layer.parametrizations.weight.original.grad, mask)
    assert "parametrizations.weight.0.mask" in layer.state_dict()
    with pytest.raises(AttributeError, match="is no part of wengert: multiply the tensor by a mask"):
        wg.nn.utils.prune.l1_unstructured(layer, "weight", 1)


# ---- caching


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.number = 0

    def forward(self, x):
        self.number += 1
        return x * 2


def test_caching_is_for_the_thread_that_asks_for_it():
    layer = parametrize.register_parametrization(nn.Linear(2, 2), "weight", Counting())
    same = {}

    def other_thread():
        same["other"] = layer.weight is layer.weight

    with parametrize.cached():
        same["this"] = layer.weight is layer.weight
        thread = threading.Thread(target=other_thread)
        thread.start()
        thread.join()
    assert same == {"this": True, "other": False}


def test_values_are_forgotten_after_an_error():
    layer = parametrize.register_parametrization(nn.Linear(2, 2), "weight", Counting())
    values = []

    def fail():
        with parametrize.cached():
            values.append(layer.weight)
            raise ValueError("inside")

    with pytest.raises(ValueError, match="inside"):
        fail()
    value = values.pop()
    assert layer.weight is not value
    gone = weakref.ref(value)
    del value
    assert gone() is None


def test_cached_values_belong_to_the_module_not_to_its_address():
    with parametrize.cached():
        shapes = set()
        for size in range(1, 6):  # each may get the address of the one before
            layer = parametrize.register_parametrization(nn.Linear(size, size), "weight", Counting())
            shapes.add(tuple(layer.weight.shape))
        assert len(shapes) == 5


# ---- lifetimes


@pytest.mark.parametrize(
    "prepare",
    [
        lambda layer: parametrize.register_parametrization(layer, "weight", Symmetric()),
        parametrizations.orthogonal,
        parametrizations.weight_norm,
        parametrizations.spectral_norm,
    ],
)
def test_a_parametrized_module_is_freed_with_its_last_reference(prepare):
    layer = prepare(nn.Linear(3, 3))
    layer(wg.ones(3)).sum().backward()
    with parametrize.cached():
        layer(wg.ones(3))
    copied = copy.deepcopy(layer)
    gone = [weakref.ref(layer), weakref.ref(layer.parametrizations.weight), weakref.ref(copied)]
    gc.collect()
    gc.disable()
    try:
        del layer, copied
        assert [one() for one in gone] == [None] * 3
    finally:
        gc.enable()


def test_older_normalizations_are_freed_with_their_module():
    layer = nn.utils.spectral_norm(nn.Linear(3, 3))
    layer(wg.ones(3)).sum().backward()
    gone = weakref.ref(layer)
    gc.collect()
    gc.disable()
    try:
        del layer
        assert gone() is None
    finally:
        gc.enable()


# ---- derivatives


@pytest.mark.parametrize(
    "prepare",
    [
        parametrizations.weight_norm,
        lambda layer: parametrizations.weight_norm(layer, dim=None),
        lambda layer: parametrizations.spectral_norm(layer).eval(),
        lambda layer: parametrizations.orthogonal(layer, orthogonal_map="matrix_exp"),
        lambda layer: parametrizations.orthogonal(layer, orthogonal_map="cayley"),
        lambda layer: parametrize.register_parametrization(layer, "weight", Symmetric()),
    ],
)
def test_gradcheck_of_parametrized_weights(prepare):
    layer = nn.Linear(3, 3, dtype=wg.float64)
    layer.weight.data = wg.linspace(-1, 1, 9, dtype=wg.float64).sin().reshape(3, 3)
    prepare(layer)
    originals = layer.parametrizations.weight.originals()
    with wg.no_grad():
        for original in originals:
            original.add_(wg.linspace(0, 0.3, original.numel(), dtype=wg.float64).reshape(original.shape).tril(-1)
                          if original.dim() == 2 else 0.1)  # fmt: skip
    assert wg.autograd.gradcheck(lambda *_: layer.weight, originals)


def test_the_plain_name_takes_the_place_of_what_is_computed_and_gets_the_gradient():
    layer = symmetric_layer()
    original = layer.parametrizations.weight.original.clone()

    def loss(weight):
        return functional_call(layer, {"weight": weight}, (wg.ones(3, dtype=wg.float64),)).sum()

    weight = wg.arange(9.0, dtype=wg.float64).reshape(3, 3)
    assert wg.equal(grad(loss)(weight), wg.ones(3, 3, dtype=wg.float64))
    assert wg.equal(layer.parametrizations.weight.original, original)
    assert "weight" not in layer.__dict__


def test_spectral_norm_writes_its_vectors_in_place_and_differentiates_two_calls():
    layer = parametrizations.spectral_norm(nn.Linear(4, 3))
    u = layer.parametrizations.weight[0]._u
    (layer(wg.ones(4)) - layer(-wg.ones(4))).sum().backward()
    assert layer.parametrizations.weight[0]._u is u
    assert layer.parametrizations.weight.original.grad is not None


def test_training_keeps_a_matrix_orthogonal():
    layer = parametrizations.orthogonal(nn.Linear(4, 4, dtype=wg.float64))
    for _ in range(5):
        layer(wg.ones(4, dtype=wg.float64)).sum().backward()
        with wg.no_grad():
            original = layer.parametrizations.weight.original
            original -= 0.1 * original.grad
    assert wg.allclose(layer.weight.T @ layer.weight, wg.eye(4, dtype=wg.float64))
