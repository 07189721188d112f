"""Errors of data parallel training, one function each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert_distributed.errors import DistError


def name_list(names: Sequence[str]) -> str:
    """Return some names for a message, ten at most."""
    text = ", ".join(names[:10])
    return text if len(names) <= 10 else f"{text} and {len(names) - 10} more"


def marked_twice(number: int, name: str) -> RuntimeError:
    """Return the error for a second gradient of a parameter within one reduction."""
    return RuntimeError(
        "Expected to mark a variable ready only once. This error is caused by one of the following reasons: 1) Use of "
        "a module parameter outside the `forward` function, or a second backward before all parameters had a gradient. "
        "2) Reused parameters in multiple reentrant backward passes, for example several `checkpoint` functions over "
        "one part of the model; with static_graph=True that works if every iteration is alike. "
        f"Parameter at index {number} with name {name} has been marked as ready twice, or the backward before was "
        "interrupted by an exception"
    )


def reduction_error(numbers: Sequence[int], names: Sequence[str], rank: int) -> RuntimeError:
    """Return the error for a forward while gradients of the backward before have not been reduced."""
    return RuntimeError(
        "Expected to have finished reduction in the prior iteration before starting a new one. This error indicates "
        "that your module has parameters that were not used in producing loss, or that a backward was interrupted by "
        "an exception. You can enable unused parameter detection by passing the keyword argument "
        "`find_unused_parameters=True` to `DistributedDataParallel`, and by making sure all `forward` function outputs "
        f"participate in calculating loss. Parameter indices which did not receive grad for rank {rank}: "
        f"{' '.join(map(str, numbers))} ({name_list(names)})"
    )


def unused_parameter_error(numbers: Sequence[int], names: Sequence[str], rank: int) -> RuntimeError:
    """Return the error for a backward that gave some parameters no gradient."""
    return RuntimeError(
        "Expected to have finished reduction at the end of backward, but some parameters were not used in producing "
        f"loss on rank {rank}: {name_list(names)} (indices {' '.join(map(str, numbers))}). The other ranks wait for "
        "their gradients. Pass find_unused=True to DistributedGradients where a loss may leave out parameters"
    )


def no_future(value: Any) -> RuntimeError:
    """Return the error for what a communication hook returned instead of a future."""
    name = "torch.Tensor" if type(value).__name__ == "Tensor" else type(value).__name__
    return RuntimeError(
        f"DDP communication hook's callback must return a torch.futures.Future object, but got {name}; return the "
        "future of an asynchronous collective, all_reduce(..., async_op=True).get_future(), or one with a result"
    )


def wrong_result(index: int, expected: int, value: Any) -> RuntimeError:
    """Return the error for a result of a communication hook that does not fit into the bucket."""
    described = f"shape {tuple(value.shape)}" if hasattr(value, "shape") else type(value).__name__
    return RuntimeError(
        "DDP communication hook's callback must return the reduced gradients as a flat tensor: bucket "
        f"{index} has {expected} elements, but got {described}"
    )


def sparse_gradient(name: str) -> RuntimeError:
    """Return the error for a sparse gradient of a parameter whose gradients are in buckets."""
    return RuntimeError(
        f"Expected a dense gradient for parameter {name}, because its bucket is flat memory, but got a sparse one. "
        "Name the parameter in sparse=[...] of DistributedGradients; DistributedDataParallel knows embeddings with "
        "sparse=True"
    )


def different_parameters(facts: str) -> DistError:
    """Return the error for ranks whose parameters differ."""
    return DistError(f"DDP expects same model across all ranks, but {facts}")
