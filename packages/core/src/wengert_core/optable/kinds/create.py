"""Rows of ops that make tensors, or fill them with samples of a distribution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core.binding.schema import parse_schema
from wengert_core.dispatch.op import Op
from wengert_core.drivers.create import factory as _factory
from wengert_core.optable.kinds import settings as s
from wengert_core.optable.kinds.base import Rows, driver, is_text

OPTIONS = (
    "dtype? dtype=None, object? layout=None, object? device=None, bool? pin_memory=False, bool? requires_grad=False"
)
KINDS = ("empty", "zeros", "ones", "full", "data", "made")


class CreateRows(Rows):
    """Rows of factories, whose outputs depend on no tensor's values, and of random numbers."""

    @s.check_settings(kind=s.one_of(*KINDS), like=s.text_or_none, impl=s.function_or_none, doc=s.text, method=s.flag,
               function=s.flag)
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
        schema = schema.replace("OPTIONS", OPTIONS) if is_text(schema) else schema
        types = {param[0]: param[1] for param in parse_schema(schema)[1]}
        missing = [name for name in {"data": ("data",), "full": ("fill_value",)}.get(kind, ()) if name not in types]
        if kind in ("empty", "zeros", "ones", "full") and "size" not in types and like is None:
            missing.append("size")
        if missing:
            raise s.row_error(self, schema, f"a factory of kind '{kind}' needs the parameter '{missing[0]}'")
        if like is not None and types.get(like) != "Tensor":
            raise s.row_error(self, schema, f"like= must be the name of a Tensor parameter, it is {like!r}")
        if kind == "made" and impl is None:
            raise s.row_error(
                self, schema, "a factory of kind 'made' needs impl=, a function of the arguments and dtype"
            )
        options = {"kind": kind, "function": function}
        op = Op(schema, "factory", doc=doc, no_record=True, options=options)
        _factory.configure(op, kind, like, impl)
        return self.add(op, op.name, method=method)

    @s.check_settings(sampler=s.function, fill=s.function_or_none, doc=s.text)
    def random(
        self, schema: str, *, sampler: Callable[..., Any], fill: Callable[..., bool] | None = None, doc: str = ""
    ) -> Op:
        """A row ``name_(Tensor self, parameters, *, object? generator=None)``, a method.

        sampler: callable (NumPy generator, shape, dtype, *parameters) that checks these and returns an array. The
        derivative with respect to what was overwritten is zero.
        fill: callable (NumPy generator, tensor, *parameters) that writes the numbers into a tensor on the CPU; or it
        returns False, having done nothing, and the sampler is asked.
        """
        params = parse_schema(schema)[1]
        if len(params) < 2 or params[-1][:2] != ("generator", "object"):
            raise s.row_error(self, schema, "a row of samples has a tensor first, and 'object? generator=None' last")
        s.fitting(self, schema, "sampler", sampler, len(params) + 1)
        op = Op(schema, "random", doc=doc, inplace=True, options={"sampler": sampler})
        driver("create.random_fill").configure(op, sampler, fill)
        self.add(op, op.name)
        return op
