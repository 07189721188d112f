"""Slices with negative steps: as NumPy's, a copy when read, and written through."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wengert_core as wc
from hypothesis import given
from hypothesis import strategies as st

BOUND = st.one_of(st.none(), st.integers(-8, 8))
SLICES = st.builds(slice, BOUND, BOUND, st.sampled_from([-3, -2, -1, 1, 2, None]))
BASIC = st.one_of(SLICES, st.integers(-4, 3), st.none())
ADVANCED = st.one_of(SLICES, st.none(), st.sampled_from([[0, 2, 0], [-1, 0, 1]]))


def keys() -> Any:
    """Return indices of an array with dims of 4, 5 and 6, in which negative steps occur."""
    return st.one_of(st.lists(kind, min_size=1, max_size=3) for kind in (BASIC, ADVANCED)).map(tuple)


def array() -> Any:
    """Return an array with different elements."""
    return np.arange(120.0).reshape(4, 5, 6)


@given(keys())
def test_elements_are_numpys(key: Any) -> None:
    wanted = array()[key]
    got = wc.from_numpy(array())[key]
    assert tuple(got.shape) == wanted.shape
    assert got.tolist() == wanted.tolist()


@given(keys(), st.booleans())
def test_writes_are_numpys(key: Any, is_number: bool) -> None:
    wanted, got = array(), wc.from_numpy(array())
    value = -1.0 if is_number else -np.arange(1.0, wanted[key].size + 1).reshape(wanted[key].shape)
    wanted[key] = value
    got[key] = value
    assert got.tolist() == wanted.tolist()


def test_a_write_of_the_tensor_to_itself_turns_it() -> None:
    x = wc.arange(5.0)
    x[::-1] = x
    assert x.tolist() == [4, 3, 2, 1, 0]
    x[::-1] += wc.arange(5.0)
    assert x.tolist() == [8, 6, 4, 2, 0]


def test_a_value_is_broadcast_before_it_is_turned() -> None:
    x = wc.zeros(2, 3)
    x[::-1, ::-1] = wc.tensor([1.0, 2.0, 3.0])
    assert x.tolist() == [[3, 2, 1], [3, 2, 1]]


def test_a_step_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        wc.arange(5)[::0]


@pytest.mark.parametrize("key", [slice(None, None, -(2**63) + 1), slice(None, None, -(2**62)), slice(2**63, None, -5)])
def test_steps_beyond_the_tensor_give_its_last_element(key: slice) -> None:
    assert wc.arange(3)[key].tolist() == np.arange(3)[key].tolist() == [2]
