"""Answers of PyTorch 2.13 to calls that make and convert tensors, and the check that ours give the same."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wengert_core as wg
from wengert_testing.recorded import read_answers


def load(name: str) -> list[Any]:
    """Return [[expression, answer], ...] of a recording: see tools/record/core.py."""
    recording = read_answers(Path(__file__).parent / "recorded" / f"{name}.jsonl")
    return [[entry.case, entry.answer] for entry in recording.entries]


def describe(value: Any) -> str:
    """A result as the recording writes it: values, dtype, shape and strides of a tensor."""
    if isinstance(value, wg.Tensor):
        return f"{value.tolist()} {value.dtype} {tuple(value.shape)} {value.stride()}"
    if isinstance(value, (tuple, list)):
        return str([describe(item) for item in value])
    return str(value)


def check(expression: str, want: dict[str, Any]) -> None:
    """Evaluate an expression of the recording (it is ours, so eval is safe) and compare."""
    names = {"torch": wg, "np": np}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if "error" in want:
            with pytest.raises(Exception) as error:  # noqa: PT011 - the type is compared below
                eval(expression, names)
            allowed = {want["error"], *(["BufferError"] if want["phrase"].endswith("in DLTensor.") else [])}
            assert type(error.value).__name__ in allowed  # of DLPack the error is theirs: another one in NumPy 2.5
            assert want["phrase"] in str(error.value)
            return
        assert describe(eval(expression, names)) == want["value"]
    if "warning" in want:
        given = [(item.category.__name__, want["phrase"] in str(item.message)) for item in caught]
        assert given == [(want["warning"], True)]
