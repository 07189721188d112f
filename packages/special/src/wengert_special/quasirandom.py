"""wengert.quasirandom: Sobol' sequences, which fill the unit cube more evenly than random points.

Source: I. M. Sobol', "The distribution of points in a cube and the accurate evaluation of integrals", 1967; the numbers
are SciPy's, ``scipy.stats.qmc.Sobol``.

>>> import wengert as wg
>>> wg.quasirandom.SobolEngine(2).draw(3)
tensor([[0.0000, 0.0000],
        [0.5000, 0.5000],
        [0.7500, 0.2500]])
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import wengert_core

__all__ = ["SobolEngine"]


class SobolEngine:
    """A Sobol' sequence of points in [0, 1) to the power of `dimension`.

    dimension: at most 21201. scramble: shuffle the digits at random, which keeps the evenness.
    seed: of the scrambling; a random one by default.

    >>> import wengert as wg
    >>> engine = wg.quasirandom.SobolEngine(1)
    >>> engine.fast_forward(1).draw(2)
    tensor([[0.5000],
            [0.7500]])
    """

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if dimension > self.MAXDIM or dimension < 1:
            raise ValueError(
                f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}], got dimension={dimension}"
            )
        self.dimension, self.scramble, self.seed = dimension, scramble, seed
        self.num_generated = 0
        self._make()

    def _make(self) -> None:
        qmc = import_module("scipy.stats").qmc  # half a second: few programs need it

        seed = self.seed
        if self.scramble and seed is None:
            seed = int(wengert_core.randint(0, 2**31 - 1, (1,)).item())
        self._sequence = qmc.Sobol(self.dimension, scramble=self.scramble, bits=self.MAXBIT, seed=seed)

    def draw(self, n: int = 1, out: Any = None, dtype: Any = None) -> Any:
        """Return the next `n` points as a tensor (n, dimension) of the default dtype or of `dtype`.

        out: a tensor to write them to, which is resized.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of numbers of points that are no powers of 2
            points = self._sequence.random(n) if n else self._sequence.random(1)[:0]
        self.num_generated += n
        result = wengert_core.from_numpy(points).to(dtype or wengert_core.get_default_dtype())
        if out is None:
            return result
        out.resize_(result.shape).copy_(result)
        return out

    def draw_base2(self, m: int, out: Any = None, dtype: Any = None) -> Any:
        """Return the next 2**m points, which are balanced. ValueError where not a power of 2 is drawn in all."""
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                "The balance properties of Sobol' points require n to be a power of 2. "
                f"{self.num_generated} points have been previously generated, then: n={self.num_generated}+2**{m}="
                f"{total}. If you still want to do this, please use 'SobolEngine.draw()' instead."
            )
        return self.draw(n, out, dtype)

    def reset(self) -> SobolEngine:
        """Begin again; return the engine."""
        self._sequence.reset()
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Leave out the next `n` points; return the engine."""
        self._sequence.fast_forward(n)
        self.num_generated += n
        return self

    def __repr__(self) -> str:
        seed = "" if self.seed is None else f", seed={self.seed}"
        scramble = ", scramble=True" if self.scramble else ""
        return f"SobolEngine(dimension={self.dimension}{scramble}{seed})"
