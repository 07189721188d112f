"""The row of the conversion family: a copy in another dtype or on another device."""

from __future__ import annotations

from wengert_core.dispatch.op import Op
from wengert_core.drivers.copy import cast as _cast
from wengert_core.optable.kinds import settings as s
from wengert_core.optable.kinds.base import Reference, Rows
from wengert_core.optable.kinds.signatures import expect_signature


class ConversionRows(Rows):
    """The row that ``Tensor.to`` and its shorthands call."""

    @s.checked(reference=s.function, doc=s.text)
    def conversion(self, schema: str, *, reference: Reference, doc: str = "") -> Op:
        """The row ``_to_copy(Tensor self, dtype dtype, object? device=None)``."""
        expect_signature(self, schema, "conversion")
        op = Op(schema, "conversion", doc=doc, reference=reference)
        _cast.configure(op)
        self.add(op, op.name, method=False)
        return op
