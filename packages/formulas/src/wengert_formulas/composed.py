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
    indexing,
    joining,
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
    statistics,
    trigonometric,
    views,
)
from wengert_formulas.base import TABLE

__all__ = ["TABLE"]
