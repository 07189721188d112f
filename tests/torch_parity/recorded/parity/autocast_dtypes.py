"""The calls of the sample table inside of autocast on the CPU: which dtypes come out.

Used with PyTorch by tools/record/sample_table.py and with wengert by test_autocast.py; imports neither.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from parity.sample_calls import Sample, map_arrays, plain, tensors

DTYPES = ("float32", "bfloat16", "float16", "float64")
"""Dtypes of all floating arguments of a call."""


def autocast_dtypes(path: str, samples: Sequence[Sample], torch: ModuleType) -> list[list[str]]:
    """For each sample and dtype of its arguments the dtypes of the results under bfloat16, as one text."""
    function: Any = torch
    for name in path.split("."):
        function = getattr(function, name)
    return [[outcome(function, sample, dtype, torch) for dtype in DTYPES] for sample in samples]


def outcome(function: Any, sample: Sample, dtype: str, torch: ModuleType) -> str:
    """The dtypes of the results of one call, "refused" where it raises."""

    def make(array: Any) -> Any:
        made = plain(array, torch)
        return made.to(getattr(torch, dtype)) if array.dtype.kind == "f" else made

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            args, kwargs = map_arrays(sample, make)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                results = tensors(function(*args, **kwargs), torch)
        except Exception:
            return "refused"
    return " ".join(str(y.dtype).rpartition(".")[2] for y in results)
