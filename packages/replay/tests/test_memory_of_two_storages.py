"""Memory that two Storages have, as ``x.data``, arrays and DLPack give: among arguments, outside, and in results."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import wengert as wg

from .differential.scenarios import check_reason, compare_runs


def array_twice():
    array = np.ones(4, dtype=np.float32)
    return wg.from_numpy(array[1:]), wg.from_numpy(array[:-1])


def memory_taken_over():
    first, second = wg.ones(3), wg.zeros(3)
    second.data = first
    return first, second


PAIRS = {
    "data": lambda: (one := wg.ones(3), one.data),
    "array": array_twice,
    "array of a tensor": lambda: (one := wg.ones(3), wg.from_numpy(one.numpy())),
    "dlpack": lambda: (one := wg.ones(3), wg.from_dlpack(one)),
    "set_": lambda: (one := wg.ones(3), wg.empty(0).set_(one)),
    "data =": memory_taken_over,
    "no elements": lambda: (one := wg.ones(3), one[3:]),
}


def write_first(one, other):
    one.add_(1)
    return other * 2


def write_second(one, other):
    return write_first(other, one)


def multiply(one, other):
    return one[: len(other)] * other


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("function", [write_first, write_second, multiply], ids=lambda one: one.__name__)
@pytest.mark.parametrize("sharing", [range(5), range(2, 5), range(2)], ids=["always", "later", "at first"])
def test_two_arguments_on_the_same_memory_run_as_usual(name, function, sharing):
    def generate(capture):
        captured = capture(function)
        for k in range(5):
            pair = PAIRS[name]()
            arguments = pair if k in sharing else [one.clone() for one in pair]
            yield captured(*arguments), [one * 1 for one in arguments], [one._version for one in arguments]

    outcome = compare_runs(generate)
    assert outcome.reasons == ["two arguments share memory"]
    assert outcome.replays == {5: 0, 3: 1, 2: 2}[len(sharing)]


def test_arrays_beside_each_other_are_replayed():
    def generate(capture):
        captured = capture(write_first)
        for _ in range(4):
            array = np.ones(6, dtype=np.float32)
            arguments = wg.from_numpy(array[:3]), wg.from_numpy(array[3:])
            yield captured(*arguments), arguments[0] * 1, arguments[0]._version

    assert compare_runs(generate).replays == 3


WITH_OUTSIDE = {
    "writes outside": lambda state, x: (state.add_(1), x * 2)[1],
    "writes the argument": lambda state, x: (x.add_(1), state * 2)[1],
    "writes a detached one": lambda state, x: (state.detach().add_(1), x * 2)[1],
    "reads a detached one": lambda state, x: (x.add_(1), state.detach() * 2)[1],
    "reads its data": lambda state, x: (x.add_(1), state.data * 2)[1],
}


@pytest.mark.parametrize("pair", [one for one in PAIRS if one != "no elements"])
@pytest.mark.parametrize("name", WITH_OUTSIDE)
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("sharing", [range(5), range(2, 5), range(2)], ids=["always", "later", "at first"])
def test_an_argument_on_the_memory_of_a_tensor_from_outside_stays_itself(pair, name, side, sharing):
    def generate(capture):
        both = PAIRS[pair]()
        state, other = both[side], both[1 - side]
        captured = capture(lambda x: WITH_OUTSIDE[name](state, x))
        for k in range(5):
            argument = other if k in sharing else wg.full((3,), float(k))
            yield captured(argument), argument * 1, state * 1, argument._version, state._version

    assert compare_runs(generate).replays == (1 if sharing[0] == 2 else 0)  # the second of the calls before


@pytest.mark.parametrize("name", WITH_OUTSIDE)
@pytest.mark.parametrize("side", [0, 1])
def test_a_detached_argument_from_outside_stays_itself(name, side):
    def generate(capture):
        one = wg.ones(3)
        both = one, one.detach()
        captured = capture(lambda x: WITH_OUTSIDE[name](both[side], x))
        for argument in (both[1 - side], both[1 - side], wg.zeros(3), wg.zeros(3)):
            yield captured(argument), argument * 1, one * 1, argument._version, one._version

    outcome = compare_runs(generate)
    assert outcome.replays == 0
    assert "share" in outcome.reasons[0]


def test_a_result_with_a_graph_and_its_data_have_the_numbers_of_the_call():
    def function(x):
        result = x.tanh() * 2
        return result.data, result

    def generate(capture):
        captured, x = capture(function), wg.ones(4, requires_grad=True)
        for _ in range(4):
            data, result = captured(x * 1)
            yield data, result
            result.sum().backward()
            yield x.grad

    check_reason(compare_runs(generate), "the function has stored a result somewhere else")


VIEWS = {
    "pairs": lambda state, x: wg.view_as_real(state.z.mul_(x)),
    "real": lambda state, x: state.z.mul_(x).real,
    "imag": lambda state, x: state.z[1:].imag,
    "complex": lambda state, x: wg.view_as_complex(state.pairs.mul_(x)),
    "bits": lambda state, x: state.pairs.mul_(x).view(wg.int64),
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_result_that_is_a_view_of_another_dtype_has_that(name):
    def generate(capture):
        state = SimpleNamespace(z=wg.full((3,), 1 + 2j, dtype=wg.complex128), pairs=wg.ones(3, 2, dtype=wg.float64))
        captured = capture(lambda x: VIEWS[name](state, x))
        for k in range(4):
            result = captured(wg.tensor(float(k)))
            yield result, result._base is None, result.is_contiguous(), state

    assert compare_runs(generate).replays == 3


def change_both(one, other):
    one.add_(1)
    other.mul_(2)
    one.add_(1)
    return one.sum() + other.sum()


@pytest.mark.parametrize("function", [change_both, write_first, write_second], ids=lambda one: one.__name__)
@pytest.mark.parametrize("outside", [(), (0,), (1,), (0, 1)], ids=str)
def test_tensors_with_one_version_keep_it(function, outside):
    """After ``x.data = y`` a view of x has other memory, and the version of x."""

    def generate(capture):
        both = [wg.ones(4), None]
        both[1] = both[0][:]
        both[0].data = wg.full((4,), 3.0)
        captured = capture(lambda *given: function(*[both[i] if i in outside else given[i] for i in range(2)]))
        for _ in range(4):
            arguments = [wg.tensor(0.0) if i in outside else both[i] for i in range(2)]
            yield captured(*arguments), both, both[0]._version

    assert compare_runs(generate).replays == 3


@pytest.mark.parametrize("pair", ["data", "set_", "data =", "array"])
def test_a_detached_result_of_a_tensor_on_other_memory_has_its_version(pair):
    def generate(capture):
        first, state = PAIRS[pair]()
        captured = capture(lambda x: (state.detach().add_(x), state.data))
        for _ in range(4):
            yield captured(wg.tensor(1.0)), state, first * 1, first._version

    assert compare_runs(generate).replays == 3


def test_a_detached_tensor_at_the_address_of_one_that_is_gone():
    w = wg.arange(6.0).reshape(2, 3)

    def function(x):
        held = wg.func.vjp(wg.zeros_like, w)[1](w)
        with wg.autograd.forward_ad.dual_level():
            detached = wg.autograd.forward_ad.make_dual(w, wg.full_like(w, 0.5)).data
            primal, _ = wg.autograd.forward_ad.unpack_dual(detached)
        return primal * x, w * 3, held[0]

    captured = wg.capture(function)
    for i in range(4):
        w.add_(1)
        assert [one.tolist() for one in captured(wg.tensor(float(i)))] == \
            [(w * i).tolist(), (w * 3).tolist(), wg.zeros(2, 3).tolist()]
    assert wg.replay.explain(captured).replays == 3
