"""Rows of operations that read or write at positions, and of those that write whole tensors."""

from __future__ import annotations

from wengert_core.dispatch.op import Op
from wengert_core.drivers.copy import copy_fill as _copy_fill
from wengert_core.drivers.index import index_tensor as _index_tensor
from wengert_core.drivers.index import masked_fill as _masked_fill
from wengert_core.optable.kinds import settings as s
from wengert_core.optable.kinds.base import Reference, Rows, driver, with_out
from wengert_core.optable.kinds.base import inplace as inplace_schema
from wengert_core.optable.kinds.signatures import expect_signature


class IndexingRows(Rows):
    """Rows of the indexing family."""

    @s.checked(way=s.one_of("copy_", "fill", "zero_"), reference=s.function_or_none, doc=s.text, function=s.flag,
               out_of_place=s.anything)
    def writing(
        self,
        schema: str,
        *,
        way: str,
        reference: Reference | None = None,
        doc: str = "",
        function: bool = False,
        out_of_place: Op | None = None,
    ) -> Op:
        """A row that writes into its first argument: copy_, fill_, zero_."""
        expect_signature(self, schema, way)
        op = Op(
            schema,
            "indexing",
            doc=doc,
            reference=reference,
            inplace=True,
            out_of_place=out_of_place,
            options={"function": function},
        )
        _copy_fill.configure(op, way)
        return self.add(op, op.name)

    @s.checked(reference=s.function, doc=s.text)
    def filling(self, schema: str, *, reference: Reference, doc: str = "") -> Op:
        """The row of fill, and of fill_."""
        expect_signature(self, schema, "fill")
        op = Op(schema, "indexing", doc=doc, reference=reference)
        _copy_fill.configure(op, "fill")
        self.add(op, op.name, method=False)
        return self.writing(
            inplace_schema(schema), way="fill", doc=f"In-place version of {op.name}.", out_of_place=op, function=True
        )

    def assigning(self, fill: Op) -> Op:
        """What ``x[...] = number`` runs: a twin of fill_ with the nodes of a tensor, which torch makes of it."""
        options = {**fill.options, "operator": True}
        twin = Op(fill.schema, "indexing", doc=fill.doc, inplace=True, out_of_place=fill.out_of_place, options=options)
        _copy_fill.configure(twin, "fill")
        twin.owner = self.name
        return twin

    @s.checked(way=s.one_of("index", "index_put"), reference=s.function, doc=s.text, method=s.flag)
    def positions(self, schema: str, *, way: str, reference: Reference, doc: str = "", method: bool = True) -> Op:
        """A row with a list of index tensors: index, index_put (with its in-place variant)."""
        expect_signature(self, schema, way)
        op = Op(schema, "indexing", doc=doc, reference=reference, options={"function": way != "index"})
        _index_tensor.configure(op, way)
        self.add(op, op.name, method=method)
        if way != "index":
            changed = Op(
                inplace_schema(schema), "indexing", doc=f"In-place version of {op.name}.", inplace=True, out_of_place=op
            )
            _index_tensor.configure(changed, way)
            self.add(changed, changed.name, method=method)
        return op

    @s.checked(way=s.one_of("gather", "index_select"), reference=s.function_or_none, doc=s.text, no_record=s.flag)
    def reading(
        self, schema: str, *, way: str, reference: Reference | None = None, doc: str = "", no_record: bool = False
    ) -> Op:
        """A row that reads along a dim: gather, index_select."""
        expect_signature(self, schema, way)
        op = Op(with_out(schema), "indexing", doc=doc, reference=reference, no_record=no_record)
        driver("index.gather").configure(op, way)
        return self.add(op, op.name)

    @s.checked(way=s.one_of("nonzero", "masked_select"), reference=s.function_or_none, doc=s.text, no_record=s.flag)
    def selecting(
        self, schema: str, *, way: str, reference: Reference | None = None, doc: str = "", no_record: bool = False
    ) -> Op:
        """The rows of nonzero and masked_select: where a mask is true, and what is there."""
        expect_signature(self, schema, way)
        op = Op(schema, "indexing", doc=doc, reference=reference, no_record=no_record)
        driver("index.nonzero").configure(op, way)
        return self.add(op, op.name)

    @s.checked(way=s.one_of("scatter", "scatter_add", "index_add", "index_copy", "index_fill"), reference=s.function,
               doc=s.text)
    def scattering(self, schema: str, *, way: str, reference: Reference, doc: str = "") -> Op:
        """A row that writes along a dim, and its in-place variant."""
        expect_signature(self, schema, way)
        takes_out = way != "index_fill"  # as in torch
        op = Op(with_out(schema) if takes_out else schema, "indexing", doc=doc, reference=reference)
        driver("index.scatter").configure(op, way)
        self.add(op, op.name)
        changed = Op(
            inplace_schema(schema), "indexing", doc=f"In-place version of {op.name}.", inplace=True, out_of_place=op
        )
        driver("index.scatter").configure(changed, way)
        self.add(changed, changed.name)
        return op

    @s.checked(reference=s.function, doc=s.text)
    def flipping(self, schema: str, *, reference: Reference, doc: str = "") -> Op:
        """The row of flip."""
        expect_signature(self, schema, "flip")
        op = Op(schema, "indexing", doc=doc, reference=reference)
        driver("copy.flip").configure(op)
        return self.add(op, op.name)

    @s.checked(lower=s.flag, reference=s.function, doc=s.text)
    def triangle(self, schema: str, *, lower: bool, reference: Reference, doc: str = "") -> Op:
        """The row of tril or triu, and of its in-place variant."""
        expect_signature(self, schema, "triangle")
        op = Op(with_out(schema), "indexing", doc=doc, reference=reference)
        driver("copy.tril").configure(op, lower)
        self.add(op, op.name)
        changed = Op(
            inplace_schema(schema), "indexing", doc=f"In-place version of {op.name}.", inplace=True, out_of_place=op
        )
        driver("copy.tril").configure(changed, lower)
        return self.add(changed, changed.name)

    @s.checked(reference=s.function, doc=s.text)
    def masking(self, schema: str, *, reference: Reference, doc: str = "") -> Op:
        """The row of masked_fill, and of masked_fill_."""
        expect_signature(self, schema, "masked_fill")
        op = Op(schema, "indexing", doc=doc, reference=reference)
        _masked_fill.configure(op)
        self.add(op, op.name)
        changed = Op(
            inplace_schema(schema), "indexing", doc=f"In-place version of {op.name}.", inplace=True, out_of_place=op
        )
        _masked_fill.configure(changed)
        return self.add(changed, changed.name)
