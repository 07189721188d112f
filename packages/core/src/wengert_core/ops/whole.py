"""The op table with the families that every program needs. See Note [Families are loaded when they are needed]."""

from __future__ import annotations

from wengert_core.ops import (  # noqa: F401 - each fills the table
    arithmetic,
    conversion,
    factories,
    hidden,
    indexing,
    operators,
    views,
)
from wengert_core.ops.table import TABLE

operators.install()
TABLE.promise_methods()

__all__ = ["TABLE"]
