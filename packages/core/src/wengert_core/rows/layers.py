"""Rows of the layers of networks whose kernels are their own: convolution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import wengert_core.convolution as _convolution
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
