"""Iteration over a tensor: views of its rows, which can be written to."""

from __future__ import annotations

from fractions import Fraction

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


def test_lists_take_the_rows_of_a_tensor_and_are_repeated_by_a_number() -> None:
    items: list[object] = [0]
    items += wc.tensor([[1.0], [2.0]])  # type: ignore[arg-type]
    assert [item.tolist() for item in items[1:]] == [[1.0], [2.0]]  # type: ignore[attr-defined]
    assert [1] * wc.tensor(2) == wc.tensor(2) * [1] == [1, 1]  # type: ignore[comparison-overlap, operator]


def test_numbers_that_pytorch_does_not_know_answer_themselves() -> None:
    x = wc.tensor([1.0, 4.0])
    assert (x == Fraction(1)) is False
    assert (x ** Fraction(1, 2)).tolist() == [1.0, 2.0]
    with pytest.raises(TypeError, match="unsupported operand type"):
        x + Fraction(1)
