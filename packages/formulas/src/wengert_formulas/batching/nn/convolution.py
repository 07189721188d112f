"""Batching rules of convolutions: a batch of inputs becomes images, a batch of kernels becomes channels or groups.

A group's output channels stand together, so a batch of kernels goes between the groups and their channels.
"""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import fold_batch, op_errors, unfold_batch


def as_channels(x: Any) -> Any:
    """[B, N, C, ...] as [N, B * C, ...]: each sample's channels are channels of one image."""
    x = x.movedim(0, 1)
    return x.reshape(x.shape[0], x.shape[1] * x.shape[2], *x.shape[3:])


def of_channels(x: Any, size: int) -> Any:
    """[N, B * C, ...] as [B, N, C, ...]."""
    return x.reshape(x.shape[0], size, x.shape[1] // size, *x.shape[2:]).movedim(1, 0)


def among_groups(x: Any, groups: int, dim: int) -> Any:
    """[B, ..., G * C, ...] with channels in ``dim`` as [..., G * B * C, ...]."""
    shape = x.shape[1:]
    own = shape[dim - 1] // groups
    x = x.reshape(x.shape[0], *shape[: dim - 1], groups, own, *shape[dim:]).movedim(0, dim)
    return x.reshape(*shape[: dim - 1], groups * x.shape[dim] * own, *shape[dim:])


def out_of_groups(x: Any, groups: int, size: int, dim: int) -> Any:
    """[..., G * B * C, ...] with channels in ``dim`` as [B, ..., G * C, ...]."""
    own = x.shape[dim] // (groups * size)
    front, back = x.shape[:dim], x.shape[dim + 1 :]
    x = x.reshape(*front, groups, size, own, *back).movedim(dim + 1, 0)
    return x.reshape(size, *front, groups * own, *back)


def of_nothing(call: Call, function: Any) -> Any:
    """The result for a batch of no samples: none of the samples of a batch of one."""
    values = {
        name: value.new_zeros((1, *value.shape[1:])) if call.batched.get(name) else value
        for name, value in call.values.items()
    }
    return function(Call(call.op, 1, values, call.batched)).narrow(0, 0, 0)


def channels_fit(call: Call, x: str, y: str, dim: int) -> bool:
    """Whether channels of two tensors' samples can be folded: of images, and shared out evenly to the groups."""
    rank = call.rank(x)
    return 2 < rank == call.rank(y) and call[y].shape[dim + call.batched[y]] % call["groups"] == 0


@rule("convolution")
def convolution(call: Call) -> Any:
    if call.size == 0:
        return of_nothing(call, convolution)
    bias = call["bias"]
    apart = bias is not None and (call.batched["bias"] or call.batched["weight"])
    if not channels_fit(call, "input", "weight", 0) or (apart and not bias_fits(call)):
        raise op_errors(call)
    result = batch_convolution(call, None if apart else bias)
    if not apart:
        return result
    channels = bias.shape[-1]
    return result + bias.reshape(-1, 1, channels, *[1] * (result.dim() - 3))


def bias_fits(call: Call) -> bool:
    """Whether there is one number for each output channel, in the input's dtype."""
    bias, weight = call["bias"], call["weight"]
    channels = weight.shape[call.batched["weight"] + call["transposed"]] * (call["groups"] if call["transposed"] else 1)
    return call.rank("bias") == 1 and bias.shape[-1] == channels and bias.dtype == call["input"].dtype


def batch_convolution(call: Call, bias: Any) -> Any:
    """The convolution, plus a bias where neither it nor the weight is batched."""
    x, weight, groups, size = call["input"], call["weight"], call["groups"], call.size
    if not call.batched["weight"]:
        if not call.batched["input"]:
            return call.expand(call.run(bias=bias))
        return unfold_batch(call.run(input=fold_batch(x), bias=bias), size, x.shape[1])
    if not call.batched["input"]:
        mixed = weight_as_channels(weight, call["transposed"], groups)
        return out_of_groups(call.run(weight=mixed, bias=None), groups, size, 1)
    return of_channels(call.run(input=as_channels(x), weight=fold_batch(weight), bias=None, groups=size * groups), size)


def weight_as_channels(weight: Any, transposed: bool, groups: int) -> Any:
    """Kernels for one input, of which each group of channels meets those of all samples."""
    return among_groups(weight, 1, 2) if transposed else among_groups(weight, groups, 1)


@rule("convolution_weight")
def convolution_weight(call: Call) -> Any:
    if call.size == 0:
        return of_nothing(call, convolution_weight)
    if not channels_fit(call, "input", "grad_output", 1):
        raise op_errors(call)
    x, grad, groups, size = call["input"], call["grad_output"], call["groups"], call.size
    if call.batched["input"] and call.batched["grad_output"]:
        result = call.run(input=as_channels(x), grad_output=as_channels(grad), groups=size * groups)
        return unfold_batch(result, size, result.shape[0] // size)
    if call.batched["input"]:
        result = call.run(input=among_groups(x, groups, 2))
        return out_of_groups(result, 1, size, 1)
    return out_of_groups(call.run(grad_output=among_groups(grad, groups, 2)), groups, size, 0)
