"""Derivatives of Bessel functions: each is a combination of neighboring orders."""

from __future__ import annotations

from wengert_core.extend import Tensor, find_op

from wengert_special.derivatives import TABLE

elementwise = TABLE.elementwise


def bessel(x: Tensor, kind: str, order: int) -> Tensor:
    """A Bessel function of any order."""
    result: Tensor = find_op("_bessel")(x, kind, order)
    return result


SIGNS = {"j": (1, -1), "y": (1, -1), "i": (1, 1), "k": (-1, -1), "ie": (1, 1), "ke": (-1, -1)}
"""Twice the derivative is the order below times the first, plus the order above times the second."""


def slope(self: Tensor, kind: str, order: int, value: Tensor | None = None) -> Tensor:
    """The derivative of a Bessel function. value: the function itself, for the scaled ones."""
    if kind == "spherical":
        next_one = bessel(self, kind, order + 1)
        if order == 0:
            return -next_one
        return (order * bessel(self, kind, order - 1) - (order + 1) * next_one) / (2 * order + 1)
    below, above = SIGNS[kind]
    result = bessel(self, kind, order + 1)
    if order == 0:  # the order -1 is the order 1, but for its sign
        result = above * result
    else:
        result = (below * bessel(self, kind, order - 1) + above * result) / 2
    if value is not None and kind == "ie":
        return result - self.sgn() * value
    return result + value if value is not None and kind == "ke" else result


def add(op: str, kind: str, order: int, node: str) -> None:
    """The formula of a function of one order."""
    if kind in ("ie", "ke"):
        elementwise(op, lambda self, result: slope(self, kind, order, result), node=node)
    else:
        elementwise(op, lambda self: slope(self, kind, order), node=node)


elementwise("_bessel", lambda self, kind, order, result: slope(self, kind, order, result))
add("i0", "i", 0, "I0Backward0")
add("special_i0e", "ie", 0, "SpecialI0EBackward0")
add("special_i1", "i", 1, "SpecialI1Backward0")
add("special_i1e", "ie", 1, "SpecialI1EBackward0")
for order in (0, 1):
    for name, kind in (("bessel_j", "j"), ("bessel_y", "y"), ("modified_bessel_i", "i"), ("modified_bessel_k", "k"),
                       ("scaled_modified_bessel_k", "ke")):
        camel = "".join(part.capitalize() for part in f"{name}{order}".split("_"))
        add(f"special_{name}{order}", kind, order, f"Special{camel}Backward0")
add("special_spherical_bessel_j0", "spherical", 0, "SpecialSphericalBesselJ0Backward0")
elementwise("special_airy_ai", lambda self: find_op("_airy_ai_slope")(self))
elementwise("_airy_ai_slope", lambda self: self * find_op("special_airy_ai")(self))
