"""Rows of the layers of networks whose kernels are their own: convolution, pooling,
normalization, attention, padding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import wengert_core.attention as _attention
import wengert_core.convolution as _convolution
import wengert_core.normalization as _normalization
import wengert_core.padding as _padding
import wengert_core.pooling as _pooling
from wengert_core.op import Op
from wengert_core.rows.base import Reference, Rows


class LayerRows(Rows):
    """Rows of heavy layers."""

    def convolution_row(self, schema: str, *, reference: Reference, compose: Callable[..., Any], doc: str,
                        weight: bool = False) -> Op:
        """A convolution, or (``weight``) the gradient of its weight.

        reference: callable (xp, *arguments).   compose: the function for complex tensors, made of real ones.
        """
        op = Op(schema, "convolution", doc=doc, reference=reference)
        _convolution.configure(op, compose, weight)
        return self.add(op, op.name, method=False)

    def pooling_row(self, schema: str, *, kind: str, reference: Reference, doc: str, ndim: int = 0,
                    name: str | None = None) -> Op:
        """A mean or an extreme of windows, or a gradient of one. kind: a word of pooling.pyx.

        ndim: dims that windows have; 0: the op is told.   name: where the table has it, when that is not the op's name.
        """
        op = Op(schema, "pooling", doc=doc, reference=reference)
        _pooling.configure(op, kind, ndim)
        return self.add(op, name or op.name, method=False)

    def normalization_row(self, schema: str, *, reference: Reference, doc: str, label: str = "",
                          backward: bool = False) -> Op:
        """A normalization, or (``backward``) the gradient of all of them. label: the name that its messages use."""
        op = Op(schema, "normalization", doc=doc, reference=reference, options={"label": label})
        _normalization.configure(op, backward)
        return self.add(op, op.name, method=False)

    def attention_row(self, schema: str, *, reference: Reference, doc: str, backward: bool = False) -> Op:
        """Scaled dot-product attention, or (``backward``) its gradient."""
        op = Op(schema, "attention", doc=doc, reference=reference)
        _attention.configure(op, backward)
        return self.add(op, op.name, method=False)

    def padding_row(self, schema: str, *, reference: Reference, doc: str) -> Op:
        """Padding by a number."""
        op = Op(schema, "padding", doc=doc, reference=reference)
        _padding.configure(op)
        return self.add(op, op.name, method=False)
