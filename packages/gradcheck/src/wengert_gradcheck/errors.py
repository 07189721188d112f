"""GradcheckError: what gradcheck raises, with the two jacobians."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Worst(NamedTuple):
    """One entry of a jacobian where the derivatives differ."""

    output: int | tuple[int, ...]
    input: int | tuple[int, ...]
    numerical: complex
    analytical: complex
    difference: float


class Jacobians(NamedTuple):
    """Both jacobians of one output by one input: rows are elements of the input, columns of the output."""

    numerical: Array
    analytical: Array
    output_shape: tuple[int, ...]
    input_shape: tuple[int, ...]

    @property
    def difference(self) -> Array:
        """|numerical - analytical|; 0 where both are the same infinity."""
        same = self.numerical == self.analytical
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(same, 0.0, np.abs(self.numerical - self.analytical)))


class GradcheckError(RuntimeError):
    """A derivative that does not agree with finite differences, or a backward that gives different results.

    Where two jacobians differ, ``output`` and ``input`` say which (numbered among the differentiable outputs and among
    the inputs that require grad), ``jacobians`` has them as arrays, ``worst`` the entries with the largest differences
    and ``causes`` what usually makes such a pattern; ``figure()`` draws it. Else these are None or empty.
    """

    def __init__(self, message: str, *, output: int | None = None, input: int | None = None,
                 jacobians: Jacobians | None = None, worst: tuple[Worst, ...] = (),
                 causes: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.output = output
        self.input = input
        self.jacobians = jacobians
        self.worst = worst
        self.causes = causes

    def figure(self) -> Any:
        """A matplotlib figure of the numerical and the analytical jacobian and of their difference.

        ImportError without matplotlib, ValueError when the error is about no jacobian.
        """
        from wengert_gradcheck.figure import figure_of

        if self.jacobians is None:
            raise ValueError(f"there are no jacobians to draw: {str(self).splitlines()[0]}")
        return figure_of(self.jacobians, self.output, self.input)
