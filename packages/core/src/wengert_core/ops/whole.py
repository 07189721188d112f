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
    covariance,
    diagonals,
    differences,
    einsum,
    exponential,
    factories,
    hidden,
    indexing,
    joining,
    layers,
    linalg_functions,
    linalg_least_squares,
    linalg_lu,
    linalg_norms,
    linalg_solve,
    linalg_spectral,
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
    statistics,
    trigonometric,
    view_gradients,
    views,
)
from wengert_core.ops.table import TABLE

operators.install()

__all__ = ["TABLE"]
