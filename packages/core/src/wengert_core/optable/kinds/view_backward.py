"""Rows of the adjoints of views."""

from __future__ import annotations

from wengert_core.binding.schema import parse_schema
from wengert_core.dispatch.op import Op
from wengert_core.optable.kinds import settings as s
from wengert_core.optable.kinds.base import Reference, Rows, driver


class PlacingRows(Rows):
    """Rows that put a gradient back into the part a view showed."""

    @s.checked(view=s.anything, reference=s.function, doc=s.text)
    def placing(self, schema: str, *, view: Op, reference: Reference, doc: str = "") -> Op:
        """A row ``name(Tensor grad_output, int[] input_sizes, ...)``; its other parameters are those of ``view``."""
        if not getattr(view, "is_view", False):
            raise s.misfit(self, schema, "view= must be the view op whose adjoint the row is")
        own, of_view = parse_schema(schema)[1], parse_schema(view.schema)[1]
        if [param[1] for param in own] != ["Tensor", "int[]", *[param[1] for param in of_view[1:]]]:
            raise s.misfit(self, schema, "the parameters must be a Tensor, the int[] input_sizes, and those of "
                           f"{view.schema} but its first")
        op = Op(schema, "placing", doc=doc, reference=reference)
        driver("view.view_backward").configure(op, view)
        return self.add(op, op.name, method=False)
