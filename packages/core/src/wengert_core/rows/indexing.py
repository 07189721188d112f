"""Rows of operations that read or write at positions, and of those that write whole tensors."""

from __future__ import annotations

from wengert_core import advanced as _advanced
from wengert_core import masking as _masking
from wengert_core import writing as _writing
from wengert_core.op import Op
from wengert_core.rows.base import Reference, Rows, driver, with_out
from wengert_core.rows.base import inplace as inplace_schema


class IndexingRows(Rows):
    """Rows of the indexing family."""

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
        op = Op(
            schema,
            "indexing",
            doc=doc,
            reference=reference,
            inplace=True,
            out_of_place=out_of_place,
            options={"function": function},
        )
        _writing.configure(op, way)
        return self.add(op, op.name)

    def filling(self, schema: str, *, reference: Reference, doc: str = "") -> Op:
        """The row of fill, and of fill_."""
        op = Op(schema, "indexing", doc=doc, reference=reference)
        _writing.configure(op, "fill")
        self.add(op, op.name, method=False)
        return self.writing(
            inplace_schema(schema), way="fill", doc=f"In-place version of {op.name}.", out_of_place=op, function=True
        )

    def assigning(self, fill: Op) -> Op:
        """What ``x[...] = number`` runs: a twin of fill_ with the nodes of a tensor, which torch makes of it."""
        options = {**fill.options, "operator": True}
        twin = Op(fill.schema, "indexing", doc=fill.doc, inplace=True, out_of_place=fill.out_of_place, options=options)
        _writing.configure(twin, "fill")
        twin.owner = self.name
        return twin

    def positions(self, schema: str, *, way: str, reference: Reference, doc: str = "", method: bool = True) -> Op:
        """A row with a list of index tensors: index, index_put (with its in-place variant)."""
        op = Op(schema, "indexing", doc=doc, reference=reference, options={"function": way != "index"})
        _advanced.configure(op, way)
        self.add(op, op.name, method=method)
        if way != "index":
            changed = Op(
                inplace_schema(schema), "indexing", doc=f"In-place version of {op.name}.", inplace=True, out_of_place=op
            )
            _advanced.configure(changed, way)
            self.add(changed, changed.name, method=method)
        return op

    def reading(
        self, schema: str, *, way: str, reference: Reference | None = None, doc: str = "", no_record: bool = False
    ) -> Op:
        """A row that reads along a dim: gather, index_select."""
        op = Op(with_out(schema), "indexing", doc=doc, reference=reference, no_record=no_record)
        driver("gathering").configure(op, way)
        return self.add(op, op.name)

    def selecting(
        self, schema: str, *, way: str, reference: Reference | None = None, doc: str = "", no_record: bool = False
    ) -> Op:
        """The rows of nonzero and masked_select: where a mask is true, and what is there."""
        op = Op(schema, "indexing", doc=doc, reference=reference, no_record=no_record)
        driver("selecting").configure(op, way)
        return self.add(op, op.name)

    def scattering(self, schema: str, *, way: str, reference: Reference, doc: str = "") -> Op:
        """A row that writes along a dim, and its in-place variant."""
        op = Op(with_out(schema), "indexing", doc=doc, reference=reference)
        driver("scattering").configure(op, way)
        self.add(op, op.name)
        changed = Op(
            inplace_schema(schema), "indexing", doc=f"In-place version of {op.name}.", inplace=True, out_of_place=op
        )
        driver("scattering").configure(changed, way)
        self.add(changed, changed.name)
        return op

    def flipping(self, schema: str, *, reference: Reference, doc: str = "") -> Op:
        """The row of flip."""
        op = Op(schema, "indexing", doc=doc, reference=reference)
        driver("flipping").configure(op)
        return self.add(op, op.name)

    def triangle(self, schema: str, *, lower: bool, reference: Reference, doc: str = "") -> Op:
        """The row of tril or triu, and of its in-place variant."""
        op = Op(with_out(schema), "indexing", doc=doc, reference=reference)
        driver("triangles").configure(op, lower)
        self.add(op, op.name)
        changed = Op(
            inplace_schema(schema), "indexing", doc=f"In-place version of {op.name}.", inplace=True, out_of_place=op
        )
        driver("triangles").configure(changed, lower)
        return self.add(changed, changed.name)

    def masking(self, schema: str, *, reference: Reference, doc: str = "") -> Op:
        """The row of masked_fill, and of masked_fill_."""
        op = Op(schema, "indexing", doc=doc, reference=reference)
        _masking.configure(op)
        self.add(op, op.name)
        changed = Op(
            inplace_schema(schema), "indexing", doc=f"In-place version of {op.name}.", inplace=True, out_of_place=op
        )
        _masking.configure(changed)
        return self.add(changed, changed.name)
