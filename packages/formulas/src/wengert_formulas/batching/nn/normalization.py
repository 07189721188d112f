"""Batching rules of normalizations, whose layout [outer, images, groups, channels, size] says what is summed over.

Statistics are one for each image and group, weights one for each group and channel, sums for a weight's gradient run
over outer, images and size: so batches without weights of their own become images (or outer, where statistics are
given), and those with weights, or with gradients of them, become groups.
"""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc

from wengert_formulas.batching.calls.call import Call, family, rule
from wengert_formulas.batching.calls.layout import op_errors, sample_shape

ops = wc.TABLE.ops

def move_batch(call: Call, x: Any, batch_dim: int) -> Any:
    """[B, ...] laid out with the batch before dim ``batch_dim`` of the layout."""
    return x.reshape(call.size, *call["layout"]).movedim(0, batch_dim)


def move_batch_back(call: Call, x: Any, batch_dim: int, shape: tuple[int, ...]) -> Any:
    """The opposite."""
    layout = list(call["layout"])
    return (
        x.reshape(*layout[:batch_dim], call.size, *layout[batch_dim:]).movedim(batch_dim, 0).reshape(call.size, *shape)
    )


def layout_with(call: Call, dim: int) -> tuple[int, ...]:
    """The layout with the batch in one of its dims."""
    layout = list(call["layout"])
    layout[dim] *= call.size
    return tuple(layout)


def check_layout(call: Call) -> None:
    """The op's own error where a sample does not fit the layout, as a batch might."""
    layout = call["layout"]
    counts = {"input": math.prod(layout), "grad_output": math.prod(layout), "weight": layout[2] * layout[3],
              "bias": layout[2] * layout[3], "mean": layout[1] * layout[2], "var": layout[1] * layout[2]}
    for name, count in counts.items():
        if call.values.get(name) is not None and math.prod(sample_shape(call, name)) != count:
            raise op_errors(call)


@family("normalization")
def batch_normalize(call: Call) -> Any:
    """Without weights of samples, which are then multiplied with the result."""
    check_layout(call)
    own = [name for name in ("weight", "bias") if call.batched[name]]
    result, mean, var = without_weights(call, {"weight": None, "bias": None} if own else {})
    return (apply_weight(call, result) if own else result), mean, var


def without_weights(call: Call, weights: dict[str, Any]) -> Any:
    """(result, mean, variance); weights: changes of the weight and the bias."""
    given = call["mean"] is not None
    is_rows = call["layout"][4] == 1 and call["layout"][3] > 1  # of layers: no layout has them and an outer dim
    own_statistics = given and (call.batched["mean"] or call.batched["var"] or is_rows)
    if not call.batched["input"] and not own_statistics:
        return tuple(call.expand(x) for x in call.run(**weights))
    x, shape = call.expanded("input"), sample_shape(call, "input")
    if given and not own_statistics:
        outer, *rest = call["layout"]
        x = x.reshape(call.size * outer, *rest)
        result, mean, var = call.run(input=x, layout=layout_with(call, 0), **weights)
        return result.reshape(call.size, *shape), call.expand(mean), call.expand(var)
    statistics = {name: call.expanded(name).reshape(-1) for name in ("mean", "var") if given}
    outer = call["layout"][0]
    batch_dim = 0 if outer == 1 else 1
    x = x.reshape(call.size, *call["layout"]) if outer == 1 else move_batch(call, x, 1)
    result, mean, var = call.run(input=x, layout=layout_with(call, 1), **statistics, **weights)
    counts = (call.size, call["layout"][1] * call["layout"][2])
    return move_batch_back(call, result, batch_dim, shape), mean.reshape(counts), var.reshape(counts)


def apply_weight(call: Call, result: Any) -> Any:
    """result * weight + bias, in the dtype of the result."""
    dtype, laid = result.dtype, result.reshape(call.size, *call["layout"])
    for name in ("weight", "bias"):
        if call[name] is not None:
            numbers = call[name].reshape(-1 if call.batched[name] else 1, 1, 1, *call["layout"][2:4], 1)
            laid = laid * numbers if name == "weight" else laid + numbers
    return laid.to(dtype).reshape(result.shape)


@rule("normalization_backward")
def normalization_backward(call: Call) -> Any:
    """The gradients of a weight are of each sample: samples are groups."""
    check_layout(call)
    _, images, groups, channels, size = call["layout"]
    if size == 1 and channels > 1:
        return backward_of_rows(call)
    shape = sample_shape(call, "input")
    tensors = {name: move_batch(call, call.expanded(name), 2) for name in ("grad_output", "input")}
    for name in ("mean", "var"):
        tensors[name] = call.expanded(name).reshape(call.size, images, groups).movedim(0, 1).reshape(-1)
    if call["weight"] is not None:
        tensors["weight"] = call.expanded("weight").reshape(-1)
    result, weight, bias = call.run(layout=layout_with(call, 2), **tensors)
    counts = (call.size, groups * channels)
    return move_batch_back(call, result, 2, shape), weight.reshape(counts), bias.reshape(counts)


def backward_of_rows(call: Call) -> Any:
    """Of rows of their own (layers), which no other layout has: the sums for the weight and the bias are made here."""
    _, rows, _, n, _ = call["layout"]
    grad, x = (call.expanded(name).reshape(call.size, rows, n) for name in ("grad_output", "input"))
    mean, var = (call.expanded(name).reshape(call.size * rows) for name in ("mean", "var"))
    layout = layout_with(call, 1)
    weight, scaled = call["weight"], grad
    if weight is not None:
        scaled = (grad * weight.reshape(-1 if call.batched["weight"] else 1, 1, n)).to(grad.dtype)
    result = call.run(grad_output=scaled, input=x, weight=None, mean=mean, var=var, layout=layout)[0]
    statistics = (mean.detach(), var.detach()) if call["given"] else (None, None)
    normal = ops["_layer_norm"](x, None, None, *statistics, layout, call["eps"])[0]
    dtype = x.dtype if weight is None else weight.dtype
    return (result.reshape(call.size, *sample_shape(call, "input")), (grad * normal).sum(1).to(dtype),
            grad.sum(1, dtype=mean.dtype).to(dtype))
