"""The backend "self": a world of one rank, which needs no transport."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from wengert_distributed.interface.process_group import ProcessGroup
from wengert_distributed.reduce_op import RedOpType


class SelfGroup(ProcessGroup):
    """The group of one rank: what it sends, it has already."""

    backend = "self"
    devices: ClassVar[tuple[str, ...]] = ("cpu", "cuda")

    def __init__(self) -> None:
        self.rank: int = 0
        self.size: int = 1

    @classmethod
    def connect(cls, rank: int, size: int, init_method: Any, seconds: float) -> SelfGroup:
        """Return the group. Raises RuntimeError for more ranks than one."""
        if rank > 0 or size > 1:
            raise RuntimeError(f"the backend 'self' is for one process, but this is rank {rank} of {size}: "
                               "use 'mpi', and start the program with mpiexec")  # fmt: skip
        return cls()

    def split(self, ranks: Sequence[int], number: int) -> SelfGroup | None:
        return SelfGroup() if list(ranks) == [0] else None

    def barrier(self) -> None:
        return None

    def all_reduce(self, array: Any, op: RedOpType) -> None:
        return None

    def reduce(self, array: Any, root: int, op: RedOpType) -> None:
        return None

    def broadcast(self, array: Any, root: int) -> None:
        return None

    def all_gather(self, output: Any, array: Any) -> None:
        output[...] = array

    def gather(self, output: Any | None, array: Any, root: int) -> None:
        if output is not None:
            output[...] = array

    def scatter(self, output: Any, array: Any | None, root: int) -> None:
        output[...] = array

    def reduce_scatter(self, output: Any, array: Any, op: RedOpType) -> None:
        output[...] = array

    def all_to_all(self, output: Any, array: Any, output_counts: Sequence[int], input_counts: Sequence[int]) -> None:
        if list(output_counts) != list(input_counts):
            raise RuntimeError(f"all_to_all: this rank sends itself {input_counts[0]} elements and expects "
                               f"{output_counts[0]}")  # fmt: skip
        output[...] = array

    def send(self, array: Any, rank: int, tag: int) -> None:
        raise RuntimeError("there is no other rank")

    def recv(self, array: Any, rank: int | None, tag: int) -> None:
        raise RuntimeError("there is no other rank")
