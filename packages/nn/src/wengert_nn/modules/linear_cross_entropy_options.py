"""Options of LinearCrossEntropyLoss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import wengert

__all__ = ["LinearCrossEntropyOptions"]

POLICIES = ("accurate", "auto", "balanced", "compact")
DTYPES = (wengert.float16, wengert.bfloat16, wengert.float32, wengert.float64)


@dataclass(slots=True, frozen=True)
class LinearCrossEntropyOptions:
    """Options of PyTorch to save memory in ``linear_cross_entropy``, computing chunks of the batch one after the other.

    Here the loss is computed in one piece. The options are checked, and `acc_dtype` is the dtype that float16 and
    bfloat16 are computed with, float32 by default.

    >>> LinearCrossEntropyOptions(batch_chunk_size=64).batch_chunk_size
    64
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: Any = None

    def __post_init__(self) -> None:
        if self.acc_policy not in POLICIES:
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}, expected one of {POLICIES}")
        if self.chunking_method not in (None, "auto"):
            name, colon, factor = str(self.chunking_method).partition(":")
            factor = factor if colon else "1"
            if name != "aspect_ratio" or not factor.isdigit() or int(factor) == 0:
                raise ValueError(
                    f"invalid chunking_method: {self.chunking_method!r}, expected 'auto' or 'aspect_ratio:2'"
                )
        size: Any = self.batch_chunk_size
        if size is not None and not (isinstance(size, int) and size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")
        if self.acc_dtype is not None and self.acc_dtype not in DTYPES:
            raise ValueError(
                f"acc_dtype must be one of {{None, {', '.join(map(str, DTYPES))}}}, got {self.acc_dtype!r}. "
                "Pass acc_dtype=None to let the op pick automatically."
            )
