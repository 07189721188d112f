"""Strong zeros: derivatives in which zero times anything, infinity and NaN too, is zero.

The branch not taken of ``where`` has the cotangent 0; if its slope is infinite or NaN there, 0 * inf makes the gradient
NaN. That is what floating point says, and what PyTorch and wengert give by default. With strong zeros it is 0:

>>> import wengert_core as wc
>>> from wengert_engine import grad
>>> x = wc.tensor([0.0, 4.0], requires_grad=True)
>>> grad(wc.where(x > 0, x.sqrt(), 0).sum(), x)[0].tolist()
[nan, 0.25]
>>> with strong_zeros():
...     grad(wc.where(x > 0, x.sqrt(), 0).sum(), x)[0].tolist()
[0.0, 0.25]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_engine.modes.grad_mode import Mode
from wengert_engine.modes.strong_zeros import is_strong, set_products, switch_strong

from wengert_formulas.strong_products import PRODUCTS

__all__ = ["is_strong_zeros_enabled", "strong_zeros"]

set_products(PRODUCTS)


def is_strong_zeros_enabled() -> bool:
    """True where this thread's derivatives have strong zeros.

    >>> is_strong_zeros_enabled()
    False
    """
    return is_strong()


class strong_zeros(Mode):
    """Let a derivative of exactly zero stay zero, whatever it is multiplied by: also infinity and NaN.

    mode: True or False; as a function at once, as a context manager for its body, as a decorator for a call.
    Thread-local, and off by default. TypeError for another mode.

    It counts where the derivative is computed: around ``backward()``, ``grad``, a transform of ``func``, and in forward
    mode around the operations themselves. A product of a cotangent (or tangent) and a slope is zero where one of them
    is, in both modes and to any order: in sums of such products (matrices, convolutions, softmax) those terms add
    nothing. So

    - ``where(x > 0, sqrt(x), 0)``, ``where(x > 0, log(x), 0)`` and other branches not taken,
    - ``(x * x).sum().sqrt()``, a norm written out, at 0: the slope 2 * x is 0, that of sqrt infinite,
    - sums of logarithms that a mask multiplies, ``(mask * log(p)).sum()``

    give 0 where they give NaN without it. A slope that is infinite by itself stays so: the derivative of ``sqrt`` at 0
    is infinite. Values are never changed, and hooks and what a checkpoint computes again run as always; the backward of
    a Function runs with strong zeros. Where nothing is NaN, results are the same bit by bit. Decompositions
    (``linalg``) have strong zeros in the products around them, not inside.

    >>> import wengert_core as wc
    >>> x = wc.zeros(2, requires_grad=True)
    >>> with strong_zeros():
    ...     (x * x).sum().sqrt().backward()
    >>> x.grad.tolist()
    [0.0, 0.0]
    """

    mode: bool
    first: bool

    def __new__(cls, mode: bool | Callable[..., Any] = True) -> Any:
        if callable(mode) and not isinstance(mode, type):
            return cls().__call__(mode)
        return object.__new__(cls)

    def __init__(self, mode: bool = True) -> None:
        if not isinstance(mode, bool):
            raise TypeError(f"strong_zeros(): argument 'mode' (position 1) must be bool, not {type(mode).__name__}")
        self.mode, self.first = mode, is_strong()
        self.before: list[bool] = []
        switch_strong(mode)

    def __call__(self, function: Any) -> Any:
        switch_strong(self.first)
        return super().__call__(function)

    def __enter__(self) -> None:
        self.before.append(is_strong() if self.before else self.first)
        switch_strong(self.mode)

    def __exit__(self, *exception: object) -> None:
        switch_strong(self.before.pop())

    def clone(self) -> strong_zeros:
        """One with the same mode, for a call of a decorated function."""
        return type(self)(self.mode)

    def __repr__(self) -> str:
        return f"{type(self).__module__}.{type(self).__name__}(mode={self.mode})"
