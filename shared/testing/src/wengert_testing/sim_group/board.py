"""The meeting place of a group's ranks: collectives are matched by their number, sends and receives by their tag."""

from __future__ import annotations

from typing import Any

import numpy as np
from wengert_distributed.extend import Call, Request

from wengert_testing.sim_group import mathematics
from wengert_testing.sim_group.clock import Clock, Task

ENDED = "a rank that it needs has ended"
POLL_SECONDS = 1e-6
"""How far the clock moves while a rank asks whether something has ended."""


class SimRequest(Request):
    """A collective under way on one simulated rank."""

    def __init__(self, task: Task, call: Call, source: Any, output: Any) -> None:
        self.task, self.call, self.input, self.output = task, call, source, output
        self.ended = False
        """Whether its output has been written."""
        self.waited = False
        """Whether this rank knows that it has ended."""
        self.broken = False
        """Whether it cannot end any more."""
        self.source: int | None = None
        self.copies: list[tuple[Any, Any, str]] = []
        """Memory that must not change before the rank has waited, its contents, and what the memory is."""
        if source is not None and task.cluster.checks:
            self.copies.append((source, source.copy(), "input"))

    def test(self) -> bool:
        self.task.sleep(self.task.clock.now + POLL_SECONDS)
        return self._acknowledge()

    def wait(self, seconds: float | None = None) -> bool:
        clock = self.task.clock
        deadline = float("inf") if seconds is None else clock.now + seconds
        while not (self.ended or self.broken) and clock.now < deadline:
            self.task.sleep(deadline)
        return self._acknowledge()

    def abandon(self, seconds: float) -> None:
        self.note_no_wait()
        super().abandon(seconds)

    def note_no_wait(self) -> None:
        """Note the mistake that the program has not waited for it, unless that is what failed."""
        if self.task.cluster.checks and not (self.waited or self.broken):
            self.task.cluster.note(f"{self.words()}: the program has never waited for it")
            self.broken = True

    def _acknowledge(self) -> bool:
        if self.ended and not self.waited:
            self.waited = True
            self.check_memory()
            self.copies = []
        return self.ended

    def check_memory(self) -> None:
        """Note the mistake where the program has written to memory that the collective still uses."""
        for array, contents, role in self.copies:
            if not mathematics.same_bytes(array, contents):
                self.task.cluster.note(f"{self.words()}: the program wrote to its {role} before it had waited for it")
                self.copies = []

    def words(self) -> str:
        """Return which collective of which rank it is."""
        number = f" number {self.call.number}" if self.call.number > 0 else ""
        return f"rank {self.task.rank}, {self.call.name}{number} ({self.call.text})"

    def finish(self, result: Any) -> None:
        """Write the output."""
        if result is not None and self.output is not None:
            self.output[...] = result
            if self.task.cluster.checks:
                own = [one for one in self.copies if not np.may_share_memory(one[0], self.output)]
                self.copies = [*own, (self.output, self.output.copy(), "output")]
        self.ended = True
        self.task.wake()

    def give_up(self, reason: str) -> None:
        """Tell the rank that it will not end."""
        self.broken, self.reason = True, reason
        self.task.wake()


class Slot:
    """One collective of a group: what the ranks that have called it gave."""

    def __init__(self, signature: tuple[Any, ...]) -> None:
        self.signature = signature
        self.requests: dict[int, SimRequest] = {}
        self.arguments: dict[int, tuple[Any, ...]] = {}
        self.broken = ""
        """Why it cannot end."""

    def give_up(self, reason: str) -> None:
        """Tell all ranks that it will not end."""
        self.broken = self.broken or reason
        for request in self.requests.values():
            request.give_up(self.broken)


class Board:
    """The meeting place of a group's ranks."""

    def __init__(self, cluster: Any, ranks: tuple[int, ...]) -> None:
        self.cluster, self.ranks = cluster, ranks
        self.clock: Clock = cluster.clock
        self.slots: dict[int, Slot] = {}
        self.calls: dict[int, Call] = {}
        """The last call of each rank of the group."""
        self.finished: set[int] = set()
        """Ranks whose last call has ended."""
        self.gone: set[int] = set()
        """Ranks that will call nothing any more, and of which the others know."""
        self.sends: list[tuple[int, int, int, SimRequest]] = []
        self.receives: list[tuple[int, int | None, int, SimRequest]] = []

    def post(
        self, rank: int, number: int, signature: tuple[Any, ...], request: SimRequest, arguments: tuple[Any, ...]
    ) -> None:
        """Note that a rank has called a collective; when all have, it runs after a random time.

        signature: its name, and what all ranks must agree on.
        """
        slot = self.slots.setdefault(number, Slot(signature))
        slot.requests[rank], slot.arguments[rank] = request, arguments
        if slot.signature != signature:
            slot.give_up("the ranks have called different collectives, or with different arguments")
        elif slot.broken or self.gone - slot.requests.keys():
            slot.give_up(ENDED)
        elif len(slot.requests) == len(self.ranks):
            nbytes = sum(0 if one.input is None else one.input.nbytes for one in slot.requests.values())
            self.clock.at(self.clock.now + self.cluster.delay(signature[0], nbytes, len(self.ranks)), self.run, number)

    def run(self, number: int) -> None:
        """Read the inputs of all ranks and write their outputs, at one moment."""
        slot = self.slots.pop(number)
        requests = [slot.requests[rank] for rank in range(len(self.ranks))]
        for request in requests:
            request.check_memory()
        name = slot.signature[0]
        arguments = slot.arguments[0]
        if name == "all_to_all":
            arguments = ([slot.arguments[rank] for rank in range(len(self.ranks))],)
        results = mathematics.COLLECTIVES[name]([request.input for request in requests], *arguments)
        if any(result is not None and request.output is not None and result.size != request.output.size
               for request, result in zip(requests, results, strict=True)):  # fmt: skip
            slot.give_up("a rank sends another number of elements than the other receives")
            return
        for request, result in zip(requests, results, strict=True):
            request.finish(result)

    def send(self, rank: int, to: int, tag: int, request: SimRequest) -> None:
        """Note a send, and let it meet a receive."""
        self.sends.append((rank, to, tag, request))
        self._match()
        if to in self.gone:
            request.give_up(ENDED)

    def receive(self, rank: int, source: int | None, tag: int, request: SimRequest) -> None:
        """Note a receive, and let it meet a send."""
        self.receives.append((rank, source, tag, request))
        self._match()
        if source in self.gone and (rank, source, tag, request) in self.receives:
            request.give_up(ENDED)

    def _match(self) -> None:
        """Let each receive, in order, meet the first send that fits; from any rank, one of the first sends."""
        for receive in list(self.receives):
            rank, source, tag, taker = receive
            fitting: dict[int, tuple[int, int, int, SimRequest]] = {}
            for send in self.sends:
                if send[1] == rank and send[2] == tag and source in (None, send[0]):
                    fitting.setdefault(send[0], send)
            if fitting:
                chosen = self.clock.random.choice(list(fitting.values()))
                self.receives.remove(receive)
                self.sends.remove(chosen)
                seconds = self.cluster.delay("send", chosen[3].input.nbytes, 2)
                self.clock.at(self.clock.now + seconds, self.transfer, chosen[0], chosen[3], taker)

    def transfer(self, source: int, giver: SimRequest, taker: SimRequest) -> None:
        """Copy what was sent to where it is received."""
        giver.check_memory()
        if giver.input.size > taker.output.size or giver.input.dtype != taker.output.dtype:
            for one in (giver, taker):
                one.give_up("what was sent has more elements, or another dtype, than the receiver expects")
            return
        taker.source = source
        result = taker.output.copy()
        result[: giver.input.size] = giver.input
        taker.finish(result)
        giver.finish(None)

    def leave(self, rank: int) -> None:
        """Note that a rank will call nothing any more: what waits for it does not end."""
        self.gone.add(rank)
        for slot in self.slots.values():
            if rank not in slot.requests:
                slot.give_up(ENDED)
        for sender, to, _, request in self.sends:
            if rank == to and sender != rank:
                request.give_up(ENDED)
        for _, source, _, request in self.receives:
            if source == rank:
                request.give_up(ENDED)
