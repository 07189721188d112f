"""Python objects between ranks, by pickle.

Objects are unpickled where they arrive, which runs code that the sender chooses: ranks trust each other.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import wengert
from wengert import Tensor

from wengert_distributed.collectives import checks
from wengert_distributed.collectives.gathering import all_gather_into_tensor, broadcast, gather, scatter
from wengert_distributed.collectives.point_to_point import recv, send
from wengert_distributed.groups.group import ProcessGroup


def to_bytes(obj: Any, device: Any) -> Tensor:
    """Return the pickle of an object as a tensor of bytes."""
    return wengert.from_numpy(np.frombuffer(bytearray(pickle.dumps(obj)), np.uint8)).to(device)


def from_bytes(data: Tensor) -> Any:
    """Return the object of a tensor of bytes."""
    return pickle.loads(data.cpu().numpy().tobytes())


def message_device(group: ProcessGroup, device: Any) -> Any:
    """Return the device whose memory messages use: the one that the caller names, else the host where possible."""
    return wengert.device(group.host_device() if device is None else device)


def lengths_of(data: list[Tensor], device: Any) -> Tensor:
    """Return the numbers of bytes of messages."""
    return wengert.tensor([one.numel() for one in data], dtype=wengert.int64, device=device)


def unpack(data: Tensor, lengths: list[int]) -> list[Any]:
    """Return the objects whose bytes stand behind each other."""
    ends = np.cumsum(lengths).tolist()
    return [from_bytes(data[end - length : end]) for length, end in zip(lengths, ends, strict=True)]


def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
    """Put the objects of all ranks into a list on every rank.

    object_list: as long as the group is large; its entries are replaced. obj can be pickled.
    Raises ValueError before init_process_group, RuntimeError for a list of another length, DistBackendError where
    another rank fails. PyTorch's ``torch.distributed.all_gather_object``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> everyone = [None]
    >>> wg.distributed.all_gather_object(everyone, {"rank": 0})
    >>> everyone
    [{'rank': 0}]
    >>> wg.distributed.destroy_process_group()
    """
    members = checks.active_group("all_gather_object", group)
    if members is None:
        return
    checks.check_length("all_gather_object", members, object_list, "output")
    rows, lengths = gather_rows(members, obj)
    for rank, length in enumerate(lengths):
        object_list[rank] = from_bytes(rows[rank, :length])


def padded_bytes(members: ProcessGroup, obj: Any) -> tuple[Tensor, list[int]]:
    """Return an object's bytes, as many as the longest of all ranks, and the lengths of all ranks."""
    device = message_device(members, None)
    data = to_bytes(obj, device)
    lengths = wengert.empty(members.size(), dtype=wengert.int64, device=device)
    all_gather_into_tensor(lengths, lengths_of([data], device), group=members)
    longest = int(lengths.max())
    padding = data.new_zeros(longest - data.numel())
    return wengert.cat([data, padding]), lengths.tolist()


def gather_rows(members: ProcessGroup, obj: Any) -> tuple[Tensor, list[int]]:
    """Return the bytes of the objects of all ranks as rows, and their lengths."""
    data, lengths = padded_bytes(members, obj)
    rows = wengert.empty((members.size(), data.numel()), dtype=wengert.uint8, device=data.device)
    all_gather_into_tensor(rows, data, group=members)
    return rows, lengths


def gather_object(
    obj: Any, object_gather_list: list[Any] | None = None, dst: int | None = None, group: Any = None,
    group_dst: int | None = None,
) -> None:  # fmt: skip
    """Put the objects of all ranks into a list on one rank.

    object_gather_list: as long as the group is large, on the rank that gets them; None on others.
    dst: that rank, as a global rank (0 without it); or group_dst, a rank in the group.
    Raises ValueError for a list that is missing or on another rank, else as ``all_gather_object``.
    PyTorch's ``torch.distributed.gather_object``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> everyone = [None]
    >>> wg.distributed.gather_object("hello", everyone, dst=0)
    >>> everyone
    ['hello']
    >>> wg.distributed.destroy_process_group()
    """
    members = checks.active_group("gather_object", group)
    if members is None:
        return
    root = checks.group_rank(members, 0 if dst is None and group_dst is None else dst, group_dst, "dst")
    is_root = members.rank() == root
    checks.check_list_on_root("gather_list", object_gather_list, is_root, "destination")
    if object_gather_list:
        checks.check_length("gather_object", members, object_gather_list, "output")
    data, lengths = padded_bytes(members, obj)
    parts = [wengert.empty_like(data) for _ in lengths] if is_root else None
    gather(data, parts, group=members, group_dst=root)
    if object_gather_list and parts:
        object_gather_list[:] = [from_bytes(part[:n]) for part, n in zip(parts, lengths, strict=True)]


def broadcast_object_list(
    object_list: list[Any], src: int | None = None, group: Any = None, device: Any = None, group_src: int | None = None
) -> None:
    """Copy the objects of one rank's list into those of all others.

    object_list: of one length on all ranks; its entries are replaced on others.
    src: the rank to copy from, as a global rank (0 without it); or group_src, a rank in the group.
    device: whose memory messages use.
    Raises as ``all_gather_object``; TypeError for what is no list. PyTorch's
    ``torch.distributed.broadcast_object_list``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> objects = ["hello", {"step": 3}]
    >>> wg.distributed.broadcast_object_list(objects, src=0)
    >>> wg.distributed.destroy_process_group()
    """
    members = checks.active_group("broadcast_object_list", group)
    if members is None:
        return
    root = checks.group_rank(members, 0 if src is None and group_src is None else src, group_src, "src")
    check_list(object_list, "object_list")
    where = message_device(members, device)
    data = [to_bytes(one, where) for one in object_list] if members.rank() == root else []
    lengths = lengths_of(data, where) if data else wengert.empty(len(object_list), dtype=wengert.int64, device=where)
    broadcast(lengths, group=members, group_src=root)
    counts = lengths.tolist()
    whole = wengert.cat(data) if data else wengert.empty(sum(counts), dtype=wengert.uint8, device=where)
    broadcast(whole, group=members, group_src=root)
    if members.rank() != root:
        object_list[:] = unpack(whole, counts)


def check_list(objects: Any, name: str) -> None:
    """Raise TypeError for what is no list."""
    if not isinstance(objects, list):
        raise TypeError(f"Expected parameter `{name}` to be a list, but got {type(objects)}")


def scatter_object_list(
    scatter_object_output_list: list[Any], scatter_object_input_list: list[Any] | None = None, src: int | None = None,
    group: Any = None, group_src: int | None = None,
) -> None:  # fmt: skip
    """Give each rank its entry of one rank's list of objects, as the first entry of a list.

    scatter_object_output_list: its first entry is replaced.   scatter_object_input_list: an object for each rank, on
    the rank that has them.   src: that rank, as a global rank (0 without it); or group_src, a rank in the group.
    Raises ValueError for an output list that is empty or an input list that is missing, else as ``all_gather_object``.
    PyTorch's ``torch.distributed.scatter_object_list``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> own = [None]
    >>> wg.distributed.scatter_object_list(own, ["hello"], src=0)
    >>> own
    ['hello']
    >>> wg.distributed.destroy_process_group()
    """
    members = checks.active_group("scatter_object_list", group)
    if members is None:
        return
    outputs: Any = scatter_object_output_list
    if not isinstance(outputs, list) or not outputs:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    root = checks.group_rank(members, 0 if src is None and group_src is None else src, group_src, "src")
    where = message_device(members, None)
    rows, lengths = None, wengert.empty(members.size(), dtype=wengert.int64, device=where)
    if members.rank() == root:
        if scatter_object_input_list is None:
            raise ValueError("source rank must provide non-None scatter_object_input_list")
        checks.check_length("scatter_object_list", members, scatter_object_input_list, "input")
        data = [to_bytes(one, where) for one in scatter_object_input_list]
        lengths = lengths_of(data, where)
    broadcast(lengths, group=members, group_src=root)
    longest = int(lengths.max())
    if members.rank() == root:
        rows = [wengert.cat([one, one.new_zeros(longest - one.numel())]) for one in data]
    own = wengert.empty(longest, dtype=wengert.uint8, device=where)
    scatter(own, rows, group=members, group_src=root)
    scatter_object_output_list[0] = from_bytes(own[: int(lengths[members.rank()])])


def send_object_list(
    object_list: list[Any], dst: int | None = None, group: Any = None, device: Any = None,
    group_dst: int | None = None, use_batch: bool = False,
) -> None:  # fmt: skip
    """Send the objects of a list to another rank, which calls ``recv_object_list``.

    dst: the rank, as a global rank; or group_dst, a rank in the group.   device: whose memory messages use.
    use_batch: accepted, of no effect.   Raises as ``send``; TypeError for what is no list.
    PyTorch's ``torch.distributed.send_object_list``.
    """
    members = checks.active_group("send_object_list", group)
    if members is None:
        return
    check_list(object_list, "object_list")
    where = message_device(members, device)
    data = [to_bytes(one, where) for one in object_list]
    send(lengths_of(data, where), dst, members, group_dst=group_dst)
    send(wengert.cat(data), dst, members, group_dst=group_dst)


def recv_object_list(
    object_list: list[Any], src: int | None = None, group: Any = None, device: Any = None,
    group_src: int | None = None, use_batch: bool = False,
) -> int:  # fmt: skip
    """Receive objects into a list, in place, and return the rank they came from, as a global rank.

    object_list: as long as the sender's.   src: the rank, as a global rank; or group_src, a rank in the group; from any
    rank without either.   device: whose memory messages use.   use_batch: accepted, of no effect.
    Raises as ``recv``; TypeError for what is no list. PyTorch's ``torch.distributed.recv_object_list``.
    """
    members = checks.active_group("recv_object_list", group)
    if members is None:
        return -1
    check_list(object_list, "object_list")
    where = message_device(members, device)
    lengths = wengert.empty(len(object_list), dtype=wengert.int64, device=where)
    source = recv(lengths, src, members, group_src=group_src)
    counts = lengths.tolist()
    whole = wengert.empty(sum(counts), dtype=wengert.uint8, device=where)
    recv(whole, source, members)
    object_list[:] = unpack(whole, counts)
    return source
