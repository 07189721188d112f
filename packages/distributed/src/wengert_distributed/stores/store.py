"""Stores of keys and values: in this process, or with a prefix in another store."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from wengert_distributed.errors import DistStoreError
from wengert_distributed.interface.work import seconds_of

POLL_SECONDS = 0.01
"""How often a store that others write to is read while a key is waited for."""


def as_bytes(value: str | bytes) -> bytes:
    """Return a value as bytes. Raises TypeError for what is neither bytes nor a str."""
    if not isinstance(value, str | bytes):
        raise TypeError(f"incompatible function arguments. A value has to be a str or bytes, but got {value!r}")
    return value if isinstance(value, bytes) else value.encode()


def check_keys(keys: Sequence[str]) -> None:
    """Raise TypeError for what is no list of keys: a str is a key, not a list of them."""
    if isinstance(keys, str) or not all(isinstance(key, str) for key in keys):
        raise TypeError(f"incompatible function arguments. Keys have to be a list of str, but got {keys!r}")


class Store:
    """A store of keys and values that several ranks use; values are bytes. HashStore and FileStore derive from it.

    Raises DistStoreError where a key is not there within the store's timeout, five minutes at first, and TypeError for
    a key that is no str, a str in the place of a list of keys, and a value that is neither a str nor bytes.
    """

    def __init__(self) -> None:
        self._timeout = timedelta(minutes=5)

    # ---- a store implements these two

    def _change(self, change: Callable[[dict[str, bytes]], Any]) -> Any:
        """Call a function on the keys and values that nobody else changes at the moment; return its result."""
        raise NotImplementedError

    def _pause(self, seconds: float) -> None:
        """Wait for some seconds, or until something may have changed."""
        threading.Event().wait(seconds)

    # ---- its timeout

    @property
    def timeout(self) -> timedelta:
        """How long a key is waited for."""
        return self._timeout

    def set_timeout(self, timeout: timedelta) -> None:
        """Set how long a key is waited for. Raises TypeError for what is no timedelta, RuntimeError below 0."""
        seconds_of(timeout)
        self._timeout = timeout

    # ---- keys and values

    def set(self, key: str, value: str | bytes) -> None:
        """Set the value of a key."""
        check_keys([key])
        self._change(lambda data: data.__setitem__(key, as_bytes(value)))

    def get(self, key: str) -> bytes:
        """Return the value of a key, when it is there."""
        self.wait([key])
        return self._change(lambda data: data[key])  # type: ignore[no-any-return]

    def add(self, key: str, amount: int) -> int:
        """Add to the number of a key, 0 at first; return the sum."""
        check_keys([key])

        def change(data: dict[str, bytes]) -> int:
            total = int(data.get(key, b"0")) + amount
            data[key] = str(total).encode()
            return total

        return self._change(change)  # type: ignore[no-any-return]

    def append(self, key: str, value: str | bytes) -> None:
        """Append to the value of a key, empty at first."""
        check_keys([key])
        self._change(lambda data: data.__setitem__(key, data.get(key, b"") + as_bytes(value)))

    def compare_set(self, key: str, expected: str | bytes, desired: str | bytes) -> bytes:
        """Set the value of a key that has an expected one ("" for none); return the value that it has then."""
        check_keys([key])

        def change(data: dict[str, bytes]) -> bytes:
            if data.get(key, b"") == as_bytes(expected):
                data[key] = as_bytes(desired)
            return data.get(key, as_bytes(expected))

        return self._change(change)  # type: ignore[no-any-return]

    def check(self, keys: Sequence[str]) -> bool:
        """Return whether all keys are there."""
        check_keys(keys)
        return self._change(lambda data: all(key in data for key in keys))  # type: ignore[no-any-return]

    def wait(self, keys: Sequence[str], timeout: timedelta | None = None) -> None:
        """Wait until all keys are there."""
        left = seconds_of(self._timeout if timeout is None else timeout)
        while not self.check(keys):
            if left <= 0:
                raise DistStoreError(f"Wait timeout: {', '.join(keys)} were not set in time")
            self._pause(min(POLL_SECONDS, left))
            left -= POLL_SECONDS

    def delete_key(self, key: str) -> bool:
        """Delete a key; return whether it was there."""
        return self._change(lambda data: data.pop(key, None) is not None)  # type: ignore[no-any-return]

    def num_keys(self) -> int:
        """Return the number of keys."""
        return self._change(len)  # type: ignore[no-any-return]

    def list_keys(self) -> list[str]:
        """Return all keys."""
        return self._change(list)  # type: ignore[no-any-return]

    def multi_get(self, keys: Sequence[str]) -> list[bytes]:
        """Return the values of keys, when they are there."""
        return [self.get(key) for key in keys]

    def multi_set(self, keys: Sequence[str], values: Sequence[str | bytes]) -> None:
        """Set the values of keys."""
        for key, value in zip(keys, values, strict=True):
            self.set(key, value)

    def has_extended_api(self) -> bool:
        """Return True: append, multi_get and multi_set are there."""
        return True


class HashStore(Store):
    """A store in this process, for its threads, as ``torch.distributed.HashStore``.

    >>> import wengert as wg
    >>> store = wg.distributed.HashStore()
    >>> store.set("step", "3")
    >>> store.get("step"), store.add("count", 2)
    (b'3', 2)
    """

    def __init__(self) -> None:
        super().__init__()
        self._data: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def _change(self, change: Callable[[dict[str, bytes]], Any]) -> Any:
        with self._lock:
            return change(self._data)


class PrefixStore(Store):
    """A part of a store: its keys have a prefix there, as ``torch.distributed.PrefixStore``.

    >>> import wengert as wg
    >>> store = wg.distributed.HashStore()
    >>> wg.distributed.PrefixStore("run", store).set("step", "3")
    >>> store.get("run/step")
    b'3'
    """

    def __init__(self, prefix: str, store: Store) -> None:
        super().__init__()
        self.prefix: str = prefix
        self.underlying_store: Store = store
        self._timeout = store.timeout

    def _change(self, change: Callable[[dict[str, bytes]], Any]) -> Any:
        start = f"{self.prefix}/"

        def change_part(data: dict[str, bytes]) -> Any:
            part = {key.removeprefix(start): value for key, value in data.items() if key.startswith(start)}
            before = set(part)
            result = change(part)
            for key in before - part.keys():
                del data[start + key]
            data.update({start + key: value for key, value in part.items()})
            return result

        return self.underlying_store._change(change_part)
