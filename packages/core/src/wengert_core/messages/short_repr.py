"""Values of a caller in messages."""

from collections.abc import Callable
from typing import Any


def short_repr(value: Any, show: Callable[[Any], str] = repr) -> str:
    """Return the repr, or str, of a value for a message: short, and its type where it has none (one nested too deep).

    >>> short_repr([1, 2]), short_repr("a", str), len(short_repr(list(range(1000))))
    ('[1, 2]', 'a', 203)
    """
    try:
        text = show(value)
    except Exception:
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= 200 else f"{text[:200]}..."
