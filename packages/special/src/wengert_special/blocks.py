"""NumPy formulas of many steps, computed in double precision for blocks that stay in the processor's cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

BLOCK = 4096
"""Elements of a block: 32 KiB of each intermediate array."""


def by_blocks(compute: Callable[[Any], Any], x: Any) -> Any:
    """compute(x) of an array of any shape, elementwise, in x's dtype. compute: of a float64 array."""
    if not isinstance(x, np.ndarray) or x.size <= BLOCK:
        return compute(x.astype("float64")).astype(x.dtype)
    out = np.empty(x.size, x.dtype)
    flat = x.reshape(-1)
    for start in range(0, x.size, BLOCK):
        out[start : start + BLOCK] = compute(flat[start : start + BLOCK].astype(np.float64))
    return out.reshape(x.shape)
