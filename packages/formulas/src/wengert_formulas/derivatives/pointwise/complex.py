"""Derivatives of the parts of complex numbers, and of complex numbers made of them."""

from __future__ import annotations

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE, imag, real

derivative, linear = TABLE.derivative, TABLE.linear

linear("conj", self=lambda grad: grad.conj())
linear(
    "conj_physical",
    self=lambda grad: grad.conj_physical(),
    node=lambda inplace: f"ConjPhysicalBackward{int(inplace)}",
)


def angle_grad(grad: Tensor, self: Tensor) -> Tensor:
    """grad * i z / |z|**2; 0 at 0 and for real numbers."""
    if not self.is_complex():
        return wc.zeros_like(self)
    size = self.abs()
    return wc.where(size == 0, 0, grad * (self * 1j / (size * size)))


def angle_tangent(self_t: Tensor, self: Tensor) -> Tensor:
    """Im(conj(z) dz) / |z|**2."""
    if not self.is_complex():
        return wc.zeros_like(self)
    size = self.abs()
    return wc.where(size == 0, 0, imag(self.conj() * self_t) / (size * size))


derivative("angle", self=angle_grad, jvp=angle_tangent)


# ---- from two real parts: Re(conj(grad) * d result) is what each real input gets
linear("complex", real=lambda grad: real(grad), imag=lambda grad: imag(grad))


def unit_phasor(angle: Tensor) -> Tensor:
    """exp(i angle)."""
    return wc.polar(wc.ones_like(angle), angle)


derivative(
    "polar",
    abs=lambda grad, result: real(grad.conj() * result.sgn()),  # as torch: of a negative or no length, too
    angle=lambda grad, result: -imag(grad.conj() * result),
    jvp={
        "abs": lambda abs_t, angle: abs_t * unit_phasor(angle),
        "angle": lambda angle_t, result: angle_t * (result * 1j),
    },
)
