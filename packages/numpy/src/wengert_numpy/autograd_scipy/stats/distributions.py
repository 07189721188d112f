"""Probability distributions of one variable, with SciPy's methods, arguments and values, and derivatives.

Note [A distribution's functions]
    A family is written for the standard form, loc 0 and scale 1, by functions of tensors in double precision whose
    arguments are in the domain. What is outside of it is replaced before (so that no NaN enters a derivative), and
    gets SciPy's value afterwards: NaN for parameters that are not allowed, 0 or 1 outside of the support.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_numpy import errors
from wengert_numpy.autograd_numpy.nested import holds_tensor
from wengert_numpy.autograd_scipy.dispatch import double, on_tensors

F = Callable[..., Any]
NO_PATH: list[str] = []


class Methods:
    """A distribution of ``scipy.stats``: our methods where an argument holds a tensor, else SciPy's.

    plain: SciPy's distribution.
    """

    __path__ = NO_PATH  # as a module has it: ``import wengert.scipy.stats.norm as norm`` gives the distribution
    METHODS: tuple[str, ...] = ()

    def __init__(self, plain: Any) -> None:
        self.plain = plain
        self.name = plain_name(plain)
        self.__doc__ = plain.__doc__
        for method in self.METHODS:
            setattr(self, method, self.bind_method(method))

    def bind_method(self, method: str) -> F:
        """Return a method that chooses by its arguments."""
        function, plain = getattr(self, f"tensor_{method}"), getattr(self.plain, method)

        def call(*args: Any, **kwargs: Any) -> Any:
            if holds_tensor(args) or (kwargs and holds_tensor(kwargs)):
                return on_tensors(function, args, kwargs)
            return plain(*args, **kwargs)

        call.__name__, call.__doc__ = method, plain.__doc__
        return call

    def __call__(self, *args: Any, **kwargs: Any) -> FrozenDistribution:
        """Return the distribution with fixed parameters."""
        return FrozenDistribution(self, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "plain":
            raise AttributeError(name)
        return getattr(self.plain, name)


def plain_name(plain: Any) -> str:
    """Return the name of a distribution of SciPy."""
    return getattr(plain, "name", None) or type(plain).__name__.removesuffix("_gen")


class FrozenDistribution:
    """A distribution with fixed parameters, which may hold tensors."""

    PARAMETERS_ONLY = ("entropy", "mean", "var", "std", "median", "stats", "support")

    def __init__(self, distribution: Methods, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.dist, self.args, self.kwds = distribution, args, kwargs

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("dist", "args", "kwds"):
            raise AttributeError(name)
        if name not in self.dist.METHODS:
            return getattr(self.dist.plain(*self.args, **self.kwds), name)
        method = getattr(self.dist, name)
        if name in self.PARAMETERS_ONLY:
            return lambda: method(*self.args, **self.kwds)
        return lambda x: method(x, *self.args, **self.kwds)


class Distribution(Methods):
    """A distribution of one variable with shape parameters, loc and, where it is continuous, scale.

    functions: the family's functions, by method: logpdf, cdf, sf, logcdf, logsf, ppf, isf of (x, *shapes), mean, var,
               entropy of (*shapes); where one is missing, the method is made of others.
    valid: whether shapes are allowed, a function of the shapes.   low, high: the support in the standard form.
    """

    PARAMETERS: tuple[str, ...] = ("loc", "scale")

    def __init__(
        self,
        plain: Any,
        *,
        valid: F = lambda: True,
        safe: tuple[float, ...] = (),
        low: float = -math.inf,
        high: float = math.inf,
        **functions: F,
    ) -> None:
        self.valid, self.safe, self.low, self.high, self.functions = valid, safe, low, high, functions
        self.shapes_names = tuple(plain.shapes.split(", ")) if plain.shapes else ()
        super().__init__(plain)

    # ---- arguments

    def bind(self, method: str, args: tuple[Any, ...], kwargs: dict[str, Any], first: tuple[str, ...]) -> list[Tensor]:
        """Return the arguments as tensors in double precision: the first ones, the shapes, loc and scale.

        TypeError, as SciPy raises it, where one is missing, unknown or has two values.
        """
        names = (*first, *self.shapes_names, *self.PARAMETERS)
        if len(args) > len(names):
            raise TypeError(
                f"{method}() takes from {len(first)} to {len(names)} positional arguments but {len(args)} were given"
            )
        values = dict(zip(names, args, strict=False))
        for name, value in kwargs.items():
            if name not in names:
                raise TypeError(f"{method}() got an unexpected keyword argument '{name}'")
            if name in values:
                raise TypeError(f"{method}() got multiple values for argument '{name}'")
            values[name] = value
        defaults = {"loc": 0.0, "scale": 1.0}
        missing = [name for name in names if name not in values and name not in defaults]
        if missing:
            raise TypeError(f"{method}() missing required arguments: {', '.join(map(repr, missing))}")
        return [double(values.get(name, defaults.get(name)), method, name) for name in names]

    def parameters(self, shapes: list[Tensor], scale: Tensor | None) -> tuple[Tensor, list[Tensor], Any]:
        """Return whether the parameters are allowed, and shapes and scale with values in the domain elsewhere."""
        allowed = wg.as_tensor(self.valid(*shapes))
        if scale is not None:
            allowed = allowed & (scale > 0)
            scale = wg.where(allowed, scale, 1)
        return allowed, [wg.where(allowed, one, safe) for one, safe in zip(shapes, self.safe, strict=True)], scale

    def standardize(self, method: str, args: Any, kwargs: Any) -> tuple[Tensor, list[Tensor], Tensor, Tensor]:
        """Return x in the standard form, the shapes, the scale, and whether the parameters are allowed."""
        x, *shapes, loc, scale = self.bind(method, args, kwargs, ("x",))
        allowed, shapes, scale = self.parameters(shapes, scale)
        return (x - loc) / scale, shapes, scale, allowed

    # ---- densities

    def tensor_logpdf(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the logarithm of the density."""
        z, shapes, scale, allowed = self.standardize("logpdf", args, kwargs)
        inside = allowed & (self.low <= z) & (z <= self.high) & wg.isfinite(z)
        density = self.functions["logpdf"](wg.where(inside, z, self.inner), *shapes) - wg.log(scale)
        return refuse(wg.where(inside, density, -math.inf), allowed & ~wg.isnan(z))

    def tensor_pdf(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the density."""
        return wg.exp(self.tensor_logpdf(*args, **kwargs))

    @property
    def inner(self) -> float:
        """A point of the support."""
        return 0.5 if self.low == 0 else 0.0

    # ---- distribution functions

    def probability(self, method: str, args: Any, kwargs: Any, below: float, above: float) -> Tensor:
        """Return a distribution function; below, above: its values beside the support."""
        z, shapes, _, allowed = self.standardize(method, args, kwargs)
        inside = allowed & (self.low < z) & (z < self.high)
        value = self.function(method)(wg.where(inside, z, self.inner), *shapes)
        value = wg.where(inside, value, wg.where(z >= self.high, above, below).to(value.dtype))
        return refuse(value, allowed & ~wg.isnan(z))

    def function(self, method: str) -> F:
        """Return a family's function, or one that is made of another."""
        functions = self.functions
        if method in functions:
            return functions[method]
        if method == "sf":
            return lambda x, *shapes: 1 - functions["cdf"](x, *shapes)
        if method == "logcdf":
            return lambda x, *shapes: wg.log(functions["cdf"](x, *shapes))
        if method == "logsf":
            return lambda x, *shapes: wg.log(self.function("sf")(x, *shapes))
        if method == "isf" and "ppf" in functions:
            return lambda q, *shapes: functions["ppf"](1 - q, *shapes)
        raise errors.unsupported_function(f"scipy.stats.{self.name}.{method}")

    def tensor_cdf(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the distribution function."""
        return self.probability("cdf", args, kwargs, 0.0, 1.0)

    def tensor_sf(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the survival function, 1 - cdf."""
        return self.probability("sf", args, kwargs, 1.0, 0.0)

    def tensor_logcdf(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the logarithm of the distribution function."""
        return self.probability("logcdf", args, kwargs, -math.inf, 0.0)

    def tensor_logsf(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the logarithm of the survival function."""
        return self.probability("logsf", args, kwargs, 0.0, -math.inf)

    # ---- moments, which have the parameters only

    def moment_of(self, method: str, args: Any, kwargs: Any) -> tuple[Tensor, Tensor, Any, Tensor]:
        """Return a moment of the standard form, loc, scale, and whether the parameters are allowed."""
        shapes: list[Tensor]
        *shapes, loc, scale = self.bind(method, args, kwargs, ())
        allowed, shapes, scale = self.parameters(shapes, scale)
        function = self.functions.get(method)
        if function is None:
            raise errors.unsupported_function(f"scipy.stats.{self.name}.{method}")
        return wg.as_tensor(function(*shapes), dtype=wg.float64), loc, scale, allowed

    def tensor_mean(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the mean."""
        mean, loc, scale, allowed = self.moment_of("mean", args, kwargs)
        return refuse(loc + scale * mean, allowed)

    def tensor_var(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the variance."""
        variance, _, scale, allowed = self.moment_of("var", args, kwargs)
        return refuse(scale**2 * variance, allowed)

    def tensor_std(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the standard deviation."""
        return wg.sqrt(self.tensor_var(*args, **kwargs))

    def tensor_entropy(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the differential entropy."""
        entropy, _, scale, allowed = self.moment_of("entropy", args, kwargs)
        return refuse(entropy + wg.log(scale), allowed)


class Continuous(Distribution):
    """A distribution with a density."""

    METHODS = ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf", "median", "mean", "var", "std", "entropy")

    def quantile(self, method: str, args: Any, kwargs: Any, at_zero: float, at_one: float) -> Tensor:
        """Return the inverse of a distribution function; at_zero, at_one: its values for 0 and 1."""
        q, *shapes, loc, scale = self.bind(method, args, kwargs, ("q",))
        allowed, shapes, scale = self.parameters(shapes, scale)
        inside = allowed & (q > 0) & (q < 1)
        z = self.function(method)(wg.where(inside, q, 0.5), *shapes)
        z = wg.where(inside, z, wg.where(q == 0, at_zero, at_one).to(z.dtype))
        return refuse(loc + scale * z, allowed & (q >= 0) & (q <= 1))

    def tensor_ppf(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return quantiles, the inverse of cdf."""
        return self.quantile("ppf", args, kwargs, self.low, self.high)

    def tensor_isf(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the inverse of sf."""
        return self.quantile("isf", args, kwargs, self.high, self.low)

    def tensor_median(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the median."""
        return self.tensor_ppf(0.5, *args, **kwargs)


class Discrete(Distribution):
    """A distribution of integers, whose values are steps: they have no derivative by the variable."""

    PARAMETERS = ("loc",)
    METHODS = ("pmf", "logpmf", "cdf", "logcdf", "sf", "logsf", "mean", "var", "std", "entropy")

    def standardize(self, method: str, args: Any, kwargs: Any) -> tuple[Tensor, list[Tensor], Tensor, Tensor]:
        """Return k - loc, the shapes, the scale 1, and whether the parameters are allowed."""
        x, *shapes, loc = self.bind(method, args, kwargs, ("k",))
        allowed, shapes, _ = self.parameters(shapes, None)
        return x - loc, shapes, wg.ones((), dtype=wg.float64), allowed

    def moment_of(self, method: str, args: Any, kwargs: Any) -> tuple[Tensor, Tensor, Any, Tensor]:
        """Return a moment of the standard form, loc, the scale 1, and whether the parameters are allowed."""
        *shapes, loc = self.bind(method, args, kwargs, ())
        allowed, shapes, _ = self.parameters(shapes, None)
        function = self.functions.get(method)
        if function is None:
            raise errors.unsupported_function(f"scipy.stats.{self.name}.{method}")
        return wg.as_tensor(function(*shapes), dtype=wg.float64), loc, wg.ones((), dtype=wg.float64), allowed

    def tensor_logpmf(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the logarithm of the probability of an integer."""
        k, shapes, _, allowed = self.standardize("logpmf", args, kwargs)
        whole = wg.floor(k)
        inside = allowed & (self.low <= k) & (k <= self.high) & (k == whole)
        value = self.functions["logpmf"](wg.where(inside, whole, self.low), *shapes)
        return refuse(wg.where(inside, value, -math.inf), allowed & ~wg.isnan(k))

    def tensor_pmf(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the probability of an integer."""
        return wg.exp(self.tensor_logpmf(*args, **kwargs))

    def probability(self, method: str, args: Any, kwargs: Any, below: float, above: float) -> Tensor:
        """Return a distribution function; below, above: its values beside the support."""
        k, shapes, _, allowed = self.standardize(method, args, kwargs)
        inside = allowed & (self.low <= k) & (k < self.high)
        value = self.function(method)(wg.where(inside, wg.floor(k), self.low), *shapes)
        value = wg.where(inside, value, wg.where(k >= self.high, above, below).to(value.dtype))
        return refuse(value, allowed & ~wg.isnan(k))


def refuse(value: Tensor, allowed: Tensor) -> Tensor:
    """Return a value, NaN where parameters are not allowed."""
    return wg.where(allowed, value, math.nan)
