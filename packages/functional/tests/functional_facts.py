"""What is recorded of a call: its nested result, or its error. tools/record/functional.py asks PyTorch for it."""

from __future__ import annotations

from typing import Any


def fact(value: Any, tensor_type: Any) -> Any:
    """What is compared of a value: nesting, shapes, dtypes, values, and whether it requires grad."""
    if isinstance(value, tensor_type):
        plain = value.detach().reshape(-1)
        if plain.is_complex():
            values = [[number.real, number.imag] for number in plain.tolist()]
        else:
            values = plain.tolist()
        return {"shape": list(value.shape), "dtype": str(value.dtype), "values": values,
                "requires_grad": value.requires_grad}
    if isinstance(value, dict):
        return {"keys": list(value), "parts": [fact(part, tensor_type) for part in value.values()]}
    if isinstance(value, (tuple, list)):
        return {"nest": type(value).__name__, "parts": [fact(part, tensor_type) for part in value]}
    return {"text": str(value)}


def outcome(code: str, setup: list[str], torch: Any) -> Any:
    """The fact of one case; its error, if it has one."""
    names: dict[str, Any] = {"torch": torch}
    exec("\n".join(setup), names)
    try:
        return fact(eval(code, names), torch.Tensor)
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error)}
