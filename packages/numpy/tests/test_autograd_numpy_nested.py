"""Nested containers of arrays, also those without an end."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
import wengert as wg
from wengert_numpy.autograd_numpy.nested import holds_tensor, leaves_of, map_leaves, with_leaves


class Pair(NamedTuple):
    a: object
    b: object


NESTED = {"b": [1, (2.0, "x")], "a": Pair(3, None)}


def test_leaves_come_in_the_order_of_sorted_keys() -> None:
    assert leaves_of(NESTED) == [3, None, 1, 2.0, "x"]
    assert leaves_of({1: 2, "a": 3}) == [2, 3]


def test_containers_keep_their_classes() -> None:
    new = with_leaves(NESTED, iter("abcde"))
    assert new == {"b": ["c", ("d", "e")], "a": Pair("a", "b")}
    assert type(new["a"]) is Pair
    assert list(new) == ["b", "a"]
    assert map_leaves(lambda one, other: (one, other), Pair(1, [2]), Pair(3, [4])) == Pair((1, 3), [(2, 4)])


@pytest.mark.parametrize("kind", [OrderedDict, lambda **items: defaultdict(list, items)])
def test_subclasses_of_dict_are_dicts(kind: Callable[..., dict[str, object]]) -> None:
    nested = kind(b=1, a=2)
    new = with_leaves(nested, iter("xy"))
    assert leaves_of(nested) == [2, 1]
    assert type(new) is type(nested)
    assert dict(new) == {"a": "x", "b": "y"}
    found = wg.numpy.grad(lambda p: np.sum(p["w"] ** 2))(kind(w=np.ones(2)))
    assert type(found) is type(nested)
    np.testing.assert_array_equal(found["w"], [2.0, 2.0])


def test_forms_that_differ_are_an_error() -> None:
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        map_leaves(lambda one, other: one, [1, 2], [1])


def test_tensors_are_found_anywhere() -> None:
    assert holds_tensor({"a": [1, (wg.ones(1),)]})
    assert not holds_tensor({"a": [1, (np.ones(1), "x", None, object())]})


@pytest.mark.parametrize(
    "walk", [holds_tensor, leaves_of, lambda x: with_leaves(x, iter(())), lambda x: map_leaves(float, x)]
)
def test_a_list_that_is_in_itself_is_a_recursion_error(walk: object) -> None:
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(RecursionError, match="maximum recursion depth"):
        walk(endless)  # type: ignore[operator]
