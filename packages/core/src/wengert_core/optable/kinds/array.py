"""Rows that are computed by one call on NumPy arrays, or by other ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from wengert_core.binding.schema import parse_schema
from wengert_core.dispatch.composite import Composite as Wrapped
from wengert_core.dispatch.op import Op
from wengert_core.dtypes.dtypes import ALL as DTYPES
from wengert_core.optable.kinds import settings as s
from wengert_core.optable.kinds.base import Reference, Rows, driver, with_out

Composite = TypeVar("Composite", bound=Callable[..., Any])
KERNELS = ("search", "count")
"""Kernels that the driver index.bins has for most calls of a row."""
PREFIXED = ("fft", "linalg", "special")  # whose functions have the namespace in their names, as in PyTorch


def without_out(schema: str) -> str:
    """The schema without its out= parameter."""
    return schema.replace(", *, Tensor? out=None", "").replace(", Tensor? out=None", "")


class ArrayRows(Rows):
    """Rows whose kernel is a function of arrays, and rows that are made of other ops."""

    @s.check_settings(
        reference=s.function,
        results=s.each_of("same", "array", "columns", *DTYPES),
        doc=s.text,
        method=s.flag,
        widen=s.one_of("", *DTYPES),
        inplace=s.flag,
        no_record=s.flag,
        order=s.one_of("", "dims", "channels", "own"),
        kernel=s.one_of("", *KERNELS),
    )
    def array(self, schema: str, *, reference: Reference, results: tuple[str, ...] = ("same",), widen: str = "float32",
              doc: str = "", method: bool = True, inplace: bool = False, no_record: bool = False,
              order: str = "", kernel: str = "") -> Op:
        """A row computed by ``reference(xp, *arguments)``: tensors come as arrays, everything else as it was given.

        results: dtype of each output: "same" (as slot 0), "array" (as the reference gives it), "columns" (the same, its
        matrices column by column in memory) or a dtype's name.
        order: what a result has of its inputs in memory: "dims" their order, "channels" that channels are last;
        "own": it lies as the reference's array does.
        widen: what float16 and bfloat16 are given as, "" as they are. An op with one output takes out= when its schema
        says so.
        kernel: a word of KERNELS; the reference computes what it does not take.
        """
        s.as_many(self, schema, results)
        s.fitting(self, schema, "reference", reference, 1 + s.arguments_of(schema, "out"))
        first = [param[1] for param in parse_schema(schema)[1][:1]]
        if "same" in results and first not in (["Tensor"], ["Tensor[]"]):
            raise s.row_error(
                self,
                schema,
                "results of the rule 'same' have the dtype of the first parameter, which must be Tensor or Tensor[]",
            )
        results = tuple(results)
        op = Op(schema, "array", doc=doc, reference=reference, options={"results": results}, no_record=no_record)
        driver("array_call").configure(op, results, widen, order)
        if kernel:
            driver("index.bins").configure(op, kernel)
        changed = None
        if inplace:
            changed = self.in_place(op, without_out(schema), reference=reference, options={"results": results})
            driver("array_call").configure(changed, results, widen, "")
        self.add(op, op.name, method=method)
        if changed is not None:
            self.add(changed, changed.name, method=method)
        return op

    @s.check_settings(stages=s.function, reference=s.function_or_none, doc=s.text, key=s.text_or_none, method=s.flag,
               inplace=s.one_of("", "method", "function"), out=s.flag)
    def staged(
        self,
        schema: str,
        *,
        stages: Any,
        reference: Reference | None,
        doc: str = "",
        key: str | None = None,
        method: bool = True,
        inplace: str = "",
        out: bool = True,
    ) -> Op:
        """A primitive that other ops compute: ``stages`` gets the arguments with tensors that record nothing.

        Unlike a composite it is one node with a formula of its own.   reference: callable (xp, *arguments).
        stages that give a tuple: for several outputs, which have no out=.
        inplace: "method" for an in-place variant too, "function" where that is also a function.
        """
        s.fitting(self, schema, "stages", stages, s.arguments_of(schema, "out"))
        op = Op(with_out(schema) if out else schema, "staged", doc=doc, reference=reference)
        driver("decomposed").configure(op, stages)
        self.add(op, key or op.name, method=method and key is None)
        if inplace:
            changed = self.as_a_whole(op, schema, stages)
            self.add(changed, changed.name, function=inplace == "function")
        return op

    def as_a_whole(self, op: Op, schema: str, stages: Any) -> Op:
        """The in-place variant of an op that cannot work in place: it computes the whole, then writes it.

        It is one node, with the op's formula; it is not in the table.   schema, stages: of op.
        """
        changed = self.in_place(op, schema, reference=op.reference)
        driver("decomposed").configure(changed, stages)
        changed.owner = self.name
        return changed

    @s.check_settings(name=s.text_or_none, method=s.flag, namespace=s.text_or_none, doc=s.text, out=s.flag,
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
