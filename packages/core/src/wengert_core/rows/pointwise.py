"""Rows of pointwise operations: unary, binary, ternary, and with parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from wengert_core import pointwise as _pointwise
from wengert_core.dtypes import dtype
from wengert_core.op import Op
from wengert_core.references import UfuncOfNumPy
from wengert_core.rows.base import EVERY, Reference, Rows, with_out
from wengert_core.rows.base import inplace as inplace_schema

NO_RECORD = ("compare", "logical")  # promotions whose result is bool


class PointwiseRows(Rows):
    """Rows of the pointwise family."""

    def pointwise(
        self,
        n_in: int,
        schema: str,
        *,
        kernels: Sequence[Any] = (),
        reference: Reference | None = None,
        dtypes: Iterable[dtype] = EVERY,
        promotion: str = "same",
        doc: str = "",
        method: bool = True,
        inplace: bool = True,
        no_record: bool = False,
        refusal: Mapping[str, str | Exception] | None = None,
        texts: Mapping[str, Any] | None = None,
        operator: bool = False,
        **settings: Any,
    ) -> Op:
        """One row with its out= parameter, and its in-place variant.

        n_in: how many arguments, from the first on, the kernel gets; numbers among them are operands too.
        kernels: providers, best first: names of core's own kernels, ufuncs of one output (their inner loops are called
        directly); (kernel, category): only from that category of dtypes on.
        reference: callable (xp, *inputs) on arrays of any array namespace; needed unless a ufunc is given. A ufunc of
        NumPy itself stands for the function of that name in any namespace; another ufunc computes NumPy's arrays
        alone, so that on devices its row needs a reference.
        promotion: "same", "float" (integers become the default float), "compare", "logical", "real" (complex gives its
        real type), "float_real", "where" (the first is a mask), "strict" (inputs of one dtype).
        dtypes: those the op takes, after promotion.   refusal: by the name of a dtype or category, a RuntimeError's
        text or an exception.
        operator: Python's operator of that name calls a second op with the same name and work: a formula may give its
        nodes another name.
        settings, see pointwise.pyx: n_promote, the number of inputs that decide the dtype; alpha, the name of the
        argument that multiplies the second input; check; variant, the name of an argument some values of
        which (variants) have kernels of their own; bounds, the second and third may be None; identity, "real": a real
        input is the result.
        """
        kernels = tuple(kernels)
        reference = reference or _reference_of(kernels, schema)
        options = {"promotion": promotion, "refusal": refusal or {}, "dtypes": tuple(dtypes), **(texts or {})}
        no_record = no_record or promotion in NO_RECORD
        op = Op(with_out(schema), "pointwise", doc=doc, reference=reference, options=options, no_record=no_record)
        _pointwise.configure(op, n_in, promotion, kernels, options["dtypes"], reference, **settings)
        self.add(op, op.name, method=method)
        if operator:
            twin = Op(
                with_out(schema),
                "pointwise",
                doc=doc,
                reference=reference,
                options={**options, "operator": True},
                no_record=no_record,
            )
            _pointwise.configure(twin, n_in, promotion, kernels, options["dtypes"], reference, **settings)
            twin.owner = self.name
            self.operators[op.name] = twin
        if inplace:
            changed = Op(
                inplace_schema(schema),
                "pointwise",
                doc=f"In-place version of {op.name}.",
                options=options,
                out_of_place=op,
                inplace=True,
                no_record=no_record and promotion != "compare",  # what was there is gone, and its history
                reference=reference,
            )
            _pointwise.configure(changed, n_in, promotion, kernels, options["dtypes"], reference, **settings)
            self.add(changed, changed.name, method=method)
        return op

    def pointwise_unary(self, schema: str, **row: Any) -> Op:
        """A row ``name(Tensor self, ...)``: one result element for each element. Settings: see ``pointwise``."""
        return self.pointwise(1, schema, **row)

    def pointwise_binary(self, schema: str, **row: Any) -> Op:
        """A row ``name(Any self, Any other, ...)``, with broadcasting."""
        return self.pointwise(2, schema, **row)

    def pointwise_ternary(self, schema: str, **row: Any) -> Op:
        """A row with three inputs."""
        return self.pointwise(3, schema, **row)

    def alias(self, name: str, target: Callable[..., Any], *, method: bool = True) -> None:
        """Another name for an op of this table, as a function and as a method."""
        target = self.wrapped.get(target, target)
        function = partial(target)
        function.__doc__ = f"Another name for {getattr(target, 'name', None) or target.__name__}."
        self.add(function, name, method=False)
        if method:
            self.methods[name] = target


def _reference_of(kernels: Sequence[Any], schema: str) -> Reference:
    """The reference of a row whose kernel is a ufunc: that function of the array namespace."""
    for kernel in kernels:
        ufunc = kernel[0] if isinstance(kernel, tuple) else kernel
        name = getattr(ufunc, "__name__", None)
        if name is not None and getattr(np, name, None) is ufunc:
            return lambda xp, *arrays: getattr(xp, name)(*arrays)
        if isinstance(ufunc, np.ufunc):
            return UfuncOfNumPy(ufunc)
    raise ValueError(f"the row {schema!r} has neither a ufunc nor a reference")
