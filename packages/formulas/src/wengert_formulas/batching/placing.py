"""Batching rules of the ops that put a part back into zeros: gradients of views."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.call import Call, rule


@rule("select_backward", "slice_backward")
def placed(call: Call) -> Any:
    sizes = call["input_sizes"]
    return call.run(input_sizes=(call.size, *sizes), dim=call.dim(call["dim"], len(sizes)))


@rule("diagonal_backward")
def on_diagonal(call: Call) -> Any:
    sizes = call["input_sizes"]
    return call.run(input_sizes=(call.size, *sizes), dim1=call.dim(call["dim1"], len(sizes)),
                    dim2=call.dim(call["dim2"], len(sizes)))
