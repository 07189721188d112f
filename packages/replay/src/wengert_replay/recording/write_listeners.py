"""Listeners that are told before an operation writes to memory, while a function is recorded."""

from __future__ import annotations

from typing import Any, Protocol


class WriteListener(Protocol):
    """An object that ``listen_for_write`` has been given a reference to. Note [Listeners for writes] in watch.pyx"""

    def before_write(self, address: int, written: Any) -> None:
        """Do something while memory still holds what it did. It is called once, and may raise NoLoop or RuntimeError.

        address: of the memory.   written: the tensor that an operation is about to write to.
        """
