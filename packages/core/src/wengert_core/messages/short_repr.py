"""Values of a caller in messages."""

from collections.abc import Callable
from typing import Any


def told(value: Any, show: Callable[[Any], str] = repr) -> str:
    """Return the repr, or str, of a value for a message: short, and its type where it has none (one nested too deep).

    >>> told([1, 2]), told("a", str), len(told(list(range(1000))))
    ('[1, 2]', 'a', 203)
    """
    try:
        text = show(value)
    except Exception:
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= 200 else f"{text[:200]}..."
