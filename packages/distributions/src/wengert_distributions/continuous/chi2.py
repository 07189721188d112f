"""The chi-squared distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from wengert import Tensor

from wengert_distributions import constraints
from wengert_distributions.continuous.gamma import Gamma

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The chi-squared distribution, of the sum of the squares of df standard normal numbers: Gamma(df / 2, 1 / 2).

    df: the degrees of freedom.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> wg.distributions.Chi2(wg.tensor([3.0])).mean
    tensor([3.])
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a batch shape."""
        return super().expand(batch_shape, self._get_checked_instance(Chi2, _instance))

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self.concentration * 2
