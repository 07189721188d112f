"""Errors of tensors that do not fit each other: torch's sentence, the facts, and the page that explains it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

SHAPES = "(see docs/errors/shape-mismatch)"
DEVICES = "(see docs/errors/device-mismatch)"


def broadcast_error(name: str, a: int, b: int, dim: int, shapes: tuple[Sequence[int], Sequence[int]]) -> RuntimeError:
    """Return the error of an op for two shapes that do not broadcast: their sizes at a dim are a and b.

    >>> print(broadcast_error("add", 3, 2, 1, ((2, 3), (2,))))
    The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1: add got shapes that do not broadcast, [2, 3] and [2] (see docs/errors/shape-mismatch)
    """  # noqa: E501 - a message is one line
    first, second = map(list, shapes)
    return RuntimeError(
        f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension {dim}: {name} "
        f"got shapes that do not broadcast, {first} and {second} {SHAPES}"
    )


def device_error(name: str, first: tuple[Sequence[int], Any], second: tuple[Sequence[int], Any]) -> RuntimeError:
    """Return the error of an op for tensors on two devices. first, second: the shape and the device of each.

    >>> print(device_error("add", ((2, 3), "cuda:0"), ((3,), "cpu")))
    Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu! add got tensors of shape [2, 3] on cuda:0 and [3] on cpu; move one with .to() (see docs/errors/device-mismatch)
    """  # noqa: E501 - a message is one line
    (shape, device), (other_shape, other_device) = first, second
    return RuntimeError(
        f"Expected all tensors to be on the same device, but found at least two devices, {device} and {other_device}! "
        f"{name} got tensors of shape {list(shape)} on {device} and {list(other_shape)} on {other_device}; move one "
        f"with .to() {DEVICES}"
    )
