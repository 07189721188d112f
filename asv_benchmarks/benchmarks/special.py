"""wengert-special: functions of SciPy, alone and with their gradients, at a small and a large size."""

from typing import Any

import wengert as wg

from .programs import numbers

CALLS = {
    "i0": lambda x: wg.i0(x),
    "special.i1e": lambda x: wg.special.i1e(x),
    "polygamma": lambda x: wg.polygamma(1, x),
    "igamma": lambda x: wg.igamma(2 * x.detach(), x),
    "special.ndtri": lambda x: wg.special.ndtri(x),
    "special.erfcx": lambda x: wg.special.erfcx(x),
    "special.legendre_polynomial_p": lambda x: wg.special.legendre_polynomial_p(x, 5),
}


class Special:
    """Functions of numbers in (0, 1)."""

    params = (tuple(CALLS), (16, 100_000))
    param_names = ("function", "size")
    x: Any

    def setup(self, function: str, size: int) -> None:
        self.x = wg.tensor(numbers(size) * 0.98 + 0.01)
        CALLS[function](self.x)  # loads SciPy

    def time_forward(self, function: str, size: int) -> None:
        CALLS[function](self.x)

    def time_with_gradient(self, function: str, size: int) -> None:
        CALLS[function](self.x.detach().requires_grad_()).sum().backward()
