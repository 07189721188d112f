"""What core knows of vmap, which the engine brings: what is asked of random numbers there, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

each_own: Callable[[Any], Any] | None = None
"""Makes a new tensor one for each element of the batch, where these shall get random numbers of their own. This and
the next are set by the engine's module of batched tensors."""
randomness: Callable[[], str | None] | None = None
"""What the innermost vmap was told of randomness; None outside."""


def empty_for_fill(tensor: Any) -> Any:
    """A new tensor that nobody has seen yet, as what an operation made of others fills with random numbers."""
    return tensor if each_own is None else each_own(tensor)


def randomness_here() -> str | None:
    """"error", "same" or "different" inside of vmap, else None."""
    return None if randomness is None else randomness()


def no_pointer() -> RuntimeError:
    """A batched tensor was asked for its numbers or their address. The words are torch's."""
    return RuntimeError("Cannot access data pointer of Tensor that doesn't have storage: it is batched, vmap runs its "
                        "function once for all elements")


def no_storage() -> NotImplementedError:
    """A batched tensor was asked for its storage, or for a copy of it."""
    return NotImplementedError("Cannot access storage of BatchedTensorImpl: it is memory of the whole batch")


def out_error(op: Any) -> RuntimeError:
    """The exception for a call with out= inside of vmap."""
    return RuntimeError(f"Batching rule not implemented for {op.qualified_name}.out; the fallback path doesn't work on "
                        f"out= or view ops. Call {op.name}() without out= inside of vmap")
