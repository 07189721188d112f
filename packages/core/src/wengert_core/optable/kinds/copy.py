"""Rows of ops that copy or rearrange elements, and of those that write whole tensors."""

from __future__ import annotations

from wengert_core.dispatch.op import Op
from wengert_core.drivers.copy import cast as _cast
from wengert_core.drivers.copy import copy_fill as _copy_fill
from wengert_core.optable.kinds import settings as s
from wengert_core.optable.kinds.base import Reference, Rows, driver, inplace_schema, with_out
from wengert_core.optable.kinds.signatures import expect_signature


class CopyRows(Rows):
    """Rows of casts, copies and fills, and of what joins, flips, cuts or pads."""

    @s.check_settings(reference=s.function, doc=s.text)
    def conversion(self, schema: str, *, reference: Reference, doc: str = "") -> Op:
        """The row ``_to_copy(Tensor self, dtype dtype, object? device=None)``."""
        expect_signature(self, schema, "conversion")
        op = Op(schema, "conversion", doc=doc, reference=reference)
        _cast.configure(op)
        self.add(op, op.name, method=False)
        return op

    @s.check_settings(way=s.one_of("copy_", "fill", "zero_"), reference=s.function_or_none, doc=s.text, function=s.flag,
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

    @s.check_settings(reference=s.function, doc=s.text)
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
        """Op that ``x[...] = number`` runs: a twin of fill_ with the nodes of a tensor, which torch makes of it."""
        options = {**fill.options, "operator": True}
        twin = Op(fill.schema, "indexing", doc=fill.doc, inplace=True, out_of_place=fill.out_of_place, options=options)
        _copy_fill.configure(twin, "fill")
        twin.owner = self.name
        return twin

    @s.check_settings(
        way=s.one_of("cat", "stack", "repeat"), reference=s.function, doc=s.text, method=s.flag, function=s.flag
    )
    def joining(
        self, schema: str, *, way: str, reference: Reference, doc: str = "", method: bool = False, function: bool = True
    ) -> Op:
        """A row of cat, stack or repeat.

        reference: callable (xp, arrays or array, dim or repeats); several arrays come in the result's dtype.
        function: whether torch has a function of that name too, beside the method. It is in the table either way.
        """
        expect_signature(self, schema, way)
        op = Op(
            schema if way == "repeat" else with_out(schema),
            "joining",
            doc=doc,
            reference=reference,
            options={"function": function},
        )
        driver("copy.cat").configure(op, way)
        return self.add(op, op.name, method=method)

    @s.check_settings(reference=s.function, doc=s.text)
    def flipping(self, schema: str, *, reference: Reference, doc: str = "") -> Op:
        """The row of flip."""
        expect_signature(self, schema, "flip")
        op = Op(schema, "indexing", doc=doc, reference=reference)
        driver("copy.flip").configure(op)
        return self.add(op, op.name)

    @s.check_settings(lower=s.flag, reference=s.function, doc=s.text)
    def triangle(self, schema: str, *, lower: bool, reference: Reference, doc: str = "") -> Op:
        """The row of tril or triu, and of its in-place variant."""
        expect_signature(self, schema, "triangle")
        op = Op(with_out(schema), "indexing", doc=doc, reference=reference)
        driver("copy.tril").configure(op, lower)
        self.add(op, op.name)
        changed = self.in_place(op, schema)
        driver("copy.tril").configure(changed, lower)
        return self.add(changed, changed.name)

    @s.check_settings(reference=s.function, doc=s.text)
    def padding_row(self, schema: str, *, reference: Reference, doc: str = "") -> Op:
        """Padding by a number."""
        expect_signature(self, schema, "padding")
        op = Op(schema, "padding", doc=doc, reference=reference)
        driver("copy.pad").configure(op)
        return self.add(op, op.name, method=False)
