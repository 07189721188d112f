"""Settings of how numbers are computed, which change nothing here: kept, checked and shown as PyTorch does."""

from __future__ import annotations

from wengert_core.extend import warn_user

__all__ = ["get_float32_matmul_precision", "set_float32_matmul_precision", "set_flush_denormal"]

PRECISIONS = ("highest", "high", "medium")


class Precision:
    """The precision that was set, for all threads."""

    name = "highest"


def set_float32_matmul_precision(precision: str) -> None:
    """Say how precise products of float32 matrices need to be: "highest", "high" or "medium".

    They are computed in float32 with each of them: no processor of this kind multiplies them in less. Another text is
    warned of and changes nothing; RuntimeError for what is no text.

    >>> import wengert as wg
    >>> wg.set_float32_matmul_precision("high")
    >>> wg.get_float32_matmul_precision()
    'high'
    >>> wg.set_float32_matmul_precision("highest")
    """
    if not isinstance(precision, str):
        raise RuntimeError(f"set_float32_matmul_precision expects a str, but got {type(precision).__name__}")
    if precision in PRECISIONS:
        Precision.name = precision
    else:
        warn_user(f"{precision} is not one of 'highest', 'high', or 'medium'; the current"
                  "setFloat32MatmulPrecision call has no effect.")


def get_float32_matmul_precision() -> str:
    """Return what ``set_float32_matmul_precision`` was last given; "highest" at first.

    >>> import wengert as wg
    >>> wg.get_float32_matmul_precision()
    'highest'
    """
    return Precision.name


def set_flush_denormal(mode: bool) -> bool:
    """Return False: numbers too small for full precision are never set to zero here, which a True would promise.

    RuntimeError for what is no bool.

    >>> import wengert as wg
    >>> wg.set_flush_denormal(True)
    False
    """
    if not isinstance(mode, bool):
        raise RuntimeError(f"flush_denormal expects a bool, but got {type(mode).__name__}")
    return False
