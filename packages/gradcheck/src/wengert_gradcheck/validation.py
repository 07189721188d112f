"""What is looked at before a check begins: requires_grad, dtypes, memory that overlaps."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_gradcheck.subject import Subject


def check_inputs(subject: Subject, stacklevel: int) -> None:
    """ValueError without an input to check, RuntimeError for overlapping memory; a warning for few digits."""
    if not subject.inputs:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )
    for position, x in zip(subject.positions, subject.inputs, strict=True):
        if x.dtype not in (wc.float64, wc.complex128):
            warnings.warn(
                f"Input #{position} requires gradient and is not a double precision floating point or complex. "
                "This check will likely fail if all the inputs are not of double precision floating point or complex. ",
                UserWarning, stacklevel=stacklevel)
        check_overlap(position, x)


def check_overlap(position: int, x: Tensor) -> None:
    """RuntimeError when two elements are at the same place in memory."""
    strides = [s for n, s in zip(x.shape, x.stride(), strict=True) if n > 1]
    if x.numel() == 0 or is_apart(x):
        return
    facts = f"gradcheck input {position}: shape {list(x.shape)}, strides {list(x.stride())}"
    if 0 in strides:
        raise RuntimeError(
            f"The {position}th input has a dimension with stride 0. gradcheck only supports inputs that are "
            "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous on "
            f"the input before passing it to gradcheck. ({facts}, as expand() makes)"
        )
    first, second = same_address(x)
    raise RuntimeError(
        f"The {position}th input has overlapping memory: its elements {first} and {second} share their memory. "
        "gradcheck only supports inputs that are non-overlapping, for a step by one element moves the other. "
        f"You should call .clone() on the input before passing it to gradcheck. ({facts})"
    )


def is_apart(x: Tensor) -> bool:
    """Whether all elements have places of their own."""
    dims = sorted((s, n) for n, s in zip(x.shape, x.stride(), strict=True) if n > 1)
    reach = 0
    for stride, length in dims:
        if stride <= reach:  # steps of this dim may land among what the smaller ones reach: compare all places
            return int(np.unique(offsets(x)).size) == x.numel()
        reach += stride * (length - 1)
    return True


def offsets(x: Tensor) -> Any:
    """Where each element is in memory."""
    found = np.zeros(tuple(x.shape), np.int64)
    for dim, (n, stride) in enumerate(zip(x.shape, x.stride(), strict=True)):
        found += (np.arange(n) * stride).reshape([-1 if d == dim else 1 for d in range(x.dim())])
    return found


def same_address(x: Tensor) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two elements that share their memory."""
    flat = offsets(x).ravel()
    order = np.argsort(flat, kind="stable")
    k = int(np.flatnonzero(np.diff(flat[order]) == 0)[0])
    one, two = (tuple(map(int, np.unravel_index(order[k + i], tuple(x.shape)))) for i in (0, 1))
    return one, two
