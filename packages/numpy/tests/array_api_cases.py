"""Calls of the array API's functions for tests, each with arrays of NumPy, which conform to the standard, and tensors.

>>> case = Case("sum", floats(2, 3), axis=0)
>>> case.on_arrays().shape, case.on_tensors().shape
((3,), torch.Size([3]))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import wengert as wg
import wengert.array_api as xp


def floats(*shape: int, low: float = 0.3, high: float = 1.7, seed: int = 0) -> Any:
    """Return different random numbers of float64 between low and high, no two of them near each other."""
    rng = np.random.default_rng((seed, *shape))
    count = int(np.prod(shape))
    steps = rng.permutation(count) + rng.uniform(0.2, 0.8, count)
    return (low + (high - low) * steps / max(count, 1)).reshape(shape)


def complexes(*shape: int) -> Any:
    """Return random numbers of complex128."""
    return floats(*shape, seed=1) + 1j * floats(*shape, seed=2)


def whole(*values: Any, dtype: str = "int64") -> Any:
    """Return integers."""
    return np.array(values, dtype=dtype)


SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.5, 1e30, np.inf, -np.inf, np.nan])
"""Numbers of which the standard says what functions give."""


class Case:
    """A call of a function, named below the namespace, in which arrays of NumPy stand for tensors.

    gradient: whether derivatives are compared with differences.
    reference: what is called on arrays, where NumPy's function of that name has other parameters or another result.
    """

    def __init__(
        self, name: str, *args: Any, gradient: bool = True, reference: Callable[..., Any] | None = None, **kwargs: Any
    ) -> None:
        self.name, self.args, self.kwargs = name, args, kwargs
        self.gradient = gradient
        self.reference = reference or lookup(np, name)

    def __repr__(self) -> str:
        words = [show(one) for one in self.args] + [f"{key}={show(value)}" for key, value in self.kwargs.items()]
        return f"{self.name}({', '.join(words)})"

    def on_arrays(self) -> Any:
        """Return the result for arrays."""
        with np.errstate(all="ignore"):
            return self.reference(*self.args, **self.kwargs)

    def on_tensors(self) -> Any:
        """Return the result for tensors."""
        return self.call(self.inputs())

    def inputs(self) -> list[Any]:
        """Return a new tensor for each array among the arguments."""
        arrays: list[Any] = []
        swap((self.args, self.kwargs), lambda array: arrays.append(array))
        return [wg.from_numpy(array.copy()) for array in arrays]

    def call(self, tensors: list[Any]) -> Any:
        """Return the result of the namespace's function for these tensors in place of the arrays."""
        rest = iter(tensors)
        args, kwargs = swap((self.args, self.kwargs), lambda _: next(rest))
        return lookup(xp, self.name)(*args, **kwargs)


def lookup(namespace: Any, name: str) -> Any:
    """Return a function by its name, "linalg.inv"; None where it is not there."""
    for part in name.split("."):
        namespace = getattr(namespace, part, None)
    return namespace


def show(value: Any) -> str:
    """Return an argument as a test's name has it."""
    return f"{value.dtype}{list(value.shape)}" if isinstance(value, np.ndarray) else repr(value)


def swap(tree: Any, change: Callable[[Any], Any]) -> Any:
    """Return nested arguments with something else in place of arrays."""
    if isinstance(tree, np.ndarray):
        return change(tree)
    if isinstance(tree, dict):
        return {key: swap(value, change) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree)(swap(value, change) for value in tree)
    if isinstance(tree, np.dtype):
        return getattr(wg, tree.name)
    return tree


def leaves(result: Any) -> list[Any]:
    """Return the arrays of a result."""
    if isinstance(result, (list, tuple)) and not isinstance(result, wg.Size):
        return [leaf for one in result for leaf in leaves(one)]
    return [result]


def assert_same(case: Case, rtol: float = 1e-9) -> None:
    """Assert that tensors give the values, dtypes and shapes that arrays give."""
    expected, got = leaves(case.on_arrays()), leaves(case.on_tensors())
    assert len(expected) == len(got)
    for wanted, found in zip(expected, got, strict=True):
        assert isinstance(found, wg.Tensor)
        array = found.resolve_conj().numpy()
        assert (array.shape, array.dtype) == (np.shape(wanted), np.asarray(wanted).dtype)
        np.testing.assert_allclose(array, wanted, rtol=rtol, atol=1e-12)


def assert_derivatives(case: Case) -> None:
    """Assert that the derivatives of floating results by floating inputs agree with differences, in both modes."""
    tensors = case.inputs()
    places = [i for i, one in enumerate(tensors) if is_inexact(one)]

    def function(*values: Any) -> tuple[Any, ...]:
        inputs = list(tensors)
        for i, value in zip(places, values, strict=True):
            inputs[i] = value
        return tuple(one for one in leaves(case.call(inputs)) if isinstance(one, wg.Tensor) and is_inexact(one))

    inputs = tuple(tensors[i].requires_grad_() for i in places)
    if inputs and any(one.requires_grad for one in function(*inputs)):
        assert wg.autograd.gradcheck(function, inputs, check_forward_ad=True, check_batched_grad=True)


def is_inexact(t: Any) -> bool:
    """Return whether a tensor has a floating or complex dtype."""
    return bool(t.dtype.is_floating_point or t.dtype.is_complex)
