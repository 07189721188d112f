"""Every op of core's table once: alone, and with its gradient where it has one. op_calls.py holds the calls."""

from collections.abc import Callable
from typing import Any

import wengert as wg

from .op_calls import call_of, rows


def tensors_of(result: Any) -> list[Any]:
    """The tensors of an op's result which gradients can start from."""
    some = result if isinstance(result, (tuple, list)) else [result]
    return [one for one in some if isinstance(one, wg.Tensor) and one.requires_grad]


def cotangent_of(result: Any) -> Any:
    """A gradient of a result to begin with: ones, for complex results the result itself, weighted by row.

    Complex vectors, as those of eig, are determined up to a phase, and their derivative is an error for a loss that
    depends on it. The weighted one is the gradient of half the sum of weight * abs(result)**2, which no phase changes.
    """
    if not result.is_complex():
        return wg.ones_like(result)
    rows = max(result.shape[0], 1) if result.dim() else 1
    weights = wg.arange(1, rows + 1, dtype=wg.float32).reshape(*[rows, *[1] * (result.dim() - 1)][: result.dim()])
    return result.detach() * weights


class Short:
    """There are many ops: little time for each."""

    rounds, repeat, sample_time, warmup_time = 1, (1, 5, 0.2), 0.003, 0.02


class Forward(Short):
    """A call without recording."""

    params = tuple(rows())
    param_names = ("op",)

    def setup(self, name: str) -> None:
        self.op, self.arguments, self.keywords = find_call(name)
        self.op(*self.arguments, **self.keywords)

    def time_forward(self, name: str) -> None:
        self.op(*self.arguments, **self.keywords)


class Gradient(Short):
    """A recorded call and the gradient of its results, see cotangent_of, with respect to its first tensor."""

    params = tuple(rows())
    param_names = ("op",)

    def setup(self, name: str) -> None:
        self.op, self.arguments, self.keywords = find_call(name)
        leaves = [a for a in self.arguments if isinstance(a, wg.Tensor) and a.is_floating_point()]
        if not leaves or name.endswith("_"):
            raise NotImplementedError("no gradient of a leaf")
        self.leaf = leaves[0].requires_grad_()
        results = tensors_of(self.op(*self.arguments, **self.keywords))
        if not results:
            raise NotImplementedError("not differentiable")
        self.cotangents = [cotangent_of(result) for result in results]
        self.try_once(name)

    def try_once(self, name: str) -> None:
        """An op whose formula says "not implemented" is left out; another test demands formulas."""
        try:
            self.time_gradient(name)
        except RuntimeError as error:
            if "not implemented" in str(error):
                raise NotImplementedError(str(error)) from error
            raise

    def time_gradient(self, name: str) -> None:
        wg.autograd.grad(tensors_of(self.op(*self.arguments, **self.keywords)), self.leaf, self.cotangents)


def find_call(name: str) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
    """The call of an op; asv is told to leave out an op that the measured commit does not have."""
    try:
        return call_of(name)
    except LookupError as error:
        raise NotImplementedError(str(error)) from error
