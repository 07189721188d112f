"""The array namespace of references on CUDA: CuPy, and what NumPy has that CuPy has not, or does otherwise.

References are written for NumPy. Where CuPy differs, one of the few things here stands for its own: linear algebra that
reports a matrix without a result (CuPy leaves numbers without a meaning) and broadcasts, running results of functions
(``accumulate``) and additions at places (``at``) for the functions and dtypes that CuPy has none for, Fourier
transforms of nothing, infinities divided and rounded down. SciPy's special functions are in special.py.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert_cuda import index_kernels as places_
from wengert_cuda import kernels
from wengert_cuda.references import is_real

if TYPE_CHECKING:
    from wengert_cuda.graphs import CapturingDevice


class Delegate:
    """Another object's attributes, but for those that are defined here."""

    def __init__(self, real: Any) -> None:
        self.real = real

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = self.adapt(getattr(self.real, name))
        setattr(self, name, found)  # the next time there is nothing to do
        return found

    def adapt(self, found: Any) -> Any:
        """An attribute as it is given out."""
        return found


class Function(Delegate):
    """A function of two arrays with ``accumulate`` and ``at`` for every dtype."""

    def __init__(self, real: Any, name: str) -> None:
        super().__init__(real)
        self.name = name

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self.real(*arguments, **options)

    def accumulate(self, x: Any, axis: int = 0) -> Any:
        """The results so far, along an axis: of neighbors, then of twice as many each time."""
        cupy = importlib.import_module("cupy")
        found, step = cupy.moveaxis(x, axis, -1), 1
        while step < found.shape[-1]:
            found = cupy.concatenate([found[..., :step], self.real(found[..., :-step], found[..., step:])], -1)
            step *= 2
        return cupy.moveaxis(found, -1, axis)

    def at(self, x: Any, places: Any, values: Any) -> None:
        """x[places] = function(x[places], values), for every time that a place occurs. What CuPy has not for a dtype is
        done on the host.
        """
        if x.dtype.kind == "c" and self.name == "add":
            parts = x.real.copy(), x.imag.copy()
            self.at(parts[0], places, getattr(values, "real", values))
            self.at(parts[1], places, getattr(values, "imag", 0))
            x.real, x.imag = parts
            return
        name = f"{self.name}_at"
        if name in places_.SOURCES and is_real(x) and x.ndim == getattr(places, "ndim", 0) == 1:
            places_.kernel(name)(places, values, x)
            return
        try:
            if x.dtype.char == "e" and name in places_.SOURCES:
                raise TypeError("of float16 CuPy's loses NaN")
            self.real.at(x, places, values)
        except (TypeError, NotImplementedError):
            found = x.get()
            getattr(np, self.name).at(found, on_host(places), on_host(values))
            x[...] = importlib.import_module("cupy").asarray(found)


class LinearAlgebra(Delegate):
    """``cupy.linalg`` with NumPy's errors: LinAlgError for a matrix without a result."""

    def __init__(self, real: Any, plugin: CapturingDevice) -> None:
        super().__init__(real)
        self.plugin = plugin

    def adapt(self, found: Any) -> Any:
        if not callable(found) or isinstance(found, type):
            return found
        errstate = importlib.import_module("cupyx").errstate

        @functools.wraps(found)
        def check_call(*arguments: Any, **options: Any) -> Any:
            try:
                with errstate(linalg="raise"):
                    return found(*arguments, **options)
            except NotImplementedError as error:
                raise self.plugin.explain_linalg_refusal(found.__name__, error) from error

        return check_call

    def cholesky(self, a: Any, *, upper: bool = False) -> Any:
        """The lower factor, or the upper one of what the upper triangle describes."""
        if not upper:
            return self.lower(a)
        return self.lower(a.swapaxes(-2, -1).conj()).swapaxes(-2, -1).conj()

    def solve(self, a: Any, b: Any) -> Any:
        """x of a x = b: a vector when b has one dim, else matrices, whose batches broadcast."""
        if b.ndim == 1:
            return self.solve(a, b[:, None])[..., 0]
        if a.ndim > 2 or b.ndim > 2:
            cupy = importlib.import_module("cupy")
            batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
            a, b = (cupy.ascontiguousarray(cupy.broadcast_to(x, (*batch, *x.shape[-2:]))) for x in (a, b))
        return self.call_solve(a, b)

    @functools.cached_property
    def lower(self) -> Any:
        """CuPy's cholesky."""
        return self.adapt(self.real.cholesky)

    @functools.cached_property
    def call_solve(self) -> Any:
        """CuPy's solve."""
        return self.adapt(self.real.solve)


class FourierTransforms(Delegate):
    """``cupy.fft`` with transforms of empty batches."""

    def adapt(self, found: Any) -> Any:
        if not callable(found):
            return found

        @functools.wraps(found)
        def any_batch(a: Any, *arguments: Any, **options: Any) -> Any:
            if a.size:
                return found(a, *arguments, **options)
            empty = getattr(np.fft, found.__name__)(a.get(), *arguments, **options)
            return importlib.import_module("cupy").asarray(empty)

        return any_batch


class Namespace(Delegate):
    """CuPy as references take it."""

    def __init__(self, cupy: Any, plugin: CapturingDevice) -> None:
        super().__init__(cupy)
        self.plugin = plugin
        self.linalg, self.fft = LinearAlgebra(cupy.linalg, plugin), FourierTransforms(cupy.fft)
        for name in ("add", "multiply", "maximum", "minimum", "logaddexp"):
            setattr(self, name, Function(getattr(cupy, name), name))

    def asarray(self, a: Any, *arguments: Any, **options: Any) -> Any:
        """An array of the device. In a capture, numbers of the host are copied beside it: CuPy would use memory of the
        host that another copy has when the graph is replayed.
        """
        found = self.plugin.as_constant(a)
        return self.real.asarray(a if found is None else found, *arguments, **options)

    def indices(self, shape: Any, dtype: Any = np.int64, sparse: bool = False) -> Any:
        """Each dim's positions; sparse: of length 1 along the others."""
        if not sparse:
            return self.real.indices(shape, dtype)
        n = len(shape)
        return tuple(self.real.arange(size, dtype=dtype).reshape([-1 if d == k else 1 for d in range(n)])
                     for k, size in enumerate(shape))

    def matmul(self, a: Any, b: Any) -> Any:
        """The product; many rows by one matrix are one product. Note [Products of a capture] in products.py."""
        products = self.plugin.products_here()
        if products is not None and products.takes(a, b):
            return products.matmul(a, b)
        if a.ndim == b.ndim == 2:
            return self.call_cublas(a.dot, b)  # half of what matmul takes for small ones
        if a.ndim > 2 and b.ndim == 2 and a.flags.c_contiguous and a.size:
            rows = a.reshape(-1, a.shape[-1])
            return self.call_cublas(rows.dot, b).reshape(*a.shape[:-1], b.shape[-1])
        return self.call_cublas(self.real.matmul, a, b)

    def einsum(self, subscripts: str, *arrays: Any) -> Any:
        """The sum of products."""
        products = self.plugin.products_here()
        found = products.einsum(subscripts, *arrays) if products is not None and products.takes(*arrays) else None
        return self.call_cublas(self.real.einsum, subscripts, *arrays) if found is None else found

    def tensordot(self, a: Any, b: Any, axes: Any) -> Any:
        """The sum of products over pairs of axes."""
        products = self.plugin.products_here()
        if products is not None and products.takes(a, b):
            return products.tensordot(a, b, axes)
        return self.call_cublas(self.real.tensordot, a, b, axes)

    def outer(self, a: Any, b: Any) -> Any:
        """The products of each element with each; CuPy calls cuBLAS for them."""
        if self.plugin.products_here() is not None:
            return a.reshape(-1, 1) * b.reshape(1, -1)
        return self.call_cublas(self.real.outer, a, b)

    def call_cublas(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of CuPy's that calls cuBLAS."""
        try:
            return function(*arguments)
        except NotImplementedError as error:
            raise self.plugin.explain_refusal(error) from error

    def floor_divide(self, x: Any, y: Any) -> Any:
        """The quotient rounded down: NaN for an infinity divided."""
        if is_real(x, y):
            return kernels.elementwise("floor_divide")(x, y)
        return self.real.floor_divide(x, y)

    def remainder(self, x: Any, y: Any) -> Any:
        """The rest of a division rounded down: a number itself where it is divided by an infinity of its sign."""
        if is_real(x, y):
            return kernels.elementwise("remainder")(x, y)
        return self.real.remainder(x, y)


def on_host(value: Any) -> Any:
    """NumPy's array of an array on the device; of each in a tuple or a list."""
    if type(value) in (tuple, list):
        return type(value)(on_host(one) for one in value)
    return value.get() if hasattr(value, "get") else value
