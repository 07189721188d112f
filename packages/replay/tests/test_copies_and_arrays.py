"""Memory that no operation copies or shares: copies by Python, DLPack, arrays of NumPy, and Python data as results."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import wengert as wg

from .differential.scenarios import attempt, compare_runs

ARRAY = np.zeros(3, dtype=np.float32)


def deepcopy(x):
    return copy.deepcopy(x) * 2


def deepcopy_of_a_value(x):
    return copy.deepcopy(x * 3) * 2


def shallow_copy(x):
    return copy.copy(x * 3).mul_(2)


def read_by_dlpack(x):
    return x * float(np.from_dlpack(x * 1).sum())


def write_by_dlpack(x):
    made = x * 2
    array = np.from_dlpack(made)
    array += 1
    return made * 1


def new_array(x):
    return wg.from_numpy(np.zeros(3, dtype=np.float32)).add_(x) * 1


def new_array_as_a_result(x):
    return wg.from_numpy(np.zeros(3, dtype=np.float32)).add_(x)


def as_tensor_of_a_new_array(x):
    made = wg.as_tensor(np.zeros(3, dtype=np.float32))
    made[0] = x[1]
    return made * 1


def constant_array_as_a_result(x):
    return wg.from_numpy(np.ones(3, dtype=np.float32)), x * 2


def legacy_constructors(x):
    return wg.FloatTensor([x[0], x[1]]), wg.LongTensor([1, 2]), x.new(x.tolist()), x * 2


def from_numpy(x):
    return x * wg.from_numpy(ARRAY)


def as_tensor(x):
    return x * wg.as_tensor(ARRAY)


def asarray(x):
    return x * wg.asarray(ARRAY)


def frombuffer(x):
    return x * wg.frombuffer(ARRAY, dtype=wg.float32)


def from_dlpack(x):
    return x * wg.from_dlpack(ARRAY)


REPLAYED = (from_numpy, as_tensor, asarray, frombuffer, from_dlpack)


@pytest.mark.parametrize(
    "function",
    [
        deepcopy, deepcopy_of_a_value, shallow_copy, read_by_dlpack, write_by_dlpack, new_array, new_array_as_a_result,
        as_tensor_of_a_new_array, constant_array_as_a_result, legacy_constructors, from_numpy, as_tensor, asarray,
        frombuffer, from_dlpack,
    ],
)  # fmt: skip
def test_each_call_gives_the_numbers_of_an_eager_call(function):
    def generate(capture):
        captured = capture(function)
        for number, values in enumerate(([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [4.0, 1.0, 0.5], [2.0, 2.0, 1.0])):
            ARRAY[:] = number
            found = attempt(captured, wg.tensor(values))
            yield found
            for one in found if isinstance(found, tuple) else (found,):
                one.add_(1)

    assert compare_runs(generate).replays == (3 if function in REPLAYED else 0)


@pytest.mark.parametrize("function", [from_numpy, as_tensor, asarray, frombuffer])
def test_a_tensor_on_an_array_is_replayed(function):
    captured = wg.capture(function)
    for _ in range(3):
        captured(wg.ones(3))
    assert wg.replay.explain(captured).replays == 2


OWNER = {}


@pytest.mark.parametrize(
    ("function", "replays"),
    [
        (lambda x: x * copy.copy(OWNER["state"]), 0),
        (lambda x: x * copy.deepcopy(OWNER["state"]), 0),
        (lambda x: x * wg.from_dlpack(OWNER["state"]), 2),
        (lambda x: x * set_data(wg.zeros(3), OWNER["state"]), 2),
    ],
)
def test_a_replaced_tensor_is_noticed(function, replays):
    def generate(capture):
        OWNER["state"] = wg.ones(3)
        captured = capture(function)
        for value in (1.0, 1.0, 1.0, 5.0, 5.0):
            if value == 5:
                OWNER["state"] = wg.full((3,), value)
            yield captured(wg.tensor(2.0)).tolist()

    assert compare_runs(generate).replays == replays


def set_data(made, other):
    made.data = other
    return made
