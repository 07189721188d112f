"""The op sample table: for every op and composite of core at least one row. One module for each family.

>>> from wengert_testing.samples import CASES
>>> [case.op for case in CASES if case.op == "exp"]
['exp']
"""

from wengert_testing.case import OpCase
from wengert_testing.samples import (
    activations,
    arithmetic,
    attention,
    comparison,
    complex_parts,
    convolution,
    creation,
    differences,
    exponential,
    fft,
    images,
    indexing,
    joining,
    linalg_functions,
    linalg_solve,
    linalg_spectral,
    losses,
    matmul,
    native_losses,
    nn,
    normalization,
    padding,
    places,
    pooling,
    rectifiers,
    reductions,
    rounding,
    scatter_reductions,
    searching,
    special,
    spectral,
    trigonometric,
    views,
    words,
)

MODULES = (
    arithmetic,
    exponential,
    trigonometric,
    activations,
    rectifiers,
    comparison,
    rounding,
    special,
    complex_parts,
    reductions,
    views,
    indexing,
    joining,
    matmul,
    linalg_solve,
    linalg_spectral,
    linalg_functions,
    differences,
    nn,
    losses,
    native_losses,
    convolution,
    pooling,
    normalization,
    attention,
    padding,
    fft,
    spectral,
    creation,
    scatter_reductions,
    searching,
    images,
    places,
    words,
)
CASES: list[OpCase] = [case for module in MODULES for case in module.CASES]

__all__ = ["CASES", "OpCase"]
