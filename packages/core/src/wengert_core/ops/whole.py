"""The operator table with all its rows: importing a family's module fills them in."""

from __future__ import annotations

from wengert_core.ops import (  # noqa: F401 - each fills the table
    activations,
    arithmetic,
    bags,
    bitwise,
    class_losses,
    comparison,
    complex_parts,
    conversion,
    counting,
    ctc,
    einsum,
    embeddings,
    exponential,
    factories,
    grids,
    hidden,
    indexing,
    interpolation,
    joining,
    layers,
    losses,
    margin_losses,
    matmul,
    nn,
    operators,
    pixels,
    positions,
    powers,
    products,
    quantiles,
    random,
    reductions,
    rounding,
    scans,
    scatter_reductions,
    searching,
    softmax,
    sorting,
    statistics,
    trigonometric,
    view_gradients,
    views,
)
from wengert_core.ops.table import TABLE

operators.install()

__all__ = ["TABLE"]
