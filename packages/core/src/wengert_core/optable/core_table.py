"""The table that the modules of this package fill. See Note [Families are loaded when they are needed]."""

from __future__ import annotations

from wengert_core.optable import lazy_names
from wengert_core.optable.hidden_names import HIDDEN
from wengert_core.optable.op_table import OpTable, install


class FamilyTable(OpTable):
    """Core's table: its ops and methods by name, also of families that are not loaded."""

    ops: lazy_names.Names
    methods: lazy_names.Names
    places: tuple[str, ...] = lazy_names.NAMESPACES

    def __init__(self, name: str) -> None:
        super().__init__(name, documentation="wengert_core")
        self.ops, self.methods = lazy_names.OPS, lazy_names.METHODS
        self.hidden.update(HIDDEN)


TABLE = FamilyTable("core")
install(TABLE)

__all__ = ["TABLE", "install"]
