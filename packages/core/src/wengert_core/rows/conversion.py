"""The row of the conversion family: a copy in another dtype or on another device."""

from __future__ import annotations

from wengert_core import conversion as _conversion
from wengert_core.op import Op
from wengert_core.rows import settings as s
from wengert_core.rows.base import Reference, Rows
from wengert_core.rows.signatures import expect_signature


class ConversionRows(Rows):
    """The row that ``Tensor.to`` and its shorthands call."""

    @s.checked(reference=s.function, doc=s.text)
    def conversion(self, schema: str, *, reference: Reference, doc: str = "") -> Op:
        """The row ``_to_copy(Tensor self, dtype dtype, object? device=None)``."""
        expect_signature(self, schema, "conversion")
        op = Op(schema, "conversion", doc=doc, reference=reference)
        _conversion.configure(op)
        self.add(op, op.name, method=False)
        return op
