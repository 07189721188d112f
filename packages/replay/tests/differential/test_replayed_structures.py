"""Captured beside eager: arguments and results of all kinds, and ways to call."""

from __future__ import annotations

import collections
import dataclasses
import enum
import threading
from typing import NamedTuple

import numpy as np
import wengert as wg

from .scenarios import attempt, scenario


class Pair(NamedTuple):
    """A tuple with names."""

    left: object
    right: object


@dataclasses.dataclass
class Box:
    """A record that has no hash."""

    value: object
    factor: float = 2.0


@dataclasses.dataclass(frozen=True)
class Constant:
    """A record with a hash of its fields."""

    value: object
    factor: float = 2.0


class Color(enum.Enum):
    """Values that are compared by identity."""

    RED = 1
    BLUE = 2


@scenario(replays=2)
def test_nested_structures(capture):
    f = capture(lambda tree, pair: {"sum": tree["a"][0] + pair.left, "rest": [pair, (tree["b"], None, "s")]})
    for k in range(4):
        yield f({"a": [wg.full((2,), float(k)), 3], "b": wg.ones(1)}, Pair(wg.ones(2), k % 2))


@scenario(replays=4)
def test_other_mappings_and_sequences(capture):
    f = capture(lambda tree: sum(value for value in tree.values()))
    for k in range(3):
        yield f({"a": wg.full((2,), float(k)), "b": wg.ones(2)})
        yield f({"b": wg.full((2,), float(k)), "a": wg.ones(2)})
        yield f(collections.OrderedDict(a=wg.full((2,), float(k)), b=wg.ones(2)))
        yield f(collections.defaultdict(int, a=wg.full((2,), float(k))))
    g = capture(lambda rows: rows[0] * 2)
    for k in range(3):
        yield g(collections.deque([wg.full((2,), float(k))]))
        yield g(wg.Size([k, 2]))
        yield attempt(g, range(k, 3))


@scenario(replays=2)
def test_records_with_tensors(capture):
    f = capture(lambda box: box.value * box.factor)
    for k in range(4):
        yield f(Box(wg.full((2,), float(k))))
    for k in range(4):
        yield f(Constant(wg.full((2,), float(k))))
    frozen = Constant(wg.ones(2))
    for _ in range(3):
        frozen.value.add_(1)
        yield f(frozen)


@scenario(replays=6)
def test_a_record_is_a_result(capture):
    f = capture(lambda x: Box(x * 2))
    for k in range(4):
        yield f(wg.full((2,), float(k)))
    g = capture(lambda x: Constant(x * 2))
    for k in range(4):
        yield g(wg.full((2,), float(k)))


@scenario(reason="has stored 1 tensor that it made")
def test_a_set_is_a_result(capture):
    f = capture(lambda x: frozenset([x * 2]))
    for k in range(4):
        yield [*f(wg.full((2,), float(k)))]


class Holder:
    """An object that changes between calls, with a hash of its identity."""

    def __init__(self):
        self.weight = wg.ones(2)
        self.factor = 1.0


@scenario(replays=3)
def test_an_object_is_an_argument(capture):
    f = capture(lambda holder, x: holder.weight * x)
    holder = Holder()
    for k in range(4):
        holder.weight.add_(k)
        yield f(holder, wg.full((2,), 2.0))
    for _ in range(3):
        yield f(Holder(), wg.full((2,), 2.0))


@scenario(replays=16)
def test_values_of_all_kinds(capture):
    f = capture(lambda x, v: (x * 2, v))
    for value in (None, True, 1, 1.0, "a", b"a", ..., slice(1, 2), Color.RED, Color.BLUE, wg.float32, wg.device("cpu"),
                  1j, float("nan"), float("inf"), range(3), (1, (2,)), frozenset([1]), np.float64(2), np.int64(2), int,
                  0.0, -0.0, 10**30, wg.Size([1]), np.dtype("f4")):  # fmt: skip
        for k in range(2):
            yield attempt(lambda value=value, k=k: f(wg.full((2,), float(k)), value))


@scenario(replays=9)
def test_complex_zeros_with_signs(capture):
    f = capture(lambda x, v: 1 / (x * v))
    for value in (0j, complex(-0.0, 0.0), complex(0.0, -0.0), 0.0, -0.0):
        for _ in range(2):
            yield f(wg.ones(1, dtype=wg.complex64), value)
    g = capture(lambda x, v: 1 / (x * v[0]))
    for value in ((0.0,), (-0.0,), [0.0], [-0.0]):
        for _ in range(2):
            yield g(wg.ones(1), value)


@scenario(replays=2)
def test_arrays_are_arguments(capture):
    f = capture(lambda x, array: x * wg.from_numpy(array))
    for k in range(3):
        yield f(wg.ones(2), np.full(2, k, "f4"))
    scalars = capture(lambda x, number: x * float(number))
    for k in range(4):
        yield scalars(wg.ones(2), np.float32(k % 2))


@scenario(reason="changes a list, a dict or a dataclass among its arguments")
def test_mutable_arguments_are_written(capture):
    def step(x, into):
        into.append(x * 2)
        return x + 1

    f = capture(step)
    for k in range(4):
        into = []
        yield f(wg.full((2,), float(k)), into), into

    def pop(x, into):
        return x * into.pop()

    g = capture(pop)
    for k in range(4):
        into = [1, 2]
        yield g(wg.full((2,), float(k)), into), into

    def put(x, into):
        into["y"] = x * 3
        return x * 2

    h = capture(put)
    for k in range(4):
        into = {}
        yield h(wg.full((2,), float(k)), into), into


@scenario(reason="among the arguments is in the result")
def test_the_result_is_a_mutable_argument(capture):
    f = capture(lambda x, into: into)
    for k in range(3):
        into = [1, k % 2]
        got = f(wg.ones(1), into)
        got.append(5)
        yield got, into


@scenario(reason="of type generator has no value to compare")
def test_iterators_are_arguments(capture):
    f = capture(lambda xs: sum(x * 2 for x in xs))
    for k in range(3):
        yield f(wg.full((2,), float(j + k)) for j in range(3))
        yield f(iter([wg.full((2,), float(k))]))
        yield f(map(wg.ones, [2, 2]))
        yield f(zip([1], [2], strict=False)) if False else None


@scenario(reason="of type range_iterator has no value to compare")
def test_one_iterator_is_used_again(capture):
    numbers = iter(range(100))
    f = capture(lambda x, it: x * next(it))
    for _ in range(4):
        yield f(wg.ones(2), numbers)


@scenario(replays=12)
def test_star_arguments(capture):
    def f(first, *rest, scale=1, **others):
        total = first * scale
        for one in rest:
            total = total + one
        return {key: value + total for key, value in others.items()}

    g = capture(f)
    for k in range(3):
        x = wg.full((2,), float(k))
        yield g(x), g(x, x), g(x, x, a=x), g(x, scale=2, a=x, b=3), g(x, b=3, a=x, scale=2), g(first=x, a=x)
        yield attempt(g), attempt(g, x, first=x)


@scenario(replays=8)
def test_functions_that_return_no_tensors(capture):
    f = capture(lambda x: (None, 1, "s", [x.shape, x.dtype, x.device]))
    for k in range(3):
        yield f(wg.full((2,), float(k)))
    g = capture(lambda x: x.sum().item())
    for k in (1, 1, 2, 1):
        yield g(wg.full((2,), float(k)))
    h = capture(lambda: wg.ones(2))
    for _ in range(3):
        yield h()
    n = capture(lambda: None)
    for _ in range(3):
        yield n()


@scenario(reason="the result has an object of type function in it")
def test_a_result_is_a_function(capture):
    def outer(x):
        y = x * 2
        return lambda: y + 1

    f = capture(outer)
    for k in range(4):
        yield f(wg.full((2,), float(k)))()


@scenario(reason="an object of type generator in it")
def test_generator_functions(capture):
    def parts(x):
        yield x * 2
        yield x * 3

    f = capture(parts)
    for k in range(3):
        yield [*f(wg.full((2,), float(k)))]


@scenario(replays=2)
def test_a_result_holds_a_tensor_twice(capture):
    def step(x):
        y = x * 2
        return y, y, {"a": [y]}

    f = capture(step)
    for k in range(3):
        yield f(wg.full((2,), float(k)))


@scenario(replays=9)
def test_captures_in_captures(capture):
    inner = capture(lambda x: x * 2)

    def middle(x):
        return inner(x) + inner(x + 1)

    outer = capture(middle)
    for k in range(4):
        yield outer(wg.full((2,), float(k))), inner(wg.full((2,), float(k)))
    make_one = capture(lambda x: wg.capture(lambda y: y * 3)(x))
    for k in range(4):
        yield make_one(wg.full((2,), float(k)))


@scenario(replays=4)
def test_captures_that_call_themselves(capture):
    def factorial(x, n):
        return x if n == 0 else f(x * n, n - 1)

    f = capture(factorial)
    for k in range(3):
        yield f(wg.full((2,), float(k)), 3), f(wg.ones(2), 2)


@scenario(replays=6)
def test_replays_from_other_threads(capture):
    w = wg.zeros(2)

    def step(x):
        w.add_(x)
        return w.sum() + wg.rand(1)

    f = capture(step)
    results = []
    for k in range(6):
        thread = threading.Thread(target=lambda k=k: results.append(f(wg.full((2,), float(k)))))
        thread.start()
        thread.join()
        yield results, w
    yield f(wg.ones(2)), w


@scenario(replays=5)
def test_tensors_of_subclasses(capture):
    class Mine(wg.Tensor):
        pass

    f = capture(lambda x: (x * 2, type(x).__name__))
    for k in range(3):
        x = wg.full((2,), float(k))
        yield f(x), attempt(lambda x=x: f(x.as_subclass(Mine)))
    p = wg.nn.Parameter(wg.ones(2))
    for _ in range(3):
        yield f(p.detach()), capture(lambda y: (y * 2).detach())(p)


@scenario(reason="in layout torch.sparse_coo")
def test_sparse_and_other_devices(capture):
    f = capture(lambda x: x * 2)
    for k in range(3):
        x = wg.full((2,), float(k))
        yield f(x.to_sparse()).to_dense() if hasattr(x, "to_sparse") else None
        yield f(x.to("meta")).shape if "meta" in dir(wg) else None


@scenario(replays=1)
def test_deep_arguments(capture):
    f = capture(lambda tree: 1)
    tree: list = []
    for _ in range(50):
        tree = [tree, wg.ones(1)]
    yield f(tree), f(tree)
    deep: list = []
    for _ in range(100000):
        deep = [deep]
    got = attempt(lambda: f(deep))
    yield got if got == 1 else got[0]
    while deep:
        deep = deep[0]
    endless: list = []
    endless.append(endless)
    got = attempt(lambda: f(endless))
    yield got if got == 1 else got[0]


@scenario(replays=4)
def test_results_with_names(capture):
    f = capture(lambda x: (x.max(0), x.sort(0), x.topk(1, 0), wg.linalg.qr(x), x.min(1).values))
    for k in range(3):
        yield f(wg.arange(4.0).view(2, 2) * (k + 1))
    g = capture(lambda found: found.values + found[1])
    for k in range(3):
        yield g((wg.arange(4.0).view(2, 2) * (k + 1)).max(0))
