"""Look into pickles without making anything: the names they use, and the storages they need."""

from __future__ import annotations

from typing import Any

from wengert_serialization.storages import StorageType
from wengert_serialization.unpickler import Unpickler

__all__ = ["Scanner"]


class Opaque:
    """An object that a pickle makes by a name or a call."""


class Scanner(Unpickler):
    """An unpickler that calls nothing and looks up nothing.

    names: the full names that the pickle has.   storages: what it says of each storage, in its order.
    """

    def __init__(self, file: Any, size: int) -> None:
        super().__init__(file, size, self.note, "latin-1")
        self.names: set[str] = set()
        self.storages: list[Any] = []

    def note(self, identity: Any) -> Any:
        """Note what the pickle says of a storage."""
        self.storages.append(identity)
        return Opaque()

    def find_global(self, module: str, name: str) -> Any:
        """Note a name; a class of storages is needed to read what the pickle says of one."""
        module, name = self.python_3(module, name)
        self.names.add(f"{module}.{name}")
        try:
            return StorageType(name)
        except KeyError:
            return Opaque()

    def call(self, function: Any, args: Any) -> Any:
        """Return an object that stands for a call's result."""
        return Opaque()

    def make(self, cls: Any, args: Any, kwargs: dict[str, Any]) -> None:
        """Put an object that stands for a new one on the stack."""
        self.stack.append(Opaque())

    def build(self, obj: Any, state: Any) -> None:
        """Do nothing."""

    def target(self, kinds: tuple[type, ...], task: str) -> Any:
        """Return a container for items, also where the one on the stack stands for another object."""
        return super().target(kinds, task) if not isinstance(self.stack[-1], Opaque) else kinds[0]()
