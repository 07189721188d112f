"""Stores of keys and values: in this process, or with a prefix in another store."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from wengert_registry import fork_lock

from wengert_distributed.errors import DistStoreError, QueueEmptyError
from wengert_distributed.interface.work import seconds_of
from wengert_distributed.stores.operations import OPERATIONS

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
    """A store of keys and values that several ranks use; values are bytes. HashStore, FileStore, TCPStore are stores.

    Raises DistStoreError where a key is not there within the store's timeout, five minutes at first, and TypeError for
    a key that is no str, a str in the place of a list of keys, and a value that is neither a str nor bytes.
    """

    def __init__(self) -> None:
        self._timeout = timedelta(minutes=5)

    # ---- a store implements the first of these

    def _run(self, name: str, *arguments: Any) -> Any:
        """Run one of OPERATIONS on the keys and values, which nobody else changes meanwhile; return its result."""
        raise NotImplementedError

    def _wait(self, keys: Sequence[str], seconds: float) -> bool:
        """Wait some seconds until all keys are there; return whether they are."""
        end = time.monotonic() + seconds
        while not self._run("check", keys):
            left = end - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(POLL_SECONDS, left))
        return True

    def _late(self, keys: Sequence[str], seconds: float) -> DistStoreError:
        """Return the error of keys that were not set in time."""
        return DistStoreError(f"Wait timeout: {', '.join(keys)} were not set within {seconds * 1000:g} ms")

    def clone(self) -> Store:
        """Return another store of the same keys and values, for another thread."""
        raise NotImplementedError

    # ---- its timeout

    @property
    def timeout(self) -> timedelta:
        """The time for which a key is waited for."""
        return self._timeout

    def set_timeout(self, timeout: timedelta) -> None:
        """Set how long a key is waited for. Raises TypeError for what is no timedelta, RuntimeError below 0."""
        seconds_of(timeout)
        self._timeout = timeout

    # ---- keys and values

    def set(self, key: str, value: str | bytes) -> None:
        """Set the value of a key."""
        check_keys([key])
        self._run("set", key, as_bytes(value))

    def get(self, key: str) -> bytes:
        """Return the value of a key, when it is there."""
        return self.multi_get([key])[0]

    def add(self, key: str, amount: int) -> int:
        """Add to the number of a key, 0 at first; return the sum. Raises ValueError where the value is no number."""
        check_keys([key])
        if not isinstance(amount, int):
            raise TypeError(f"add(): incompatible function arguments. An amount has to be an int, but got {amount!r}")
        return int(self._run("add", key, amount))

    def append(self, key: str, value: str | bytes) -> None:
        """Append to the value of a key, empty at first."""
        check_keys([key])
        self._run("append", key, as_bytes(value))

    def compare_set(self, key: str, expected: str | bytes, desired: str | bytes) -> bytes:
        """Set the value of a key that has an expected one ("" for none); return the value that it has then."""
        check_keys([key])
        return bytes(self._run("compare_set", key, as_bytes(expected), as_bytes(desired)))

    def check(self, keys: Sequence[str]) -> bool:
        """Return whether all keys are there."""
        check_keys(keys)
        return bool(self._run("check", list(keys)))

    def wait(self, keys: Sequence[str], timeout: timedelta | None = None) -> None:
        """Wait until all keys are there."""
        check_keys(keys)
        seconds = seconds_of(self.timeout if timeout is None else timeout)
        if not self._wait(list(keys), seconds):
            raise self._late(keys, seconds)

    def delete_key(self, key: str) -> bool:
        """Delete a key; return whether it was there."""
        check_keys([key])
        return bool(self._run("delete_key", key))

    def num_keys(self) -> int:
        """Return the number of keys."""
        return int(self._run("num_keys"))

    def list_keys(self) -> list[str]:
        """Return all keys."""
        return list(self._run("list_keys"))

    def multi_get(self, keys: Sequence[str]) -> list[bytes]:
        """Return the values of keys, when they are all there."""
        check_keys(keys)
        seconds = self.timeout.total_seconds()
        end = time.monotonic() + seconds
        while True:
            values: list[bytes] = self._run("multi_get", list(keys))
            if len(values) == len(keys):
                return values
            if not self._wait(list(keys), max(end - time.monotonic(), 0.0)):
                raise self._late(keys, seconds)

    def multi_set(self, keys: Sequence[str], values: Sequence[str | bytes]) -> None:
        """Set the values of keys. Raises DistStoreError for lists of different lengths."""
        check_keys(keys)
        if len(keys) != len(values):
            raise DistStoreError(f"multiSet keys and values vectors must be of same size: {len(keys)} and "
                                 f"{len(values)}")  # fmt: skip
        self._run("multi_set", list(keys), [as_bytes(value) for value in values])

    # ---- queues and barriers

    def queue_push(self, key: str, value: str | bytes) -> None:
        """Put a value at the end of a queue. Queues have keys of their own; ``wait`` and ``check`` see them as well."""
        check_keys([key])
        self._run("queue_push", key, as_bytes(value))

    def queue_pop(self, key: str, block: bool = True) -> bytes:
        """Take the first value of a queue; wait for one where it is empty.

        block: False raises QueueEmptyError instead of waiting.
        """
        check_keys([key])
        seconds = self.timeout.total_seconds()
        end = time.monotonic() + seconds
        while True:
            values: list[bytes] = self._run("queue_pop", key)
            if values:
                return values[0]
            if not block:
                raise QueueEmptyError("queue is empty")
            if not self._wait([key], max(end - time.monotonic(), 0.0)):
                raise self._late([key], seconds)

    def queue_len(self, key: str) -> int:
        """Return the number of values of a queue."""
        check_keys([key])
        return int(self._run("queue_len", key))

    def barrier(self, key: str, world_size: int, timeout: timedelta | None = None) -> None:
        """Wait until a number of processes have called it with the same key, which is used once.

        timeout: how long; the store's without it.
        """
        if self.add(f"{key}/num_members", 1) == world_size:
            self.set(f"{key}/last_member", "1")
        self.wait([f"{key}/last_member"], timeout)

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
        self._lock = fork_lock()

    def clone(self) -> HashStore:
        """Return another store of the same keys and values."""
        other = HashStore()
        other._data, other._lock, other._timeout = self._data, self._lock, self._timeout
        return other

    def _run(self, name: str, *arguments: Any) -> Any:
        with self._lock:
            return OPERATIONS[name](self._data, *arguments)


class PrefixStore(Store):
    """A part of a store: its keys have a prefix there, as ``torch.distributed.PrefixStore``.

    >>> import wengert as wg
    >>> store = wg.distributed.HashStore()
    >>> wg.distributed.PrefixStore("run", store).set("step", "3")
    >>> store.get("run/step")
    b'3'
    """

    def __init__(self, prefix: str, store: Store) -> None:
        check_prefix(prefix, store)
        super().__init__()
        self.prefix: str = prefix
        self.underlying_store: Store = store

    @property
    def timeout(self) -> timedelta:
        """The time for which a key is waited for: that of the underlying store."""
        return self.underlying_store.timeout

    def set_timeout(self, timeout: timedelta) -> None:
        """Set how long a key is waited for, in the underlying store."""
        self.underlying_store.set_timeout(timeout)

    def clone(self) -> PrefixStore:
        """Return another store of the same keys and values."""
        return PrefixStore(self.prefix, self.underlying_store.clone())

    @property
    def _underlying_non_prefix_store(self) -> Store:
        store = self.underlying_store
        return store._underlying_non_prefix_store if isinstance(store, PrefixStore) else store

    def _key(self, key: str) -> str:
        return f"{self.prefix}/{key}"

    def _keys(self, keys: Sequence[str]) -> list[str]:
        return [self._key(key) for key in keys]

    def _run(self, name: str, *arguments: Any) -> Any:
        if not arguments:  # list_keys, num_keys
            start = self._key("")
            own = [key.removeprefix(start) for key in self.underlying_store._run("list_keys") if key.startswith(start)]
            return own if name == "list_keys" else len(own)
        first, *rest = arguments
        first = self._key(first) if isinstance(first, str) else self._keys(first)
        return self.underlying_store._run(name, first, *rest)

    def _wait(self, keys: Sequence[str], seconds: float) -> bool:
        return self.underlying_store._wait(self._keys(keys), seconds)

    def _late(self, keys: Sequence[str], seconds: float) -> DistStoreError:
        return self.underlying_store._late(self._keys(keys), seconds)


def check_prefix(prefix: Any, store: Any) -> None:
    """Raise TypeError for what is no str or no Store."""
    if not isinstance(prefix, str) or not isinstance(store, Store):
        raise TypeError("incompatible constructor arguments. A PrefixStore has a str and a Store, but got "
                        f"{prefix!r} and {store!r}")  # fmt: skip
