"""Memory of the simulated device, and the host's pinned memory."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from wengert_registry import fork_lock

from wengert_testing.sim.order import WORLD, Block

START = 1 << 60  # no address of a process: what follows one of ours there crashes
FREED = 0xFB  # what memory holds before it is written to, and when it is freed


class SimMemory:
    """Owner of a block of a device's memory: see ``DevicePlugin.allocate``."""

    def __init__(self, pool: Pool, nbytes: int, stream: Any, graph_pool: Any = None) -> None:
        self.pool, self.nbytes, self.stream, self.graph_pool = pool, nbytes, stream, graph_pool
        piece = None if graph_pool is None else graph_pool.take(pool.index, nbytes)
        if piece is None:
            self.block = Block()
            self.bytes = np.full(nbytes, FREED, np.uint8)  # first: it may not be there. Arrays give it to users
            self.address = pool.take(nbytes)
        else:
            self.bytes, self.address, self.block = piece
            pool.add(nbytes)
        pool.live[self.address] = self

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        block = getattr(self, "block", None)
        if block is None or not hasattr(self, "bytes") or is_finalizing():  # names of modules are None by then
            return
        self.pool.give(self.nbytes)
        if self.graph_pool is not None:  # captured work may read it yet, until other work of the pool writes there
            self.graph_pool.give(self.pool.index, self.nbytes, (self.bytes, self.address, block))
            return
        self.bytes.fill(FREED)
        block.freed = True
        for stamp in block.users():
            if stamp.stream is not self.stream and stamp.stream.number not in block.shared \
                    and not stamp.is_known_to(self.stream.clock) and not stamp.is_known_to(WORLD.host):
                WORLD.races.append(f"memory of {self.stream} is freed while {stamp.what} on {stamp.stream} uses it; "
                                   "record_stream() would have kept it")  # fmt: skip


class ReturnedBlock:
    """A part of a block that came back to us by way of another library, which it keeps alive."""

    def __init__(self, memory: SimMemory, address: int, owner: Any) -> None:
        self.pool, self.block, self.stream, self.owner = memory.pool, memory.block, memory.stream, (memory, owner)
        self.address = address
        self.bytes = memory.bytes[address - memory.address :]


class Pool:
    """The memory of one device: figures and a limit."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.next = START + (index << 50)
        self.lock = fork_lock()
        self.live: WeakValueDictionary[int, SimMemory] = WeakValueDictionary()
        self.allocated = self.peak = 0
        self.limit: int | None = None

    def fits(self, nbytes: int) -> bool:
        """Whether that much is left."""
        return self.limit is None or self.allocated + nbytes <= self.limit

    def take(self, nbytes: int) -> int:
        """An address that was never given before."""
        self.add(nbytes)
        with self.lock:  # two threads never get one address
            address, self.next = self.next, self.next + (nbytes + 511) // 512 * 512 + 512
        return address

    def add(self, nbytes: int) -> None:
        """Memory is in use."""
        self.allocated += nbytes
        self.peak = max(self.peak, self.allocated)

    def at(self, address: int) -> SimMemory:
        """The block that an address is in."""
        for start, memory in tuple(self.live.items()):
            if start <= address < start + max(memory.nbytes, 1):
                return memory
        raise BufferError(f"there is nothing at address {address:#x} of sim:{self.index}")

    def give(self, nbytes: int) -> None:
        """Memory is free again."""
        self.allocated -= nbytes


class PinnedBlock(np.ndarray):
    """Pinned memory of the host: copies to and from it need not be waited for."""
