"""The one table: importing the modules fills it."""

from wengert_formulas import (  # noqa: F401
    activations,
    arithmetic,
    attention,
    comparison,
    complex_parts,
    conversion,
    convolution,
    exponential,
    factories,
    indexing,
    joining,
    losses,
    matmul,
    normalization,
    padding,
    pooling,
    random,
    reductions,
    rounding,
    scans,
    softmax,
    sorting,
    statistics,
    trigonometric,
    views,
)
from wengert_formulas.base import TABLE

__all__ = ["TABLE"]
