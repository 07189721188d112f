"""Tensors that the function looks up and that change places, while all of them stay alive: replays follow."""

from __future__ import annotations

import collections
import copy
import gc
import types
import weakref

import pytest
import wengert as wg


def forward(self, x):
    with wg.no_grad():
        self.h.add_(x)
    return (self.h * 2 - self.g + self.w * x).detach()


def tensors():
    return {name: wg.full((3,), float(number)) for number, name in enumerate(("h", "g", "w", "v", "other"))}


class Module(wg.nn.Module):
    def __init__(self):
        super().__init__()
        for name, one in tensors().items():
            if name in ("w", "v"):
                setattr(self, name, wg.nn.Parameter(one))
            elif name == "other":
                self.other = one
            else:
                self.register_buffer(name, one)

    forward = forward


class Plain:
    def __init__(self):
        self.__dict__.update(tensors())

    __call__ = forward


class Slots:
    __slots__ = ("__weakref__", "g", "h", "kept", "other", "v", "w")

    def __init__(self):
        for name, one in tensors().items():
            setattr(self, name, one)

    __call__ = forward


HELD = {}


def of_global(x):
    return HELD["models"][0](x)


class Holder:
    def __init__(self, model):
        self.model = model

    @wg.capture(quiet=True)
    def run(self, x):
        return self.model(x)


def hold(model):
    HELD["models"] = [model]
    return wg.capture(of_global, quiet=True)


WAYS = {
    "itself": lambda model: wg.capture(model, quiet=True),
    "closure": lambda model: wg.capture(lambda x: model(x), quiet=True),
    "method": lambda model: wg.capture(model.__call__, quiet=True),
    "global": hold,
    "argument": lambda model: (lambda run: lambda x: run(model, x))(wg.capture(lambda one, x: one(x), quiet=True)),
    "owner": lambda model: Holder(model).run,
    "deeply": lambda model: (lambda held: wg.capture(lambda x: held["a"][1][0](x), quiet=True))({"a": (0, [model])}),
}


def exchange(model):
    model.h, model.g = model.g, model.h


def exchange_parameters(model):
    model.w, model.v = model.v, model.w


def put_another(model):
    model.kept = model.h
    model.h = model.other


@pytest.mark.parametrize("change", [exchange, exchange_parameters, put_another], ids=lambda one: one.__name__)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", [Module, Plain, Slots], ids=lambda one: one.__name__)
def test_tensors_that_change_places(kind, way, change):
    own, plain = kind(), kind()
    captured = WAYS[way](own)
    for number in range(10):
        x = wg.full((3,), float(number))
        assert captured(x).tolist() == plain(x).tolist(), number
        for name in ("h", "g", "w", "v", "other"):
            one, other = getattr(own, name), getattr(plain, name)
            assert (one.tolist(), one._version) == (other.tolist(), other._version), (number, name)
        if number in (3, 6):
            change(own)
            change(plain)
    if way not in ("argument",):
        assert wg.replay.explain(captured).replays >= 5


@pytest.mark.parametrize("kind", [Module, Plain], ids=lambda one: one.__name__)
def test_a_function_that_exchanges_its_tensors_itself(kind):
    def run(capture):
        model = kind()

        def step(x):
            model.h, model.g = model.g, model.h
            return model.h * 2 + x

        step = capture(step)
        return [step(wg.ones(3)).tolist() for _ in range(6)]

    assert run(lambda function: wg.capture(function, quiet=True)) == run(lambda function: function)


def test_variables_that_are_exchanged():
    one, other = wg.ones(2), wg.zeros(2)

    def swap():
        nonlocal one, other
        one, other = other, one

    captured = wg.capture(lambda x: x + one, quiet=True)
    found = []
    for number in range(8):
        found.append(captured(wg.zeros(2)).tolist() == one.tolist())
        if number % 3 == 2:
            swap()
    assert all(found)
    assert wg.replay.explain(captured).replays >= 4


def test_gradients_of_parameters_that_were_exchanged():
    def run(capture):
        model = Module()
        loss = capture(lambda x: (model.w * x).sum() + (model.w**2).sum())
        for number in range(8):
            model.w.grad = model.v.grad = None
            loss(wg.ones(3)).backward()
            yield [None if one.grad is None else one.grad.tolist() for one in (model.w, model.v)]
            if number in (2, 5):
                exchange_parameters(model)

    assert list(run(wg.capture)) == list(run(lambda function: function))


def test_programs_keep_no_owner_alive():
    model, holder = Module(), {}
    holder["model"] = model
    captured = wg.capture(lambda x: holder["model"](x), quiet=True)
    for _ in range(4):
        captured(wg.ones(3))
    reference, weight = weakref.ref(model), weakref.ref(model.w)
    holder["model"] = copy.deepcopy(model)
    del model
    gc.collect()
    assert reference() is None
    assert weight() is None
    expected = forward(copy.deepcopy(holder["model"]), wg.ones(3))
    assert captured(wg.ones(3)).tolist() == expected.tolist()


def test_other_tensors_beside_those_in_use_do_not_matter():
    model = Module()
    captured = wg.capture(lambda x: model.w.detach() * x)
    for number in range(6):
        assert captured(wg.ones(3)).tolist() == model.w.tolist()
        model.h = wg.full((3,), float(number))
        model.cache = [wg.ones(number)]
    assert wg.replay.explain(captured).replays == 5


class Shelf:
    tensor = None


class LowerShelf(Shelf):
    pass


class Items(list):
    pass


MODULE = types.ModuleType("config")


def of_class(place, x):
    return x * Shelf.tensor


def of_base(place, x):
    return x * LowerShelf().tensor


def of_type(place, x):
    return x * type(place["object"]).tensor


def of_module(place, x):
    return x * MODULE.tensor


def of_deque(place, x):
    return x * place["deque"][0]


def of_list(place, x):
    return x * place["list"][0]


def of_generator(place, x):
    return x * wg.rand(2, generator=place["object"].generator)


@pytest.mark.parametrize("guard", [False, True])
@pytest.mark.parametrize(
    "read", [of_class, of_base, of_type, of_module, of_deque, of_list, of_generator], ids=lambda one: one.__name__
)
def test_other_places(read, guard):
    def run(capture):
        tensors = [wg.tensor([2.0, 1.0]), wg.tensor([5.0, 3.0])]
        generators = [wg.Generator().manual_seed(number) for number in (1, 2)]
        place = {"object": LowerShelf(), "deque": collections.deque(tensors), "list": Items(tensors)}
        function = lambda x: read(place, x)  # noqa: E731
        function = wg.capture(function, quiet=True, guard_python=guard) if capture else function
        results = []
        for number in (0, 0, 0, 1, 1, 0):
            Shelf.tensor = MODULE.tensor = place["list"][0] = tensors[number]
            place["object"].generator = generators[number]
            if place["deque"][0] is not tensors[number]:
                place["deque"].rotate()
            results.append(function(wg.ones(2)).tolist())
        return results, function

    expected, _ = run(capture=False)
    found, function = run(capture=True)
    assert found == expected
    assert wg.replay.explain(function).replays > 2
