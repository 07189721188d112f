"""One run of simulated ranks: who has failed, how long transfers take, and which mistakes were seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from wengert_distributed.extend import POINT_TO_POINT, Call

from wengert_testing.sim_group.board import Board, SimRequest
from wengert_testing.sim_group.clock import Clock, SimDeath

if TYPE_CHECKING:
    from wengert_testing.sim_group.group import SimGroup

MEAN_SECONDS = 1e-3
"""How long a transfer takes on average where nothing else is said."""
Delays = Callable[[str, int, int], float]


class Fault(NamedTuple):
    """A failure that is planted in a simulated rank."""

    rank: int
    number: int
    """The collective that it fails at: 1 for the first that the rank calls."""
    kind: str
    """"die" (its thread ends, and nobody is told), "hang", "raise" (FaultError) or "other" (it calls another one)."""


class FaultError(RuntimeError):
    """The exception of a rank in which "raise" was planted."""


class RaceError(AssertionError):
    """A program reads or writes memory that a collective still uses, or never waits for a collective."""


class Cluster:
    """All ranks of a run."""

    def __init__(
        self, clock: Clock, delays: float | Delays | None, faults: Sequence[Fault], checks: bool
    ) -> None:
        self.clock, self.delays, self.faults, self.checks = clock, delays, faults, checks
        self.boards: dict[Any, Board] = {}
        self.requests: list[SimRequest] = []
        self.mistakes: list[str] = []
        self.details: dict[int, str] = {}
        """For ranks that have ended, the exception that they raised, or ""."""
        self.silent: set[int] = set()
        """Ranks that died or hang, which the others do not know."""
        self.called: dict[int, int] = {}

    def board(self, ranks: tuple[int, ...], parent: Board | None = None, number: int = 0) -> Board:
        """Return the meeting place of a group."""
        board = self.boards.setdefault((id(parent), ranks, number), Board(self, ranks))
        board.gone |= {board.ranks.index(rank) for rank in self.details if rank in board.ranks}
        return board

    def delay(self, name: str, nbytes: int, ranks: int) -> float:
        """Return how long a transfer takes."""
        if callable(self.delays):
            return self.delays(name, nbytes, ranks)
        return self.clock.random.expovariate(1 / (MEAN_SECONDS if self.delays is None else max(self.delays, 1e-12)))

    def plant(self, group: SimGroup, call: Call) -> Call:
        """Fail where a fault is planted; return the call, or the one that is made in its place."""
        if call.number == POINT_TO_POINT:
            return call
        rank = group.task.rank
        self.called[rank] = self.called.get(rank, 0) + 1
        for fault in self.faults:
            if (fault.rank, fault.number) == (rank, self.called[rank]):
                return self.fail(group, call, fault.kind)
        return call

    def fail(self, group: SimGroup, call: Call, kind: str) -> Call:
        """Let a rank fail at a call."""
        rank, task = group.task.rank, group.task
        if kind == "other":
            return Call(call.number, "another collective", "planted")
        if kind == "raise":
            raise FaultError(f"planted in rank {rank} at {call.name} number {call.number}")
        self.silent.add(rank)
        if kind == "hang":
            while True:
                task.sleep(float("inf"))
        task.dead = True
        raise SimDeath

    def leave(self, rank: int, detail: str) -> None:
        """Note that a rank's program has ended; the others learn of it."""
        if rank in self.details:
            return
        self.details[rank] = detail
        for board in list(self.boards.values()):
            if rank in board.ranks:
                board.leave(board.ranks.index(rank))

    def state(self, rank: int, finished: bool) -> tuple[str, str]:
        """Return what others know of a rank: a state of a Peer, and the detail."""
        if rank in self.silent:
            return "silent", ""
        if rank in self.details:
            return ("raised" if self.details[rank] else "left"), self.details[rank]
        return ("finished" if finished else "running"), ""

    def note(self, mistake: str) -> None:
        """Note a mistake of the program."""
        self.mistakes.append(mistake)

    def note_requests_without_wait(self) -> None:
        """Note what a rank has begun and never waited for."""
        for request in self.requests:
            rank = request.task.rank
            if rank not in self.silent and not self.details.get(rank):
                request.note_no_wait()
