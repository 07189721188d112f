"""Samples of the CTC loss, summed over alignments."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.loss.regression import reduce_losses
from wengert_testing.samples.shapes import of_nn, recorded_rows


def alignments(logs: Any, targets: Any, inputs: Any, outputs: Any, blank: Any = 0, reduction: Any = "none") -> Any:
    """The sum over all paths, one by one."""
    losses = []
    for n, (steps, length) in enumerate(zip(inputs, outputs, strict=True)):
        total = 0.0
        for path in np.ndindex(*[logs.shape[2]] * steps):
            kept = [k for i, k in enumerate(path) if i == 0 or k != path[i - 1]]
            if [k for k in kept if k != blank] == list(targets[n][:length]):
                total += np.exp(sum(logs[t, n, k] for t, k in enumerate(path)))
        losses.append(-np.log(total))
    return reduce_losses(np.array(losses), reduction)


CTC = (np.array([[1, 2], [2, 2], [1, 0]]), (3, 3, 2), (2, 2, 1))

CASES = [
    of_nn(
        "ctc_loss",
        alignments,
        [(T(3, 3, 3, domain=(-2, -0.2)), *CTC, {"reduction": name}) for name in ("none", "sum")],
        grad=False,
        note="its derivative is that of probabilities which sum up to 1: packages/formulas/tests/test_ctc.py",
    ),
    OpCase(
        "_ctc_loss",
        lambda x, labels, times, counts, blank, zero: alignments(x, labels, np.array(times), np.array(counts), blank),
        [(T(3, 3, 3, domain=(-2, -0.2)), CTC[0], (3, 3, 2), (2, 1, 1), 0, False)],
        grad=False,
        note="its derivative is that of probabilities which sum up to 1: packages/formulas/tests/test_ctc.py",
    ),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "nn.functional.ctc_loss": [
        (T(5, 2, 4), np.array([[0, 2], [1, 0]]), np.array([5, 1]), np.array([2, 2]), 3, "sum", True),
    ],
}, grad=False)
