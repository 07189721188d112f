"""The one table: importing the modules fills it."""

from wengert_formulas.derivatives.base import TABLE
from wengert_formulas.derivatives.copy import cast, flip_roll_tril, joining, pixel_shuffle  # noqa: F401
from wengert_formulas.derivatives.create import factories, random  # noqa: F401
from wengert_formulas.derivatives.index import (  # noqa: F401
    embedding_bag,
    embeddings,
    gather_scatter,
    getitem_fill,
    scatter_reduce,
    searching,
)
from wengert_formulas.derivatives.linalg import (  # noqa: F401
    addmv_baddbmm,
    distances,
    linalg_cholesky,
    linalg_det,
    linalg_functions,
    linalg_least_squares,
    linalg_lobpcg,
    linalg_lu,
    linalg_solve,
    linalg_spectral,
    matmul,
    products,
)
from wengert_formulas.derivatives.loss import (  # noqa: F401
    binary_cross_entropy,
    class_margins,
    cross_entropy_nll,
    ctc,
    margin_losses,
    regression,
)
from wengert_formulas.derivatives.nn import (  # noqa: F401
    attention,
    convolution,
    grid_sample,
    grid_sample_primitives,
    normalization,
    padding,
    pooling,
    upsampling,
)
from wengert_formulas.derivatives.pointwise import (  # noqa: F401
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
from wengert_formulas.derivatives.reduce import (  # noqa: F401
    histogram,
    histogramdd,
    norms,
    reductions,
    scans,
    softmax,
    sorting,
    unique,
    variance_logsumexp,
)
from wengert_formulas.derivatives.signal import fft  # noqa: F401
from wengert_formulas.derivatives.view import diagonals, scatter_views, view_backward, views  # noqa: F401

__all__ = ["TABLE"]
