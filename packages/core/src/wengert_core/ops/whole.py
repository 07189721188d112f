"""The operator table with all its rows: importing a family's module fills them in."""

from __future__ import annotations

from wengert_core.ops import (  # noqa: F401 - each fills the table
    activations,
    arithmetic,
    bitwise,
    class_losses,
    comparison,
    complex_parts,
    conversion,
    einsum,
    exponential,
    factories,
    fft,
    hidden,
    indexing,
    joining,
    layers,
    losses,
    matmul,
    nn,
    operators,
    positions,
    products,
    random,
    reductions,
    rounding,
    scans,
    softmax,
    sorting,
    special,
    spectral,
    statistics,
    trigonometric,
    view_gradients,
    views,
    windows,
)
from wengert_core.ops.table import TABLE

operators.install()

__all__ = ["TABLE"]
