"""Iteration over a tensor: views of its rows, which can be written to."""

from __future__ import annotations

import pytest
import wengert_core as wc


def test_rows_are_views() -> None:
    x = wc.zeros(3, 2)
    for i, row in enumerate(x):
        row.fill_(i)
        row[0] = -1
    assert x.tolist() == [[-1, 0], [-1, 1], [-1, 2]]


def test_elements_of_a_vector_are_tensors_without_dims() -> None:
    assert [one.tolist() for one in wc.arange(3)] == [0, 1, 2]
    first, second = wc.arange(2)
    assert (first.ndim, second.item()) == (0, 1)


def test_a_number_is_not_iterated() -> None:
    with pytest.raises(TypeError, match="iteration over a 0-d tensor"):
        iter(wc.tensor(1.0))
