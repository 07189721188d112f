"""Derivatives of polygamma, the incomplete gamma functions, and the zeta function."""

from __future__ import annotations

from typing import Any

from wengert_core.extend import Tensor, find_op

from wengert_special.derivatives import TABLE

TABLE.elementwise("_polygamma", lambda self, n: find_op("_polygamma")(self, n + 1), node="PolygammaBackward0")


def missing(what: str) -> Any:
    """A rule that says that a derivative is missing: torch lacks it as well."""

    def rule(grad: Tensor) -> Tensor:
        raise NotImplementedError(f"the derivative for '{what}' is not implemented.")

    return rule


def density(self: Tensor, other: Tensor) -> Tensor:
    """d igamma / d other: the density of the gamma distribution of shape self."""
    return ((self - 1) * other.log() - other - self.lgamma()).exp()


def missing_jvp(what: str) -> Any:
    """The forward rule beside ``missing``."""

    def rule(self_t: Tensor) -> Tensor:
        raise NotImplementedError(f"the derivative for '{what}' is not implemented.")

    return rule


def zeta_slope(self: Any, other: Tensor) -> Tensor:
    """d zeta / d other."""
    result: Tensor = find_op("special_zeta")(self + 1, other) * -self
    return result


def zeta_name(self: str, other: str) -> str:
    """Of two tensors, of a number and a tensor, of a tensor and a number."""
    return f"SpecialZetaBackward{1 if self == 'number' else 2 if other == 'number' else 0}"


TABLE.derivative(
    "igamma", self=missing("igamma: input"), other=lambda grad, self, other: grad * density(self, other),
    jvp={"self": missing_jvp("igamma: input"), "other": lambda other_t, self, other: other_t * density(self, other)},
)
TABLE.derivative(
    "igammac", self=missing("igammac: input"), other=lambda grad, self, other: -grad * density(self, other),
    jvp={"self": missing_jvp("igammac: input"), "other": lambda other_t, self, other: -other_t * density(self, other)},
)
TABLE.derivative(
    "special_zeta", self=missing("zeta"), other=lambda grad, self, other: grad * zeta_slope(self, other),
    jvp={"self": missing_jvp("zeta"), "other": lambda other_t, self, other: other_t * zeta_slope(self, other)},
    node=zeta_name,
)
