"""A stand-in for CuPy and its NCCL on memory of the host: ranks are threads, and memory is found by its address.

A collective runs when all ranks of a communicator have called it; sends and receives of a group of calls begin
together. CuPy's documentation and nccl.h are the sources of the signatures and numbers.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
import types
from typing import Any

import numpy as np

TYPES = ["int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"]
UFUNCS = [np.add, np.multiply, np.maximum, np.minimum]
LOCAL = threading.local()
CALLS: list[str] = []  # what was done that a test may ask for


class Array:
    """An array whose memory is asked for by ``array.data.ptr``, as CuPy's."""

    def __init__(self, host: Any) -> None:
        self.host = np.ascontiguousarray(host)
        self.data = types.SimpleNamespace(ptr=self.host.ctypes.data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.host, name)

    def __getitem__(self, index: Any) -> Array:
        return Array(self.host[index])

    def __setitem__(self, index: Any, value: Array) -> None:
        self.host[index] = value.host


def memory(pointer: int, count: int, dtype: int) -> Any:
    """Return the array at an address."""
    size = count * np.dtype(TYPES[dtype]).itemsize
    return np.frombuffer((ctypes.c_uint8 * size).from_address(pointer), TYPES[dtype]) if size else np.empty(0)


class World:
    """Ranks that were given one id: a barrier, and what each has posted."""

    def __init__(self, size: int) -> None:
        self.barrier = threading.Barrier(size)
        self.posted: list[Any] = [None] * size
        self.letters: dict[tuple[int, int], list[Any]] = {}
        self.changed = threading.Condition()


WORLDS: dict[Any, World] = {}
LOCK = threading.Lock()


class NcclCommunicator:
    def __init__(self, size: int, made: tuple[int, ...], rank: int) -> None:
        assert type(made) is tuple
        assert len(made) == 128
        assert all(-128 <= value < 128 for value in made)
        with LOCK:
            self.world = WORLDS.setdefault(made, World(size))
        self.rank, self.ended = rank, ""
        self.world.barrier.wait(10)

    def collect(self, posted: Any) -> list[Any]:
        """Return what all ranks post."""
        self.world.posted[self.rank] = posted
        self.world.barrier.wait(10)
        every = list(self.world.posted)
        self.world.barrier.wait(10)
        return every

    def allReduce(self, sent: int, received: int, count: int, dtype: int, op: int, stream: int) -> None:
        every = self.collect(memory(sent, count, dtype).copy())
        memory(received, count, dtype)[...] = UFUNCS[op].reduce(every, dtype=TYPES[dtype])

    def reduce(self, sent: int, received: int, count: int, dtype: int, op: int, root: int, stream: int) -> None:
        every = self.collect(memory(sent, count, dtype).copy())
        if self.rank == root:
            memory(received, count, dtype)[...] = UFUNCS[op].reduce(every, dtype=TYPES[dtype])

    def broadcast(self, sent: int, received: int, count: int, dtype: int, root: int, stream: int) -> None:
        memory(received, count, dtype)[...] = self.collect(memory(sent, count, dtype).copy())[root]

    def allGather(self, sent: int, received: int, count: int, dtype: int, stream: int) -> None:
        every = self.collect(memory(sent, count, dtype).copy())
        memory(received, count * len(every), dtype)[...] = np.concatenate(every)

    def reduceScatter(self, sent: int, received: int, count: int, dtype: int, op: int, stream: int) -> None:
        every = self.collect(memory(sent, count * len(self.world.posted), dtype).copy())
        whole = UFUNCS[op].reduce(every, dtype=TYPES[dtype])
        memory(received, count, dtype)[...] = whole[self.rank * count : (self.rank + 1) * count]

    def send(self, sent: int, count: int, dtype: int, peer: int, stream: int) -> None:
        world, content = self.world, memory(sent, count, dtype).copy()

        def act() -> None:
            with world.changed:
                world.letters.setdefault((self.rank, peer), []).append(content)
                world.changed.notify_all()

        postpone(act, first=True)

    def recv(self, received: int, count: int, dtype: int, peer: int, stream: int) -> None:
        world = self.world

        def act() -> None:
            with world.changed:
                assert world.changed.wait_for(lambda: world.letters.get((peer, self.rank)), 10), "nobody sends"
                memory(received, count, dtype)[...] = world.letters[peer, self.rank].pop(0)

        postpone(act, first=False)

    def check_async_error(self) -> None:
        pass

    def destroy(self) -> None:
        self.ended = "destroyed"

    def abort(self) -> None:
        self.ended = "aborted"


def postpone(act: Any, first: bool) -> None:
    """Run a send or a receive at the end of the group of calls; sends first."""
    group = getattr(LOCAL, "group", None)
    if group is None:
        act()
    else:
        group[not first].append(act)


def group_start() -> None:
    assert getattr(LOCAL, "group", None) is None
    LOCAL.group = ([], [])


def group_end() -> None:
    group, LOCAL.group = LOCAL.group, None
    for act in [*group[0], *group[1]]:
        act()


class Event:
    happens = True

    def __init__(self, disable_timing: bool = False) -> None:
        self.stream: Any = None

    def __getattr__(self, name: str) -> bool:
        if name == "done":  # a participle, by CuPy
            return Event.happens or self.stream is None
        raise AttributeError(name)

    def record(self, stream: Any) -> None:
        self.stream = stream


class Stream:
    def __init__(self, non_blocking: bool = False) -> None:
        self.ptr = 7 if non_blocking else 0

    def wait_event(self, event: Event) -> None:
        CALLS.append(f"{self.ptr} waits for {event.stream.ptr}")

    def synchronize(self) -> None:
        CALLS.append(f"synchronize {self.ptr}")

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass


class Device(contextlib.AbstractContextManager[None]):
    def __init__(self, index: int = 0) -> None:
        self.id = index

    def __exit__(self, *error: object) -> None:
        pass


def modules() -> dict[str, Any]:
    """Return what stands in sys.modules for CuPy."""

    def ufunc(name: str) -> Any:
        return lambda a, b, out: getattr(np, name)(a.host, b.host, out=out.host)

    def unique_id() -> tuple[int, ...]:
        made = np.random.default_rng().integers(-128, 128, 128)
        return tuple(map(int, made))

    default = Stream()
    nccl = types.SimpleNamespace(
        NcclCommunicator=NcclCommunicator, get_unique_id=unique_id, groupStart=group_start, groupEnd=group_end
    )
    cuda = types.SimpleNamespace(
        Device=Device, Stream=Stream, Event=Event, nccl=nccl, get_current_stream=lambda: default,
        is_available=lambda: True, runtime=types.SimpleNamespace(getDeviceCount=lambda: 1),
    )  # fmt: skip
    cupy = types.SimpleNamespace(
        cuda=cuda, asarray=lambda values, dtype: Array(np.asarray(values, dtype)),
        zeros=lambda shape, dtype: Array(np.zeros(shape, dtype)),
        empty=lambda shape, dtype: Array(np.empty(shape, dtype)),
        **{name: ufunc(name) for name in ("bitwise_and", "bitwise_or", "bitwise_xor")},
    )  # fmt: skip
    return {"cupy": cupy, "cupy.cuda": cuda, "cupy.cuda.nccl": nccl}
