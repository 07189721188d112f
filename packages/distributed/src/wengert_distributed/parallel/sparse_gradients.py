"""The reduction of sparse gradients: the indices and values of all ranks are gathered and added."""

from __future__ import annotations

from typing import Any

import wengert
from wengert import Tensor

import wengert_distributed as dist


def reduce_sparse(parameter: Tensor, group: Any, divisor: int) -> None:
    """Replace the sparse gradient of a parameter by the sum over all ranks, coalesced and divided.

    A rank whose gradient is None adds nothing. Gradients have indices of one dim, as those of embeddings have.
    """
    grad = parameter.grad
    if grad is None:
        indices = wengert.zeros(1, 0, dtype=wengert.int64, device=parameter.device)
        values = wengert.zeros(0, *parameter.shape[1:], dtype=parameter.dtype, device=parameter.device)
    else:
        grad = grad.coalesce()
        indices, values = grad.indices(), grad.values()
    counts = gather_counts(values, group)
    if max(counts) == 0:
        return
    all_indices = gather_padded(indices.t().contiguous(), counts, group).t()
    all_values = gather_padded(values, counts, group)
    result = wengert.sparse_coo_tensor(all_indices, all_values, parameter.shape).coalesce()
    if divisor != 1:
        result = wengert.sparse_coo_tensor(result.indices(), result.values() / divisor, parameter.shape).coalesce()
    parameter.grad = result


def gather_counts(values: Tensor, group: Any) -> list[int]:
    """Return how many values each rank has."""
    size = dist.get_world_size(group)
    counts = wengert.empty(size, dtype=wengert.int64, device=values.device)
    dist.all_gather_into_tensor(counts, wengert.tensor([values.shape[0]], device=values.device), group=group)
    return [int(count) for count in counts.tolist()]


def gather_padded(rows: Tensor, counts: list[int], group: Any) -> Tensor:
    """Return the rows of all ranks behind each other; ranks send as many rows as the longest has."""
    longest = max(counts)
    padded = wengert.zeros(longest, *rows.shape[1:], dtype=rows.dtype, device=rows.device)
    padded[: rows.shape[0]] = rows
    gathered = wengert.empty(len(counts) * longest, *rows.shape[1:], dtype=rows.dtype, device=rows.device)
    dist.all_gather_into_tensor(gathered, padded, group=group)
    return wengert.cat([gathered[i * longest : i * longest + count] for i, count in enumerate(counts)])
