"""Rows of views, of changes of geometry in place, and of the adjoints of views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core.binding.schema import parse_schema
from wengert_core.dispatch.op import Op
from wengert_core.drivers.view import composite_views as _composite_views
from wengert_core.drivers.view import inplace_views as _inplace_views
from wengert_core.drivers.view import reshape as _reshape
from wengert_core.drivers.view import slice as _slice
from wengert_core.drivers.view import split as _split
from wengert_core.drivers.view import view as _view
from wengert_core.optable.kinds import settings as s
from wengert_core.optable.kinds.base import Reference, Rows, driver
from wengert_core.optable.kinds.signatures import expect_signature

RESHAPING = tuple("""
    contiguous reshape flatten ravel unflatten view_as reshape_as expand_as broadcast_to adjoint movedim narrow swapaxes
    numpy_T mT
""".split())
GEOMETRIES = tuple("""
    view alias transpose t permute squeeze unsqueeze expand select slice diagonal as_strided unfold view_as_real
    view_as_complex _unsafe_view _reshape_alias
""".split())
"""Builders of views that core has."""


def geometry_of(value: Any) -> str:
    """A builder's name, or a function."""
    return "" if callable(value) or value in GEOMETRIES else f"must be one of {', '.join(GEOMETRIES)}, or callable"


BUILDERS = (_reshape, _slice)  # imported for the builders they register


class ViewRows(Rows):
    """Rows of the view family, of what is made of views, and of their adjoints."""

    @s.check_settings(geometry=geometry_of, reference=s.function_or_none, doc=s.text, method=s.flag, function=s.flag)
    def view(
        self,
        schema: str,
        *,
        geometry: str | Callable[..., Any],
        reference: Reference | None = None,
        doc: str = "",
        method: bool = True,
        function: bool = True,
    ) -> Op:
        """A row with one output that is a view of its first argument.

        function: whether torch has a function of that name too, beside the method. It is in the table either way.
        geometry: a builder's name, or a function ``(sizes, strides, offset, *arguments)`` that gives the three for the
        output; in elements, the offset from the start of the storage.
        """
        if isinstance(geometry, str):
            expect_signature(self, schema, geometry)
        else:
            s.fitting(self, schema, "geometry", geometry, 2 + s.arguments_of(schema))
        op = Op(schema, "view", doc=doc, reference=reference, view=True, options={"function": function})
        _view.configure(op, geometry)
        if geometry == "view":
            _reshape.configure_view(op)
        return self.add(op, op.name, method=method)

    @s.check_settings(way=s.one_of("view", "resize_", "resize_as_", "set_"), doc=s.text, out_of_place=s.anything,
               function=s.flag)
    def restriding(
        self, schema: str, *, way: str = "view", doc: str = "", out_of_place: Op | None = None, function: bool = False
    ) -> Op:
        """A row that changes the geometry of its first argument.

        way: "view" (as the view op ``out_of_place`` does), "resize_", "resize_as_" or "set_".
        """
        if way != "view":
            expect_signature(self, schema, way)
        elif not isinstance(out_of_place, Op) or out_of_place.family != "view":
            raise s.row_error(self, schema, "out_of_place= must be the view op that the row does in place")
        op = Op(
            schema,
            "geometry",
            doc=doc,
            inplace=True,
            out_of_place=out_of_place,
            no_record=way.startswith("resize"),
            options={"function": function},
        )
        _inplace_views.configure(op, way)
        return self.add(op, op.name)

    @s.check_settings(
        way=s.one_of("split", "split_with_sizes", "unbind", "chunk"), reference=s.function_or_none, doc=s.text
    )
    def multi_view(self, schema: str, *, way: str, reference: Reference | None = None, doc: str = "") -> Op:
        """A row whose outputs are several views: a tuple of tensors."""
        expect_signature(self, schema, way)
        op = Op(schema, "composite" if way == "chunk" else "view", doc=doc, reference=reference, multi_view=True)
        _split.configure(op, way)
        return self.add(op, op.name)

    @s.check_settings(
        way=s.one_of(*RESHAPING), reference=s.function_or_none, doc=s.text, method=s.flag, function=s.flag
    )
    def reshaping(
        self,
        schema: str,
        *,
        way: str,
        reference: Reference | None = None,
        doc: str = "",
        method: bool = True,
        function: bool = True,
    ) -> Op:
        """A row of the family "composite": made of views, no formula of its own. Note [Composites have no node]."""
        expect_signature(self, schema, way)
        op = Op(schema, "composite", doc=doc, reference=reference, options={"function": function})
        _composite_views.configure(op, way)
        return self.add(op, op.name, method=method)

    @s.check_settings(reference=s.function, doc=s.text)
    def copying(self, schema: str, *, reference: Reference, doc: str = "") -> Op:
        """The row of clone."""
        expect_signature(self, schema, "clone")
        op = Op(schema, "copy", doc=doc, reference=reference)
        _composite_views.configure(op, "clone")
        return self.add(op, op.name)

    @s.check_settings(view=s.anything, reference=s.function, doc=s.text)
    def placing(self, schema: str, *, view: Op, reference: Reference, doc: str = "") -> Op:
        """A row ``name(Tensor grad_output, int[] input_sizes, ...)``; its other parameters are those of ``view``."""
        if not getattr(view, "is_view", False):
            raise s.row_error(self, schema, "view= must be the view op whose adjoint the row is")
        own, of_view = parse_schema(schema)[1], parse_schema(view.schema)[1]
        if [param[1] for param in own] != ["Tensor", "int[]", *[param[1] for param in of_view[1:]]]:
            raise s.row_error(self, schema, "the parameters must be a Tensor, the int[] input_sizes, and those of "
                           f"{view.schema} but its first")
        op = Op(schema, "placing", doc=doc, reference=reference)
        driver("view.view_backward").configure(op, view)
        return self.add(op, op.name, method=False)

    def attribute(self, name: str, op: Op, doc: str = "") -> None:
        """Let ``x.name`` call an op of one argument.

        doc: what ``help(Tensor.name)`` says. The op's own is in a file, which nobody reads to make an attribute.
        """
        self.methods[name] = property(op, doc=doc or f"The result of the operation {op.name}.")
