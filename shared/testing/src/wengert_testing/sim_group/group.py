"""The process group "sim", as one simulated rank sees it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from wengert_distributed.extend import Call, Peer, ProcessGroup, RedOpType

from wengert_testing.sim_group import mathematics
from wengert_testing.sim_group.board import Board, SimRequest
from wengert_testing.sim_group.clock import Task


class ThreadTask(threading.local):
    """The simulated rank that this thread is; None for a thread that is none."""

    task: Task | None = None


THREAD = ThreadTask()


class SimGroup(ProcessGroup):
    """A process group whose ranks are threads of ``run_ranks``."""

    backend = "sim"

    def __init__(self, task: Task, board: Board, rank: int) -> None:
        self.task, self.board, self.rank, self.size = task, board, rank, len(board.ranks)
        self.posted = 0
        self.call = Call(0, "", "")

    @classmethod
    def connect(cls, rank: int, size: int, init_method: str | None, seconds: float) -> SimGroup:
        """Return the group of all ranks. Raises RuntimeError in a thread that is no simulated rank."""
        task = THREAD.task
        if task is None:
            raise RuntimeError("the backend 'sim' is for ranks of wengert_testing.sim_group.run_ranks")
        return cls(task, task.cluster.board(tuple(range(len(task.clock.tasks)))), task.rank)

    def split(self, ranks: Sequence[int], number: int) -> SimGroup | None:
        if self.rank not in ranks:
            return None
        members = tuple(self.board.ranks[rank] for rank in ranks)
        return SimGroup(self.task, self.task.cluster.board(members, self.board, number), list(ranks).index(self.rank))

    # ---- who is where

    def announce(self, call: Call) -> None:
        self.call = self.board.calls[self.rank] = self.task.cluster.plant(self, call)
        self.board.finished.discard(self.rank)

    def finish(self, call: Call) -> None:
        if self.board.calls.get(self.rank) is call:
            self.board.finished.add(self.rank)

    def fail(self, detail: str) -> None:
        self.task.cluster.leave(self.task.rank, detail)

    def peers(self) -> list[Peer]:
        cluster = self.task.cluster
        return [
            Peer(rank, self.board.calls.get(rank), *cluster.state(whole, rank in self.board.finished))
            for rank, whole in enumerate(self.board.ranks)
            if rank != self.rank
        ]

    # ---- collectives

    def _post(
        self, name: str, agreed: tuple[Any, ...], source: Any, output: Any, arguments: tuple[Any, ...] = ()
    ) -> SimRequest:
        if self.call.name == "another collective":
            name, agreed, source, output, arguments = "another collective", (), None, None, ()
        request = SimRequest(self.task, self.call, source, output)
        self.task.cluster.requests.append(request)
        if output is not None and (source is None or not np.may_share_memory(output, source)):
            mathematics.poison(output)
        self.posted += 1
        self.board.post(self.rank, self.posted, (name, *agreed), request, arguments)
        return request

    def barrier(self) -> SimRequest:
        return self._post("barrier", (), None, None)

    def all_reduce(self, array: Any, op: RedOpType) -> SimRequest:
        return self._post("all_reduce", (op, array.dtype, array.size), array, array, (op,))

    def reduce(self, array: Any, root: int, op: RedOpType) -> SimRequest:
        return self._post("reduce", (root, op, array.dtype, array.size), array, array, (root, op))

    def broadcast(self, array: Any, root: int) -> SimRequest:
        source, output = (array, None) if self.rank == root else (None, array)
        return self._post("broadcast", (root, array.dtype, array.size), source, output, (root,))

    def all_gather(self, output: Any, array: Any) -> SimRequest:
        return self._post("all_gather", (array.dtype, array.size), array, output)

    def gather(self, output: Any | None, array: Any, root: int) -> SimRequest:
        return self._post("gather", (root, array.dtype, array.size), array, output, (root,))

    def scatter(self, output: Any, array: Any | None, root: int) -> SimRequest:
        return self._post("scatter", (root, output.dtype, output.size), array, output, (root,))

    def reduce_scatter(self, output: Any, array: Any, op: RedOpType) -> SimRequest:
        return self._post("reduce_scatter", (op, array.dtype, array.size), array, output, (op,))

    def all_to_all(
        self, output: Any, array: Any, output_counts: Sequence[int], input_counts: Sequence[int]
    ) -> SimRequest:
        return self._post("all_to_all", (array.dtype,), array, output, tuple(input_counts))

    def send(self, array: Any, rank: int, tag: int) -> SimRequest:
        request = SimRequest(self.task, self.call, array, None)
        self.task.cluster.requests.append(request)
        self.board.send(self.rank, rank, tag, request)
        return request

    def recv(self, array: Any, rank: int | None, tag: int) -> SimRequest:
        request = SimRequest(self.task, self.call, None, array)
        self.task.cluster.requests.append(request)
        mathematics.poison(array)
        self.board.receive(self.rank, rank, tag, request)
        return request
