"""Samples of losses that are likelihoods."""

from __future__ import annotations

import numpy as np

from wengert_testing.case import T, fixed
from wengert_testing.samples.loss.regression import REDUCED, by_element
from wengert_testing.samples.shapes import of_nn, recorded_rows

INSIDE = (0.1, 0.9)


CASES = [
    of_nn(
        "kl_div",
        by_element(lambda x, t: t * (np.log(t) - x)),
        REDUCED,
        domain=INSIDE,
        warns="reduction: 'mean' divides",
    ),
    of_nn("poisson_nll_loss", by_element(lambda x, t: np.exp(x) - t * x), REDUCED),
    of_nn(
        "gaussian_nll_loss",
        lambda x, t, var: np.mean(0.5 * (np.log(var) + (x - t) ** 2 / var)),
        [(T(2, 3), T(2, 3), T(2, 3, domain=(0.3, 2)))],
    ),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "nn.functional.gaussian_nll_loss": [(T(3), T(3), T(3), True, 1e-3, "sum")],
    "nn.functional.poisson_nll_loss": [(T(3), fixed([0.0, 1.0, 3.0]), False, True, {"eps": 1e-3})],
}, domain=(0.1, 0.9))
CASES += recorded_rows({
    "nn.functional.kl_div": [(T(2, 3), T(2, 3), {"log_target": True})],
}, warns="reduction: 'mean' divides")
