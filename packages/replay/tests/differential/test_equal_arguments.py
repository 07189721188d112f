"""Arguments that are equal and yet differ: by their type, or by the sign of a zero."""

from __future__ import annotations

import dataclasses
import enum
import itertools
from typing import Any, NamedTuple

import numpy as np
import pytest
import wengert as wg

from .scenarios import compare_runs


@dataclasses.dataclass(frozen=True)
class Constants:
    part: Any


class Pair(NamedTuple):
    part: Any


class Level(enum.IntEnum):
    LOW = 1


class Whole(int):
    pass


ONES = [1, True, 1.0, 1 + 0j, np.int64(1), np.int32(1), np.float64(1), np.float32(1), np.bool_(True), np.complex64(1),
        Level.LOW, Whole(1)]  # fmt: skip
ZEROS = [0.0, -0.0, 0, False, 0j, complex(-0.0, 0.0), complex(0.0, -0.0), np.float64(0.0), np.float64(-0.0),
         np.float32(-0.0)]  # fmt: skip
NANS = [float("nan"), -float("nan"), complex(float("nan"), 1), complex(1, -float("nan"))]
HOLDERS = {
    "itself": lambda value: value,
    "tuple": lambda value: (value,),
    "list": lambda value: [value],
    "dict": lambda value: {"part": value},
    "key": lambda value: {value: 1},
    "nested key": lambda value: {(value, "a"): 1},
    "frozen set": lambda value: frozenset([value]),
    "frozen dataclass": Constants,
    "named tuple": Pair,
}


def part_of(holder):
    if isinstance(holder, dict) and "part" in holder:
        return holder["part"]
    if isinstance(holder, (tuple, list, dict, frozenset)):
        return part_of(next(iter(holder)))
    return getattr(holder, "part", holder)


def function(x, holder):
    part = part_of(holder)
    return x * part, type(part).__name__, repr(part)


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("values", [ONES, ZEROS, NANS], ids=["ones", "zeros", "nans"])
def test_equal_arguments_get_programs_of_their_own(holder, values):
    make = HOLDERS[holder]

    def generate(capture):
        captured, x = capture(function, max_programs=64), wg.tensor([1.0, -2.0])
        for value in itertools.chain(values, values, reversed(values)):
            yield captured(x, make(value))

    assert compare_runs(generate).replays >= len(values)


@pytest.mark.parametrize("value", [1, True, 1.0, 0.0, -0.0], ids=repr)
def test_keys_of_a_result_have_their_types(value):
    def generate(capture):
        captured = capture(lambda x, key: {key: x * 2})
        for key in (1, True, 1.0, value, value):
            result = captured(wg.ones(2), key)
            yield list(result), [repr(one) for one in result], list(result.values())

    assert compare_runs(generate).replays >= 1
