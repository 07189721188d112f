"""The one table: importing the modules fills it."""

from wengert_formulas import (  # noqa: F401
    activations,
    arithmetic,
    comparison,
    complex_parts,
    conversion,
    counting,
    exponential,
    factories,
    fft,
    indexing,
    joining,
    linalg_cholesky,
    linalg_det,
    linalg_functions,
    linalg_lu,
    linalg_solve,
    linalg_spectral,
    losses,
    matmul,
    powers,
    random,
    reductions,
    rounding,
    scans,
    scatter_reductions,
    searching,
    softmax,
    sorting,
    special,
    statistics,
    trigonometric,
    views,
)
from wengert_formulas.base import TABLE

__all__ = ["TABLE"]
