"""The interface of process groups, which a plugin of the group ``wengert.process_groups.v1`` implements.

Note [What a backend is]
    A process group knows its ranks and moves memory between them; everything else (checks of arguments, memory of
    tensors, dtypes that the transport lacks, objects, derivatives, sequence numbers, messages of errors) is done above
    it, once for all backends. A method of a collective starts it on arrays and returns a Request, or None where it has
    ended already. Arrays are contiguous and belong to the library of the device: NumPy's on a host, CuPy's on a GPU. A
    backend reads and writes them until its Request has ended, and copies none.

Note [Order]
    All ranks of a group call the same collectives in the same order. Each call has a number that is the same on every
    rank (``Call.number``). A backend is told of a call before it is started (``announce``), so that ``peers`` can say
    where the others are when something does not fit or does not come.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from wengert_distributed.reduce_op import RedOpType

if TYPE_CHECKING:
    from wengert import Tensor

    from wengert_distributed.interface.work import Channel, Work

POINT_TO_POINT = -1
"""The number of a send and of a recv: ranks agree on no order of them."""


class Call(NamedTuple):
    """A collective as one rank calls it: what the ranks of a group must agree on."""

    number: int
    """How many collectives this rank has begun on the group, with this one; POINT_TO_POINT for a send and a recv."""
    name: str
    """The collective: "all_reduce", "broadcast", "send", ..."""
    facts: tuple[Any, ...] | str = ""
    """Its reduction, root, dtype and shapes, or their text: made into a text only where something fails."""

    @property
    def text(self) -> str:
        """Its reduction, root, dtype and shapes, for messages."""
        return self.facts if isinstance(self.facts, str) else " ".join(map(fact_text, self.facts))


def fact_text(fact: Any) -> str:
    """Return the text of a reduction, a dtype, a shape or a word."""
    if isinstance(fact, RedOpType):
        return fact.name
    return str(list(fact)) if isinstance(fact, tuple) else str(fact).removeprefix("torch.")


class Peer(NamedTuple):
    """The state of another rank of a group when a collective fails, as far as it is known."""

    rank: int
    call: Call | None
    """The collective that it began last; None where it has begun none."""
    state: str
    """"running", "finished" (its last collective has ended), "raised", "left" (its program has ended) or "silent"."""
    detail: str = ""
    """The exception that it raised, for the state "raised"."""


class Request:
    """A collective under way on one rank."""

    reason = ""
    """Why ``wait`` has returned False early."""

    def test(self) -> bool:
        """Return whether it has ended, without waiting. It makes progress where the transport needs a call for that."""
        raise NotImplementedError

    def background(self) -> None:
        """Let it make progress while this thread computes. Called once, where nobody waits for it at once."""

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it has ended, for some seconds at most (None: as long as it takes); return whether it has.

        Raises the transport's own exception where the transport failed, and returns False early where a rank of the
        group is known to have failed, so that nobody waits in vain.
        """
        raise NotImplementedError

    def abandon(self, seconds: float) -> None:
        """Wait for some seconds at most, before the group is closed, for what the program has never waited for."""
        self.wait(seconds)


class BlockingCollectives(Protocol):
    """Messages of tensors of the host, and collectives for a program that waits for them.

    Each returns True, or False with nothing done, for tensors that it does not take. It counts ``channel.count``,
    raises DistBackendError, and raises the versions of the tensors that it writes to, as the function of its name.
    Roots are ranks in the group. The sizes of lists are not looked at before. Messages are not counted; their ranks and
    tags may be anything, and are taken where they name another rank of the group and an int of 0 and more.
    """

    def barrier(self) -> bool: ...
    def send(self, tensor: Tensor, rank: Any, tag: Any) -> bool: ...
    def recv(self, tensor: Tensor, rank: Any, tag: Any) -> int | None:
        """Receive from a rank, or from any for None, and return it; None with nothing done."""

    def isend(self, tensor: Tensor, rank: Any, tag: Any) -> Work | None:
        """Begin a send and return its Work; None with nothing done."""

    def irecv(self, tensor: Tensor, rank: Any, tag: Any) -> Work | None:
        """Begin a receive and return its Work; None with nothing done."""

    def all_reduce(self, tensor: Tensor, op: Any) -> bool: ...
    def reduce(self, tensor: Tensor, root: int, op: Any) -> bool: ...
    def broadcast(self, tensor: Tensor, root: int) -> bool: ...
    def all_gather(self, output: Tensor | list[Tensor], tensor: Tensor) -> bool: ...
    def gather(self, tensor: Tensor, outputs: list[Tensor] | None, root: int) -> bool: ...
    def scatter(self, tensor: Tensor, inputs: list[Tensor] | None, root: int) -> bool: ...
    def reduce_scatter(self, output: Tensor, input: Tensor | list[Tensor], op: Any) -> bool: ...
    def all_to_all(self, output: Tensor | list[Tensor], input: Tensor | list[Tensor]) -> bool: ...


class ProcessGroup:
    """A set of ranks and the transport between them, as one of its ranks sees it.

    A backend derives from it: ``connect`` makes the group of all ranks, ``split`` a part of one. ``devices`` are the
    kinds of devices whose memory it takes.
    """

    backend: ClassVar[str] = ""
    devices: ClassVar[tuple[str, ...]] = ("cpu",)
    reduced_as: ClassVar[dict[str, str]] = {}
    """Names of dtypes that the transport cannot reduce, and of those in which they are reduced: {"int16": "int32"}."""
    rank: int
    size: int

    @classmethod
    def connect(cls, rank: int, size: int, init_method: Any, seconds: float) -> ProcessGroup:
        """Return the group of all ranks. rank, size: -1 where the launcher knows them.

        init_method: the URL by which ranks meet, the Store in which they do, or None, as init_process_group had it.

        Raises RuntimeError where the ranks cannot be found within some seconds.
        """
        raise missing_method(cls, "connect")

    @classmethod
    def is_available(cls) -> bool:
        """Return whether what the backend needs is installed."""
        return True

    def split(self, ranks: Sequence[int], number: int) -> ProcessGroup | None:
        """Return the group of some of this group's ranks, in this order; None where this rank is not among them.

        All ranks of this group call it, with the same ranks and a number that is the same for all and used once.
        """
        raise missing_method(type(self), "split")

    def coalesce(self) -> AbstractContextManager[Any]:
        """Return a block in which sends and receives are started together, for transports that need that."""
        return nullcontext()

    def close(self) -> None:
        """Give back what the group holds. Nothing is under way any more."""

    # ---- who is where

    def announce(self, call: Call) -> None:
        """Note the collective that this rank begins. It is called before each, and has to be fast."""

    def announce_wait(self, call: Call, seconds: float) -> None:
        """Note a collective for whose end the program waits at once, for some seconds at most.

        Its method may wait as well, and return None where it has ended.
        """
        self.announce(call)

    def finish(self, call: Call) -> None:
        """Note that a collective has ended on this rank; raise nothing."""

    def fail(self, detail: str) -> None:
        """Tell the other ranks, as far as they can be reached, that this rank raised an exception."""

    def peers(self) -> list[Peer]:
        """Return what is known of the group's other ranks, asking them for a second at most."""
        return []

    def blocking_collectives(self, channel: Channel) -> BlockingCollectives | None:
        """Return shorter ways for collectives of a program that waits; None where there are none.

        A plugin that has none leaves this method out.
        """
        return None

    # ---- collectives; arrays have one dim

    def barrier(self) -> Request | None:
        """Start to wait for all ranks."""
        raise missing_method(type(self), "barrier")

    def all_reduce(self, array: Any, op: RedOpType) -> Request | None:
        """Reduce the arrays of all ranks, in place. op is none of AVG and PREMUL_SUM."""
        raise missing_method(type(self), "all_reduce")

    def reduce(self, array: Any, root: int, op: RedOpType) -> Request | None:
        """Reduce the arrays of all ranks into the root's; the others' may hold anything afterwards."""
        raise missing_method(type(self), "reduce")

    def broadcast(self, array: Any, root: int) -> Request | None:
        """Copy the root's array to all ranks."""
        raise missing_method(type(self), "broadcast")

    def all_gather(self, output: Any, array: Any) -> Request | None:
        """Put the arrays of all ranks, of one size, behind each other into each rank's output."""
        raise missing_method(type(self), "all_gather")

    def gather(self, output: Any | None, array: Any, root: int) -> Request | None:
        """Put the arrays of all ranks, of one size, behind each other into the root's output (None elsewhere)."""
        raise missing_method(type(self), "gather")

    def scatter(self, output: Any, array: Any | None, root: int) -> Request | None:
        """Give each rank its part of the root's array (None elsewhere)."""
        raise missing_method(type(self), "scatter")

    def reduce_scatter(self, output: Any, array: Any, op: RedOpType) -> Request | None:
        """Reduce the arrays of all ranks and give each rank its part."""
        raise missing_method(type(self), "reduce_scatter")

    def all_to_all(
        self, output: Any, array: Any, output_counts: Sequence[int], input_counts: Sequence[int]
    ) -> Request | None:
        """Send a part of the array to each rank and put the parts received behind each other; counts of elements."""
        raise missing_method(type(self), "all_to_all")

    def send(self, array: Any, rank: int, tag: int) -> Request | None:
        """Send an array to a rank of the group."""
        raise missing_method(type(self), "send")

    def recv(self, array: Any, rank: int | None, tag: int) -> Request | None:
        """Receive an array from a rank of the group (None: any). The Request has the attribute ``source`` then."""
        raise missing_method(type(self), "recv")


def missing_method(backend: type[ProcessGroup], name: str) -> NotImplementedError:
    """Return the error for a method that a backend has to have, and lacks."""
    return NotImplementedError(f"the backend '{backend.backend}' has no method {name}(): {backend.__qualname__} has to "
                               "define it")  # fmt: skip
