"""The process group over MPI. Memory moves by mpi4py's calls on NumPy arrays, as it is."""

from __future__ import annotations

import importlib
import importlib.util
import os
import warnings
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NoReturn

import numpy as np

from wengert_distributed.backends.mpi.blocking import BlockingCollectives
from wengert_distributed.backends.mpi.ending import watch_ending
from wengert_distributed.backends.mpi.host_memory import HostTensors
from wengert_distributed.backends.mpi.monitor import Monitor
from wengert_distributed.backends.mpi.requests import ABANDONED, MpiReceive, MpiRequest
from wengert_distributed.backends.mpi.setup import connect_within, share_board, share_cores
from wengert_distributed.backends.mpi.types import PLAIN_OPS, moved_dtypes, mpi_types, plain_dtypes
from wengert_distributed.errors import DistBackendError
from wengert_distributed.faults.signatures import (
    ALL_GATHER,
    ALL_REDUCE,
    ALL_TO_ALL,
    BARRIER,
    BROADCAST,
    DETAIL_SHIFT,
    DTYPE_SHIFT,
    GATHER,
    NAMES,
    REDUCE,
    REDUCE_SCATTER,
    SCATTER,
)
from wengert_distributed.interface.process_group import POINT_TO_POINT, Call, Peer, ProcessGroup
from wengert_distributed.interface.work import Channel
from wengert_distributed.reduce_op import RedOpType


class MpiGroup(ProcessGroup):
    """Ranks that an MPI launcher started, or one process alone.

    It has a communicator of its own, so that a program's own use of MPI is not disturbed. The cores of a machine are
    shared out to its ranks, unless OMP_NUM_THREADS or a like variable is set. Reductions take integers and
    float32 and float64; all else moves as bytes. WENGERT_DISTRIBUTED_DEBUG=DETAIL (or TORCH_DISTRIBUTED_DEBUG) compares
    each collective among all ranks before it starts.
    """

    backend = "mpi"

    def __init__(self, communicator: Any, seconds: float) -> None:
        mpi = importlib.import_module("mpi4py.MPI")
        self.mpi, self.communicator, self.seconds = mpi, communicator, seconds
        communicator.Set_errhandler(mpi.ERRORS_RETURN)
        self.rank, self.size = communicator.Get_rank(), communicator.Get_size()
        self.threads = mpi.Query_thread() == mpi.THREAD_MULTIPLE
        self.in_place, (self.datatypes, self.ops) = mpi.IN_PLACE, mpi_types()
        self.newest: Call | None = None
        """The newest call but those of ``blocking``."""
        self.blocking: BlockingCollectives | None = None
        self.waits = False
        """Whether the program waits at once for the end of the call."""
        self.board, ranks = share_board(communicator)
        self.monitor = Monitor(self, ranks)
        self.spins = self.monitor.spins
        self.checks = self.size > 1 and debug_level() == "DETAIL"
        if mpi.COMM_WORLD.Get_size() > 1:
            watch_ending(self)

    @classmethod
    def is_available(cls) -> bool:
        """Return whether mpi4py is installed."""
        return importlib.util.find_spec("mpi4py") is not None

    @classmethod
    def connect(cls, rank: int, size: int, init_method: Any, seconds: float) -> MpiGroup:
        """Return the group of all ranks; MPI's launcher numbers them.

        Raises DistBackendError without mpi4py or an MPI library. Warns where rank and size differ from MPI's.
        """
        try:
            mpi = importlib.import_module("mpi4py.MPI")
        except (ImportError, RuntimeError) as error:
            raise DistBackendError(
                f"Distributed package doesn't have MPI built in: mpi4py cannot be imported ({error}). "
                "pip install mpi4py mpich"
            ) from error
        world = mpi.COMM_WORLD
        if (rank >= 0 and rank != world.Get_rank()) or (size >= 0 and size != world.Get_size()):
            warnings.warn(
                f"For MPI backend, world_size ({size}) and rank ({rank}) are ignored since they are assigned by the "
                f"MPI runtime: this is rank {world.Get_rank()} of {world.Get_size()}. Start the program with mpiexec",
                stacklevel=4,
            )
        group = connect_within(lambda: cls(world.Dup(), seconds), seconds, "init_process_group")
        if group.board.count > 1:
            share_cores(group.board.count)
        return group

    def split(self, ranks: Sequence[int], number: int) -> MpiGroup | None:
        """Return the group of some ranks; only these need to call it."""
        if self.rank not in ranks:
            return None
        members = self.communicator.Get_group().Incl(list(ranks))
        return connect_within(
            lambda: type(self)(self.communicator.Create_group(members, number), self.seconds), self.seconds, "new_group"
        )

    def close(self) -> None:
        """Free the communicator, unless ranks have failed: freeing could wait for them."""
        self.monitor.leave()
        if self.communicator and not self.monitor.any_ended():
            self.communicator.Free()
            self.monitor.close()

    # ---- who is where

    @property
    def call(self) -> Call | None:
        """The newest call of this rank."""
        return self.newest if self.blocking is None else self.blocking.call_after(self.newest)

    def announce(self, call: Call) -> None:
        """Note the call; its collective writes the record."""
        self.newest, self.waits = call, False

    def announce_wait(self, call: Call, seconds: float) -> None:
        """Note a call whose end is waited for at once."""
        self.newest, self.waits = call, True

    def fail(self, detail: str) -> None:
        """Tell the other ranks that this one raised."""
        self.monitor.fail(detail)

    def peers(self) -> list[Peer]:
        """Return where the other ranks are."""
        return self.monitor.peers()

    def begin(self, sign: int, count: int) -> int:
        """Write the record of a collective and return its sequence number. Raises MismatchError for a wrong one."""
        call = self.newest
        sequence = self.board.begin(sign, count, call.number if call is not None else 0)
        if not sequence:
            self.raise_mismatch()
        if self.checks:
            self.monitor.compare_all(sequence)
        return sequence

    def raise_mismatch(self) -> NoReturn:
        """Raise MismatchError for the newest record, from which a neighbor's differs."""
        raise self.monitor.mismatch(self.board.sequence)

    def begin_external(self, call: Call) -> None:
        """Note a collective that another transport (NCCL) moves, with its text."""
        self.newest = call
        if call.number != POINT_TO_POINT:
            name = NAMES.index(call.name) if call.name in NAMES else 0
            self.begin(name, 0)
            self.monitor.write_text(self.board.sequence, call)

    def follow(self, raw: Any, sequence: int) -> MpiRequest | None:
        """Return the request of a collective; None where the program waits for it at once and it ends soon.

        Note [Tests in a row] in requests.py.
        """
        if self.waits:
            poll = raw.Test
            try:
                for _ in self.spins:
                    if poll():
                        self.board.finish(sequence)
                        return None
            except BaseException:  # an interrupt: MPI may still write
                ABANDONED[id(raw)] = raw
                raise
        return MpiRequest(self, raw, sequence)

    # ---- collectives

    def blocking_collectives(self, channel: Channel) -> BlockingCollectives | None:
        """Return the collectives without frames of Python, but for those that a subclass carries out in its own way.

        None: nothing moves, or each call is compared first.
        """
        if self.size > 1 and not self.checks and not any(self.overrides(name) for name in STEPS):
            methods = {name: getattr(self.communicator, method) for name, method in METHODS.items()
                       if not self.overrides(name)}  # fmt: skip
            ops = {op: (self.ops[kind], OP_BITS[kind], op is not kind) for op, kind in PLAIN_OPS.items()}
            tensors = HostTensors(self.size, moved_dtypes(), plain_dtypes())
            self.blocking = BlockingCollectives(self, channel, tensors, methods, ops)
        return self.blocking

    def overrides(self, name: str) -> bool:
        """Return whether a subclass has a method of its own."""
        return getattr(type(self), name) is not getattr(MpiGroup, name)

    def barrier(self) -> MpiRequest | None:
        """Start to wait for all ranks."""
        if self.size == 1:
            return None
        sequence = self.begin(BARRIER, 0)
        return self.follow(self.communicator.Ibarrier(), sequence)

    def all_reduce(self, array: Any, op: RedOpType) -> MpiRequest | None:
        """Reduce in place."""
        count = array.size
        if self.size == 1 or count == 0:
            return None
        kind = array.dtype.num
        sequence = self.begin(ALL_REDUCE | kind << DTYPE_SHIFT | OP_BITS[op], count)
        raw = self.communicator.Iallreduce(self.in_place, (array, count, self.datatypes[kind]), self.ops[op])
        return self.follow(raw, sequence)

    def reduce(self, array: Any, root: int, op: RedOpType) -> MpiRequest | None:
        """Reduce into the root's array; the others' stay."""
        count = array.size
        if self.size == 1 or count == 0:
            return None
        kind = array.dtype.num
        sequence = self.begin(REDUCE | kind << DTYPE_SHIFT | OP_BITS[op] | root << DETAIL_SHIFT + 8, count)
        message = (array, count, self.datatypes[kind])
        send, receive = (self.in_place, message) if self.rank == root else (message, None)
        return self.follow(self.communicator.Ireduce(send, receive, self.ops[op], root), sequence)

    def broadcast(self, array: Any, root: int) -> MpiRequest | None:
        """Copy the root's array."""
        count = array.size
        if self.size == 1 or count == 0:
            return None
        kind = array.dtype.num
        sequence = self.begin(BROADCAST | kind << DTYPE_SHIFT | root << DETAIL_SHIFT, count)
        return self.follow(self.communicator.Ibcast((array, count, self.datatypes[kind]), root), sequence)

    def all_gather(self, output: Any, array: Any) -> MpiRequest | None:
        """Gather on all ranks."""
        count = array.size
        if self.size == 1 or count == 0:
            output[...] = array
            return None
        kind = array.dtype.num
        sequence = self.begin(ALL_GATHER | kind << DTYPE_SHIFT, count)
        datatype = self.datatypes[kind]
        array = without_overlap(array, output)
        raw = self.communicator.Iallgather((array, count, datatype), (output, count, datatype))
        return self.follow(raw, sequence)

    def gather(self, output: Any | None, array: Any, root: int) -> MpiRequest | None:
        """Gather on the root."""
        count = array.size
        if output is not None and (self.size == 1 or count == 0):
            output[...] = array
        if self.size == 1 or count == 0:
            return None
        kind = array.dtype.num
        sequence = self.begin(GATHER | kind << DTYPE_SHIFT | root << DETAIL_SHIFT, count)
        datatype = self.datatypes[kind]
        receive = None
        if output is not None:
            array, receive = without_overlap(array, output), (output, count, datatype)
        return self.follow(self.communicator.Igather((array, count, datatype), receive, root), sequence)

    def scatter(self, output: Any, array: Any | None, root: int) -> MpiRequest | None:
        """Scatter from the root."""
        count = output.size
        if array is not None and (self.size == 1 or count == 0):
            output[...] = array
        if self.size == 1 or count == 0:
            return None
        kind = output.dtype.num
        sequence = self.begin(SCATTER | kind << DTYPE_SHIFT | root << DETAIL_SHIFT, count)
        datatype = self.datatypes[kind]
        send = None
        if array is not None:
            array = without_overlap(array, output)
            send = (array, count, datatype)
        return self.follow(self.communicator.Iscatter(send, (output, count, datatype), root), sequence)

    def reduce_scatter(self, output: Any, array: Any, op: RedOpType) -> MpiRequest | None:
        """Reduce and give each rank its part."""
        count = output.size
        if self.size == 1 or count == 0:
            output[...] = array
            return None
        kind = output.dtype.num
        sequence = self.begin(REDUCE_SCATTER | kind << DTYPE_SHIFT | OP_BITS[op], count)
        datatype = self.datatypes[kind]
        array = without_overlap(array, output)
        raw = self.communicator.Ireduce_scatter_block((array, count, datatype), (output, count, datatype), self.ops[op])
        return self.follow(raw, sequence)

    def all_to_all(
        self, output: Any, array: Any, output_counts: Sequence[int], input_counts: Sequence[int]
    ) -> MpiRequest | None:
        """Exchange consecutive parts of an array."""
        if self.size == 1:
            output[...] = array
            return None
        sequence = self.begin(ALL_TO_ALL | array.dtype.num << DTYPE_SHIFT, 0)
        if self.checks:
            self.check_parts(output_counts, input_counts)
        datatype = self.datatypes[array.dtype.num]
        array = without_overlap(array, output)
        send = (array, input_counts, offsets(input_counts), datatype)
        receive = (output, output_counts, offsets(output_counts), datatype)
        return self.follow(self.communicator.Ialltoallv(send, receive), sequence)

    def check_parts(self, expected: Sequence[int], sent: Sequence[int]) -> None:
        """Raise RuntimeError where another rank sends a part of another size than this one expects of it."""
        parts = self.communicator.alltoall(list(sent))
        for rank, (size, other) in enumerate(zip(expected, parts, strict=True)):
            if size != other:
                raise RuntimeError(f"rank {rank} sends {other} elements, but rank {self.rank} expects {size} of it")

    def send(self, array: Any, rank: int, tag: int) -> MpiRequest:
        """Send an array."""
        raw = self.communicator.Isend((array, array.size, self.datatypes[array.dtype.num]), rank, tag)
        return MpiRequest(self, raw, 0, rank)

    def recv(self, array: Any, rank: int | None, tag: int) -> MpiReceive:
        """Receive an array of at most this size."""
        source = self.mpi.ANY_SOURCE if rank is None else rank
        raw = self.communicator.Irecv((array, array.size, self.datatypes[array.dtype.num]), source, tag)
        return MpiReceive(self, raw, self.mpi.Status(), rank)


METHODS = {
    "barrier": "Ibarrier", "all_reduce": "Iallreduce", "reduce": "Ireduce", "broadcast": "Ibcast",
    "all_gather": "Iallgather", "gather": "Igather", "scatter": "Iscatter", "reduce_scatter": "Ireduce_scatter_block",
    "all_to_all": "Ialltoallv", "send": "Isend", "recv": "Irecv",
}  # fmt: skip
"""MPI's methods, by the names of collectives and messages."""
STEPS = ("announce", "announce_wait", "begin", "follow", "finish", "raise_mismatch")
"""Methods that each collective calls."""
OP_BITS = {op: number << DETAIL_SHIFT for number, op in enumerate(RedOpType)}


def offsets(counts: Sequence[int]) -> list[int]:
    """Return where consecutive parts begin."""
    return list(accumulate(counts[:-1], initial=0))


def without_overlap(array: Any, output: Any) -> Any:
    """Return an input that shares no memory with the output, which MPI forbids: a copy where it does."""
    return array.copy() if np.may_share_memory(array, output) else array


def debug_level() -> str:
    """Return OFF, INFO or DETAIL, from the environment."""
    level = os.environ.get("WENGERT_DISTRIBUTED_DEBUG") or os.environ.get("TORCH_DISTRIBUTED_DEBUG") or "OFF"
    return level.upper()
