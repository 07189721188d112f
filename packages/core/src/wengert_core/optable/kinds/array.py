"""Rows of the array family: ops computed by one call on NumPy arrays, and composites of other ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from wengert_core.binding.schema import parse_schema
from wengert_core.dispatch.composite import Composite as Wrapped
from wengert_core.dispatch.op import Op
from wengert_core.dtypes.dtypes import ALL as DTYPES
from wengert_core.optable.kinds import settings as s
from wengert_core.optable.kinds.base import Reference, Rows, driver
from wengert_core.optable.kinds.base import inplace as inplace_schema

Composite = TypeVar("Composite", bound=Callable[..., Any])
LAPACK = ("cholesky", "triangular", "lu", "qr", "inverse", "solve", "lu_solve", "det", "slogdet", "eigh", "svd")
PREFIXED = ("fft", "linalg", "special")  # whose functions have the namespace in their names, as in PyTorch
LAPACK_MODULES = {"cholesky": "lapack", "triangular": "lapack", "lu": "lapack", "qr": "lapack", "eigh": "eigh_svd",
                  "svd": "eigh_svd"}
"""Where what LAPACK computes is; all else is in lu_solve."""


def without_out(schema: str) -> str:
    """The schema without its out= parameter."""
    return schema.replace(", *, Tensor? out=None", "").replace(", Tensor? out=None", "")


class ArrayRows(Rows):
    """Rows whose kernel is a function of arrays, and rows that are made of other ops."""

    @s.checked(reference=s.function, results=s.each_of("same", "array", "columns", *DTYPES), doc=s.text, method=s.flag,
               widen=s.one_of("", *DTYPES), inplace=s.flag, no_record=s.flag,
               order=s.one_of("", "dims", "channels", "own"))
    def array(self, schema: str, *, reference: Reference, results: tuple[str, ...] = ("same",), widen: str = "float32",
              doc: str = "", method: bool = True, inplace: bool = False, no_record: bool = False,
              order: str = "") -> Op:
        """A row computed by ``reference(xp, *arguments)``: tensors come as arrays, everything else as it was given.

        results: dtype of each output: "same" (as slot 0), "array" (as the reference gives it), "columns" (the same, its
        matrices column by column in memory) or a dtype's name.
        order: what a result has of its inputs in memory: "dims" their order, "channels" that channels are last;
        "own": it lies as the reference's array does.
        widen: what float16 and bfloat16 are given as, "" as they are. An op with one output takes out= when its schema
        says so.
        """
        s.as_many(self, schema, results)
        s.fitting(self, schema, "reference", reference, 1 + s.arguments_of(schema, "out"))
        first = [param[1] for param in parse_schema(schema)[1][:1]]
        if "same" in results and first not in (["Tensor"], ["Tensor[]"]):
            raise s.misfit(self, schema, "results of the rule 'same' have the dtype of the first parameter, which must "
                           "be Tensor or Tensor[]")
        results = tuple(results)
        op = Op(schema, "array", doc=doc, reference=reference, options={"results": results}, no_record=no_record)
        driver("array_call").configure(op, results, widen, order)
        changed = None
        if inplace:
            changed = Op(inplace_schema(without_out(schema)), "array", doc=f"In-place version of {op.name}.",
                         out_of_place=op, inplace=True, reference=reference, options={"results": results})
            driver("array_call").configure(changed, results, widen, "")
        self.add(op, op.name, method=method)
        if changed is not None:
            self.add(changed, changed.name, method=method)
        return op

    @s.checked(way=s.one_of(*LAPACK), reference=s.function, doc=s.text,
               results=s.each_of("same", "array", "columns", *DTYPES))
    def factoring(self, schema: str, *, way: str, reference: Reference, results: tuple[str, ...], doc: str) -> Op:
        """An array row that LAPACK computes where it is found. way: a word of WAYS in drivers/linalg/lapack.pyx."""
        op = self.array(schema, reference=reference, results=results, method=False, doc=doc)
        driver(f"linalg.{LAPACK_MODULES.get(way, 'lu_solve')}").configure(op, way)
        return op

    @s.checked(name=s.text_or_none, method=s.flag, namespace=s.text_or_none, doc=s.text, out=s.flag,
               function=s.function)
    def composite(self, function: Composite, *, name: str | None = None, method: bool = False,
                  namespace: str | None = None, doc: str = "", out: bool = False) -> Composite:
        """A function of other ops: it has their derivatives. namespace: "nn.functional", "linalg"; None: the top.

        out: take out= too, though the function does not.   doc: for a function without a docstring (a lambda).
        Returns the function; the table has what also checks, after a failure, whether the arguments were of the right
        types: see ``dispatch/composite.pyx``.
        """
        function.__doc__ = doc or function.__doc__
        name = name or function.__name__
        full = f"{namespace}.{name}" if namespace else name
        prefix = f"{namespace}_" if namespace in PREFIXED else ""
        wrapped = self.wrapped[function] = Wrapped(function, prefix + name, out)
        self.add(wrapped, full, method=False)
        if method:
            self.methods[name] = wrapped
        return function
