"""The table that the modules of this package fill."""

from wengert_core.table import OpTable

TABLE = OpTable("core")
