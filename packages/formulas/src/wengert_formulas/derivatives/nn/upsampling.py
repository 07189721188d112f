"""Derivatives of interpolation: each row is linear, and its gradient is the adjoint."""

from __future__ import annotations

import wengert_core as wc
from wengert_core.dispatch.op import find
from wengert_core.ops.nn.upsampling import KINDS

from wengert_formulas.derivatives.base import TABLE


def add(kind: str) -> None:
    """One row, with torch's node: UpsampleNearestExact1DBackward0, UpsampleBilinear2DAaBackward0."""
    parts = kind.replace("1d", "1_d").replace("2d", "2_d").replace("3d", "3_d").split("_")
    TABLE.linear(
        f"_upsample_{kind}",
        self=lambda grad, self_shape, align_corners, scales: wc._upsample_backward(
            grad, kind, self_shape[2:], align_corners, scales
        ),
        node=f"Upsample{''.join(part.capitalize() for part in parts)}Backward0",
    )


for name in KINDS:
    add(name)
TABLE.linear(
    "_upsample_backward",
    grad_output=lambda grad, grad_output_shape, kind, align_corners, scales: find(f"_upsample_{kind}")(
        grad, grad_output_shape[2:], align_corners, scales
    ),
)
