"""The array API's functions on tensors: values, dtypes and shapes against NumPy's, derivatives against differences."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
import wengert as wg
import wengert.array_api as xp

from .array_api_cases import Case, assert_derivatives, assert_same

CASES: list[Case] = []
for _part in ("elementwise", "shapes", "linalg", "reductions"):
    CASES += import_module(f".array_api_cases_{_part}", __package__).CASES
ELSEWHERE = set(
    """asarray broadcast_shapes can_cast empty empty_like finfo iinfo isdtype result_type linalg.eig
    linalg.eigvals linalg.eigh linalg.qr linalg.svd nextafter""".split()
)
"""Functions whose results are not compared element by element, or have tests of their own."""


def available(case: Case) -> Case:
    """Skip a case whose function NumPy has in later versions only."""
    if case.reference is None:
        pytest.skip(f"numpy {np.__version__} has no {case.name}")
    return case


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_tensors_give_the_values_dtypes_and_shapes_of_arrays(case: Case) -> None:
    assert_same(available(case))


@pytest.mark.parametrize("case", [one for one in CASES if one.gradient], ids=repr)
def test_derivatives_agree_with_differences(case: Case) -> None:
    assert_derivatives(case)


def test_every_function_has_a_case() -> None:
    named = {case.name for case in CASES} | ELSEWHERE
    here = {name for name in xp.__all__ if callable(getattr(xp, name)) and not name.startswith("__")}
    inside = {f"{part}.{name}" for part in ("linalg", "fft") for name in getattr(xp, part).__all__}
    assert {name for name in here | inside if not isinstance(getattr(xp, name, None), wg.dtype)} - named == set()
