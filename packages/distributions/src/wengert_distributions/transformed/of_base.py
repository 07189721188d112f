"""Distributions that are one transform of another one, and have its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from wengert_distributions.transformed.transformed_distribution import TransformedDistribution


class OfBase(TransformedDistribution):
    """The base class of transformed distributions whose parameters are those of their base distribution."""

    _family: ClassVar[type] = TransformedDistribution
    """The class of the distribution: a subclass with another ``__init__`` must define ``expand``."""
    _own_parameters: ClassVar[tuple[str, ...]] = ()
    """The names of parameters that the distribution has itself."""

    def __init_subclass__(cls, own: tuple[str, ...] | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        if own is not None:
            cls._family, cls._own_parameters = cls, own

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a batch shape."""
        new = self._get_checked_instance(self._family, _instance)
        for name in self._own_parameters:
            new.__dict__[name] = self.__dict__[name].expand(batch_shape)
        return super().expand(batch_shape, _instance=new)
