"""Structures: what flatten takes apart, rebuild puts together, and what is no structure is an error."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict, namedtuple

import pytest
import wengert as wg
from wengert_replay.signature import flatten
from wengert_replay.structures import rebuild

Pair = namedtuple("Pair", "a b")  # noqa: PYI024  # as users' programs have them


@dataclasses.dataclass
class Point:
    x: object
    y: object


def some(t):
    return [
        t,
        (t, 1),
        [t, [t, (t,)], "word"],
        {"a": t, 1: [t]},
        OrderedDict(b=t, a=2.5),
        Pair(t, (t, None)),
        Point(t, {"k": t}),
        (),
        [],
        {},
        None,
        -0.0,
        slice(1, None, 2),
    ]


@pytest.mark.parametrize("number", range(13))
def test_rebuild_is_the_inverse_of_flatten(number):
    t, other = wg.ones(2), wg.zeros(3)
    tensors: list[wg.Tensor] = []
    structure = flatten(some(t)[number], tensors)
    found = rebuild(structure, [other] * len(tensors))
    again: list[wg.Tensor] = []
    assert type(found) is type(some(other)[number])
    assert flatten(found, again) == structure
    assert all(one is other for one in again)


def test_lists_and_dicts_are_made_anew():
    t = wg.ones(2)
    structure = flatten([[t], {"a": t}], [])
    first, second = rebuild(structure, [t]), rebuild(structure, [t])
    assert first[0] is not second[0]
    assert first[1] is not second[1]


@pytest.mark.parametrize(
    ("value", "error"),
    [((), ValueError), ([1], TypeError), ((wg.Tensor,), IndexError), ((wg.Tensor, 5), IndexError),
     ((wg.Tensor, -5), IndexError), ((wg.Tensor, "a"), TypeError), ((list, 3), TypeError), ((tuple, ()), ValueError),
     ((dict, 1), TypeError)],
)  # fmt: skip
def test_what_is_no_structure_is_an_error(value, error):
    with pytest.raises(error):
        rebuild(value, [wg.ones(1)])
