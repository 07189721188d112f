"""Rows of ops that read or write at positions."""

from __future__ import annotations

from wengert_core.dispatch.op import Op
from wengert_core.drivers.index import index_tensor as _index_tensor
from wengert_core.drivers.index import masked_fill as _masked_fill
from wengert_core.optable.kinds import settings as s
from wengert_core.optable.kinds.base import Reference, Rows, driver, with_out
from wengert_core.optable.kinds.signatures import expect_signature


class IndexRows(Rows):
    """Rows of indexing, gather, scatter and masks."""

    @s.check_settings(way=s.one_of("index", "index_put"), reference=s.function, doc=s.text, method=s.flag)
    def positions(self, schema: str, *, way: str, reference: Reference, doc: str = "", method: bool = True) -> Op:
        """A row with a list of index tensors: index, index_put (with its in-place variant)."""
        expect_signature(self, schema, way)
        op = Op(schema, "indexing", doc=doc, reference=reference, options={"function": way != "index"})
        _index_tensor.configure(op, way)
        self.add(op, op.name, method=method)
        if way != "index":
            changed = self.in_place(op, schema)
            _index_tensor.configure(changed, way)
            self.add(changed, changed.name, method=method)
        return op

    @s.check_settings(
        way=s.one_of("gather", "index_select"), reference=s.function_or_none, doc=s.text, no_record=s.flag
    )
    def reading(
        self, schema: str, *, way: str, reference: Reference | None = None, doc: str = "", no_record: bool = False
    ) -> Op:
        """A row that reads along a dim: gather, index_select."""
        expect_signature(self, schema, way)
        op = Op(with_out(schema), "indexing", doc=doc, reference=reference, no_record=no_record)
        driver("index.gather").configure(op, way)
        return self.add(op, op.name)

    @s.check_settings(
        way=s.one_of("nonzero", "masked_select"), reference=s.function_or_none, doc=s.text, no_record=s.flag
    )
    def selecting(
        self, schema: str, *, way: str, reference: Reference | None = None, doc: str = "", no_record: bool = False
    ) -> Op:
        """The rows of nonzero and masked_select: where a mask is true, and what is there."""
        expect_signature(self, schema, way)
        op = Op(schema, "indexing", doc=doc, reference=reference, no_record=no_record)
        driver("index.nonzero").configure(op, way)
        return self.add(op, op.name)

    @s.check_settings(
        way=s.one_of(
            "scatter", "scatter_add", "index_add", "index_copy", "index_fill", "scatter_reduce", "index_reduce"
        ),
        reference=s.function,
        doc=s.text,
    )
    def scattering(self, schema: str, *, way: str, reference: Reference, doc: str = "") -> Op:
        """A row that writes along a dim, and its in-place variant."""
        expect_signature(self, schema, way)
        takes_out = way != "index_fill"  # as in torch
        op = Op(with_out(schema) if takes_out else schema, "indexing", doc=doc, reference=reference)
        driver("index.scatter").configure(op, way)
        self.add(op, op.name)
        changed = self.in_place(op, schema)
        driver("index.scatter").configure(changed, way)
        self.add(changed, changed.name)
        return op

    @s.check_settings(reference=s.function, doc=s.text)
    def masking(self, schema: str, *, reference: Reference, doc: str = "") -> Op:
        """The row of masked_fill, and of masked_fill_."""
        expect_signature(self, schema, "masked_fill")
        op = Op(schema, "indexing", doc=doc, reference=reference)
        _masked_fill.configure(op)
        self.add(op, op.name)
        changed = self.in_place(op, schema)
        _masked_fill.configure(changed)
        return self.add(changed, changed.name)
