"""Sends and receives between two ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from wengert import Tensor

from wengert_distributed.collectives import checks
from wengert_distributed.collectives.call import begin
from wengert_distributed.collectives.memory import input_array, output_array
from wengert_distributed.groups.group import ProcessGroup
from wengert_distributed.groups.world import default_group, find_group
from wengert_distributed.interface.process_group import POINT_TO_POINT, BlockingCollectives, Call
from wengert_distributed.interface.work import Channel, Work, complete


def send(tensor: Tensor, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None) -> None:
    """Send a tensor to another rank and wait until its memory may be written to.

    dst: the rank, as a global rank; or group_dst, a rank in the group.   tag: the receive has the same.
    Raises TypeError for what is no tensor, ValueError before init_process_group and for this rank itself, RuntimeError
    for a rank that does not exist, DistBackendError where the other rank fails. PyTorch's ``torch.distributed.send``.
    """
    if type(tensor) is not Tensor:
        checks.check_tensor(tensor, "tensor")
    members = default_group() if group is None else checks.active_group("send", group)
    if members is None:
        return
    blocking = members.blocking
    if blocking is not None:
        rank = dst if group is None and group_dst is None else other_rank(members, dst, group_dst, "dst", "destination")
        if blocking.send(tensor, rank, tag):
            return
    made = send_call(members, tensor, dst, tag, group_dst)
    complete(made.channel, made.call, made.channel.backend.send, made.arguments)


def isend(
    tensor: Tensor, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None
) -> Work | None:
    """Begin to send a tensor to another rank; its memory may be written to after ``wait`` of the Work returned.

    Arguments and errors: ``send``. None on a rank outside the group. PyTorch's ``torch.distributed.isend``.
    """
    if type(tensor) is not Tensor:
        checks.check_tensor(tensor, "tensor")
    members = default_group() if group is None else checks.active_group("isend", group)
    if members is None:
        return None
    blocking = members.blocking
    if blocking is not None:
        rank = dst if group is None and group_dst is None else other_rank(members, dst, group_dst, "dst", "destination")
        work = blocking.isend(tensor, rank, tag)
        if work is not None:
            return work
    made = send_call(members, tensor, dst, tag, group_dst)
    return begin(made.channel, made.call, made.channel.backend.send, made.arguments, None, [tensor])


def recv(tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None) -> int:
    """Receive a tensor from another rank and return that rank, as a global rank; -1 on a rank outside the group.

    tensor: of the sender's size and dtype.   src: the rank, as a global rank; or group_src, a rank in the group; from
    any rank without either.   tag: the send has the same.
    Raises as ``send``. PyTorch's ``torch.distributed.recv``.
    """
    if type(tensor) is not Tensor:
        checks.check_tensor(tensor, "tensor")
    members = default_group() if group is None else checks.active_group("recv", group)
    if members is None:
        return -1
    blocking = members.blocking
    if blocking is not None:
        of_rank = group_src is not None or (src is not None and group is not None)
        source = blocking.recv(tensor, other_rank(members, src, group_src, "src", "source") if of_rank else src, tag)
        if source is not None:
            return members.ranks[source]
    made = recv_call(members, tensor, src, tag, group_src)
    request = complete(made.channel, made.call, made.channel.backend.recv, made.arguments)
    made.after()
    rank = made.arguments[1]
    if rank is None:
        rank = request.source  # type: ignore[union-attr]
    return int(members.ranks[rank])


def irecv(
    tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None
) -> Work | None:
    """Begin to receive a tensor from another rank; it is there after ``wait`` of the Work returned.

    Arguments and errors: ``recv``. None on a rank outside the group. PyTorch's ``torch.distributed.irecv``.
    """
    if type(tensor) is not Tensor:
        checks.check_tensor(tensor, "tensor")
    members = default_group() if group is None else checks.active_group("irecv", group)
    if members is None:
        return None
    blocking = members.blocking
    if blocking is not None:
        of_rank = group_src is not None or (src is not None and group is not None)
        work = blocking.irecv(tensor, other_rank(members, src, group_src, "src", "source") if of_rank else src, tag)
        if work is not None:
            return work
    made = recv_call(members, tensor, src, tag, group_src)
    return begin(made.channel, made.call, made.channel.backend.recv, made.arguments, made.after, [tensor])


class Message(NamedTuple):
    """A send or a receive before it begins."""

    channel: Channel
    call: Call
    arguments: tuple[Any, ...]
    """The backend's: array, rank in the group, tag."""
    after: Callable[[], Any]


def send_call(members: ProcessGroup, tensor: Tensor, dst: Any, tag: Any, group_dst: Any) -> Message:
    """Return a send in a group."""
    number = tag_of(tag)
    rank = other_rank(members, dst, group_dst, "dst", "destination")
    call = Call(POINT_TO_POINT, "send", (tensor.dtype, tensor.shape, f"to rank {rank}"))
    return Message(checks.channel_for(members, tensor), call, (input_array(tensor), rank, number), do_nothing)


def recv_call(members: ProcessGroup, tensor: Tensor, src: Any, tag: Any, group_src: Any) -> Message:
    """Return a receive in a group."""
    rank, number = None, tag_of(tag)
    if src is not None or group_src is not None:
        rank = other_rank(members, src, group_src, "src", "source")
    channel = checks.channel_for(members, tensor)
    array, after = output_array(tensor)
    facts = (tensor.dtype, tensor.shape, "from any rank" if rank is None else f"from rank {rank}")
    return Message(channel, Call(POINT_TO_POINT, "recv", facts), (array, rank, number), after)


def do_nothing() -> None:
    """Do nothing: a send fills no tensor."""


def other_rank(group: ProcessGroup, global_rank: Any, rank_in_group: Any, name: str, role: str) -> int:
    """Return the rank in the group of the other side. Raises ValueError for this rank itself."""
    rank = checks.group_rank(group, global_rank, rank_in_group, name)
    if rank == group.rank():
        raise ValueError(f"Invalid {role} rank: {role} rank should not be the same as the rank of the current process.")
    return rank


def tag_of(tag: Any) -> int:
    """Return a tag. Raises TypeError for what is no int, RuntimeError for a negative one."""
    number = checks.index_of(tag, "tag")
    if number < 0:
        raise RuntimeError(f"Tag must be nonnegative, but is {tag}")
    return number


class P2POp:
    """A send or a receive for ``batch_isend_irecv``, as ``torch.distributed.P2POp``.

    op: ``isend`` or ``irecv``.   peer: the other rank, as a global rank; or group_peer, a rank in the group.
    Raises ValueError for another op, TypeError for what is no tensor, RuntimeError for a rank that does not exist.
    """

    def __init__(
        self, op: Callable[..., Any], tensor: Tensor, peer: int | None = None, group: Any = None, tag: int = 0,
        group_peer: int | None = None,
    ) -> None:  # fmt: skip
        if op is not isend and op is not irecv:
            raise ValueError("Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or "
                             "``torch.distributed.irecv``.")  # fmt: skip
        if type(tensor) is not Tensor:
            checks.check_tensor(tensor, "tensor")
        members = default_group() if group is None else find_group(group)
        if members is None:
            raise ValueError("Invalid ``group``: this rank is not a member of it.")
        usual = group is None and group_peer is None and type(peer) is int and 0 <= peer < members.size()
        rank: int = peer if usual else checks.group_rank(members, peer, group_peer, "peer")  # type: ignore[assignment]
        self.op = op
        self.tensor = tensor
        self.group = members
        self.tag = tag
        self.group_peer: int = rank
        self.peer: int = members.ranks[rank]

    def __repr__(self) -> str:
        pair = (self.group.rank(), self.group_peer)
        source, target = pair if self.op is isend else reversed(pair)
        return (f"P2POp({self.op.__name__} pg={self.group.group_name}, group_src={source}, group_dst={target},  "
                f"{self.tensor.shape}, {self.tensor.dtype})")  # fmt: skip


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Work]:
    """Begin sends and receives together and return a Work for each.

    Raises ValueError for a list that is empty or of several groups, or for what is no list of P2POp.
    PyTorch's ``torch.distributed.batch_isend_irecv``.
    """
    check_batch(p2p_op_list)
    first = p2p_op_list[0]
    blocking = first.group.blocking
    channel = checks.channel_for(first.group, first.tensor)
    if blocking is not None and channel is first.group.host:
        return [begin_op(one, blocking) for one in p2p_op_list]
    with channel.backend.coalesce():
        return [begin_op(one, None) for one in p2p_op_list]


def begin_op(op: P2POp, blocking: BlockingCollectives | None) -> Work:
    """Begin a send or a receive of a batch."""
    sends = op.op is isend
    if blocking is not None:
        work = (blocking.isend if sends else blocking.irecv)(op.tensor, op.group_peer, op.tag)
        if work is not None:
            return work
    side = {"group_dst" if sends else "group_src": op.group_peer}
    return op.op(op.tensor, group=op.group, tag=op.tag, **side)  # type: ignore[no-any-return]


def check_batch(ops: Any) -> None:
    """Raise ValueError for what is no list of sends and receives of one group, or for a group that was destroyed."""
    if not isinstance(ops, list) or not ops:
        no_batch()
    group = None
    for one in ops:  # a generator takes longer than a message
        if not isinstance(one, P2POp):
            no_batch()
        if group is None:
            group = one.group
        elif one.group is not group:
            raise ValueError("All ops need to use the same group.")
    find_group(group)  # it may have been destroyed


def no_batch() -> NoReturn:
    """Raise ValueError for what is no list of sends and receives."""
    raise ValueError("Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``, "
                     "and there must be one at least.")  # fmt: skip
