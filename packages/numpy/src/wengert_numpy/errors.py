"""Error messages: a function's name, the argument, what was expected, and what to do instead."""

from __future__ import annotations

from typing import Any

from wengert_core.extend import short_repr


def unsupported_function(name: str, instead: str = "") -> TypeError:
    """Return the error for a function of NumPy that tensors do not have."""
    hint = instead or "call it on x.detach().numpy() if no derivative is needed"
    return TypeError(f"{name}() does not take wengert's tensors: {hint}")


def unsupported_argument(name: str, argument: str, value: Any, instead: str) -> TypeError:
    """Return the error for an argument, or a value of one, that tensors do not have."""
    return TypeError(f"{name}(): argument '{argument}' = {short_repr(value)} is not supported on tensors: {instead}")


def wrong_operand(name: str, argument: str, value: Any) -> TypeError:
    """Return the error for an operand that is neither a tensor nor anything that becomes one."""
    return TypeError(
        f"{name}(): argument '{argument}' must be a tensor, an array, a number or a nested sequence of them, not "
        f"{type(value).__name__}"
    )


def lost_history(name: str) -> TypeError:
    """Return the error for out=, an ndarray, of a result that has a derivative."""
    return TypeError(
        f"{name}(): argument 'out' is a numpy.ndarray, which cannot hold the derivative of the result: give a tensor "
        "for out=, or call the function on x.detach()"
    )
