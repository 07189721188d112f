"""Rounding to whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.base import FLOATING, INTEGRAL

COUNTABLE = INTEGRAL + FLOATING

for name, ufunc in (("floor", np.floor), ("ceil", np.ceil), ("trunc", np.trunc)):
    TABLE.pointwise_unary(
        f"{name}(Tensor self) -> Tensor",
        kernels=[ufunc],
        dtypes=COUNTABLE,
        texts={"label": f"{name}_vml_cpu"},
        refusal={"complex": NotImplementedError(f"{name} is not supported for complex inputs")},
    )


def round_decimals(xp: Any, x: Any, decimals: Any) -> Any:
    """Scaled by a power of ten, rounded, scaled back."""
    scale = 10.0 ** abs(float(decimals))
    return (xp.rint(x * scale) / scale if decimals >= 0 else xp.rint(x / scale) * scale).astype(x.dtype)


TABLE.pointwise_unary(
    "round(Tensor self, *, int decimals=0) -> Tensor",
    kernels=[np.rint],
    dtypes=COUNTABLE,
    reference=lambda xp, x: x if x.dtype.kind in "iu" else xp.rint(x),
    variant="decimals",
    variants={...: {"n_in": 2, "reference": round_decimals, "dtypes": FLOATING}},
    n_promote=1,
    texts={"label": "round_vml_cpu"},
)
TABLE.pointwise_unary(
    "frac(Tensor self) -> Tensor",
    kernels=["frac"],
    reference=lambda xp, x: x - xp.trunc(x),
    dtypes=FLOATING,
)
TABLE.alias("fix", TABLE.ops["trunc"])
TABLE.alias("fix_", TABLE.ops["trunc_"], method=False)
TABLE.methods["fix_"] = TABLE.ops["trunc_"]
