"""SciPy with SCIPY_ARRAY_API=1, and scikit-learn by it, on tensors: values are those for arrays, derivatives agree with
differences.
"""

from __future__ import annotations

import pytest

from .scipy_clients import run_part

pytest.importorskip("scipy", minversion="1.17", reason="SciPy 1.17 or newer is not installed")

PARTS = ["special", "stats", "integrate", "fft", "signal", "spatial"]


@pytest.mark.parametrize("part", PARTS)
def test_calls_on_tensors_have_the_values_of_arrays_and_right_derivatives(part: str) -> None:
    problems = [text for text in run_part(part).values() if text]
    assert not problems, "\n".join(problems)


def test_scikit_learn_on_tensors_has_the_values_of_arrays_and_right_derivatives() -> None:
    pytest.importorskip("sklearn", minversion="1.8", reason="scikit-learn 1.8 or newer is not installed")
    problems = [text for text in run_part("sklearn").values() if text]
    assert not problems, "\n".join(problems)
