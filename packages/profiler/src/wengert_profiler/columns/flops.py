"""Floating point operations of an event, from the shapes of its arguments and its result."""

from __future__ import annotations

from math import prod
from typing import Any

Shape = list[int]
Shapes = list[list[int]]


def product(shapes: list[Any], result: Shape) -> int:
    """A matrix product: each element of the result takes as many multiplications and additions as the last dim of the
    first argument has elements.
    """
    return 2 * prod(result) * shapes[0][-1] if shapes[0] else 0


def sum_and_product(shapes: list[Any], result: Shape) -> int:
    """addmm, baddbmm, addmv: the second argument is the product's first."""
    return product(shapes[1:], result)


def sum_of_products(shapes: list[Any], result: Shape) -> int:
    """addbmm: as many products as the batch has."""
    n_products: int = shapes[1][0]
    return sum_and_product(shapes, result) * n_products


def convolution(shapes: Shapes, result: Shape) -> int:
    """Each element of the result takes as many as a filter has; a transposed one has not a channel for each filter."""
    if result[1] != shapes[1][0]:
        return transposed_convolution(shapes, result)
    return 2 * prod(result) * prod(shapes[1][1:])


def transposed_convolution(shapes: Shapes, result: Shape) -> int:
    """Each element of the input goes through a whole filter."""
    return 2 * prod(shapes[0]) * prod(shapes[1][1:])


def pointwise(shapes: list[Any], result: Shape) -> int:
    """One for each element of the first tensor, as torch counts: what it is broadcast to does not count."""
    return prod(next(shape for shape in shapes if shape is not None))


RULES: dict[str, Any] = dict.fromkeys(("mm", "bmm", "mv", "dot", "vdot"), product)
RULES |= dict.fromkeys(("addmm", "addmm_", "addmv", "addmv_", "baddbmm", "baddbmm_"), sum_and_product)
RULES |= dict.fromkeys(("addbmm", "addbmm_"), sum_of_products)
RULES |= {"convolution": convolution, "mul": pointwise, "add": pointwise}
"""What is counted: mm, addmm, bmm, baddbmm, conv2d, mul and add as in torch; beyond it products of vectors and in
place, convolutions of other dimensions, and transposed ones."""
HOLDERS = {"convolution": "conv"}
"""What is counted for the function it runs in, where that has such a name; nothing else in there is."""


def counts_for_function(name: str, outer: str) -> bool:
    """Whether what an operator counts is its function's."""
    start = HOLDERS.get(name.removeprefix("aten::"))
    return start is not None and outer.removeprefix("aten::").startswith(start)



def flops_of(name: str, shapes: list[Any], result: Any) -> int:
    """The floating point operations of an operator; 0 where they are not counted.

    >>> flops_of("aten::mm", [[2, 3], [3, 4]], [2, 4])
    48
    """
    rule = RULES.get(name.removeprefix("aten::"))
    if rule is None or result is None:
        return 0
    try:
        return int(rule(shapes, result))
    except (IndexError, TypeError):  # another form of the operator
        return 0
