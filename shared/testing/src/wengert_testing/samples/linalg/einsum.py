"""Samples of einsum."""

from __future__ import annotations

import numpy as np

from wengert_testing.case import OpCase, T

CASES = [
    # ---- sums of products
    OpCase(
        "einsum",
        np.einsum,
        [
            ("ij,jk->ik", T(2, 3), T(3, 2)),
            ("ij->ji", T(2, 3)),
            ("ii->i", T(3, 3)),
            ("bij,bjk", T(2, 2, 3), T(2, 3, 2)),
            ("i,j->ij", T(2), T(3)),
            ("...i,i->...", T(2, 3), T(3)),
            ("ij,ij->", T(2, 3), T(2, 3)),
            ("ijk,jl,k->il", T(2, 3, 2), T(3, 2), T(2)),
        ],
        complex=True,
    ),
]
