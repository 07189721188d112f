"""Rows of the random family: in-place ops that fill a tensor with samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core.op import Op
from wengert_core.rows.base import Rows, driver


class RandomRows(Rows):
    """Rows that draw from a generator."""

    def random(self, schema: str, *, sampler: Callable[..., Any], doc: str = "") -> Op:
        """A row ``name_(Tensor self, parameters, *, object? generator=None)``, a method.

        sampler: callable (NumPy generator, shape, dtype, *parameters) that checks these and returns an array. The
        derivative with respect to what was overwritten is zero.
        """
        op = Op(schema, "random", doc=doc, inplace=True, options={"sampler": sampler})
        driver("random_ops").configure(op, sampler)
        self.add(op, op.name)
        return op
