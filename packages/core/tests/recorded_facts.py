"""Answers of PyTorch 2.13 to some calls, and the check that ours give the same."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import wengert_core as wg
from wengert_core.drivers.decomposed import as_dtype
from wengert_core.exchange.arrays import from_array, to_array
from wengert_testing.recorded import read_answers

TOLERANCE = {"float16": 2e-3, "bfloat16": 1e-2, "float32": 3e-6, "float64": 1e-12, "complex64": 3e-6}
KEY_PHRASE = 40  # characters of torch's message that ours must contain


def tensor(values: Any, dtype: str) -> Any:
    """A tensor from (nested) lists."""
    if dtype == "bfloat16":
        return as_dtype(from_array(np.array(values, np.float32)), "bfloat16")
    return from_array(np.array(values, dtype))


def array(values: Any, dtype: str) -> np.ndarray[Any, Any]:
    """The recorded values: JSON has no complex numbers."""
    if dtype.startswith("complex"):
        values = pairs_to_complex(values)
    return np.array(values, "float32" if dtype == "bfloat16" else dtype)


def pairs_to_complex(values: Any) -> Any:
    """["complex", re, im] as a number."""
    if isinstance(values, list) and values[:1] == ["complex"]:
        return complex(values[1], values[2])
    return [pairs_to_complex(v) for v in values] if isinstance(values, list) else values


class Functional:
    """torch.nn.functional, from the table."""

    def __getattr__(self, name: str) -> Any:
        """The function called name."""
        return wg.TABLE.ops[f"nn.functional.{name}"]


def load(name: str) -> tuple[dict[str, Any], list[Any]]:
    """Return (inputs, [[code, answer], ...]) of a recording: see tools/record/core.py."""
    recording = read_answers(Path(__file__).parent / "recorded" / f"{name}.jsonl")
    return recording.header["inputs"], [[entry.case, entry.answer] for entry in recording.entries]


def evaluate(expression: str, inputs: dict[str, Any]) -> Any:
    """The expression with our tensors; the recordings are ours, so eval is safe."""
    names = {}
    for name, record in inputs.items():
        values = record["values"]
        if record["dtype"].startswith("complex"):
            values = [complex(*v) for v in values]
        names[name] = tensor(values, record["dtype"])
    names |= {"torch": wg, "F": Functional(), "B": SimpleNamespace(**wg.TABLE.ops), "mk": tensor, "math": math}
    return eval(expression, names)


def check(got: Any, want: dict[str, Any]) -> None:
    """A result is the recorded one: values, dtype, shape, named tuples."""
    if "python" in want:
        assert got == want["python"]
    elif "parts" in want:
        assert type(got).__name__ == want["type"]
        assert len(got) == len(want["parts"])
        for ours, theirs in zip(got, want["parts"], strict=True):
            check(ours, theirs)
    else:
        assert got.dtype.name == want["dtype"]
        assert list(got.shape) == want["shape"]
        tolerance = TOLERANCE.get(want["dtype"], 0)
        np.testing.assert_allclose(
            to_array(got), array(want["values"], want["dtype"]).reshape(want["shape"]), rtol=tolerance, atol=tolerance
        )


def check_error(error: Exception, want: dict[str, Any]) -> None:
    """The recorded type, and torch's key phrase unless torch only says that no overload fits."""
    assert type(error).__name__ == want["error"]
    if "invalid combination" not in want["message"]:
        phrase = want["message"].strip()
        phrase = phrase.split('" ', 1)[1] if phrase.startswith('"') else phrase  # not the name of torch's kernel
        assert phrase[:KEY_PHRASE] in str(error)
