"""Derivatives of hypergeometric functions by their variable, the same functions of higher parameters; and of W."""

from __future__ import annotations

from wengert_special.derivatives import TABLE
from wengert_special.derivatives.operands import missing_each, special

elementwise = TABLE.elementwise

elementwise("special_hyp0f1", **missing_each("hyp0f1", "v"), z=lambda v, z: special("hyp0f1", v + 1, z) / v)
elementwise("special_hyp1f1", **missing_each("hyp1f1", "a", "b"),
            x=lambda a, b, x: special("hyp1f1", a + 1, b + 1, x) * (a / b))
elementwise("special_hyp2f1", **missing_each("hyp2f1", "a", "b", "c"),
            z=lambda a, b, c, z: special("hyp2f1", a + 1, b + 1, c + 1, z) * (a * b / c))
elementwise("special_hyperu", **missing_each("hyperu", "a", "b"),
            x=lambda a, b, x: special("hyperu", a + 1, b + 1, x) * -a)
elementwise("special_wrightomega", lambda result: result / (1 + result))
elementwise("_lambertw", z=lambda result: (-result).exp() / (1 + result), **missing_each("lambertw", "k", "tol"))
