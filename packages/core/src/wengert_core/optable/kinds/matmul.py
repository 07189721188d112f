"""Rows of products of vectors and matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core.dispatch.op import Op
from wengert_core.optable.kinds import settings as s
from wengert_core.optable.kinds.base import Reference, Rows, driver, with_out
from wengert_core.optable.kinds.base import inplace as inplace_schema
from wengert_core.optable.kinds.signatures import expect_signature


class MatmulRows(Rows):
    """Rows of the matmul family."""

    @s.checked(way=s.one_of("mm", "bmm", "mv", "dot", "vdot", "matmul", "addmm", "linear"), reference=s.function,
               doc=s.text, method=s.flag, inplace=s.flag, name=s.text_or_none, out=s.flag, compose=s.function_or_none)
    def product(
        self,
        schema: str,
        *,
        way: str,
        reference: Reference,
        doc: str,
        method: bool = True,
        inplace: bool = False,
        name: str | None = None,
        out: bool = True,
        compose: Callable[..., Any] | None = None,
    ) -> Op:
        """A product of two vectors or matrices, perhaps with something added.

        way: which checks and shapes (drivers/linalg/matmul.pyx, drivers/linalg/addmm.pyx).
        name: where the table has it, when that is not the op's name.
        compose: function of (self, other, shape of the result) for what has no node of its own: makes a composite.
        reference: callable (xp, *arguments) on arrays; float16 and bfloat16 come as float32.
        """
        expect_signature(self, schema, way)
        family = "matmul" if compose is None else "composite"
        op = Op(with_out(schema) if out else schema, family, doc=doc, reference=reference)
        configure(op, way, compose)
        self.add(op, name or op.name, method=method)
        if inplace:
            changed = Op(
                inplace_schema(schema),
                family,
                doc=f"In-place version of {op.name}.",
                out_of_place=op,
                inplace=True,
                reference=reference,
            )
            configure(changed, way, compose)
            self.add(changed, changed.name, method=method)
        return op


def configure(op: Op, way: str, compose: Callable[..., Any] | None) -> None:
    """Give the op its driver."""
    if way in ("addmm", "linear"):
        driver("linalg.addmm").configure(op, way)
    else:
        driver("linalg.matmul").configure(op, way, compose)
