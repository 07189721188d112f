"""Rows of the adjoints of views."""

from __future__ import annotations

from wengert_core.op import Op
from wengert_core.rows.base import Reference, Rows, driver


class PlacingRows(Rows):
    """Rows that put a gradient back into the part a view showed."""

    def placing(self, schema: str, *, view: Op, reference: Reference, doc: str = "") -> Op:
        """A row ``name(Tensor grad_output, int[] input_sizes, ...)``; its other parameters are those of ``view``."""
        op = Op(schema, "placing", doc=doc, reference=reference)
        driver("placing").configure(op, view)
        return self.add(op, op.name, method=False)
