"""The error for a saved tensor that was written to: who saved it, who wrote, and (in anomaly mode) in which lines."""

from __future__ import annotations

from typing import Any

from wengert_engine.anomaly.anomaly import get_flags, node_trace, write_after
from wengert_engine.messages import errors


def modified_error(node: Any, name: str, tensor: Any, output: int, saved: int, now: int) -> RuntimeError:
    """The error. output: which output of ``node`` it is; -1: an input. saved, now: the versions."""
    source, number = (node, output) if output >= 0 else (tensor.grad_fn, tensor.output_nr)
    which = f", which is output {number} of {errors.forward_name(source.name())}," if source is not None else ""
    writer = writer_of(tensor, saved)
    if writer is None and output < 0 and is_newer(whole(tensor).grad_fn, node):
        writer = f"what {whole(tensor).grad_fn.name()} recorded"
    saver = f"{node.name()}{line_of(node_trace(node))}"
    return errors.saved_modified(kind_of(tensor), which, saved, now, get_flags()[0], saver, name, writer)


def modified_value(saver: str, name: str, tensor: Any, saved: int, now: int) -> RuntimeError:
    """The error for a tensor that was kept by what is no node, or as one of several."""
    return errors.saved_modified(kind_of(tensor), "", saved, now, get_flags()[0], saver, name,
                                 writer_of(tensor, saved))


def kind_of(tensor: Any) -> str:
    """What torch's message calls a tensor."""
    return f"{errors.tensor_type(tensor.dtype)} {list(tensor.shape)}"


def writer_of(tensor: Any, saved: int) -> str | None:
    """The operation that wrote first after a version, with its line; None when it is not known."""
    write = write_after(tensor, saved)
    return f"{write[0]}{line_of(write[1])}" if write is not None else None


def is_newer(history: Any, node: Any) -> bool:
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
