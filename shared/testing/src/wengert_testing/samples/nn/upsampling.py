"""Samples of the rows of interpolation."""

from __future__ import annotations

from typing import Any

from wengert_testing.case import OpCase, T

IMAGES: dict[str, Any] = {
    "1": ((1, 2, 4), (6,), (3,), (4,)), "2": ((2, 1, 3, 4), (4, 3), (3, 4)), "3": ((1, 1, 2, 3, 2), (3, 2, 4))
}
"""By the number of dims: a shape, and new sizes."""

CASES = [
    *(
        OpCase(
            f"_upsample_{kind}",
            None,
            [(T(*IMAGES[kind[-2]][0]), new) for new in IMAGES[kind[-2]][1:]],
            note="values: tests/torch_parity/recorded, by interpolate",
        )
        for kind in ("nearest1d", "nearest_exact1d", "linear1d", "nearest2d", "nearest_exact2d", "bilinear2d",
                     "bicubic2d", "nearest3d", "nearest_exact3d", "trilinear3d")
    ),
    *(
        OpCase(f"_upsample_{mode}2d_aa", None, [(T(1, 1, 5, 6), (2, 3)), (T(1, 1, 5, 6), (3, 9))],
               note="values: tests/torch_parity/recorded, by interpolate")
        for mode in ("bilinear", "bicubic", "lanczos")
    ),
    OpCase(
        "_upsample_backward",
        None,
        [(T(2, 1, 3), "linear1d", (5,), True), (T(1, 2, 3, 4), "bicubic2d", (2, 5), False, (1.7, None)),
         (T(1, 1, 3, 4), "nearest2d", (2, 5)), (T(1, 1, 2, 3), "bilinear2d_aa", (4, 5))],
        note="the adjoint of the others: tests/ops",
    ),
]
