"""Record what PyTorch gives for the calls in packages/core/tests/recorded, one expression in a line.

To add a case, add ``{"case": "EXPRESSION", "answer": null}`` to a file first.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from wengert_testing.recorded import Entry, read_answers, update_answers

from tools.record import ROOT

from parity.compare import agree  # type: ignore[import-not-found,unused-ignore] # isort: skip

FOLDER = ROOT / "packages" / "core" / "tests" / "recorded"
Ask = Callable[[str, dict[str, Any], Any], Any]
"""Gives the answer to an expression, from the header of its file and PyTorch."""


def record(torch: Any, subject: str, options: argparse.Namespace) -> list[str]:
    """Write the files again, each answer by the function that its file has in FILES."""
    problems = []
    for name, ask in FILES.items():
        path = FOLDER / f"{name}.jsonl"
        header, entries = read_answers(path)
        header["torch"] = torch.__version__
        asked = [Entry(entry.case, None, ask(entry.case, header, torch)) for entry in entries]
        problems += [f"{name}: {case}" for case in update_answers(path, header, asked, same, options.replace)]
    return problems


def same(old: Entry, new: Entry) -> bool:
    """Return whether two answers agree; of a message the phrase that was recorded is in the new one."""
    if "phrase" in old.answer and "phrase" in new.answer:
        kept = {**new.answer, "phrase": old.answer["phrase"]}
        return old.answer["phrase"] in new.answer["phrase"] and bool(agree(kept, old.answer, 1e-6))
    return bool(agree(new.answer, old.answer, 1e-6)) or repr(old.answer) == repr(new.answer)  # nan is not nan


def parts(value: Any, fact: Callable[[Any], Any], torch: Any) -> Any:
    """Return what is recorded of a result that is no tensor: its parts, or its text."""
    if isinstance(value, (tuple, list)) and any(isinstance(part, torch.Tensor) for part in value):
        return {"parts": [fact(part) for part in value]}
    return {"text": str(value)}


def geometry(code: str, header: dict[str, Any], torch: Any) -> Any:
    """Shape, strides, offset and values of an expression, or of the tensor ``b`` after a statement."""
    def fact(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            numbers = value.reshape(-1).tolist()
            return {"shape": list(value.shape), "strides": list(value.stride()), "offset": value.storage_offset(),
                    "dtype": str(value.dtype), "view": value._is_view(),
                    "values": [str(n) for n in numbers] if value.is_complex() else numbers}
        if isinstance(value, (tuple, list)):
            return {"parts": [fact(part) for part in value]}
        return {"text": str(value)}

    names = {"torch": torch, "np": np}
    exec("\n".join(header["setup"]), names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            try:
                compiled = compile(code, "case", "eval")
            except SyntaxError:
                exec(code, names)
                return {"b": fact(names["b"])}
            return fact(eval(compiled, names))
        except Exception as error:
            return {"error": type(error).__name__, "message": str(error).splitlines()[0]}


def results(code: str, header: dict[str, Any], torch: Any) -> Any:
    """Shape, strides, values and warning of an expression."""
    def fact(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return {"shape": list(value.shape), "strides": list(value.stride()), "dtype": str(value.dtype),
                    "values": value.reshape(-1).tolist()}
        return parts(value, fact, torch)

    names = {"torch": torch, "F": torch.nn.functional}
    exec("\n".join(header["setup"]), names)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = fact(eval(code, names))
        except Exception as error:
            return {"error": type(error).__name__, "message": str(error).splitlines()[0]}
    return {**found, "warns": str(caught[0].message).splitlines()[0]} if caught else found


def values(code: str, header: dict[str, Any], torch: Any) -> Any:
    """Dtype, shape and values of an expression, or its Python value."""
    def encode(number: Any) -> Any:
        if isinstance(number, list):
            return [encode(part) for part in number]
        return ["complex", number.real, number.imag] if isinstance(number, complex) else number

    def fact(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            dtype = str(value.dtype).rpartition(".")[2]
            return {"dtype": dtype, "shape": list(value.shape), "values": encode(value.tolist())}
        if isinstance(value, tuple):
            return {"type": type(value).__name__, "parts": [fact(part) for part in value]}
        return {"python": value}

    def tensor(numbers: Any, dtype: str) -> Any:
        return torch.tensor(numbers, dtype=getattr(torch, dtype))

    names: dict[str, Any] = {"torch": torch, "F": torch.nn.functional, "mk": tensor, "math": math,
                             "B": SimpleNamespace(**{name: getattr(torch.ops.aten, name) for name in BACKWARD})}
    for name, data in header["inputs"].items():
        pairs = data["dtype"].startswith("complex")
        names[name] = tensor([complex(*v) for v in data["values"]] if pairs else data["values"], data["dtype"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return fact(eval(code, names))
        except Exception as error:
            return {"error": type(error).__name__, "message": str(error).splitlines()[0]}


def creation(code: str, header: dict[str, Any], torch: Any) -> Any:
    """The text of a result, and of its warning or error; the phrase of a new case is to be cut by hand."""
    def describe(value: Any) -> str:
        if isinstance(value, torch.Tensor):
            return f"{value.tolist()} {value.dtype} {tuple(value.shape)} {value.stride()}"
        return str([describe(item) for item in value]) if isinstance(value, (tuple, list)) else str(value)

    torch.manual_seed(0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = {"value": describe(eval(code, {"torch": torch, "np": np}))}
        except Exception as error:
            return {"error": type(error).__name__, "phrase": str(error)}
    if caught and UNRECORDED not in str(caught[0].message):
        found |= {"warning": caught[0].category.__name__, "phrase": str(caught[0].message)}
    return found


UNRECORDED = "from a list of numpy.ndarrays is extremely slow"
"""The phrase of a warning about PyTorch's own ways, which wengert does not give."""
BACKWARD = ("threshold_backward gelu_backward leaky_relu_backward softplus_backward silu_backward sigmoid_backward "
            "tanh_backward").split()
FILES: dict[str, Ask] = {
    "view": geometry, "index": geometry, "linalg_matmul": results, "linalg_einsum": results, "copy": results,
    "nn_and_loss": results, "pointwise": values, "reduce": values, "create_tensor": creation,
    "create_factories": creation, "create_random": creation, "conversion": creation,
}  # fmt: skip
