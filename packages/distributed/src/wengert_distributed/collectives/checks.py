"""Checks of arguments, with the exceptions of torch.distributed."""

from __future__ import annotations

import warnings
from typing import Any, NoReturn

from wengert import Tensor

from wengert_distributed.groups.group import ProcessGroup, backend_of
from wengert_distributed.groups.world import default_group, find_group
from wengert_distributed.interface.work import Channel


def check_tensor(value: Any, name: str) -> None:
    """Raise TypeError for an argument that is no tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor\n"
            f"             but got {type(value)} instead."
        )


def check_tensor_list(values: Any, name: str) -> None:
    """Raise TypeError for an argument that is no list of tensors."""
    if not isinstance(values, (list, tuple)):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n"
            f"             but got {type(values)} instead."
        )
    for value in values:
        if not isinstance(value, Tensor):
            raise TypeError(
                f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n"
                f"             but got {type(values)} with elements of type {[type(one) for one in values]}."
            )


def check_one_dtype(first: Any, second: Any) -> None:
    """Raise ValueError where tensors, or tensors in lists, have different dtypes."""
    every = (*first, *second) if isinstance(first, (list, tuple)) else (first, *second)
    dtype = every[0].dtype if every else None
    for tensor in every:
        if tensor.dtype is not dtype:
            raise ValueError(f"Invalid usage of tensors with different dtypesFound {dtype} and  {tensor.dtype}")


def channel_for(group: ProcessGroup, tensor: Tensor) -> Channel:
    """Return the backend of a group for the memory of a tensor. Raises RuntimeError where there is none."""
    channel: Channel | None = group.channels.get(tensor.device.type)
    return channel if channel is not None else backend_of(group, tensor.device.type)


def check_one_device(channel: Channel, group: ProcessGroup, tensors: Any) -> None:
    """Raise RuntimeError where a tensor is on another kind of device than the first."""
    for tensor in tensors:
        if group.channels.get(tensor.device.type) is not channel and channel_for(group, tensor) is not channel:
            raise RuntimeError("Tensors must be on the same device type, but one is on "
                               f"{tensor.device.type}")  # fmt: skip


def group_rank(group: ProcessGroup, global_rank: Any, rank_in_group: Any, name: str) -> int:
    """Return the rank in a group that a pair of arguments (global rank, rank in the group) names.

    Raises ValueError where both or neither are there, or where the rank is not in the group, TypeError for no int.
    """
    if rank_in_group is not None:
        if global_rank is not None:
            raise ValueError("Can't specify both group_rank and global_rank")
        rank = index_of(rank_in_group, f"group_{name}")
        if not 0 <= rank < group.size():
            invalid_rank(name, rank, group)
        return rank
    if global_rank is None:
        raise ValueError("Must specify global_rank or group_rank")
    rank = global_rank if type(global_rank) is int else index_of(global_rank, name)
    if group is default_group():
        if not 0 <= rank < group.size():
            invalid_rank(name, rank, group)
        return rank
    if rank not in group.ranks:
        raise ValueError(f"Global rank {rank} is not part of group {group}")
    return group.ranks.index(rank)


def index_of(value: Any, name: str) -> int:
    """Return a rank as an int. Raises TypeError for anything else."""
    try:
        return int(value.__index__())
    except AttributeError:
        raise TypeError(f"Invalid function argument. Expected parameter `{name}` of type int\n"
                        f"             but got {type(value)} instead.") from None  # fmt: skip


def invalid_rank(name: str, rank: int, group: ProcessGroup) -> NoReturn:
    """Raise RuntimeError for a rank that does not exist."""
    raise RuntimeError(
        f"invalid root rank: {rank} ({name}): the group '{group.group_name}' has the ranks 0 to {group.size() - 1}"
    )


def active_group(name: str, group: Any) -> ProcessGroup | None:
    """Return the group of a collective; None, after a warning, where this rank is not in it: nothing is done then."""
    members = find_group(group)
    if members is None:
        rank = default_group().rank()
        warnings.warn(f"Running {name} on global rank {rank} which does not belong to the given group.", stacklevel=3)
    return members


def check_parts(name: str, group: ProcessGroup, *, whole: Tensor, part: Tensor, part_name: str) -> None:
    """Raise RuntimeError where a tensor does not hold a part for each rank, or has another dtype."""
    if whole.dtype is not part.dtype:
        raise RuntimeError(
            f"{name}: invalid tensor type: input tensor must be the same type as the output tensor: the dtypes are "
            f"{whole.dtype} and {part.dtype}"
        )
    if whole.numel() != part.numel() * group.size():
        big, small = ("output", "input") if part_name == "input" else ("input", "output")
        raise RuntimeError(
            f"{name}: invalid tensor size: {big} tensor size must be equal to world_size times {small} tensor size: "
            f"got {list(whole.shape)} and {list(part.shape)} for {group.size()} ranks"
        )


def check_list(name: str, group: ProcessGroup, tensors: Any, one: Tensor, role: str) -> None:
    """Raise RuntimeError where a list has not one tensor of a shape for each rank."""
    check_length(name, group, tensors, role)
    for index, tensor in enumerate(tensors):
        if tensor.shape != one.shape:
            raise RuntimeError(
                f"{name}: invalid tensor size at index {index} (expected {shape_text(one)}, got {shape_text(tensor)})"
            )


def shape_text(tensor: Tensor) -> str:
    """Return a shape as PyTorch's messages have it: (3, 4)."""
    return f"({', '.join(map(str, tensor.shape))})"


def check_list_on_root(name: str, tensors: Any, is_root: bool, role: str) -> None:
    """Raise ValueError where the rank with the list has none, or another rank has one."""
    if is_root and not tensors:
        raise ValueError(f"Argument ``{name}`` must be specified on {role} rank.")
    if not is_root and tensors:
        raise ValueError(f"Argument ``{name}`` must NOT be specified on non-{role} ranks.")


LENGTHS = {
    "all_gather": "invalid output tensor list at index 0 (expected length {size}, got {length}).",
    "gather": "Incorrect output list size {length}. Output list size should be {size}, same as size of the process "
    "group.",
    "scatter": "Incorrect input list size {length}. Input list size should be {size}, same as size of the process "
    "group.",
    "reduce_scatter": "invalid input tensor list size, must be world size.",
}
"""PyTorch's message for lists of another length than the group's size."""


def check_length(name: str, group: ProcessGroup, tensors: Any, role: str) -> None:
    """Raise RuntimeError where a list has not one entry for each rank."""
    length, size = len(tensors), group.size()
    if length != size:
        words = LENGTHS.get(name, "{role} tensor list size {length} does not match world size {size}.")
        raise RuntimeError(f"{name}: {words.format(length=length, size=size, role=role)} The list has {length} "
                           f"entries for {size} ranks")  # fmt: skip
