"""Answers of PyTorch 2.13 to calls that index and reshape: shape, strides, offset, view or copy, values."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import wengert_core as wg
from wengert_core.exchange.arrays import to_array
from wengert_core.messages.tensor_attribute_error import TensorAttributeError
from wengert_core.tensors.tensor import Tensor
from wengert_testing.recorded import read_answers

KEY_PHRASE = 35  # characters of torch's message that ours must begin with


def load(name: str) -> tuple[list[str], list[Any]]:
    """Return (lines that make the inputs, [[code, answer], ...]) of a recording: see tools/record/core.py."""
    recording = read_answers(Path(__file__).parent / "recorded" / f"{name}.jsonl")
    return recording.header["setup"], [[entry.case, entry.answer] for entry in recording.entries]


def outcome(code: str, setup: list[str]) -> Any:
    """The value of an expression, or the tensor ``b`` after a statement; the recordings are ours, so eval is safe."""
    names: dict[str, Any] = {"torch": wg, "np": np}
    exec("\n".join(setup), names)
    try:
        compiled = compile(code, "case", "eval")
    except SyntaxError:
        exec(code, names)
        return {"b": names["b"]}
    return eval(compiled, names)


def check(got: Any, want: dict[str, Any]) -> None:
    """The recorded geometry and values. Strides of dims of size 1 and of empty tensors lead nowhere and may differ."""
    if "b" in want:
        check(got["b"], want["b"])
    elif "parts" in want:
        assert len(got) == len(want["parts"])
        for ours, theirs in zip(got, want["parts"], strict=True):
            check(ours, theirs)
    elif "text" in want:
        assert str(got) == want["text"]
    else:
        check_tensor(got, want)


def check_tensor(got: Any, want: dict[str, Any]) -> None:
    assert isinstance(got, Tensor)
    assert list(got.shape) == want["shape"]
    assert str(got.dtype) == want["dtype"]
    assert got._is_view() == want["view"]
    assert got.storage_offset() == want["offset"]
    if math.prod(want["shape"]):
        relevant = [i for i, size in enumerate(want["shape"]) if size != 1]
        assert [got.stride(i) for i in relevant] == [want["strides"][i] for i in relevant]
    values = to_array(got).reshape(-1).tolist()
    assert ([str(v) for v in values] if got.dtype.is_complex else values) == want["values"]


def check_error(error: Exception, want: dict[str, Any]) -> None:
    """The recorded type and key phrase; not the phrase where torch only says that no overload fits."""
    kind = RuntimeError if isinstance(error, TensorAttributeError) else type(error)
    assert kind.__name__ == want["error"]
    unsaid = (
        "invalid combination",
        "permute(sparse_coo)",
        "failed to unpack",
        "must be tuple of ints",
        "multiplication overflow",
    )
    if not any(part in want["message"] for part in unsaid) and "positional argument" not in want["message"]:
        assert str(error).startswith(want["message"][:KEY_PHRASE])
