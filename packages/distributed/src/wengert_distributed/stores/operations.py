"""The operations of stores on a dict of keys and values, which a store runs while nobody else changes the dict.

A queue is a value under a key of its own, which is no key for the other operations: each entry's size, and its bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Data = dict[str, bytes]
QUEUE = "\0queue/"
"""The beginning of the keys of queues."""
SIZE = 8  # bytes of an entry's size


def set_value(data: Data, key: str, value: bytes) -> None:
    """Set the value of a key."""
    data[key] = value


def add(data: Data, key: str, amount: int) -> int:
    """Add to the number of a key, 0 at first; return the sum. Raises ValueError where the value is no number."""
    try:
        total = int(data.get(key, b"0")) + amount
    except ValueError:
        raise ValueError(f"add(): the value of '{key}' is no integer") from None
    data[key] = str(total).encode()
    return total


def append(data: Data, key: str, value: bytes) -> None:
    """Append to the value of a key, empty at first."""
    data[key] = data.get(key, b"") + value


def compare_set(data: Data, key: str, expected: bytes, desired: bytes) -> bytes:
    """Set the value of a key that has an expected one, b"" for none; return the value that it has then."""
    if data.get(key, b"") == expected:
        data[key] = desired
    return data.get(key, expected)


def check(data: Data, keys: Sequence[str]) -> bool:
    """Return whether all keys are there, or are queues with a value."""
    return all(key in data or QUEUE + key in data for key in keys)


def delete_key(data: Data, key: str) -> bool:
    """Delete a key; return whether it was there."""
    return data.pop(key, None) is not None


def list_keys(data: Data) -> list[str]:
    """Return all keys."""
    return [key for key in data if not key.startswith(QUEUE)]


def num_keys(data: Data) -> int:
    """Return the number of keys."""
    return len(list_keys(data))


def multi_get(data: Data, keys: Sequence[str]) -> list[bytes]:
    """Return the values of keys, or none where one is not there."""
    return [data[key] for key in keys] if all(key in data for key in keys) else []


def multi_set(data: Data, keys: Sequence[str], values: Sequence[bytes]) -> None:
    """Set the values of keys."""
    data.update(zip(keys, values, strict=True))


def queue_push(data: Data, key: str, value: bytes) -> None:
    """Put a value at the end of a queue."""
    data[QUEUE + key] = data.get(QUEUE + key, b"") + len(value).to_bytes(SIZE, "little") + value


def queue_pop(data: Data, key: str) -> list[bytes]:
    """Take the first value of a queue, in a list; none where it is empty."""
    entries = data.pop(QUEUE + key, b"")
    if not entries:
        return []
    end = entry_end(entries, 0)
    if end < len(entries):
        data[QUEUE + key] = entries[end:]
    return [entries[SIZE:end]]


def queue_len(data: Data, key: str) -> int:
    """Return the number of values of a queue."""
    entries, at, count = data.get(QUEUE + key, b""), 0, 0
    while at < len(entries):
        at, count = entry_end(entries, at), count + 1
    return count


def entry_end(entries: bytes, at: int) -> int:
    """Return where the entry of a queue that begins at a byte ends."""
    return at + SIZE + int.from_bytes(entries[at : at + SIZE], "little")


OPERATIONS: dict[str, Callable[..., Any]] = {
    "set": set_value, "add": add, "append": append, "compare_set": compare_set, "check": check,
    "delete_key": delete_key, "list_keys": list_keys, "num_keys": num_keys, "multi_get": multi_get,
    "multi_set": multi_set, "queue_push": queue_push, "queue_pop": queue_pop, "queue_len": queue_len,
}  # fmt: skip
"""The operations by name."""
