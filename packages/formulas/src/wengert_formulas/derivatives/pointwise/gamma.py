"""Derivatives of the gamma function's family. Those of digamma are wengert-special's."""

from __future__ import annotations

from wengert_core.dispatch.op import find
from wengert_core.ops.pointwise.gamma import halves
from wengert_core.tensors.tensor import Tensor
from wengert_registry import registry

from wengert_formulas.derivatives.base import TABLE


def polygamma(n: int, x: Tensor) -> Tensor:
    """The n-th derivative of digamma; an ImportError that names what to install where it is missing."""
    if registry.group("ops").find("special") is None:
        raise ImportError("the derivative of digamma is polygamma, which is not installed: pip install wengert-special")
    result: Tensor = find("_polygamma")(x, n)
    return result


TABLE.elementwise("mvlgamma", lambda self, p: halves(self, p).digamma().sum(-1))
TABLE.elementwise("lgamma", lambda self: self.digamma())
TABLE.elementwise("digamma", lambda self: polygamma(1, self))
