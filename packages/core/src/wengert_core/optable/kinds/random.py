"""Rows of the random family: in-place ops that fill a tensor with samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core.binding.schema import parse_schema
from wengert_core.dispatch.op import Op
from wengert_core.optable.kinds import settings as s
from wengert_core.optable.kinds.base import Rows, driver


class RandomRows(Rows):
    """Rows that draw from a generator."""

    @s.checked(sampler=s.function, fill=s.function_or_none, doc=s.text)
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
            raise s.misfit(self, schema, "a row of samples has a tensor first, and 'object? generator=None' last")
        s.fitting(self, schema, "sampler", sampler, len(params) + 1)
        op = Op(schema, "random", doc=doc, inplace=True, options={"sampler": sampler})
        driver("create.random_fill").configure(op, sampler, fill)
        self.add(op, op.name)
        return op
