"""Distributions whose parameters are broadcast to the batch shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from wengert import Size, Tensor

from wengert_distributions.base.distribution import Distribution
from wengert_distributions.base.utils import broadcast_all, is_number


class Elementwise(Distribution):
    """The base class of distributions whose parameters are tensors of the batch shape.

    A class names its parameters when it is defined, ``class Normal(Elementwise, parameters=("loc", "scale"))``.
    """

    _elementwise_names: ClassVar[tuple[str, ...]] = ()
    _family: ClassVar[type] = Distribution
    """The class that named the parameters: a subclass with another ``__init__`` must define ``expand``."""

    def __init_subclass__(cls, parameters: tuple[str, ...] = (), **options: Any) -> None:
        super().__init_subclass__(**options)
        if parameters:
            cls._elementwise_names = parameters
            cls._family = cls

    def _set_parameters(self, *values: Any) -> Size:
        """Set the parameters, broadcast to one shape; return the batch shape."""
        tensors = broadcast_all(*values)
        self.__dict__.update(zip(self._elementwise_names, tensors, strict=True))
        return Size() if is_number(*values) else tensors[0].shape

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a batch shape."""
        new, batch_shape = self._get_checked_instance(self._family, _instance), Size(batch_shape)
        for name in self._elementwise_names:
            if name in self.__dict__:
                new.__dict__[name] = self.__dict__[name].expand(batch_shape)
        return self._finish_expand(new, batch_shape)


class LocScale(Elementwise):
    """The base class of distributions with a location and a scale.

    loc: the location.   scale: the scale, positive.   validate_args: whether to check arguments.
    """

    loc: Tensor
    scale: Tensor

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._set_parameters(loc, scale), validate_args=validate_args)

    def _standardize(self, value: Tensor) -> Tensor:
        """Return values less the location, in units of the scale."""
        return (value - self.loc) / self.scale
