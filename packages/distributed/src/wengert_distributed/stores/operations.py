"""The operations of stores on a dict of keys and values, which a store runs while nobody else changes the dict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Data = dict[str, bytes]


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
    """Return whether all keys are there."""
    return all(key in data for key in keys)


def delete_key(data: Data, key: str) -> bool:
    """Delete a key; return whether it was there."""
    return data.pop(key, None) is not None


def list_keys(data: Data) -> list[str]:
    """Return all keys."""
    return list(data)


def num_keys(data: Data) -> int:
    """Return the number of keys."""
    return len(data)


def multi_get(data: Data, keys: Sequence[str]) -> list[bytes]:
    """Return the values of keys, or none where one is not there."""
    return [data[key] for key in keys] if check(data, keys) else []


def multi_set(data: Data, keys: Sequence[str], values: Sequence[bytes]) -> None:
    """Set the values of keys."""
    data.update(zip(keys, values, strict=True))


OPERATIONS: dict[str, Callable[..., Any]] = {
    "set": set_value, "add": add, "append": append, "compare_set": compare_set, "check": check,
    "delete_key": delete_key, "list_keys": list_keys, "num_keys": num_keys, "multi_get": multi_get,
    "multi_set": multi_set,
}  # fmt: skip
"""The operations by name."""
