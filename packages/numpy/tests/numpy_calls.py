"""Calls of NumPy's functions for tests: each is made with arrays and with tensors in their place, and compared.

>>> call = Call("sum", varying(2, 3), axis=0)
>>> call.on_arrays().shape, call.on_tensors().shape
((3,), torch.Size([3]))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import wengert as wg
from wengert_numpy.functions.table import numpy_function
from wengert_numpy.operands import to_tensor


class Varying:
    """An array in a call's arguments for which a tensor is put, and by which derivatives are taken."""

    def __init__(self, array: Any) -> None:
        self.array = np.asarray(array)

    def __repr__(self) -> str:
        return f"{self.array.dtype}{list(self.array.shape)}"


def varying(*shape: int, low: float = 0.3, high: float = 1.7, seed: int = 0) -> Varying:
    """Return an array of float64 with different random values between low and high, by which derivatives are taken."""
    rng = np.random.default_rng((seed, *shape))
    steps = rng.permutation(int(np.prod(shape))) + rng.uniform(0.2, 0.8, int(np.prod(shape)))
    return Varying((low + (high - low) * steps / max(len(steps), 1)).reshape(shape))


def of(values: Any, dtype: Any = None) -> Varying:
    """Return values that become a tensor; derivatives are taken by them where they are floating."""
    return Varying(np.asarray(values, dtype))


class Call:
    """A call of a function, named below ``numpy``, with arguments in which Varying stands for tensors."""

    def __init__(self, name: str, *args: Any, gradient: bool = True, function: Any = None, **kwargs: Any) -> None:
        self.name, self.args, self.kwargs, self.gradient = name, args, kwargs, gradient
        self.function = function or numpy_function(name)

    def __repr__(self) -> str:
        words = [text(one) for one in self.args] + [f"{key}={text(value)}" for key, value in self.kwargs.items()]
        return f"{self.name}({', '.join(words)})"

    def inputs(self) -> list[Varying]:
        """Return what varies, in the order of the arguments."""
        return list(each_varying((self.args, self.kwargs)))

    def run(self, values: list[Any]) -> Any:
        """Return the call's result with values in place of what varies."""
        rest = iter(values)
        args, kwargs = replace((self.args, self.kwargs), lambda _: next(rest))
        return self.function(*args, **kwargs)

    def on_arrays(self) -> Any:
        """Return the result for arrays."""
        return self.run([one.array.copy() for one in self.inputs()])

    def on_tensors(self, requires_grad: bool = True) -> Any:
        """Return the result for tensors, which require gradients where they are floating."""
        return self.run(self.tensors(requires_grad))

    def tensors(self, requires_grad: bool = True) -> list[Any]:
        """Return new tensors of what varies."""
        made = [wg.from_numpy(one.array.copy()) for one in self.inputs()]
        for one in made:
            if requires_grad and (one.dtype.is_floating_point or one.dtype.is_complex):
                one.requires_grad_()
        return made


def text(value: Any) -> str:
    """Return an argument's text, the same in every process: of functions the name."""
    if isinstance(value, (list, tuple)):
        inside = ", ".join(map(text, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    if callable(value) and hasattr(value, "__name__"):
        return str(value.__name__)
    return " ".join(repr(value).split())


def each_varying(tree: Any) -> Iterator[Varying]:
    """Yield what varies in nested arguments."""
    if isinstance(tree, Varying):
        yield tree
    elif isinstance(tree, dict):
        for value in tree.values():
            yield from each_varying(value)
    elif isinstance(tree, (list, tuple)):
        for value in tree:
            yield from each_varying(value)


def replace(tree: Any, change: Callable[[Varying], Any]) -> Any:
    """Return nested arguments with something else in place of what varies."""
    if isinstance(tree, Varying):
        return change(tree)
    if isinstance(tree, dict):
        return {key: replace(value, change) for key, value in tree.items()}
    if isinstance(tree, list):
        return [replace(value, change) for value in tree]
    if type(tree) is tuple:
        return tuple(replace(value, change) for value in tree)
    return tree


def leaves(result: Any) -> list[Any]:
    """Return the arrays or tensors of a result, which may be nested."""
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (list, tuple)) and not isinstance(result, wg.Size):
        return [leaf for one in result for leaf in leaves(one)]
    return [result]


def assert_same_values(call: Call, rtol: float = 1e-6, atol: float = 1e-9) -> None:
    """Assert that tensors give NumPy's values, dtypes and shapes, as tensors."""
    expected, got = leaves(call.on_arrays()), leaves(call.on_tensors())
    assert len(expected) == len(got), f"{call}: {len(got)} results, expected {len(expected)}"
    for wanted, found in zip(expected, got, strict=True):
        if isinstance(wanted, (np.ndarray, np.generic)):
            assert isinstance(found, wg.Tensor), f"{call}: {type(found)} in place of a tensor"
            array = found.detach().numpy()
            assert array.shape == wanted.shape, f"{call}: shape {array.shape}, expected {wanted.shape}"
            assert array.dtype == wanted.dtype, f"{call}: dtype {array.dtype}, expected {wanted.dtype}"
            np.testing.assert_allclose(array, wanted, rtol=rtol, atol=atol, err_msg=str(call))
        else:
            assert found == wanted, f"{call}: {found!r}, expected {wanted!r}"


def differentiable_results(call: Call) -> Callable[..., tuple[Any, ...]] | None:
    """Return the call as a function of its floating inputs that gives its floating results; None without either."""
    tensors = call.tensors(requires_grad=False)
    floating = [i for i, one in enumerate(tensors) if one.dtype.is_floating_point or one.dtype.is_complex]

    def function(*values: Any) -> tuple[Any, ...]:
        inputs = list(tensors)
        for i, value in zip(floating, values, strict=True):
            inputs[i] = value
        results = [to_tensor(one) for one in leaves(call.run(inputs)) if isinstance(one, wg.Tensor)]
        return tuple(one for one in results if one.dtype.is_floating_point or one.dtype.is_complex)

    return function if floating and function(*(tensors[i] for i in floating)) else None


def assert_derivatives(call: Call, **options: Any) -> None:
    """Assert that reverse and forward mode agree with differences, where the call has floating inputs and results."""
    function = differentiable_results(call)
    if function is None:
        return
    inputs = [one for one in call.tensors() if one.requires_grad]
    assert wg.autograd.gradcheck(
        function, tuple(inputs), check_forward_ad=True, check_batched_grad=True, fast_mode=False, **options
    )
