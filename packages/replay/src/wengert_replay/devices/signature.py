"""Signatures: what a program of a device depends on in its arguments, and what it can take."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from wengert_core.extend import Tensor, device_plugin
from wengert_engine import is_inference_mode_enabled

from wengert_replay.devices.ranges import range_of
from wengert_replay.inspection.signatures import words_of_tensor
from wengert_replay.refusal import SHARED_ARGUMENTS


def describe(tensor: Tensor) -> tuple[Any, ...]:
    """Return what a program depends on in an argument."""
    return type(tensor), tensor.device, tensor.dtype, tuple(tensor.shape), tensor.stride(), tensor.requires_grad


def describe_in_words(row: tuple[Any, ...]) -> str:
    """Return words for what ``describe`` gives."""
    _, where, dtype, shape, strides, requires_grad = row
    facts = [f"on {where}", *(["requires_grad"] if requires_grad else [])]
    return words_of_tensor(str(dtype).removeprefix("torch."), shape, strides, facts)


def is_capturing(tensor: Tensor) -> bool:
    """Return whether a tensor's device captures a graph already."""
    return bool(device_plugin(tensor.device.type).is_capturing(tensor.device.index))


def why_not(tensors: list[Tensor]) -> str:
    """Return why no program of a device can take arguments; "" where one can."""
    first = tensors[0].device
    plugin = None if first.type in ("cpu", "meta") else device_plugin(first.type)
    if plugin is None or not plugin.can_capture:
        return f"an argument is on {first}, which captures no graphs"
    for tensor in tensors:
        if tensor.device != first or str(tensor.layout) != "torch.strided":
            return f"arguments are on several devices or in other layouts: {first}, {tensor.device}"
        if tensor.is_inference() or is_inference_mode_enabled():
            return "on a device, tensors of inference mode have no versions to compare"
    ranges = sorted(range_of(one) for one in {id(one): one for one in tensors}.values() if one.numel())
    if any(low < end for (_, end), (low, _) in pairwise(ranges)):
        return SHARED_ARGUMENTS
    return ""
