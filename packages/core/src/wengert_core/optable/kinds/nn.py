"""Rows of network layers with kernels of their own, and of the loss that picks classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core.dispatch.op import Op
from wengert_core.optable.kinds import settings as s
from wengert_core.optable.kinds.base import Reference, Rows, driver
from wengert_core.optable.kinds.signatures import expect_signature

POOLING = ("average", "largest", "adaptive_average", "adaptive_largest", "spread_average", "spread_adaptive", "scatter",
           "gather")


class LayerRows(Rows):
    """Rows of convolution, pooling, normalization and attention, and of nll_loss."""

    @s.check_settings(reference=s.function, doc=s.text, compose=s.function, weight=s.flag)
    def convolution_row(self, schema: str, *, reference: Reference, compose: Callable[..., Any], doc: str = "",
                        weight: bool = False) -> Op:
        """A convolution, or (``weight``) the gradient of its weight.

        reference: callable (xp, *arguments).   compose: the function for complex tensors, made of real ones.
        """
        expect_signature(self, schema, "convolution_weight" if weight else "convolution")
        op = Op(schema, "convolution", doc=doc, reference=reference)
        driver("nn.convolution").configure(op, compose, weight)
        return self.add(op, op.name, method=False)

    @s.check_settings(kind=s.one_of(*POOLING), reference=s.function, doc=s.text, ndim=s.whole, name=s.text_or_none)
    def pooling_row(self, schema: str, *, kind: str, reference: Reference, doc: str = "", ndim: int = 0,
                    name: str | None = None) -> Op:
        """A mean or an extreme of windows, or a gradient of one. kind: a word of drivers/nn/pooling.pyx.

        ndim: dims that windows have; 0: the op is told.   name: where the table has it, when that is not the op's name.
        """
        expect_signature(self, schema, kind if kind not in ("scatter", "gather") else f"{kind}_windows")
        op = Op(schema, "pooling", doc=doc, reference=reference)
        driver("nn.pooling").configure(op, kind, ndim)
        return self.add(op, name or op.name, method=False)

    @s.check_settings(reference=s.function, doc=s.text, label=s.text, backward=s.flag, keeps_layout=s.flag)
    def normalization_row(self, schema: str, *, reference: Reference, doc: str = "", label: str = "",
                          backward: bool = False, keeps_layout: bool = False) -> Op:
        """A normalization, or (``backward``) the gradient of all of them. label: the name that its messages use.

        keeps_layout: the result has its channels last where the input has.
        """
        expect_signature(self, schema, "normalization_backward" if backward else "normalization")
        options = {"label": label, "keeps_layout": keeps_layout}
        op = Op(schema, "normalization", doc=doc, reference=reference, options=options)
        driver("nn.normalization").configure(op, backward)
        return self.add(op, op.name, method=False)

    @s.check_settings(reference=s.function, doc=s.text, backward=s.flag)
    def attention_row(self, schema: str, *, reference: Reference, doc: str = "", backward: bool = False) -> Op:
        """Scaled dot-product attention, or (``backward``) its gradient."""
        expect_signature(self, schema, "attention_backward" if backward else "attention")
        op = Op(schema, "attention", doc=doc, reference=reference)
        driver("nn.attention").configure(op, backward)
        return self.add(op, op.name, method=False)

    @s.check_settings(reference=s.function, doc=s.text, backward=s.flag)
    def class_loss(self, schema: str, *, reference: Reference, doc: str = "", backward: bool = False) -> Op:
        """The row of nll_loss or (``backward``) of its gradient. reference: callable (xp, *arguments)."""
        expect_signature(self, schema, "class_loss_backward" if backward else "class_loss")
        op = Op(schema, "class_loss", doc=doc, reference=reference, options={"function": False})
        driver("loss.nll_loss").configure(op, backward)
        return self.add(op, op.name, method=False)
