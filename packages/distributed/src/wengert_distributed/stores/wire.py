"""Messages between the processes that share a TCPStore: lists of str, bytes, integers and lists of them.

A message is a mark, the length of its content, and the content. A reader checks everything before it believes it: what
comes from a port may be anything.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

MARK = b"WgSt"
LIMIT = 1 << 28
"""The bytes of a message at most: a store is for addresses and ids."""
HEAD = struct.Struct("!4sI")
ITEM = struct.Struct("!cI")
MANY_ITEMS = 1 << 20
"""The items of a list at most: each takes many times its bytes in memory."""
DEPTH = 2  # a message is a list of values and lists of values


class WireError(ValueError):
    """Bytes that are no message."""


def encode(items: Sequence[Any]) -> bytes:
    """Return a message. Raises WireError for one that is too long."""
    content = encode_items(items)
    if len(content) > LIMIT:
        raise WireError(f"a message of a store has {LIMIT} bytes at most, not {len(content)}")
    return HEAD.pack(MARK, len(content)) + content


def encode_items(items: Sequence[Any]) -> bytes:
    """Return the content of a list."""
    parts: list[bytes] = []
    for item in items:
        if isinstance(item, (list, tuple)):
            kind, content = b"l", encode_items(item)
        elif isinstance(item, bytes):
            kind, content = b"b", item
        elif isinstance(item, str):
            kind, content = b"s", item.encode("utf-8", "surrogatepass")
        else:
            kind, content = b"i", str(int(item)).encode()
        parts += [ITEM.pack(kind, len(content)), content]
    return b"".join(parts)


def content_size(head: bytes) -> int:
    """Return the length of the content that follows a head. Raises WireError for bytes that are no head."""
    mark, size = HEAD.unpack(head)
    if mark != MARK or size > LIMIT:
        raise WireError("these bytes are no message of a store")
    return int(size)


def decode(content: bytes, depth: int = DEPTH) -> list[Any]:
    """Return the items of a list. Raises WireError for bytes that are none."""
    items: list[Any] = []
    at = 0
    while at < len(content):
        if at + ITEM.size > len(content):
            raise WireError("an item of a message is cut off")
        kind, size = ITEM.unpack_from(content, at)
        at += ITEM.size
        if at + size > len(content):
            raise WireError("an item of a message is longer than the message")
        if len(items) == MANY_ITEMS:
            raise WireError("a list of a message is too long")
        items.append(decode_item(kind, content[at : at + size], depth))
        at += size
    return items


def decode_item(kind: bytes, part: bytes, depth: int) -> Any:
    """Return an item. Raises WireError for bytes that are none."""
    try:
        if kind == b"b":
            return part
        if kind == b"s":
            return part.decode("utf-8", "surrogatepass")
        if kind == b"i":
            return int(part)
    except ValueError as error:
        raise WireError(f"an item of a message is broken: {error}") from None
    if kind != b"l" or depth < 2:
        raise WireError("an item of a message has no kind that is known")
    return decode(part, depth - 1)
