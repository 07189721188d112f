"""The table that the modules of this package fill. See Note [Families are loaded when they are needed]."""

from __future__ import annotations

from wengert_core.ops import names
from wengert_core.ops.hidden import HIDDEN
from wengert_core.table import OpTable, install


class FamilyTable(OpTable):
    """Core's table: its ops and methods by name, also of families that are not loaded."""

    ops: names.Names
    methods: names.Names
    places = names.PLACES

    def __init__(self, name: str) -> None:
        super().__init__(name, documentation="wengert_core")
        self.ops, self.methods = names.OPS, names.METHODS
        self.hidden.update(HIDDEN)


TABLE = FamilyTable("core")
install(TABLE)

__all__ = ["TABLE", "install"]
