"""Names that a file may use when only weights are loaded: PyTorch's own, and those that the user adds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wengert_serialization.names import full_name

__all__ = ["add_safe_globals", "clear_safe_globals", "get_safe_globals", "safe_globals", "user_globals"]

ADDED: list[Any] = []


def add_safe_globals(safe_globals: Iterable[Any]) -> None:
    """Let ``load(weights_only=True)`` use functions and classes that it refuses by default.

    Each is a function or class, or a tuple of one and the full name that files have for it. A class may then be
    instantiated and get its state, a function may be called: add only those that are safe with any arguments.

    >>> import wengert as wg
    >>> with wg.serialization.safe_globals([slice]):
    ...     wg.serialization.get_safe_globals()
    [<class 'slice'>]
    """
    for one in safe_globals:
        if not any(one is added or one == added for added in ADDED):
            ADDED.append(one)


def get_safe_globals() -> list[Any]:
    """Return the functions and classes that were added."""
    return list(ADDED)


def clear_safe_globals() -> None:
    """Forget the functions and classes that were added."""
    ADDED.clear()


class safe_globals:
    """A context in which functions and classes are added: see add_safe_globals."""

    def __init__(self, safe_globals: Iterable[Any]) -> None:
        self.safe_globals: list[Any] = list(safe_globals)

    def __enter__(self) -> None:
        add_safe_globals(self.safe_globals)

    def __exit__(self, *exc_info: object) -> None:
        ADDED[:] = [one for one in ADDED if not any(one is mine or one == mine for mine in self.safe_globals)]


def user_globals() -> dict[str, Any]:
    """Return the functions and classes that were added, by the full name that files have for them."""
    names: dict[str, Any] = {}
    for one in ADDED:
        if not isinstance(one, tuple):
            names[full_name(one)] = one
            continue
        if len(one) != 2:
            raise ValueError("Expected tuple of length 2 (global, str of callable full path), but got tuple of length: "
                             f"{len(one)}")
        if type(one[1]) is not str:
            raise TypeError(f"Expected second item in tuple to be str of callable full path, but got: {type(one[1])}")
        names[one[1]] = one[0]
    return names
