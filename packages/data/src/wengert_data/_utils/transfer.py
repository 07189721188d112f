"""Messages between a loader and its worker processes, on the connection that each worker has of its own.

A task is a number and a pickled index. A result is a number, the sizes of its large buffers and a pickle, and then the
buffers themselves, which are written from the memory of tensors and arrays and read into new memory: nothing has a
name or a descriptor that could outlive the processes, and no copy is made but by the operating system.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import struct
from typing import Any

STOP, RESUME = -1, -2
"""Numbers of tasks: the end, and the beginning of another pass over the dataset."""
LARGE = 16384
"""Buffers of at least so many bytes stand outside of the pickle."""
NUMBER = struct.Struct("<q")
HEADER = struct.Struct("<qq")


def send_task(connection: Any, number: int, index: Any = None) -> None:
    """Send a task to a worker."""
    from wengert_data._utils.pickling import dumps  # loads multiprocessing

    connection.send_bytes(NUMBER.pack(number) + dumps(index))


def receive_task(connection: Any) -> tuple[int, bytes]:
    """Receive the number of a task, and the pickle of its index."""
    message = connection.recv_bytes()
    return NUMBER.unpack_from(message)[0], message[NUMBER.size :]


def read_task(content: bytes) -> Any:
    """Return the index of a task."""
    return pickle.loads(content)


def shut_down(connection: Any) -> None:
    """Close a connection for all processes that have copies of it."""
    import socket

    with contextlib.suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as end:
        end.shutdown(socket.SHUT_RDWR)
    connection.close()


def frame(number: int, data: Any, copies: bool) -> list[Any]:
    """Return the message of a result: its head, and its large buffers.

    copies: whether the buffers are copies of the memory of ``data``, and not views of it.
    """
    from wengert_data._utils.pickling import dumps

    buffers: list[Any] = []

    def stays_inside(buffer: pickle.PickleBuffer) -> bool:
        view = buffer.raw()
        if view.nbytes < LARGE:
            return True
        buffers.append(memoryview(bytes(view)) if copies else view)
        return False

    body = dumps(data, stays_inside)
    sizes = struct.pack(f"<{len(buffers)}q", *[view.nbytes for view in buffers])
    return [HEADER.pack(number, len(buffers)) + sizes + body, *buffers]


def send_frame(connection: Any, parts: list[Any]) -> None:
    """Send a result to the loader."""
    connection.send_bytes(parts[0])
    for view in parts[1:]:
        while view.nbytes:
            view = view[os.write(connection.fileno(), view) :]


def receive_result(connection: Any) -> tuple[int, Any]:
    """Receive a result of a worker. Raises EOFError or OSError if the worker ends meanwhile."""
    head = memoryview(connection.recv_bytes())
    number, count = HEADER.unpack_from(head)
    body = HEADER.size + 8 * count
    sizes = struct.unpack_from(f"<{count}q", head, HEADER.size)
    return number, pickle.loads(head[body:], buffers=[receive_buffer(connection, size) for size in sizes])


def receive_buffer(connection: Any, size: int) -> Any:
    """Receive that many bytes into new memory."""
    import numpy as np

    memory: Any = np.empty(size, np.uint8)  # bytearray would be filled with zeros first
    view = memoryview(memory)
    while view.nbytes:
        count = os.readv(connection.fileno(), [view])
        if count == 0:
            raise EOFError
        view = view[count:]
    return memory
