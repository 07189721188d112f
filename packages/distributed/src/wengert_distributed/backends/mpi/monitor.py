"""Positions of the ranks of a group: on the board of this machine, and by messages from other machines."""

from __future__ import annotations

import os
import pickle
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert_distributed.errors import DistBackendError
from wengert_distributed.faults.board import LEFT, RAISED, RUNNING, Board, Record
from wengert_distributed.faults.signatures import describe
from wengert_distributed.interface.process_group import POINT_TO_POINT, Call, Peer

if TYPE_CHECKING:
    from wengert_distributed.backends.mpi.group import MpiGroup
    from wengert_distributed.backends.mpi.requests import MpiRequest

ASK = 1.0  # seconds in which ranks of other machines may answer
LIFE_SIGNS = 0.1  # seconds between two looks whether the processes of this machine exist
REPORT = 1  # the tag of messages between machines
SPINS, CROWDED_SPINS = 1000, 30  # tests before the first look: some 100 us, and 4 us where ranks share cores
TESTS = 500  # tests between two looks at the clock, while all ranks are in a collective
KILLED = "its process has ended without a word: killed, or crashed"


class MismatchError(DistBackendError):
    """Ranks called different collectives."""


class Monitor:
    """Looks after the other ranks of a group.

    ranks: the group's ranks that share this rank's board, by their index on it. Ranks of other machines send a message
    when they raise, and when a collective of theirs fails.
    """

    def __init__(self, group: MpiGroup, ranks: list[int]) -> None:
        self.group, self.ranks = group, ranks
        self.board: Board = group.board
        self.indices = {rank: index for index, rank in enumerate(ranks)}
        self.remote = sorted(set(range(group.size)) - set(ranks))
        self.control: Any = group.communicator.Dup() if len(ranks) < group.size else None
        cores = len(os.sched_getaffinity(0))
        self.has_cores, self.has_spare_cores = len(ranks) <= cores, 2 * len(ranks) <= cores
        self.spins = range(SPINS if self.has_cores else CROWDED_SPINS)
        self.tests = range(TESTS if self.has_cores else 1)
        self.reports: dict[int, Peer] = {}
        self.sent: list[Any] = []
        self.dead: set[int] = set()  # indices whose process has ended
        self.looked = 0.0
        self.written: MpiRequest | None = None  # whose text is on the board

    def close(self) -> None:
        """Free the communicator of messages."""
        if self.control is not None:
            self.control.Free()
            self.control = None

    # ---- while a rank waits

    def all_have_begun(self, request: MpiRequest) -> bool:
        """Return whether all ranks of this machine have begun a collective; False for a send or a receive."""
        sequence = request.sequence
        return sequence > 0 and all(self.board.has_begun(index, sequence) for index in self.board.others)

    def is_lost(self, request: MpiRequest) -> bool:
        """Return whether a rank that a request needs has ended. Raises MismatchError where one calls otherwise.

        It writes this rank's text as well, because whoever waits long may be asked for it.
        """
        if request.call is not None and self.written is not request:
            self.written = request
            self.write_text(request.sequence, request.call)
        self.look_for_deaths()
        self.read_reports()
        if request.sequence:
            for index in self.board.others:
                if self.board.differs(index, request.sequence):
                    raise self.mismatch(request.sequence)
            return any(self.has_ended(rank, request.sequence) for rank in range(self.group.size))
        if request.other is None:
            return all(self.has_ended(rank) for rank in range(self.group.size) if rank != self.group.rank)
        return self.has_ended(request.other)

    def write_text(self, sequence: int, call: Call) -> None:
        """Write the name, number and facts of a call on the board."""
        self.board.write_text(sequence, f"{call.number}\0{call.name}\0{call.text}")

    def clear_text(self, request: MpiRequest) -> None:
        """Take the text of a send or a receive from the board, where it would say that this rank still waits."""
        if self.written is request and not request.sequence:
            self.board.write_text(0, "")
            self.written = None

    def look_for_deaths(self) -> None:
        """Ask the system whether the processes of this machine exist."""
        now = time.monotonic()
        if now - self.looked > LIFE_SIGNS:
            self.looked = now
            self.dead |= {index for index in self.board.others if not self.board.is_alive(index)}

    def has_ended(self, rank: int, sequence: int | None = None) -> bool:
        """Return whether a rank raised, left or died before the end of a collective (by default: at all)."""
        if rank not in self.indices:
            return rank in self.reports and self.reports[rank].state == "raised"
        index = self.indices[rank]
        if index == self.board.index or (self.board.state(index) == RUNNING and index not in self.dead):
            return False
        return sequence is None or self.board.latest_end(index) < sequence

    def any_ended(self) -> bool:
        """Return whether a rank raised or died."""
        self.look_for_deaths()
        return bool(self.dead) or any(
            self.board.state(index) == RAISED for index in range(self.board.count)
        ) or any(peer.state == "raised" for peer in self.reports.values())  # fmt: skip

    def all_have_ended(self) -> bool:
        """Return whether each other rank has raised, left, or died."""
        self.looked = 0.0
        self.look_for_deaths()
        self.read_reports()
        return all(self.has_ended(rank) for rank in range(self.group.size) if rank != self.group.rank)

    # ---- the own state

    def fail(self, detail: str) -> None:
        """Tell all ranks that this one raised."""
        if self.board.state(self.board.index) == RUNNING:
            self.board.write_state(RAISED, detail)
            self.send_report(self.own_report("raised", detail))

    def leave(self) -> None:
        """Tell the ranks of this machine that this one has left the group."""
        self.board.write_state(LEFT)

    def own_report(self, state: str = "running", detail: str = "") -> Peer:
        """Return where this rank is."""
        call = self.group.call
        return Peer(self.group.rank, call and Call(call.number, call.name, call.text), state, detail)

    # ---- other machines

    def send_report(self, report: Peer) -> None:
        """Start a message to each rank of other machines."""
        if self.control is not None:
            content = pickle.dumps(report)
            self.sent += [self.control.Isend(content, rank, REPORT) for rank in self.remote]

    def read_reports(self) -> None:
        """Take the messages that have arrived."""
        if self.control is None:
            return
        status = self.group.mpi.Status()
        while self.control.Iprobe(self.group.mpi.ANY_SOURCE, REPORT, status):
            content = bytearray(status.Get_count(self.group.mpi.BYTE))
            self.control.Recv(content, status.Get_source(), REPORT)
            self.reports[status.Get_source()] = pickle.loads(content)

    # ---- reports

    def peers(self) -> list[Peer]:
        """Return where the other ranks are; ranks of other machines are asked by telling them where this one is."""
        if self.control is not None:
            self.send_report(self.own_report())
            end = time.monotonic() + ASK
            while time.monotonic() < end and len(self.reports) < len(self.remote):
                self.read_reports()
                time.sleep(0.01)
        self.looked = 0.0
        self.look_for_deaths()
        others = [rank for rank in range(self.group.size) if rank != self.group.rank]
        return [self.peer(rank) for rank in others]

    def peer(self, rank: int) -> Peer:
        """Return where a rank is."""
        if rank not in self.indices:
            return self.reports.get(rank, Peer(rank, None, "silent"))
        index, board = self.indices[rank], self.board
        last = board.last(index)
        call = self.call(index, last)
        if board.state(index) == RAISED:
            return Peer(rank, call, "raised", board.detail(index))
        if board.state(index) == LEFT:
            return Peer(rank, call, "left")
        if index in self.dead:
            return Peer(rank, call, "silent", KILLED)
        if call is not None and call.number == POINT_TO_POINT:
            return Peer(rank, call, "running")
        return Peer(rank, call, "finished" if board.latest_end(index) >= last.sequence else "running")

    def call(self, index: int, record: Record) -> Call | None:
        """Return a rank's call from its record, with the text where the rank has written it."""
        sequence, text = self.board.text(index)
        if record.sequence == 0 and not text:
            return None
        if sequence in (record.sequence, 0) and text.count("\0") >= 2:  # 0: a send or a receive
            number, name, facts = text.split("\0", 2)
            return Call(int(number), name, facts)
        own = self.group.call
        mine = self.board.record(self.board.index, record.sequence)
        if own is not None and own.number == record.number and mine == record:
            return Call(record.number, own.name, own.text)
        return Call(record.number, *describe(record.signature, record.elements))

    def mismatch(self, sequence: int) -> MismatchError:
        """Return the error of ranks of this machine that called different collectives."""
        board = self.board
        calls = {
            self.ranks[index]: self.call(index, board.record(index, sequence))
            for index in [board.index, *board.others]
            if index == board.index or board.differs(index, sequence)
        }
        own = self.group.call
        if own is not None and own.number == board.record(board.index, sequence).number:
            calls[self.group.rank] = own
        return mismatch_error(calls)

    def compare_all(self, sequence: int) -> None:
        """Compare a collective among all ranks before it starts; MismatchError where one differs."""
        group = self.group
        own = np.array(self.board.record(self.board.index, sequence), np.int64)
        every = np.empty((group.size, len(own)), np.int64)
        if not self.wait(group.communicator.Iallgather(own, every)):
            return  # the collective itself will say who is missing
        if (every == own).all():
            return
        calls: dict[int, Call | None] = {}
        for rank, row in enumerate(every.tolist()):
            if rank == group.rank or row != own.tolist():
                record = Record(*row)
                calls[rank] = Call(record.number, *describe(record.signature, record.elements))
        if group.call is not None:
            calls[group.rank] = group.call
        raise mismatch_error(calls)

    def wait(self, raw: Any) -> bool:
        """Wait for a request of MPI for the group's timeout at most."""
        end = time.monotonic() + self.group.seconds
        while not raw.Test():
            if time.monotonic() > end or self.any_ended():
                return False
            time.sleep(0)
        return True


def mismatch_error(calls: dict[int, Call | None]) -> MismatchError:
    """Return the error that names the collective of each rank, this rank first."""
    texts = [f"rank {rank} is running collective {describe_call(call)}" for rank, call in calls.items()]
    return MismatchError(f"Detected mismatch between collectives on ranks: {', but '.join(texts)}")


def describe_call(call: Call | None) -> str:
    """Return a call's name, number and facts."""
    return "(none)" if call is None else f"{call.name}({call.text}), number {call.number}"
