"""Rows of the layers of networks whose kernels are their own: convolution, pooling,
normalization, attention, padding.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from wengert_core.op import Op
from wengert_core.rows.base import Reference, Rows


def driver_of(family: str) -> Any:
    """The module of a family's driver, which is loaded with the first of its rows."""
    return import_module(f"wengert_core.{family}")


class LayerRows(Rows):
    """Rows of heavy layers."""

    def convolution_row(self, schema: str, *, reference: Reference, compose: Callable[..., Any], doc: str,
                        weight: bool = False) -> Op:
        """A convolution, or (``weight``) the gradient of its weight.

        reference: callable (xp, *arguments).   compose: the function for complex tensors, made of real ones.
        """
        op = Op(schema, "convolution", doc=doc, reference=reference)
        driver_of("convolutions").configure(op, compose, weight)
        return self.add(op, op.name, method=False)

    def pooling_row(self, schema: str, *, kind: str, reference: Reference, doc: str, ndim: int = 0,
                    name: str | None = None) -> Op:
        """A mean or an extreme of windows, or a gradient of one. kind: a word of pooling.pyx.

        ndim: dims that windows have; 0: the op is told.   name: where the table has it, when that is not the op's name.
        """
        op = Op(schema, "pooling", doc=doc, reference=reference)
        driver_of("pooling").configure(op, kind, ndim)
        return self.add(op, name or op.name, method=False)

    def normalization_row(self, schema: str, *, reference: Reference, doc: str, label: str = "",
                          backward: bool = False, keeps_layout: bool = False) -> Op:
        """A normalization, or (``backward``) the gradient of all of them. label: the name that its messages use.

        keeps_layout: the result has its channels last where the input has.
        """
        options = {"label": label, "keeps_layout": keeps_layout}
        op = Op(schema, "normalization", doc=doc, reference=reference, options=options)
        driver_of("normalization").configure(op, backward)
        return self.add(op, op.name, method=False)

    def attention_row(self, schema: str, *, reference: Reference, doc: str, backward: bool = False) -> Op:
        """Scaled dot-product attention, or (``backward``) its gradient."""
        op = Op(schema, "attention", doc=doc, reference=reference)
        driver_of("attention").configure(op, backward)
        return self.add(op, op.name, method=False)

    def padding_row(self, schema: str, *, reference: Reference, doc: str) -> Op:
        """Padding by a number."""
        op = Op(schema, "padding", doc=doc, reference=reference)
        driver_of("padding").configure(op)
        return self.add(op, op.name, method=False)
