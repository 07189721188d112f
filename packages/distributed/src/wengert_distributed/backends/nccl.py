"""The group "nccl": GPUs of one or many machines, by CuPy's NCCL. One rank drives one GPU."""

from __future__ import annotations

import contextlib
import importlib
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from wengert_distributed.backends.launcher import read_launcher
from wengert_distributed.backends.nccl_id import exchange_id
from wengert_distributed.backends.nccl_requests import NcclRequest, watch
from wengert_distributed.backends.nccl_types import BITWISE, BYTES, DTYPES, OPS, REDUCED_AS
from wengert_distributed.errors import DistBackendError
from wengert_distributed.faults.time_limit import call_within
from wengert_distributed.interface.process_group import Call, Peer, ProcessGroup
from wengert_distributed.reduce_op import RedOpType

ID_SIZE = 128  # NCCL_UNIQUE_ID_BYTES


def nccl_module() -> Any:
    """Return CuPy's NCCL; ImportError where it is missing. Importing it loads the library."""
    return importlib.import_module("cupy.cuda.nccl")


class NcclGroup(ProcessGroup):
    """Ranks with one GPU each.

    The GPU is the current one; where that is 0 and the launcher started several ranks on this machine, it is the one
    with this process' number among them, and becomes the current one. Rank and size come from an MPI launcher, from
    RANK and WORLD_SIZE, or are passed. Bitwise reductions, which NCCL lacks, gather all arrays and reduce them on each
    GPU. control: MPI's group of the same ranks, or None.
    """

    backend = "nccl"
    devices = ("cuda",)
    reduced_as = REDUCED_AS

    def __init__(self, communicator: Any, rank: int, size: int, seconds: float, control: Any = None) -> None:
        self.cupy = importlib.import_module("cupy")
        self.cuda, self.nccl = self.cupy.cuda, nccl_module()
        self.communicator, self.rank, self.size, self.seconds, self.control = communicator, rank, size, seconds, control
        self.device: int = self.cuda.Device().id
        self.stream = self.cuda.Stream(non_blocking=True)
        self.queued = self.cuda.Event(disable_timing=True)  # what the current stream had queued before a collective
        self.pending: deque[NcclRequest] = deque()
        self.batched: list[NcclRequest] | None = None
        self.failure = ""
        self.blocking = os.environ.get("WENGERT_NCCL_BLOCKING_WAIT", "0") != "0"
        if size > 1:
            threading.Thread(target=watch, args=(weakref.ref(self),), name="wengert-nccl-watch", daemon=True).start()

    @classmethod
    def is_available(cls) -> bool:
        """Return whether CuPy's NCCL can be imported and a GPU is present."""
        try:
            nccl_module()
            return bool(importlib.import_module("cupy").cuda.is_available())
        except Exception:  # CuPy raises its own errors without a driver
            return False

    @classmethod
    def connect(cls, rank: int, size: int, init_method: Any, seconds: float) -> NcclGroup:
        """Return the group of all ranks. Raises DistBackendError without NCCL or a GPU."""
        try:
            nccl = nccl_module()
        except ImportError as error:
            raise DistBackendError(
                f"Distributed package doesn't have NCCL built in: CuPy's NCCL cannot be imported ({error}). "
                "pip install 'wengert-distributed[nccl]' and nvidia-nccl-cu12 (or -cu13), or use the backend 'mpi'"
            ) from error
        launched = read_launcher()
        control = None
        if rank < 0 or size < 0 or (launched.mpi and launched.size == size):
            rank, size = launched.rank, launched.size
            if launched.mpi:
                control = connect_mpi(seconds)
        choose_device(launched.local_rank)
        if control is None:
            made = exchange_id(lambda: to_bytes(nccl.get_unique_id()), rank, size, init_method, seconds)
        else:
            made = control.communicator.bcast(to_bytes(nccl.get_unique_id()) if rank == 0 else None, 0)
        return cls(communicate(nccl, made, rank, size, seconds), rank, size, seconds, control)

    def split(self, ranks: Sequence[int], number: int) -> NcclGroup | None:
        """Return the group of some ranks: the first makes an id for the others.

        Members alone call it where MPI carries the id; otherwise all ranks do, because the id is a broadcast of theirs.
        """
        member = self.rank in ranks
        control = None if self.control is None or not member else self.control.split(ranks, number)
        made = to_bytes(self.nccl.get_unique_id()) if self.rank == ranks[0] else bytes(ID_SIZE)
        if self.control is None:
            made = self.broadcast_bytes(made, ranks[0])
        if not member:
            return None
        if control is not None:
            made = control.communicator.bcast(made, 0)
        rank = list(ranks).index(self.rank)
        with self.cuda.Device(self.device):
            communicator = communicate(self.nccl, made, rank, len(ranks), self.seconds)
            return NcclGroup(communicator, rank, len(ranks), self.seconds, control)

    def broadcast_bytes(self, content: bytes, root: int) -> bytes:
        """Return the root's bytes, of one length on all ranks."""
        with self.cuda.Device(self.device):
            array = self.cupy.asarray(list(content), dtype="uint8")
            request = self.broadcast(array, root)
            if request is not None:
                request.host = True
                if not request.wait(self.seconds):
                    raise DistBackendError(f"rank {root} has not sent NCCL's id within {self.seconds:g} s")
            return bytes(array.tolist())

    def close(self) -> None:
        """Give the communicator back, after all that is under way has ended."""
        if not self.failure:
            self.stream.synchronize()
            self.communicator.destroy()
            self.failure = "the process group has been destroyed"
        self.pending.clear()
        if self.control is not None:
            self.control.close()

    # ---- failures

    def check(self) -> None:
        """Raise DistBackendError where the communicator was aborted."""
        if self.failure:
            raise DistBackendError(f"NCCL communicator was aborted on rank {self.rank}: {self.failure}")

    def abort(self, reason: str) -> None:
        """Free the GPU from collectives that do not end."""
        self.failure = reason
        self.communicator.abort()

    def announce(self, call: Call) -> None:
        """Note the collective that this rank begins."""
        if self.control is not None:
            self.control.begin_external(call)

    def finish(self, call: Call) -> None:
        """Note that a collective has ended on this rank."""
        if self.control is not None:
            self.control.board.finish(self.control.board.sequence)

    def fail(self, detail: str) -> None:
        """Tell the other ranks that this one raised."""
        if self.control is not None:
            self.control.fail(detail)

    def peers(self) -> list[Peer]:
        """Return what is known of the other ranks."""
        return [] if self.control is None else self.control.peers()

    # ---- starting a collective

    def start(self, launch: Callable[[int], None], *arrays: Any, host: bool = False, source: int = -1) -> NcclRequest:
        """Start a collective on the group's stream. See Note [Streams of NCCL]."""
        self.check()
        with self.cuda.Device(self.device):
            request = NcclRequest(self, arrays, host, source)
            if self.batched is None:
                self.queued.record(self.cuda.get_current_stream())
                self.stream.wait_event(self.queued)
            launch(self.stream.ptr)
            if self.batched is None:
                self.follow(request)
            else:
                self.batched.append(request)
        return request

    def follow(self, request: NcclRequest) -> None:
        """Record a collective's end and hold its arrays until then."""
        request.event.record(self.stream)
        pending = self.pending
        while pending and pending[0].event.done:
            pending.popleft()
        pending.append(request)

    @contextlib.contextmanager
    def coalesce(self) -> Iterator[None]:
        """Start the sends and receives of a block together, so that no order of them blocks."""
        self.check()
        with self.cuda.Device(self.device):
            self.queued.record(self.cuda.get_current_stream())
            self.stream.wait_event(self.queued)
        requests: list[NcclRequest] = []
        self.batched = requests
        self.nccl.groupStart()
        try:
            yield
        finally:
            self.batched = None
            with self.cuda.Device(self.device):
                self.nccl.groupEnd()
                for request in requests:
                    self.follow(request)

    # ---- collectives

    def barrier(self) -> NcclRequest:
        """Start to wait for all ranks; the host waits for the end."""
        with self.cuda.Device(self.device):
            one = self.cupy.zeros(1, dtype="int32")
        pointer = one.data.ptr
        return self.start(
            lambda stream: self.communicator.allReduce(pointer, pointer, 1, DTYPES["int32"], 0, stream), one, host=True
        )

    def all_reduce(self, array: Any, op: RedOpType) -> NcclRequest | None:
        """Reduce in place."""
        if array.size == 0:
            return None
        if op in BITWISE:
            return self.start(lambda stream: self.reduce_gathered(array, array, op, stream), array)
        pointer, count, kind = array.data.ptr, array.size, DTYPES[array.dtype.name]
        return self.start(
            lambda stream: self.communicator.allReduce(pointer, pointer, count, kind, OPS[op], stream), array
        )

    def reduce(self, array: Any, root: int, op: RedOpType) -> NcclRequest | None:
        """Reduce into the root's array."""
        if array.size == 0 or op in BITWISE:
            return self.all_reduce(array, op)
        pointer, count, kind = array.data.ptr, array.size, DTYPES[array.dtype.name]
        return self.start(
            lambda stream: self.communicator.reduce(pointer, pointer, count, kind, OPS[op], root, stream), array
        )

    def broadcast(self, array: Any, root: int) -> NcclRequest | None:
        """Copy the root's array, as bytes."""
        if array.size == 0:
            return None
        pointer, count = array.data.ptr, array.nbytes
        return self.start(
            lambda stream: self.communicator.broadcast(pointer, pointer, count, BYTES, root, stream), array
        )

    def all_gather(self, output: Any, array: Any) -> NcclRequest | None:
        """Gather on all ranks, as bytes."""
        if array.size == 0:
            return None
        return self.start(
            lambda stream: self.communicator.allGather(
                array.data.ptr, output.data.ptr, array.nbytes, BYTES, stream
            ), output, array,
        )  # fmt: skip

    def gather(self, output: Any | None, array: Any, root: int) -> NcclRequest | None:
        """Gather on the root: each rank sends, the root receives from each."""
        size = array.nbytes
        counts = [size if self.rank == root else 0] * self.size
        sends = [size if rank == root else 0 for rank in range(self.size)]
        return self.start(lambda stream: self.exchange(output, array, counts, sends, stream), output, array)

    def scatter(self, output: Any, array: Any | None, root: int) -> NcclRequest | None:
        """Scatter from the root: it sends to each rank."""
        size = output.nbytes
        sends = [size if self.rank == root else 0] * self.size
        counts = [size if rank == root else 0 for rank in range(self.size)]
        return self.start(lambda stream: self.exchange(output, array, counts, sends, stream), output, array)

    def reduce_scatter(self, output: Any, array: Any, op: RedOpType) -> NcclRequest | None:
        """Reduce and give each rank its part."""
        if output.size == 0:
            return None
        if op in BITWISE:
            return self.start(lambda stream: self.reduce_gathered(output, array, op, stream), output, array)
        kind = DTYPES[output.dtype.name]
        return self.start(
            lambda stream: self.communicator.reduceScatter(
                array.data.ptr, output.data.ptr, output.size, kind, OPS[op], stream
            ), output, array,
        )  # fmt: skip

    def all_to_all(
        self, output: Any, array: Any, output_counts: Sequence[int], input_counts: Sequence[int]
    ) -> NcclRequest | None:
        """Send a part to each rank, as bytes."""
        counts = [count * output.itemsize for count in output_counts]
        sends = [count * array.itemsize for count in input_counts]
        return self.start(lambda stream: self.exchange(output, array, counts, sends, stream), output, array)

    def send(self, array: Any, rank: int, tag: int) -> NcclRequest | None:
        """Send bytes; NCCL knows no tags and matches calls in their order."""
        if array.size == 0:
            return None
        return self.start(
            lambda stream: self.communicator.send(array.data.ptr, array.nbytes, BYTES, rank, stream), array
        )

    def recv(self, array: Any, rank: int | None, tag: int) -> NcclRequest | None:
        """Receive bytes. Raises ValueError without a source, which NCCL needs."""
        if rank is None:
            raise ValueError("recv: the backend 'nccl' cannot receive from any rank; pass src")
        if array.size == 0:
            return None
        return self.start(
            lambda stream: self.communicator.recv(array.data.ptr, array.nbytes, BYTES, rank, stream),
            array, source=rank,
        )  # fmt: skip

    def exchange(self, output: Any, array: Any, counts: Sequence[int], sends: Sequence[int], stream: int) -> None:
        """Send consecutive parts of an array to the ranks, and receive consecutive parts from them; bytes."""
        to = 0 if array is None else array.data.ptr
        into = 0 if output is None else output.data.ptr
        self.nccl.groupStart()
        for rank, (received, sent) in enumerate(zip(counts, sends, strict=True)):
            if sent:
                self.communicator.send(to, sent, BYTES, rank, stream)
            if received:
                self.communicator.recv(into, received, BYTES, rank, stream)
            to, into = to + sent, into + received
        self.nccl.groupEnd()

    def reduce_gathered(self, output: Any, array: Any, op: RedOpType, stream: int) -> None:
        """Gather the arrays (or this rank's parts of them, where the output is a part) and reduce them here."""
        with self.stream:  # memory of this stream, so that its reuse is ordered
            parts = self.cupy.empty((self.size, output.size), dtype=output.dtype)
            if array is output:
                self.communicator.allGather(array.data.ptr, parts.data.ptr, array.nbytes, BYTES, stream)
            else:
                counts = [output.nbytes] * self.size
                self.exchange(parts, array, counts, counts, stream)
            function = getattr(self.cupy, BITWISE[op])
            output[...] = parts[0]
            for part in parts[1:]:
                function(output, part, out=output)


def communicate(nccl: Any, made: bytes, rank: int, size: int, seconds: float) -> Any:
    """Return NCCL's communicator of all ranks with an id. Raises DistBackendError where one does not come in time."""
    device = importlib.import_module("cupy").cuda.Device()

    def connect() -> Any:
        with device:
            return nccl.NcclCommunicator(size, from_bytes(nccl, made), rank)

    return call_within(connect, seconds, "init_process_group")


def connect_mpi(seconds: float) -> Any:
    """Return MPI's group of all ranks, which carries ids and reports of failures."""
    from wengert_distributed.backends.mpi import MpiGroup

    return MpiGroup.connect(-1, -1, None, seconds)


def choose_device(local_rank: int) -> None:
    """Make the GPU with this process' number current, unless the program has chosen another than 0."""
    cuda = importlib.import_module("cupy").cuda
    count = cuda.runtime.getDeviceCount()
    if count > 1 and local_rank > 0 and cuda.Device().id == 0:
        cuda.Device(local_rank % count).use()


def to_bytes(made: Any) -> bytes:
    """Return NCCL's id as bytes; CuPy before 14 has a tuple of signed chars."""
    return made if isinstance(made, bytes) else bytes(value & 0xFF for value in made)


def from_bytes(nccl: Any, made: bytes) -> Any:
    """Return the bytes of an id as CuPy takes it."""
    if isinstance(nccl.get_unique_id(), bytes):
        return made
    return tuple(value - 256 if value > 127 else value for value in made)
