"""einsum and tensordot: recorded PyTorch results, and NumPy's."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import wengert_core as wg
from wengert_core.exchange.arrays import from_array, to_array

from .recorded_networks import check_fact, load

SETUP, FACTS = load("linalg_einsum")


@pytest.mark.parametrize(("code", "want"), FACTS, ids=[code for code, _ in FACTS])
def test_same_as_recorded(code: str, want: dict[str, Any]) -> None:
    check_fact(code, SETUP, want)


SIZES = {"a": 2, "b": 3, "c": 4, "d": 2, "A": 3, "B": 1}
EQUATIONS = [
    "ab->ba", "aa->a", "abab->ba", "ab,bc->ac", "ab,bc->ca", "ab,bc", "ab,ba->", "a,b->ba", "ab,ab->ab", "ab,ab->b",
    "abc,cd->abd", "abc,abd->acd", "abc,bad->cd", "ab,bc,cd->ad", "ab,bc,cd->da", "a,ab,b->", "abc->", "aAb,Ab->a",
    "ab,a,b->ab", "aB,Bb->ab", "...a,ab->...b", "a...->...a", "...ab,...bc->...ac", "...->...", "a...b->ba",
    "a...,b...->ab...", "abc,b->a", "ba,bA->aA",
]  # fmt: skip


def operands(equation: str, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    terms = equation.split("->")[0].split(",")
    return [rng.integers(-3, 4, [SIZES[c] for c in term.replace("...", "dc")]).astype(np.float64) for term in terms]


@pytest.mark.parametrize("equation", EQUATIONS)
def test_einsum_is_numpys(equation: str) -> None:
    arrays = operands(equation, np.random.default_rng(0))
    want = np.einsum(equation, *arrays) if "a...b->ba" not in equation else np.einsum("adcb->ba", *arrays)
    got = wg.einsum(equation, *map(from_array, arrays))
    np.testing.assert_array_equal(to_array(got), want)
    spread = equation.replace(",", " , ").replace("->", " -> ")
    np.testing.assert_array_equal(to_array(wg.einsum(spread, [from_array(a) for a in arrays])), want)


def test_random_equations_are_numpys() -> None:
    chance, rng = random.Random(0), np.random.default_rng(0)
    for _ in range(150):
        terms = ["".join(chance.sample("abcdAB", chance.randrange(4))) for _ in range(chance.randrange(1, 4))]
        known = sorted(set("".join(terms)))
        equation = ",".join(terms) + "->" + "".join(chance.sample(known, chance.randrange(len(known) + 1)))
        arrays = operands(equation, rng)
        got = wg.einsum(equation, *map(from_array, arrays))
        np.testing.assert_array_equal(to_array(got), np.einsum(equation, *arrays), err_msg=equation)


def test_sizes_of_one_broadcast() -> None:
    a, b = np.arange(3.0).reshape(3, 1), np.arange(6.0).reshape(2, 3)
    got = wg.einsum("ij,kj->ik", from_array(a), from_array(b))
    np.testing.assert_array_equal(to_array(got), a @ b.sum(1)[None])
    got = wg.einsum("...,...->...", from_array(a), from_array(b[:, None]))
    np.testing.assert_array_equal(to_array(got), a * b[:, None])


def test_one_operand_without_a_sum_is_a_view() -> None:
    x = wg.zeros(2, 3)
    transposed = wg.einsum("ij->ji", x)
    x.fill_(4.0)
    assert transposed.tolist() == [[4.0, 4.0]] * 3


@pytest.mark.parametrize("dims", [0, 1, 2, ([0], [1]), ([0, 2], [1, 0]), ([-1], [-2]), (2, 0)])
def test_tensordot_is_numpys(dims: Any) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(-3, 4, (3, 2, 3)).astype(float), rng.integers(-3, 4, (2, 3, 3)).astype(float)
    if dims in (1, ([0, 2], [1, 0]), (2, 0)):
        b = np.moveaxis(b, 0, 2)
    np.testing.assert_array_equal(
        to_array(wg.tensordot(from_array(a), from_array(b), dims=dims)), np.tensordot(a, b, dims), strict=True
    )
