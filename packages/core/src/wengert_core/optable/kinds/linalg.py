"""Rows of products of vectors and matrices, and of factorizations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core.dispatch.op import Op
from wengert_core.dtypes.dtypes import ALL as DTYPES
from wengert_core.optable.kinds import settings as s
from wengert_core.optable.kinds.array import ArrayRows
from wengert_core.optable.kinds.base import Reference, driver, with_out
from wengert_core.optable.kinds.signatures import expect_signature

LAPACK = ("cholesky", "triangular", "lu", "qr", "inverse", "solve", "lu_solve", "det", "slogdet", "eigh", "svd")
LAPACK_MODULES = {"cholesky": "lapack", "triangular": "lapack", "lu": "lapack", "qr": "lapack", "eigh": "eigh_svd",
                  "svd": "eigh_svd"}
"""Where what LAPACK computes is; all else is in lu_solve."""


class LinalgRows(ArrayRows):
    """Rows of products, and of what LAPACK computes."""

    @s.check_settings(way=s.one_of("mm", "bmm", "mv", "dot", "vdot", "matmul", "addmm", "linear"), reference=s.function,
               doc=s.text, method=s.flag, inplace=s.flag, name=s.text_or_none, out=s.flag, compose=s.function_or_none)
    def product(
        self,
        schema: str,
        *,
        way: str,
        reference: Reference,
        doc: str = "",
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
            changed = self.in_place(op, schema, reference=reference)
            configure(changed, way, compose)
            self.add(changed, changed.name, method=method)
        return op

    @s.check_settings(way=s.one_of(*LAPACK), reference=s.function, doc=s.text,
               results=s.each_of("same", "array", "columns", *DTYPES))
    def factoring(self, schema: str, *, way: str, reference: Reference, results: tuple[str, ...], doc: str = "") -> Op:
        """An array row that LAPACK computes where it is found. way: a word of WAYS in drivers/linalg/lapack.pyx."""
        op = self.array(schema, reference=reference, results=results, method=False, doc=doc)
        driver(f"linalg.{LAPACK_MODULES.get(way, 'lu_solve')}").configure(op, way)
        return op


def configure(op: Op, way: str, compose: Callable[..., Any] | None) -> None:
    """Give the op its driver."""
    if way in ("addmm", "linear"):
        driver("linalg.addmm").configure(op, way)
    else:
        driver("linalg.matmul").configure(op, way, compose)
