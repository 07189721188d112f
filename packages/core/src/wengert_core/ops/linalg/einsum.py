"""einsum: sums of products, as views and batches of matrix products."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from wengert_core.binding.sequences import list_items
from wengert_core.ops.linalg.einsum_equation import Labels, fail, from_sublists, parse_equation
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

# ---- operands


def without_repeats(x: Tensor, labels: Labels, which: int) -> tuple[Tensor, Labels]:
    """Diagonals instead of repeated subscripts."""
    kept: Labels = []
    for label in labels:
        if label not in kept:
            kept.append(label)
            continue
        first, second = kept.index(label), len(kept)
        if x.size(first) != x.size(second):
            raise fail(
                f"subscript {label} is repeated for operand {which} but the sizes don't match, {x.size(second)} != "
                f"{x.size(first)}"
            )
        x = x.diagonal(0, first, second).movedim(-1, first)
    return x, kept


def check_sizes(operands: list[tuple[Tensor, Labels]]) -> None:
    """Dims of one label are equal, or 1."""
    seen: dict[Any, int] = {}
    for which, (x, labels) in enumerate(operands):
        for label, size in zip(labels, x.shape, strict=True):
            before = seen.setdefault(label, size)
            if size == before or size == 1:
                continue
            if before != 1 and isinstance(label, int):
                dim = [other for other in labels if isinstance(other, int)].index(label)
                raise fail(
                    f"dimension {dim} covered by ellipsis in operand {which}has size {size} which does not broadcast "
                    "with "
                    f"previously seen ellipsis with size {before} for the respective dimension"
                )
            if before != 1:
                raise fail(
                    f"subscript {label} has size {size} for operand {which} which does not broadcast with previously "
                    "seen size "
                    f"{before}"
                )
            seen[label] = size


def sum_out(x: Any, labels: Labels, keep: Any) -> tuple[Any, Labels]:
    """x summed over the labels that are not kept."""
    dims = tuple(i for i, label in enumerate(labels) if label not in keep)
    return (x.sum(dims), [label for label in labels if label in keep]) if dims else (x, labels)


def without_ones(x: Any, labels: Labels, other: Any, other_labels: Labels) -> tuple[Any, Labels]:
    """x without the dims of size 1 that broadcast against the other operand's."""
    dims = [
        i
        for i, label in enumerate(labels)
        if x.size(i) == 1 and label in other_labels and other.size(other_labels.index(label)) != 1
    ]
    for i in reversed(dims):
        x = x.squeeze(i)
    return x, [label for i, label in enumerate(labels) if i not in dims]


def permute_to(x: Any, labels: Labels, order: Labels) -> Any:
    """x with its dims in that order."""
    places = [labels.index(label) for label in order]
    return x if places == list(range(len(places))) else x.permute(places)


# ---- products


def pair(a: Any, la: Labels, b: Any, lb: Labels, keep: Labels) -> tuple[Any, Labels]:
    """The sum of products of two operands over the labels that are not kept; ``keep`` is in the order wanted best."""
    a, la = without_ones(a, la, b, lb)
    b, lb = without_ones(b, lb, a, la)
    a, la = sum_out(a, la, [*lb, *keep])
    b, lb = sum_out(b, lb, [*la, *keep])
    summed = [label for label in la if label in lb and label not in keep]
    if not summed:
        return elementwise_product(a, la, b, lb)
    own = [[label for label in keep if label in one and label not in other] for one, other in ((la, lb), (lb, la))]
    if own[0] and own[1] and keep.index(own[0][0]) > keep.index(own[1][0]):
        a, la, b, lb, own = b, lb, a, la, own[::-1]
    batch = [label for label in keep if label in la and label in lb]
    size = dict(zip([*la, *lb], [*a.shape, *b.shape], strict=True))
    n = [math.prod(size[label] for label in group) for group in (batch, own[0], summed, own[1])]
    left = permute_to(a, la, [*batch, *own[0], *summed]).reshape(n[0], n[1], n[2])
    right = permute_to(b, lb, [*batch, *summed, *own[1]]).reshape(n[0], n[2], n[3])
    labels = [*batch, *own[0], *own[1]]
    return TABLE.ops["bmm"](left, right).view([size[label] for label in labels]), labels


def elementwise_product(a: Any, la: Labels, b: Any, lb: Labels) -> tuple[Any, Labels]:
    """The product of two operands without a sum: elementwise, over all their labels."""
    labels = [*la, *(label for label in lb if label not in la)]
    b = permute_to(b, lb, [label for label in labels if label in lb])
    sizes = dict(zip([label for label in labels if label in lb], b.shape, strict=True))
    return a.reshape([*a.shape, *(1 for _ in labels[len(la) :])]) * b.reshape(
        [sizes.get(label, 1) for label in labels]
    ), labels


def contract(operands: list[tuple[Any, Labels]], output: Labels) -> Any:
    """All operands, from left to right; each label is summed as soon as no later operand needs it."""
    result, labels = operands[0]
    for i, (x, own) in enumerate(operands[1:], 1):
        later = [label for _, one in operands[i + 1 :] for label in one]
        wanted = [label for label in output if label in labels or label in own]
        keep = [*wanted, *dict.fromkeys(label for label in [*labels, *own] if label in later and label not in output)]
        result, labels = pair(result, labels, x, own, keep)
    is_made = len(operands) > 1 or len(labels) > len(output)
    result, labels = sum_out(result, labels, output)
    order = [labels.index(label) for label in output]
    return result if is_made and order == list(range(len(order))) else result.permute(order)


# ---- two operands whose dims fit as they are: planned once


@lru_cache(maxsize=1024)
def plan(equation: str, first: tuple[int, ...], second: tuple[int, ...]) -> Any:
    """What ``matrix_product`` needs for operands of these shapes; None where there is more to do than one product."""
    (la, lb), output = parse_equation(equation, (len(first), len(second)))
    size: dict[Any, int] = {}
    plain = len(set(la)) == len(la) and len(set(lb)) == len(lb)
    for label, extent in zip([*la, *lb], [*first, *second], strict=True):
        plain = plain and size.setdefault(label, extent) == extent
    summed = [label for label in la if label in lb and label not in output]
    if not plain or not summed or {*la, *lb} != {*output, *summed}:
        return None
    own = [[label for label in output if label in one and label not in other] for one, other in ((la, lb), (lb, la))]
    swapped = bool(own[0] and own[1] and output.index(own[0][0]) > output.index(own[1][0]))
    if swapped:
        la, lb, own = lb, la, own[::-1]
    batch = [label for label in output if label in la and label in lb]
    n = [math.prod(size[label] for label in group) for group in (batch, own[0], summed, own[1])]
    orders = []
    for labels, wanted in ((la, [*batch, *own[0], *summed]), (lb, [*batch, *summed, *own[1]])):
        places = [labels.index(label) for label in wanted]
        orders.append(None if places == list(range(len(places))) else places)
    labels = [*batch, *own[0], *own[1]]
    shapes = (n[0], n[1], n[2]), (n[0], n[2], n[3]), [size[label] for label in labels]
    return swapped, orders, shapes, None if labels == output else [labels.index(label) for label in output]


def matrix_product(a: Any, b: Any, swapped: bool, orders: Any, shapes: Any, order: list[int] | None) -> Any:
    """One product of matrices, as ``pair`` would do it."""
    left, right = (b, a) if swapped else (a, b)
    left = (left if orders[0] is None else left.permute(orders[0])).reshape(shapes[0])
    right = (right if orders[1] is None else right.permute(orders[1])).reshape(shapes[1])
    result = TABLE.ops["bmm"](left, right).view(shapes[2])
    return result if order is None else result.permute(order)


@TABLE.composite
def einsum(*args: Any) -> Any:
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    equation, *operands = args
    if isinstance(equation, Tensor):
        equation, operands = from_sublists(args)
    elif not isinstance(equation, str):
        raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {type(equation).__name__}")
    elif len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = list_items(operands[0])
    for i, x in enumerate(operands):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 1, but got {type(x).__name__}")
    if len(operands) == 2:
        way = plan(equation, tuple(operands[0].shape), tuple(operands[1].shape))
        if way is not None:
            return matrix_product(*operands, *way)
    labeled, output = parse_equation(equation, tuple(x.dim() for x in operands))
    parts = [without_repeats(x, labels, i) for i, (x, labels) in enumerate(zip(operands, labeled, strict=True))]
    check_sizes(parts)
    return contract(parts, output)
