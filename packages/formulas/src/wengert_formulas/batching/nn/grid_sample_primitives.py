"""Batching rules of images read at the places of a grid."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import fold_batch, unfold_batch


@rule("grid_sampler_2d", "grid_sampler_3d")
def read(call: Call) -> Any:
    """The batch becomes images, each with a grid."""
    input, grid = (call.expanded(name) for name in ("input", "grid"))
    return unfold_batch(call.run(input=fold_batch(input), grid=fold_batch(grid)), call.size, input.shape[1])


@rule("_grid_sampler_backward")
def read_backward(call: Call) -> Any:
    """The batch becomes images, each with a grid."""
    grad, grid = (call.expanded(name) for name in ("grad_output", "grid"))
    return unfold_batch(call.run(grad_output=fold_batch(grad), grid=fold_batch(grid)), call.size, grad.shape[1])


@rule("_grid_sampler_grid_backward")
def grid_backward(call: Call) -> Any:
    """The batch becomes images, each with a grid."""
    each = {name: call.expanded(name) for name in ("grad_output", "input", "grid")}
    folded = {name: fold_batch(value) for name, value in each.items()}
    return unfold_batch(call.run(**folded), call.size, each["grid"].shape[1])
