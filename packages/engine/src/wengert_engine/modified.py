"""The error for a saved tensor that was written to: who saved it, who wrote, and (in anomaly mode) in which lines."""

from __future__ import annotations

from typing import Any

from wengert_engine import errors
from wengert_engine.anomaly import get_flags, node_trace, write_after


def modified(node: Any, name: str, tensor: Any, output: int, saved: int, now: int) -> RuntimeError:
    """The error. output: which output of ``node`` it is; -1: an input. saved, now: the versions."""
    source, number = (node, output) if output >= 0 else (tensor.grad_fn, tensor.output_nr)
    which = f", which is output {number} of {errors.forward_name(source.name())}," if source is not None else ""
    write = write_after(tensor, saved)
    if write is not None:
        writer = f"{write[0]}{line_of(write[1])}"
    elif output < 0 and younger(whole(tensor).grad_fn, node):
        writer = f"what {whole(tensor).grad_fn.name()} recorded"
    else:
        writer = None
    return errors.saved_modified(f"{errors.tensor_type(tensor.dtype)} {list(tensor.shape)}", which, saved, now,
                                 get_flags()[0], f"{node.name()}{line_of(node_trace(node))}", name, writer)


def younger(history: Any, node: Any) -> bool:
    """Whether a tensor's history is younger than a node that saved the tensor: it is that of a write."""
    return history is not None and history._sequence_nr() > node._sequence_nr()


def whole(tensor: Any) -> Any:
    """The tensor that a view looks into: a write to either is recorded there."""
    return tensor if tensor._base is None else tensor._base


def line_of(trace: Any) -> str:
    """The innermost line of a Trace, for a message; "" when there is none."""
    frames = trace.frames() if trace is not None else []
    if not frames:
        return ""
    last = frames[-1]
    return f" ({last.filename}, line {last.lineno}, in {last.name}: {last.line})"
