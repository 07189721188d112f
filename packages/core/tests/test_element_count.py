"""``Tensor.size``: an int that is called as PyTorch's method."""

from __future__ import annotations

import gc
import json
import pickle
import weakref

import numpy as np
import pytest
import wengert_core as wc


def test_it_is_the_number_of_elements() -> None:
    t = wc.zeros(3, 4)
    assert isinstance(t.size, int)
    assert t.size == 12
    assert (t.size + 1, t.size // 5, -t.size, hash(t.size), f"{t.size}") == (13, 2, -12, hash(12), "12")
    assert [0, 1, 2][wc.zeros(2).size] == 2
    assert json.dumps({"n": t.size}) == '{"n": 12}'


@pytest.mark.parametrize("count", [0, 1, 2**15 - 1, 2**15, 2**30 - 1, 2**30, 2**31, 2**45 + 7, 2**60, 2**62 + 5])
def test_it_has_any_value_that_a_tensor_can_have(count: int) -> None:
    t = wc.zeros(0) if not count else wc.zeros(1, dtype=wc.bool).expand(count)
    assert t.size == count
    assert t.size + 0 == count
    assert bool(t.size) is bool(count)


def test_called_it_is_the_method() -> None:
    t = wc.zeros(3, 4)
    size = t.size
    assert size() == t.size() == (3, 4)
    assert size(0) == t.size(0) == size(dim=-2) == 3
    assert wc.Tensor.size(t, 1) == 4
    with pytest.raises(IndexError, match="Dimension out of range"):
        size(2)
    with pytest.raises(TypeError, match=r"must be int, not str|size\(\)"):
        size("a")
    with pytest.raises(TypeError):
        size(*range(20))


def test_it_is_copied_as_an_int() -> None:
    copied = pickle.loads(pickle.dumps(wc.zeros(3).size))
    assert (type(copied), copied) == (int, 3)


def test_it_keeps_the_tensor_alive_and_goes_with_it() -> None:
    t = wc.zeros(3)
    gone = weakref.ref(t)
    t.own = t.size  # a circle
    size = t.size
    del t
    gc.collect()
    assert size() == (3,)
    del size
    gc.collect()
    assert gone() is None


def test_none_are_made_by_hand() -> None:
    with pytest.raises(TypeError, match="cannot create"):
        type(wc.zeros(1).size)(3)


def test_numpy_takes_it_for_the_size() -> None:
    assert np.zeros(wc.zeros(3).size).shape == (3,)
