"""Modes for deterministic algorithms: kept and shown as PyTorch does. They change no operation.

On the CPU every operation is deterministic: the same call gives the same numbers, bit by bit, on any number of threads.
On a GPU, what is added into one element (``index_add``, ``scatter_add``, gradients of indexing) is added in any order,
so the last bits may differ from run to run. There PyTorch raises, warns or takes another algorithm; wengert does not.
"""

from __future__ import annotations

__all__ = ["are_deterministic_algorithms_enabled", "get_deterministic_debug_mode",
           "is_deterministic_algorithms_warn_only_enabled", "set_deterministic_debug_mode",
           "use_deterministic_algorithms"]

MODES = {"default": 0, "warn": 1, "error": 2}


class Mode:
    """The modes that were set, for all threads."""

    enabled = False
    warn_only = False


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Say whether only deterministic algorithms are wanted.

    All operations on the CPU are deterministic in either mode. On a GPU what is added into one element (``index_add``,
    ``scatter_add``, gradients of indexing) is added in any order in either mode, without an error or a warning.

    >>> import wengert as wg
    >>> wg.use_deterministic_algorithms(True, warn_only=True)
    >>> wg.get_deterministic_debug_mode()
    1
    >>> wg.use_deterministic_algorithms(False)
    """
    if not isinstance(mode, bool):
        raise TypeError("use_deterministic_algorithms(): argument 'mode' (position 1) must be bool, "
                        f"not {type(mode).__name__}")
    if not isinstance(warn_only, bool):
        raise TypeError("use_deterministic_algorithms(): argument 'warn_only' must be bool, "
                        f"not {type(warn_only).__name__}")
    Mode.enabled, Mode.warn_only = mode, warn_only


def are_deterministic_algorithms_enabled() -> bool:
    """Return what ``use_deterministic_algorithms`` was last given; False at first.

    False does not mean that operations on the CPU are not deterministic: they always are.

    >>> import wengert as wg
    >>> wg.are_deterministic_algorithms_enabled()
    False
    """
    return Mode.enabled


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Return the ``warn_only`` that ``use_deterministic_algorithms`` was last given; False at first.

    >>> import wengert as wg
    >>> wg.is_deterministic_algorithms_warn_only_enabled()
    False
    """
    return Mode.warn_only


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Set the same modes by a number or a word: 0 or "default", 1 or "warn", 2 or "error".

    No operation on the CPU has anything to warn of, and those on a GPU are not looked at.

    >>> import wengert as wg
    >>> wg.set_deterministic_debug_mode("error")
    >>> wg.are_deterministic_algorithms_enabled(), wg.get_deterministic_debug_mode()
    (True, 2)
    >>> wg.set_deterministic_debug_mode(0)
    """
    if not isinstance(debug_mode, int | str):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        if debug_mode not in MODES:
            raise RuntimeError("invalid value of debug_mode, expected one of `default`, `warn`, `error`, "
                               f"but got {debug_mode}")
        debug_mode = MODES[debug_mode]
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    use_deterministic_algorithms(debug_mode != 0, warn_only=debug_mode == 1)


def get_deterministic_debug_mode() -> int:
    """Return the mode as a number: 0 for "default", 1 for "warn", 2 for "error".

    >>> import wengert as wg
    >>> wg.get_deterministic_debug_mode()
    0
    """
    if not Mode.enabled:
        return 0
    return 1 if Mode.warn_only else 2
