"""Arranging batches for an op: ranks made equal, the batch folded into another dim and taken out again."""

from __future__ import annotations

import math
from typing import Any

from wengert_formulas.batching.calls.call import Call


def align(call: Call, *names: str, rank: int | None = None) -> list[Any]:
    """Arguments of one rank with the batch (1 where there is none) in dim 0, so that they broadcast as the samples do.

    rank: that of the samples; default: the largest.
    """
    rank = max(call.rank(name) for name in names) if rank is None else rank
    return [align_one(call, name, rank) for name in names]


def align_one(call: Call, name: str, rank: int) -> Any:
    """An argument with ones between the batch and its own dims."""
    x = call[name]
    own = x.shape[1:] if call.batched[name] else x.shape
    front = x.shape[0] if call.batched[name] else 1
    return x if x.dim() == rank + 1 else x.reshape(front, *[1] * (rank - len(own)), *own)


def lift(call: Call, name: str) -> Any:
    """An argument with the batch in dim 0; a sample without dims has one."""
    x = call.expanded(name)
    return x.unsqueeze(1) if x.dim() == 1 else x


def reshape_like(call: Call, result: Any, name: str) -> Any:
    """A result in the shape of an argument (of which ``lift`` may have made one of another rank)."""
    return result.reshape(call.size) if call.rank(name) == 0 else result


def sample_shape(call: Call, name: str) -> tuple[int, ...]:
    """The shape of an argument's samples."""
    return tuple(call[name].shape[call.batched[name] :])


def flat(call: Call, name: str) -> Any:
    """An argument with each sample as a row."""
    return call.expanded(name).reshape(call.size, math.prod(sample_shape(call, name)))


def fold_batch(x: Any) -> Any:
    """Dims 0 and 1 as one."""
    return x.reshape(x.shape[0] * x.shape[1], *x.shape[2:])


def unfold_batch(x: Any, first: int, second: int) -> Any:
    """Dim 0 as two."""
    return x.reshape(first, second, *x.shape[1:])


def own_batch(call: Call, outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Outputs of which those that an op leaves empty ("not asked for") have a batch too."""
    return tuple(call.expand(x) if tuple(x.shape) == (0,) else x for x in outputs)


def one(call: Call, i: int) -> dict[str, Any]:
    """The arguments of sample i."""
    def part(value: Any, batched: Any) -> Any:
        if isinstance(batched, list):
            return [part(v, b) for v, b in zip(value, batched, strict=True)]
        return value.select(0, i) if batched else value

    return {name: part(value, call.batched.get(name, False)) for name, value in call.values.items()}


def sample_error(call: Call) -> Exception | None:
    """The error that the op has for the first sample it refuses, in that sample's shapes and dims; None without one."""
    for i in range(call.size):
        values = one(call, i)
        if call.op.is_inplace:
            values["self"] = values["self"].clone()
        try:
            call.op(**values)
        except (RuntimeError, IndexError, ValueError, TypeError) as error:
            return error
    return None


def op_errors(call: Call) -> Exception:
    """What a rule raises for arguments that the op refuses too."""
    return sample_error(call) or RuntimeError(f"vmap: {call.name}: the arguments do not fit")


def in_terms_of_samples(call: Call, error: Exception) -> Exception:
    """The error of the op itself for a sample, where it has one, instead of that of a batch."""
    # another draw; what only a batch is refused for
    if "generator" in call.op.params or str(error).startswith(("vmap:", "result = tensor.as_strided(")):
        return error
    return sample_error(call) or error
