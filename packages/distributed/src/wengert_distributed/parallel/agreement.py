"""Parameters that are the same on all ranks: a check of their descriptions, and a broadcast of their values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import wengert
from wengert import Tensor

import wengert_distributed as dist
from wengert_distributed.parallel import errors
from wengert_distributed.parallel.buckets import is_dense

BROADCAST_BYTES = 250 * 1024 * 1024
"""The memory in which tensors are packed for a broadcast; PyTorch's size."""
FACTS = ("name", "shape", "dtype", "requires_grad", "strides")


def describe(name: str, tensor: Tensor) -> tuple[Any, ...]:
    """Return the facts of a parameter that all ranks have to agree on."""
    strides = "contiguous" if tensor.is_contiguous() or not is_dense(tensor) else tuple(tensor.stride())
    return name, tuple(tensor.shape), str(tensor.dtype), tensor.requires_grad, strides


def check_same_parameters(named: Sequence[tuple[str, Tensor]], group: Any) -> None:
    """Check that all ranks have the same parameters in the same order. All ranks of the group call it.

    Raises DistError on every rank, naming the first difference and the ranks that have it.
    """
    own = [describe(name, tensor) for name, tensor in named]
    shared: list[Any] = [own]
    dist.broadcast_object_list(shared, group_src=0, group=group)
    found: list[Any] = [None] * group.size()
    dist.all_gather_object(found, first_difference(shared[0], own, group.rank()), group=group)
    different = [rank for rank, text in enumerate(found) if text is not None]
    if different:
        first = different[0]
        others = f"; ranks that differ too: {', '.join(map(str, different[1:]))}" if different[1:] else ""
        raise errors.different_parameters(found[first] + others)


def first_difference(expected: Sequence[tuple[Any, ...]], own: Sequence[tuple[Any, ...]], rank: int) -> str | None:
    """Return how the parameters of a rank differ from those of rank 0; None if they do not."""
    for number, (theirs, ours) in enumerate(zip(expected, own, strict=False)):
        for fact, one, other in zip(FACTS, theirs, ours, strict=True):
            if one != other:
                return (f"params[{number}] ({theirs[0]!r} on rank 0) in rank {rank} with {fact} {other!r} appears "
                        f"not to match {fact} {one!r} of the same param in rank 0")  # fmt: skip
    if len(expected) != len(own):
        longer, more = (expected, "rank 0") if len(expected) > len(own) else (own, f"rank {rank}")
        name = longer[min(len(expected), len(own))][0]
        return (f"Rank 0 has {len(expected)} params, while rank {rank} has inconsistent {len(own)} params: "
                f"{name!r} is on {more} only")  # fmt: skip
    return None


def broadcast_tensors(tensors: Iterable[Tensor], group: Any, root: int = 0) -> None:
    """Copy tensors from a rank of the group to all others, packed by dtype and device. All ranks call it."""
    packs: dict[Any, list[Tensor]] = {}
    for tensor in tensors:
        packs.setdefault((tensor.dtype, tensor.device), []).append(tensor)
    with wengert.no_grad():
        for members in packs.values():
            for part in parts_below(members, BROADCAST_BYTES):
                broadcast_packed(part, group, root)


def parts_below(tensors: Sequence[Tensor], limit: int) -> list[list[Tensor]]:
    """Return the tensors in parts that are not larger than a number of bytes, or have one tensor."""
    parts: list[list[Tensor]] = []
    size = limit
    for tensor in tensors:
        nbytes = tensor.numel() * tensor.element_size()
        if size + nbytes > limit:
            parts.append([])
            size = 0
        parts[-1].append(tensor)
        size += nbytes
    return parts


def broadcast_packed(tensors: Sequence[Tensor], group: Any, root: int) -> None:
    """Copy tensors of one dtype from a rank to all others by one broadcast."""
    flat = wengert.cat([tensor.detach().reshape(-1) for tensor in tensors])
    dist.broadcast(flat, group=group, group_src=root)
    if group.rank() == root:
        return
    offset = 0
    for tensor in tensors:
        tensor.detach().copy_(flat[offset : offset + tensor.numel()].view(tensor.shape))
        offset += tensor.numel()
