"""Checks of derivatives over ranks: the sum of the outputs of all ranks is differentiated by the inputs of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from math import prod
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor
from wengert_engine import grad as gradients_of
from wengert_engine.extend import is_dual_level_open
from wengert_engine.namespaces import forward_ad

import wengert_distributed as dist
from wengert_distributed.groups.world import member_group

Function = Callable[..., Any]


def gradcheck(
    func: Function,
    inputs: Tensor | Sequence[Tensor],
    *,
    group: Any = None,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    check_forward_ad: bool = False,
) -> bool:
    """Return whether the gradients of a function with collectives are those of finite differences, on all ranks.

    All ranks of the group call it together. func: gets the inputs and returns a tensor or several; those of floating
    point dtypes are multiplied with fixed numbers and added up over all ranks. One element of one rank's inputs after
    the other is changed by eps; the difference of the sum is compared with this rank's gradient and, with
    check_forward_ad, with the sum of the tangents of all ranks.   inputs: tensors of a real dtype, float64 for the
    default tolerances; those that require grad are checked. Their number and sizes may differ between ranks.

    Returns False, or raises RuntimeError with raise_exception, on all ranks where a derivative of one of them is wrong.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> x = wg.tensor([0.5, 2.0], dtype=wg.float64, requires_grad=True)
    >>> wg.distributed.gradcheck(lambda x: wg.distributed.nn.functional.all_reduce(x * x), x)
    True
    >>> wg.distributed.destroy_process_group()
    """
    check = Check(func, (inputs,) if isinstance(inputs, Tensor) else tuple(inputs), member_group(group))
    slopes = check.by_differences(eps)
    wrong = compare("reverse mode", check.by_reverse(), slopes, atol, rtol)
    if check_forward_ad:
        wrong += compare("forward mode", check.by_forward(), slopes, atol, rtol)
    reports: list[Any] = [None] * check.group.size()
    dist.all_gather_object(reports, wrong, check.group)
    texts = [f"rank {rank}: {text}" for rank, lines in enumerate(reports) for text in lines]
    if texts and raise_exception:
        raise RuntimeError("the derivatives do not agree with finite differences:\n  " + "\n  ".join(texts[:8]))
    return not texts


def gradgradcheck(func: Function, inputs: Tensor | Sequence[Tensor], **options: Any) -> bool:
    """Return whether the second derivatives of a function with collectives are those of finite differences.

    It is the gradcheck, with the same options, of the function that returns the gradients of ``func``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> x = wg.tensor([0.5, 2.0], dtype=wg.float64, requires_grad=True)
    >>> wg.distributed.gradgradcheck(lambda x: wg.distributed.nn.functional.all_reduce(x * x), x)
    True
    >>> wg.distributed.destroy_process_group()
    """
    tensors = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)

    def gradients(*values: Tensor) -> tuple[Tensor, ...]:
        chosen = [value for value in values if value.requires_grad]
        return tuple(gradients_of([weighted_sum(func(*values))], chosen, create_graph=True, materialize_grads=True))

    return gradcheck(gradients, tensors, **options)


def weighted_sum(outputs: Any) -> Tensor:
    """Return the sum of the elements of outputs, each with a weight of its own, so that none cancel."""
    several = (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)
    terms = [(output * weights_like(output)).sum() for output in several if output.is_floating_point()]
    total: Tensor = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def weights_like(output: Tensor) -> Tensor:
    """Return fixed numbers between 0.5 and 1.5."""
    places = wc.arange(prod(output.shape), dtype=output.dtype, device=output.device)
    return ((places * 0.61803398875 + 0.3) % 1.0 + 0.5).reshape(output.shape)


def leaf_copy(value: Tensor) -> Tensor:
    """Return a contiguous copy without history that requires grad where the tensor does."""
    return value.detach().clone(memory_format=wc.contiguous_format).requires_grad_(value.requires_grad)


def compare(mode: str, slopes: Sequence[Tensor], expected: Sequence[Tensor], atol: float, rtol: float) -> list[str]:
    """Return a line for each input whose derivatives are wrong on this rank."""
    return [
        f"{mode}, input {place}: got {slope.tolist()}, finite differences {right.tolist()}"
        for place, (slope, right) in enumerate(zip(slopes, expected, strict=True))
        if not wc.allclose(slope, right, rtol=rtol, atol=atol)
    ]


class Check:
    """A function with collectives, its inputs on this rank, and the three ways to its derivatives.

    Each of these returns a flat tensor for every input of this rank that requires grad, all of which are computed by
    all ranks together.
    """

    def __init__(self, func: Function, inputs: tuple[Any, ...], group: Any) -> None:
        self.func, self.group = func, group
        self.inputs = tuple(leaf_copy(value) if isinstance(value, Tensor) else value for value in inputs)
        self.checked = [value for value in self.inputs if isinstance(value, Tensor) and value.requires_grad]
        sizes: list[Any] = [None] * group.size()
        dist.all_gather_object(sizes, [value.numel() for value in self.checked], group)
        self.sizes = sizes

    def elements(self) -> Iterator[tuple[bool, int, int]]:
        """Yield the elements of all ranks' inputs: (whether it is this rank's, number of the input, place)."""
        for rank, sizes in enumerate(self.sizes):
            for number, size in enumerate(sizes):
                for place in range(size):
                    yield rank == self.group.rank(), number, place

    def total(self, value: Tensor) -> float:
        """Return the sum of a number over all ranks."""
        number = value.detach().to(wc.float64)
        dist.all_reduce(number, dist.ReduceOp.SUM, self.group)
        return float(number)

    def by_reverse(self) -> list[Tensor]:
        """Return the gradients of this rank's inputs."""
        total = weighted_sum(self.func(*self.inputs))
        return [grad.reshape(-1) for grad in gradients_of([total], self.checked, materialize_grads=True)]

    def by_differences(self, eps: float) -> list[Tensor]:
        """Return the central differences for this rank's inputs."""

        def difference(own: bool, number: int, place: int) -> float:
            value = self.checked[number].detach().view(-1)[place] if own else wc.zeros(())
            before = value.clone()
            sums = []
            for change in (eps, -eps):
                value.copy_(before + change)
                sums.append(self.total(weighted_sum(self.func(*self.inputs))))
            value.copy_(before)
            return (sums[0] - sums[1]) / (2 * eps)

        return self.each(difference)

    def by_forward(self) -> list[Tensor]:
        """Return the derivatives by forward mode: one element of one rank has the tangent 1, all others 0."""

        def tangent(own: bool, number: int, place: int) -> float:
            tangents = {id(value): wc.zeros_like(value) for value in self.checked}
            if own:
                tangents[id(self.checked[number])].view(-1)[place] = 1.0
            duals = [
                forward_ad.make_dual(leaf_copy(value), tangents[id(value)]) if id(value) in tangents else value
                for value in self.inputs
            ]
            value, found = forward_ad.unpack_dual(weighted_sum(self.func(*duals)))
            return self.total(wc.zeros_like(value) if found is None else found)

        with nullcontext() if is_dual_level_open() else forward_ad.dual_level():
            return self.each(tangent)

    def each(self, derivative: Callable[[bool, int, int], float]) -> list[Tensor]:
        """Return a derivative for each element of this rank's inputs, computed by all ranks for each element of all."""
        slopes = [wc.zeros_like(value.detach()).reshape(-1) for value in self.checked]
        for own, number, place in self.elements():
            slope = derivative(own, number, place)
            if own:
                slopes[number][place] = slope
        return slopes
