"""Samples of determinants and their logarithms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from wengert_testing.case import OpCase
from wengert_testing.samples.linalg.linalg_solve import DEFINITE, SQUARES, definite, each, pack_lu

SINGULAR = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]])


def logdet(x: Any) -> Any:
    sign, size = np.linalg.slogdet(x)
    return np.log(sign) + size if x.dtype.kind == "c" else np.where(sign == -1, math.nan, size)


CASES = [
    OpCase(
        "linalg_det",
        lambda x: (np.linalg.det(x), *each(pack_lu, x)),
        [*SQUARES, (SINGULAR,), (np.ones((3, 3)),), (np.zeros((2, 2)),)],
        complex=True,
    ),
    OpCase("linalg.det", np.linalg.det, SQUARES[:3]),
    OpCase("det", np.linalg.det, SQUARES[:2], complex=True),
    OpCase("linalg_slogdet", lambda x: (*np.linalg.slogdet(x), *each(pack_lu, x)), SQUARES, complex=True),
    OpCase("linalg.slogdet", np.linalg.slogdet, SQUARES[:2]),
    OpCase("slogdet", np.linalg.slogdet, SQUARES[:2]),
    OpCase("logdet", logdet, DEFINITE[:3], complex=True, prepared=definite),
]
