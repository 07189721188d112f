"""The base class of transforms, and their inverses."""

from __future__ import annotations

from typing import Any

from wengert import Tensor

from wengert_distributions import constraints

__all__ = ["Transform"]


class Transform:
    """A transformation of random variables, with the logarithm of its Jacobian's determinant: the base class.

    A subclass defines ``_call``, ``_inverse`` or both and, where it is bijective, ``log_abs_det_jacobian``.

    cache_size: 1 keeps the latest pair of input and output, so that the inverse of an output is its input: for inverses
    that are slow or not exact. 0 keeps nothing.

    >>> import wengert as wg
    >>> transform = wg.distributions.ExpTransform()
    >>> x = wg.tensor([0.0, 1.0])
    >>> y = transform(x)
    >>> y, transform.inv(y), transform.log_abs_det_jacobian(x, y)
    (tensor([1.0000, 2.7183]), tensor([0., 1.]), tensor([0., 1.]))
    """

    bijective: Any = False
    """Whether every output has exactly one input."""
    domain: Any
    """The constraint of inputs."""
    codomain: Any
    """The constraint of outputs."""

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError(f"cache_size must be 0 or 1, got {cache_size}")
        self._cache_size = cache_size
        self._inv: Any = None
        self._cached_x_y: tuple[Any, Any] = (None, None)
        super().__init__()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_inv": None}

    @property
    def event_dim(self) -> Any:
        """The number of last dimensions that make one event, where inputs and outputs have the same number."""
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> Any:
        """The inverse transform; ``t.inv.inv is t``."""
        if self._inv is None:
            self._inv = _InverseTransform(self)
        return self._inv

    @property
    def sign(self) -> Any:
        """1 where the transform increases, -1 where it decreases; of transforms of single numbers only."""
        raise NotImplementedError(f"{type(self).__name__} has no sign")

    # ---- caches

    def with_cache(self, cache_size: int = 1) -> Any:
        """Return the transform with another size of its cache; itself where it has that size."""
        return self if self._cache_size == cache_size else self._with_cache(cache_size)

    def _with_cache(self, cache_size: int) -> Any:
        """Return a new transform with the size of a cache."""
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        raise NotImplementedError(f"{type(self)}.with_cache is not implemented")

    def __call__(self, x: Tensor) -> Tensor:
        """Return the transformed value."""
        if self._cache_size == 0:
            return self._call(x)
        last_x, last_y = self._cached_x_y
        if x is last_x:
            return last_y  # type: ignore[no-any-return]
        y = self._call(x)
        self._cached_x_y = x, y
        return y

    def _inv_call(self, y: Tensor) -> Tensor:
        """Return the value that is transformed to y."""
        if self._cache_size == 0:
            return self._inverse(y)
        last_x, last_y = self._cached_x_y
        if y is last_y:
            return last_x  # type: ignore[no-any-return]
        x = self._inverse(y)
        self._cached_x_y = x, y
        return x

    # ---- what a subclass defines

    def _call(self, x: Tensor) -> Tensor:
        """Compute the transform."""
        raise NotImplementedError

    def _inverse(self, y: Tensor) -> Tensor:
        """Compute the inverse."""
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of the absolute determinant of dy/dx, for each event."""
        raise NotImplementedError

    def forward_shape(self, shape: Any) -> Any:
        """Return the shape of the output for an input of a shape."""
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        """Return the shape of the input for an output of a shape."""
        return shape

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__: Any = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class Parameterless(Transform):
    """The base class of transforms without parameters: all of one class are equal."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self))


class _InverseTransform(Transform):
    """The inverse of a transform, which is its ``inv``."""

    def __init__(self, transform: Transform) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        """The constraint of inputs."""
        return self._inv.codomain

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        """The constraint of outputs."""
        return self._inv.domain

    @property
    def bijective(self) -> Any:
        """Whether every output has exactly one input."""
        return self._inv.bijective

    @property
    def sign(self) -> Any:
        """1 where the transform increases, -1 where it decreases."""
        return self._inv.sign

    @property
    def inv(self) -> Any:
        """The transform."""
        return self._inv

    def with_cache(self, cache_size: int = 1) -> Any:
        """Return the inverse of the transform with another size of its cache."""
        return self._inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._inv!r})"

    def __call__(self, x: Tensor) -> Tensor:
        return self._inv._inv_call(x)  # type: ignore[no-any-return]

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of the absolute determinant of dy/dx, for each event."""
        return -self._inv.log_abs_det_jacobian(y, x)  # type: ignore[no-any-return]

    def forward_shape(self, shape: Any) -> Any:
        """Return the shape of the output for an input of a shape."""
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        """Return the shape of the input for an output of a shape."""
        return self._inv.forward_shape(shape)
