"""Reductions, scans and sorting against recorded PyTorch results: values, dtypes, named results, errors."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from .recorded_facts import check, check_error, evaluate, load

INPUTS, FACTS = load("reduce")


@pytest.mark.parametrize(("expression", "want"), FACTS, ids=[expression for expression, _ in FACTS])
def test_same_as_recorded(expression: str, want: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if "error" in want:
            with pytest.raises(Exception) as caught:  # noqa: PT011 - check_error looks at the type
                evaluate(expression, INPUTS)
            check_error(caught.value, want)
        else:
            check(evaluate(expression, INPUTS), want)
