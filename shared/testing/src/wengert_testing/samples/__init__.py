"""The op sample table: for every op and composite of core at least one row.

A room for each family, and in it modules named as those of the rows in core/ops.

>>> from wengert_testing.samples import CASES
>>> [case.op for case in CASES if case.op == "exp"]
['exp']
"""

from wengert_testing.case import OpCase
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
    addmv_baddbmm,
    distances,
    einsum,
    linalg_cholesky,
    linalg_det,
    linalg_functions,
    linalg_least_squares,
    linalg_lobpcg,
    linalg_lu,
    linalg_norms,
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
    likelihood_losses,
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
    grid_sample_primitives,
    interpolation,
    layer_norms,
    multi_head,
    normalization,
    padding,
    pooling,
    upsampling,
)
from wengert_testing.samples.pointwise import (
    activations,
    arithmetic,
    bitwise,
    comparison,
    complex,
    composed_activations,
    exponential,
    gamma,
    gated_activations,
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
    scans,
    softmax,
    sorting,
    unique,
    variance_logsumexp,
)
from wengert_testing.samples.signal import fft, stft, windows
from wengert_testing.samples.view import diagonals, scatter_views, splits, view_backward, view_copies, views

MODULES = (
    # ---- pointwise
    activations,
    arithmetic,
    bitwise,
    comparison,
    complex,
    composed_activations,
    exponential,
    gamma,
    gated_activations,
    piecewise_activations,
    powers,
    rounding,
    ternary,
    trigonometric,
    # ---- reduce
    covariance,
    differences,
    histogram,
    histogramdd,
    norms,
    quantiles,
    reductions,
    scans,
    softmax,
    sorting,
    unique,
    variance_logsumexp,
    # ---- view
    diagonals,
    scatter_views,
    splits,
    view_backward,
    view_copies,
    views,
    # ---- copy
    cast,
    flip_roll_tril,
    joining,
    pixel_shuffle,
    # ---- index
    embedding_bag,
    embeddings,
    gather_scatter,
    getitem_fill,
    scatter_reduce,
    searching,
    # ---- linalg
    addmv_baddbmm,
    distances,
    einsum,
    linalg_cholesky,
    linalg_det,
    linalg_functions,
    linalg_least_squares,
    linalg_lobpcg,
    linalg_lu,
    linalg_norms,
    linalg_solve,
    linalg_spectral,
    matmul,
    products,
    tensordot,
    # ---- nn
    attention,
    channel_dropout,
    convolution,
    dropout,
    grid_sample,
    grid_sample_primitives,
    interpolation,
    layer_norms,
    multi_head,
    normalization,
    padding,
    pooling,
    upsampling,
    # ---- loss
    binary_cross_entropy,
    class_margins,
    cross_entropy_nll,
    ctc,
    likelihood_losses,
    margin_losses,
    regression,
    toplevel_aliases,
    # ---- signal
    fft,
    stft,
    windows,
    # ---- create
    factories,
    random,
)
CASES: list[OpCase] = [case for module in MODULES for case in module.CASES]

__all__ = ["CASES", "OpCase"]
