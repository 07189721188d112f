"""Conversion between dtypes and devices."""

from wengert_core.optable.core_table import TABLE

TABLE.conversion("_to_copy(Tensor self, dtype dtype, object? device=None) -> Tensor",
                 reference=lambda xp, x, dtype, device=None: xp.astype(x, dtype.name),
                 doc="A copy in another dtype or on another device; its dimensions lie in memory as before.")
