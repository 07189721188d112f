"""Parameters as one vector."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import wengert
from wengert import Tensor, typename

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def on_one_device(parameters: Iterable[Tensor]) -> Iterator[Any]:
    """Yield parameters. TypeError where they are on different devices."""
    device = None
    for parameter in parameters:
        if device is None:
            device = parameter.device
        elif parameter.device != device:
            raise TypeError(
                "Found two parameters on different devices, this is currently not supported: "
                f"{device} and {parameter.device}"
            )
        yield parameter


def parameters_to_vector(parameters: Iterable[Tensor]) -> Any:
    """Return the elements of parameters as one vector, through which gradients flow.

    >>> import wengert as wg
    >>> layer = wg.nn.ParameterList([wg.ones(2, 1), wg.zeros(1)])
    >>> wg.nn.utils.parameters_to_vector(layer.parameters())
    tensor([1., 1., 0.], grad_fn=<CatBackward0>)
    """
    return wengert.cat([parameter.view(-1) for parameter in on_one_device(parameters)])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Let parameters have consecutive parts of a vector as their data, whose memory they share.

    >>> import wengert as wg
    >>> weights = wg.nn.ParameterList([wg.ones(2, 1), wg.zeros(1)])
    >>> wg.nn.utils.vector_to_parameters(wg.arange(3.0), weights.parameters())
    >>> weights[0]
    Parameter containing:
    tensor([[0.],
            [1.]], requires_grad=True)
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    start = 0
    for parameter in on_one_device(parameters):
        end = start + parameter.numel()
        parameter.data = vec[start:end].view_as(parameter).data
        start = end
