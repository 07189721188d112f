"""The operator table with all its rows: importing a family's module fills them in."""

from __future__ import annotations

from wengert_core.ops import (  # noqa: F401 - each fills the table
    activations,
    arithmetic,
    bitwise,
    class_losses,
    comparison,
    complex_parts,
    counting,
    conversion,
    einsum,
    exponential,
    factories,
    hidden,
    indexing,
    joining,
    layers,
    losses,
    matmul,
    nn,
    operators,
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
