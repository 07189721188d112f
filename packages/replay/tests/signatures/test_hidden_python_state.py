"""State of Python that changes in each call: captured functions give the numbers of eager calls, or say why they do not
replay.
"""

import collections
import enum
import itertools
import random
import threading
import types
import warnings
from array import array
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pytest
import wengert as wg

COUNT = 0
LEGACY = np.random  # its functions, which programs use all the same


class Object:
    """Attributes, one of which is of the class."""

    n = 0

    def __init__(self, **attributes):
        vars(self).update(attributes)


class Slots:
    __slots__ = ("n",)


class Mode(enum.Enum):
    DOUBLE = 2
    TRIPLE = 3


@dataclass(frozen=True)
class Settings:
    n: int = 0


def variable():
    n = 0

    def function(x):
        nonlocal n
        n += 1
        return x / n

    return function


def global_variable():
    global COUNT
    COUNT = 0

    def function(x):
        global COUNT
        COUNT += 1
        return x / COUNT

    return function


def by_item(make, key):
    """Count in an item of a container."""

    def make_function():
        counts = make()

        def function(x):
            counts[key] += 1
            return x / float(counts[key])

        return function

    return make_function


def by_attribute(make):
    """Count in an attribute."""

    def make_function():
        owner = make()

        def function(x):
            owner.n += 1
            return x / float(owner.n)

        return function

    return make_function


def slots():
    made = Slots()
    made.n = 0
    return made


def local():
    made = threading.local()
    made.n = 0
    return made


def attribute_of_the_function():
    def function(x):
        function.n += 1
        return x / function.n

    function.n = 0
    return function


def class_attribute():
    Object.n = 0

    def function(x):
        Object.n += 1
        return x / Object().n

    return function


def default():
    def function(x, counts=[0], *, more={"n": 1}):  # noqa: B006
        counts[0] += more["n"]
        return x / counts[0]

    function.__defaults__, function.__kwdefaults__ = ([0],), {"n": 1, "more": {"n": 1}}
    return function


def length():
    seen = []

    def function(x):
        seen.append("called")
        return x / len(seen)

    return function


def members():
    seen = set()

    def function(x):
        seen.add(len(seen))
        return x / len(seen)

    return function


def rotation():
    parts = collections.deque([1.0, 2.0, 4.0])

    def function(x):
        parts.rotate(1)
        return x * parts[0]

    return function


def replaced_object():
    owner = Object(state=Settings())

    def function(x):
        owner.state = Settings(owner.state.n + 1)
        return x / owner.state.n

    return function


def replaced_tuple():
    owner = Object(state=(0, "x"))

    def function(x):
        owner.state = (owner.state[0] + 1, "x")
        return x / owner.state[0]

    return function


def modes_in_turn():
    owner = Object(mode=Mode.DOUBLE)

    def function(x):
        owner.mode = Mode.TRIPLE if owner.mode is Mode.DOUBLE else Mode.DOUBLE
        return x * owner.mode.value

    return function


def functions_in_turn():
    ways = [lambda x: x + 1, lambda x: x * 2]
    owner = Object(way=ways[0])

    def function(x):
        owner.way = ways[0] if owner.way is ways[1] else ways[1]
        return owner.way(x)

    return function


def objects_in_turn():
    first, second = Object(n=1), Object(n=2)
    owner = Object(one=first)

    def function(x):
        owner.one = first if owner.one is second else second
        return x * owner.one.n

    return function


def of_iterator(make):
    """Multiply with what an iterator gives."""

    def make_function():
        items = make()
        return lambda x: x * next(items)

    return make_function


def generator():
    n = 1.0
    while True:
        yield n
        n *= 2


def of_loop():
    items = generator()

    def function(x):
        return x * next(item for item in items if item)

    return function


def bound_method():
    draw = iter([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]).__next__
    return lambda x: x * draw()


WAYS = {
    "variable": variable,
    "global variable": global_variable,
    "list": by_item(lambda: [0], 0),
    "dict": by_item(lambda: {"n": 0}, "n"),
    "dict by number": by_item(lambda: {3: 0}, 3),
    "Counter": by_item(collections.Counter, "n"),
    "array": by_item(lambda: np.zeros(3), 0),
    "array of Python": by_item(lambda: array("d", [0.0]), 0),
    "bytearray": by_item(lambda: bytearray(4), 0),
    "attribute": by_attribute(lambda: Object(n=0)),
    "namespace": by_attribute(lambda: types.SimpleNamespace(n=0)),
    "thread-local": by_attribute(local),
    "slot": by_attribute(slots),
    "number of NumPy": by_attribute(lambda: Object(n=np.int64(0))),
    "decimal": by_attribute(lambda: Object(n=Decimal(0))),
    "attribute of the function": attribute_of_the_function,
    "class attribute": class_attribute,
    "default": default,
    "length": length,
    "members": members,
    "rotation": rotation,
    "replaced object": replaced_object,
    "replaced tuple": replaced_tuple,
    "modes in turn": modes_in_turn,
    "functions in turn": functions_in_turn,
    "objects in turn": objects_in_turn,
    "count": of_iterator(lambda: itertools.count(1)),
    "cycle": of_iterator(lambda: itertools.cycle([1.0, 2.0, 3.0])),
    "range": of_iterator(lambda: iter(range(1, 99))),
    "dict iterator": of_iterator(lambda: iter({k: k for k in range(1, 9)})),
    "zip": of_iterator(lambda: map(sum, zip(range(1, 9), range(8), strict=True))),
    "generator": of_iterator(generator),
    "loop over a generator": of_loop,
    "bound method": bound_method,
}


def tensor_like(x, numbers):
    return wg.from_numpy(np.asarray(numbers, dtype="float32")).to(x.device)


def source(make, draw):
    """Add what a source of its own draws."""

    def make_function():
        numbers = make()
        return lambda x: x + draw(numbers, x)

    return make_function


def stochastic_depth():
    return lambda x: x * 2 if random.random() < 0.5 else x


DRAWS = {
    "random": lambda: lambda x: x * random.random(),
    "gauss": lambda: lambda x: x + tensor_like(x, [random.gauss(0, 1), 0.0]),
    "numpy.random": lambda: lambda x: x + tensor_like(x, LEGACY.rand(2)),
    "mask": lambda: lambda x: x * tensor_like(x, LEGACY.rand(2) < 0.5),
    "stochastic depth": stochastic_depth,
    "Generator": source(lambda: np.random.default_rng(3), lambda one, x: tensor_like(x, one.random(2))),
    "Mersenne Twister": source(lambda: np.random.Generator(np.random.MT19937(3)), lambda one, _: float(one.random())),
    "RandomState": source(lambda: np.random.RandomState(3), lambda one, _: float(one.rand())),
    "Random": source(lambda: random.Random(3), lambda one, _: one.random()),
    "method": source(lambda: np.random.default_rng(3).random, lambda draw, _: float(draw())),
}


def seed():
    random.seed(7)
    LEGACY.seed(7)


def run(function, n, device="cpu"):
    seed()
    return [function(wg.tensor([1.0, float(i)], device=device)).tolist() for i in range(n)]


@pytest.mark.parametrize("device", ["cpu", "sim"])
@pytest.mark.parametrize("name", [*WAYS, *DRAWS])
def test_state_that_changes_in_each_call(name, device):
    make = {**WAYS, **DRAWS}[name]
    expected = run(make(), 7, device)
    captured = wg.capture(make(), quiet=True)
    assert run(captured, 7, device) == expected
    found = wg.replay.explain(captured)
    assert found.replays == 0
    words = ("of Python that it reads, or may read",)
    if name in DRAWS:  # a device has another reason where they are copied to it
        words = ("draws random numbers outside of wengert", *["the device cannot capture"] * (device == "sim"))
    assert any(one in str(found) for one in words)


def test_a_function_that_draws_beside_replays():
    numbers = np.random.default_rng(5)

    @wg.compiler.disable
    def noise():
        return wg.from_numpy(numbers.random(2))

    captured = wg.capture(lambda x: x + noise())
    expected = np.random.default_rng(5)
    for i in range(5):
        assert captured(wg.full((2,), float(i), dtype=wg.float64)).tolist() == (i + expected.random(2)).tolist()
    assert wg.replay.explain(captured).replays == 4


def test_draws_of_the_first_call_alone():
    class Layer:
        weight = None

        def __call__(self, x):
            if self.weight is None:
                self.weight = tensor_like(x, LEGACY.rand(2))
            return x * self.weight

    expected = run(Layer(), 6)
    captured = wg.capture(Layer())
    assert run(captured, 6) == expected
    assert wg.replay.explain(captured).replays >= 4


def test_draws_behind_a_number_that_python_reads():
    def make():
        return lambda x: x + random.random() if x[1] > 3 else x * 2

    expected = run(make(), 6)
    assert run(wg.capture(make(), quiet=True), 6) == expected


def test_a_counter_behind_a_number_that_python_reads():
    def make():
        n = 0

        def function(x):
            nonlocal n
            if x[0] > 0:
                n += 1
                return x / n
            return x * 2

        return function

    numbers = [-1.0, -1.0, -1.0, 1.0, 1.0, 1.0, -1.0, 1.0, 1.0]
    eager, captured = make(), wg.capture(make(), quiet=True)
    for number in numbers:
        assert captured(wg.tensor([number])).tolist() == eager(wg.tensor([number])).tolist()


def test_ways_in_turn_that_a_number_decides_are_replayed():
    items = zip("ab", "cd", strict=True)  # nobody knows whether it is used

    @wg.capture
    def function(x):
        return x * 2 if x[0] > 0 or items is None else x - 1

    for number in (1.0, -1.0) * 6:
        assert function(wg.tensor([number])).tolist() == [2.0 if number > 0 else -2.0]
    assert wg.replay.explain(function).replays >= 7


def lookahead():
    """An update in every fifth call."""
    slow, fast, owner = wg.zeros(2), wg.zeros(2), Object(n=0)

    def step(x):
        fast.add_(x)
        owner.n += 1
        if owner.n >= 5:
            owner.n = 0
            slow.lerp_(fast, 0.5)
            fast.copy_(slow)
        return fast.clone()

    return step


def target():
    """A copy of weights in every seventh call, as of target networks."""
    online, copy, n = wg.zeros(2), wg.zeros(2), 0

    def step(x):
        nonlocal n
        online.add_(x)
        n += 1
        if n % 7 == 0:
            copy.copy_(online)
        return copy + online

    return step


class Trainer:
    """Gradients of four calls for one step; counts that other methods read cost nothing."""

    def __init__(self):
        self.w = wg.zeros(2, requires_grad=True)
        self.optimizer = wg.optim.SGD([self.w], lr=0.1)
        self.seen, self.losses, self.step = 0, [], 0

    def __call__(self, x):
        loss = ((self.w - x) ** 2).sum()
        loss.backward()
        self.seen += 1
        if self.seen % 4 == 0:
            self.optimizer.step()
            self.optimizer.zero_grad()
        return self.w.detach().clone()

    def each(self, x):
        self.optimizer.zero_grad()
        ((self.w - x) ** 2).sum().backward()
        self.optimizer.step()
        self.step += 1
        self.losses.append("called")
        return self.w.detach().clone()

    def report(self):
        return self.step, len(self.losses)


@pytest.mark.parametrize("make", [lookahead, target, Trainer])
def test_conditions_on_counters(make):
    expected = run(make(), 23)
    captured = wg.capture(make(), quiet=True)
    assert run(captured, 23) == expected
    assert wg.replay.explain(captured).replays == 0


def test_methods_that_are_not_called_read_nothing():
    trainer = Trainer()
    captured = wg.capture(trainer.each)
    assert run(captured, 9) == run(Trainer().each, 9)
    assert wg.replay.explain(captured).replays >= 7
    assert trainer.report() == (2, 2)


@pytest.mark.parametrize("guard_python", [False, True])
@pytest.mark.parametrize("shuffle", [False, True])
def test_batches_of_a_loader(shuffle, guard_python):
    def train(capture):
        wg.manual_seed(1)
        data = wg.utils.data.TensorDataset(wg.arange(24.0).reshape(12, 2), wg.arange(12.0))
        batches = iter(wg.utils.data.DataLoader(data, batch_size=2, shuffle=shuffle))
        w = wg.zeros(2)

        def step():
            x, y = next(batches)
            w.add_(x.sum(0) * 0.1)
            return (x @ w).sum() - y.sum()

        function = wg.capture(step, quiet=True, guard_python=guard_python) if capture else step
        return [function().item() for _ in range(6)]

    assert train(capture=True) == train(capture=False)


@pytest.mark.parametrize("make", [lambda: itertools.cycle([1.0, 2.0, 3.0]), lambda: itertools.count(1), generator])
def test_iterators_of_compiled_functions(make):
    items, expected = make(), make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = wg.compile(lambda x: x * next(items))
        assert [compiled(wg.ones(1)).item() for _ in range(8)] == [next(expected) for _ in range(8)]


def test_an_iterator_that_is_reached_and_not_used_costs_one_recording_more():
    owner = Object(items=zip("ab", "cd", strict=True), factor=2.0)

    captured = wg.capture(lambda x: x * owner.factor)
    for i in range(5):
        assert captured(wg.tensor([float(i)])).tolist() == [2.0 * i]
    assert wg.replay.explain(captured).replays == 3
    assert next(owner.items) == ("a", "c")


def test_a_result_of_python_that_changes():
    calls = []

    def function(x):
        calls.append("called")
        return x * 2, len(calls)

    captured = wg.capture(function, quiet=True)
    assert [captured(wg.ones(1))[1] for _ in range(6)] == [1, 2, 3, 4, 5, 6]


def test_the_words_say_what_to_do():
    with pytest.warns(RuntimeWarning, match=r"random numbers outside of wengert \(random\): draw them by wengert.rand"):
        run(wg.capture(DRAWS["random"]()), 6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(wg.capture(lambda x: x + wg.rand(2)), 6)


def test_an_object_whose_class_compares_types():
    class Kind(type):
        def __eq__(cls, other):
            raise ValueError("not to be compared")

        __hash__ = type.__hash__

    class Part(metaclass=Kind):
        n = 1

    owner = Object(part=Part())
    captured = wg.capture(lambda x: x * owner.part.n)
    for i in range(4):
        assert captured(wg.tensor([float(i)])).tolist() == [float(i)]
    assert wg.replay.explain(captured).replays == 3
