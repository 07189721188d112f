"""Batching rules of the ops that put a part back into zeros: gradients of views."""

from __future__ import annotations

from typing import Any

from wengert_core.ops.view.view_backward import extent

from wengert_formulas.batching.calls.call import Call, rule


@rule("select_backward", "slice_backward")
def batch_view_backward(call: Call) -> Any:
    sizes = call["input_sizes"]
    return call.run(input_sizes=(call.size, *sizes), dim=call.dim(call["dim"], len(sizes)))


@rule("diagonal_backward")
def on_diagonal(call: Call) -> Any:
    sizes = call["input_sizes"]
    return call.run(input_sizes=(call.size, *sizes), dim1=call.dim(call["dim1"], len(sizes)),
                    dim2=call.dim(call["dim2"], len(sizes)))


@rule("restride")
def restride(call: Call) -> Any:
    """Each sample has a stretch of memory of its own, as long as the geometries reach."""
    geometries = [call["source"], call["target"], call["shared"]]
    start = min(offset for _, _, offset in geometries[:2])
    length = max(extent((sizes, strides, offset - start)) for sizes, strides, offset in geometries[:2])
    source, target, shared = (
        None if g is None else ((call.size, *g[0]), (length, *g[1]), g[2]) for g in geometries
    )
    return call.run(source=source, target=target, shared=shared)
