"""Rows of the factory family: ops that make tensors from sizes, numbers and data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core import factory as _factory
from wengert_core.op import Op
from wengert_core.rows.base import Rows

OPTIONS = (
    "dtype? dtype=None, object? layout=None, object? device=None, bool? pin_memory=False, bool? requires_grad=False"
)


class FactoryRows(Rows):
    """Rows whose outputs depend on no tensor's values."""

    def factory(
        self,
        schema: str,
        kind: str = "made",
        *,
        like: str | None = None,
        impl: Callable[..., Any] | None = None,
        doc: str = "",
        method: bool = False,
        function: bool = True,
    ) -> Op:
        """A row that makes a tensor; ``OPTIONS`` in its schema stands for the options all factories have.

        kind: "empty", "zeros", "ones", "full" (sizes from the parameter ``size`` or the shape of ``like``), "data"
        (from the parameter ``data``), or "made": impl(*arguments that are not options, dtype or None) makes the tensor.
        like: the parameter whose tensor gives what is not said.
        function: torch has a function of that name too.
        """
        options = {"kind": kind, "function": function}
        op = Op(schema.replace("OPTIONS", OPTIONS), "factory", doc=doc, no_record=True, options=options)
        _factory.configure(op, kind, like, impl)
        return self.add(op, op.name, method=method)
