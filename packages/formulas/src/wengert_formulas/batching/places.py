"""Batching rules of diagonals, pixels, and positions of flattened tensors."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.ops.index.gather_scatter import check_put, checked_positions
from wengert_core.ops.nn.upsampling import KINDS
from wengert_core.ops.reduce.norms import renormed

from wengert_formulas.batching.arranging import aligned, flat, folded, sample_shape, unfolded
from wengert_formulas.batching.call import Call, rule


@rule("_ldexp")
def ldexp(call: Call) -> Any:
    """Both broadcast."""
    x, other = aligned(call, "self", "other")
    return call.run(self=x, other=other)


@rule("_trace")
def trace(call: Call) -> Any:
    """Of the last two dims."""
    return call["self"].diagonal(0, 1, 2).sum(-1)


@rule("_diag_embed", "_diagonal_copy")
def diagonals(call: Call) -> Any:
    """The dims are those of the result, or of the argument."""
    rank = call.rank("self") + (call.name == "_diag_embed")
    return call.run(dim1=call.dim(call["dim1"], rank), dim2=call.dim(call["dim2"], rank))


@rule("_pixel_shuffle", "_pixel_unshuffle", "_im2col", "_col2im")
def pixels(call: Call) -> Any:
    """The last two or three dims count."""
    return call.run()


@rule("_affine_grid_generator")
def grids(call: Call) -> Any:
    """Matrices, one sample's after the other's."""
    count = call["size"][0]
    places, base = call.run(theta=folded(call["theta"]), size=(call.size * count, *call["size"][1:]))
    return unfolded(places, call.size, count), call.expand(base)


@rule("grid_sampler_2d", "grid_sampler_3d")
def read(call: Call) -> Any:
    """The batch becomes images, each with a grid."""
    input, grid = (call.expanded(name) for name in ("input", "grid"))
    return unfolded(call.run(input=folded(input), grid=folded(grid)), call.size, input.shape[1])


@rule(*(f"_upsample_{kind}" for kind in KINDS), "_upsample_backward")
def upsample(call: Call) -> Any:
    """The batch becomes images."""
    name = call.op.params[0]
    return unfolded(call.run(**{name: folded(call[name])}), call.size, call[name].shape[1])


@rule("_renorm")
def renorm(call: Call) -> Any:
    """Over all dims but the batch and the one next to that which is named."""
    dim = call.dim(call["dim"], call.rank("self"))
    return renormed(call["self"], call["p"], [d for d in range(1, call["self"].dim()) if d != dim], call["maxnorm"])


@rule("_take")
def take(call: Call) -> Any:
    """Of each sample's row."""
    if not call.batched["self"]:
        return call.run()
    rows = flat(call, "self")
    places = checked_positions(flat(call, "index"), rows.shape[1])
    return rows.gather(1, places).reshape(call.size, *sample_shape(call, "index"))


@rule("_put")
def put(call: Call) -> Any:
    """Into each sample's row."""
    rows, source = flat(call, "self"), flat(call, "source")
    places = checked_positions(flat(call, "index"), rows.shape[1])
    check_put(call["self"], places, source)
    written = wc.scatter_add if call["accumulate"] else wc.scatter
    return written(rows, 1, places, source).reshape(call.size, *sample_shape(call, "self"))
