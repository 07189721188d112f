"""Answers of PyTorch 2.13 to products, joins and functions of networks: shape, strides, values, warnings, errors."""

from __future__ import annotations

import math
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wengert_core as wg
from wengert_core.exchange.arrays import to_array
from wengert_core.tensors.tensor import Tensor
from wengert_testing.recorded import read_answers

TOLERANCE = {"torch.float16": 2e-3, "torch.float32": 2e-6}
KEY_PHRASE = 60  # characters of torch's message that ours must begin with
UNSAID = ("combination", "(position")  # not where torch only says that no overload fits, or where an argument stands


class Namespace:
    """A part of the table, as torch's module: torch.nn.functional, torch.linalg; at the top wengert_core itself."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, name: str) -> Any:
        if not self.name:
            return Namespace("linalg") if name == "linalg" else getattr(wg, name)
        return wg.TABLE.ops[f"{self.name}.{name}"]


def load(name: str) -> tuple[list[str], list[Any]]:
    """Return (lines that make the inputs, [[code, answer], ...]) of a recording: see tools/record/core.py."""
    recording = read_answers(Path(__file__).parent / "recorded" / f"{name}.jsonl")
    return recording.header["setup"], [[entry.case, entry.answer] for entry in recording.entries]


def evaluate(code: str, setup: list[str]) -> Any:
    """The value of an expression; the recordings are ours, so eval is safe."""
    names: dict[str, Any] = {"torch": Namespace(""), "F": Namespace("nn.functional")}
    exec("\n".join(setup), names)
    return eval(code, names)


def check_fact(code: str, setup: list[str], want: dict[str, Any]) -> None:
    """Ours gives the recorded value, warning or error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if "error" in want:
            with pytest.raises(Exception) as error:  # noqa: PT011 - the type is compared
                evaluate(code, setup)
            check_error(error.value, want)
            return
        check(evaluate(code, setup), want)
    assert [str(w.message)[:40] for w in caught][:1] == ([want["warns"][:40]] if "warns" in want else [])


def check_error(error: Exception, want: dict[str, Any]) -> None:
    assert type(error).__name__ == want["error"]
    if not any(part in want["message"] for part in UNSAID):
        assert str(error).startswith(want["message"].rstrip(".")[:KEY_PHRASE])


def check(got: Any, want: dict[str, Any]) -> None:
    if "parts" in want:
        assert len(got) == len(want["parts"])
        for ours, theirs in zip(got, want["parts"], strict=True):
            check(ours, theirs)
    elif "text" in want:
        assert str(got) == want["text"]
    else:
        check_tensor(got, want)


def check_tensor(got: Any, want: dict[str, Any]) -> None:
    """Strides of dims of size 1 and of empty tensors lead nowhere and may differ."""
    assert isinstance(got, Tensor)
    assert (list(got.shape), str(got.dtype)) == (want["shape"], want["dtype"])
    if math.prod(want["shape"]):
        relevant = [i for i, size in enumerate(want["shape"]) if size != 1]
        assert [got.stride(i) for i in relevant] == [want["strides"][i] for i in relevant]
    tolerance = TOLERANCE.get(want["dtype"], 1e-12 if re.search(r"float|complex", want["dtype"]) else 0)
    np.testing.assert_allclose(
        to_array(got).reshape(-1), np.array(want["values"]), rtol=tolerance, atol=tolerance, equal_nan=True
    )
