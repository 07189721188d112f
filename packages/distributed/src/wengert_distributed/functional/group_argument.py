"""Arguments of differentiable collectives: groups, lists with a tensor for each rank, sizes of parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_distributed.collectives.checks import check_length
from wengert_distributed.groups.group import ProcessGroup
from wengert_distributed.groups.world import NON_GROUP_MEMBER, current_world, member_group


def named_group(group: Any) -> ProcessGroup:
    """Return the group that a functional collective's argument means: itself, its name, or the list of its ranks.

    Of a list of lists it is the group of the list that this rank is in. Raises RuntimeError for a name that no group
    has, ValueError for ranks of no group and for another type.
    """
    if isinstance(group, (list, tuple)):
        return group_of_ranks(group)
    if isinstance(group, str):
        found = current_world().groups.get(group)
        if found is None:
            raise RuntimeError(f"Could not resolve the process group registered under the name {group}: "
                               f"there are {sorted(current_world().groups)}")  # fmt: skip
        return found
    if not isinstance(group, ProcessGroup) and group != NON_GROUP_MEMBER:
        raise ValueError(f"Unsupported group type: {type(group)}, {group}: "
                         "expected a process group, its name, or the list of its ranks")  # fmt: skip
    return member_group(group)


def group_of_ranks(ranks: Sequence[Any]) -> ProcessGroup:
    """Return the group with these ranks of the world."""
    lists = ranks if ranks and isinstance(ranks[0], (list, tuple)) else [ranks]
    own = member_group(None).rank()
    wanted = [tuple(one) for one in lists if own in one]
    for group in current_world().groups.values():
        if wanted and group.ranks == wanted[0]:
            return group
    raise ValueError(f"no process group of this rank, {own}, has the ranks {list(ranks)}: make it with new_group, on "
                     "all ranks")  # fmt: skip


def stack_for_ranks(name: str, tensors: Sequence[Tensor], group: ProcessGroup) -> Tensor:
    """Return the stack of a collective's list with a tensor for each rank. Raises RuntimeError for another length."""
    check_length(name, group, tensors, "input")
    return wc.stack(list(tensors))


def wrapped_dim(tensor: Tensor, dim: int) -> int:
    """Return a dim of a tensor, counted from the first. Raises IndexError where there is no such dim."""
    last = max(tensor.dim(), 1)
    if not -last <= dim < last:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-last}, {last - 1}], but got {dim})")
    return dim % last


def rows_for_ranks(tensor: Tensor, dim: int, group: ProcessGroup) -> Tensor:
    """Return the stack of a tensor's parts along a dim, one for each rank. Raises AssertionError for other sizes."""
    dim = wrapped_dim(tensor, dim)
    count, length = group.size(), tensor.size(dim)
    if length % count:
        raise AssertionError(f"input dimension {dim} ({length}) must be a multiple of group_size {count}")
    return tensor.unflatten(dim, (count, length // count)).movedim(dim, 0)


def split_sizes(tensor: Tensor, sizes: Sequence[int] | None, group: ProcessGroup) -> list[int]:
    """Return the sizes of a tensor's parts: equal ones where none are listed.

    Raises RuntimeError where they do not fit the group or dim 0, in PyTorch's words.
    """
    count, length = group.size(), tensor.shape[0]
    if not sizes:
        if length % count:
            raise RuntimeError(
                f"Tensor's dim 0 does not divide equally across group size: got size {length} for {count} ranks"
            )
        return [length // count] * count
    if len(sizes) != count:
        raise RuntimeError(f"Number of tensor splits not equal to group size: got {len(sizes)} for {count} ranks")
    if sum(sizes) != length:
        raise RuntimeError(f"Split sizes doesn't match total dim 0 size: got {list(sizes)} for size {length}")
    return list(sizes)
