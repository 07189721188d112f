"""The op sample table: for every op and composite of core at least one row.

A room for each family, and in it modules named as those of the rows in core/ops.

>>> from wengert_testing.samples import CASES
>>> [case.op for case in CASES if case.op == "exp"]
['exp']
"""

from wengert_testing.case import OpCase
from wengert_testing.samples import keywords
from wengert_testing.samples.copy import cast, flip_roll_tril, joining, pixel_shuffle
from wengert_testing.samples.create import factories, random
from wengert_testing.samples.index import (
    embedding_bag,
    embeddings,
    gather_scatter,
    getitem_fill,
    scatter_reduce,
    searching,
)
from wengert_testing.samples.linalg import (
    distances,
    einsum,
    linalg_functions,
    linalg_lobpcg,
    linalg_solve,
    linalg_spectral,
    matmul,
    products,
    tensordot,
)
from wengert_testing.samples.loss import (
    binary_cross_entropy,
    class_margins,
    cross_entropy_nll,
    ctc,
    margin_losses,
    regression,
    toplevel_aliases,
)
from wengert_testing.samples.nn import (
    attention,
    channel_dropout,
    convolution,
    dropout,
    grid_sample,
    interpolation,
    layer_norms,
    normalization,
    padding,
    pooling,
    upsampling,
)
from wengert_testing.samples.pointwise import (
    activations,
    arithmetic,
    comparison,
    complex,
    composed_activations,
    exponential,
    gamma,
    piecewise_activations,
    powers,
    rounding,
    ternary,
    trigonometric,
)
from wengert_testing.samples.reduce import (
    covariance,
    differences,
    histogram,
    histogramdd,
    norms,
    quantiles,
    reductions,
    softmax,
)
from wengert_testing.samples.signal import fft, stft
from wengert_testing.samples.view import diagonals, scatter_views, splits, view_copies, views

MODULES = (
    arithmetic,
    ternary,
    exponential,
    trigonometric,
    activations,
    piecewise_activations,
    comparison,
    rounding,
    gamma,
    complex,
    reductions,
    views,
    view_copies,
    splits,
    getitem_fill,
    gather_scatter,
    scatter_views,
    flip_roll_tril,
    joining,
    matmul,
    linalg_solve,
    linalg_spectral,
    linalg_functions,
    linalg_lobpcg,
    diagonals,
    differences,
    covariance,
    embeddings,
    softmax,
    layer_norms,
    distances,
    composed_activations,
    dropout,
    einsum,
    tensordot,
    cross_entropy_nll,
    regression,
    binary_cross_entropy,
    toplevel_aliases,
    convolution,
    pooling,
    normalization,
    attention,
    padding,
    channel_dropout,
    fft,
    stft,
    factories,
    cast,
    random,
    scatter_reduce,
    searching,
    histogram,
    quantiles,
    histogramdd,
    powers,
    margin_losses,
    class_margins,
    embedding_bag,
    interpolation,
    grid_sample,
    pixel_shuffle,
    ctc,
    upsampling,
    products,
    norms,
    keywords,
)
CASES: list[OpCase] = [case for module in MODULES for case in module.CASES]

__all__ = ["CASES", "OpCase"]
