"""torch's error for a call that fits none of a function's signatures."""

from __future__ import annotations

from typing import Any


def invalid_combination(name: str, arguments: tuple[Any, ...], expected: str) -> TypeError:
    """torch's error for arguments that fit none of a function's signatures."""
    got = ", ".join(type(value).__name__ for value in arguments if value is not None)
    return TypeError(
        f"{name}() received an invalid combination of arguments - got ({got}), but expected one of: {expected}"
    )
