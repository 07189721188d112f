"""Clipping of gradients, by their norm or by value."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from types import GeneratorType
from typing import Any

import wengert
from wengert import Tensor
from wengert.linalg import vector_norm

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]

SMALL = 4096
"""Tensors with at most so many elements are joined for one norm: the copy costs less than a call for each."""


def list_tensors(tensors: Tensor | Iterable[Tensor]) -> list[Any]:
    """Return a tensor or an iterable of tensors as a list."""
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def grads_of(parameters: list[Any]) -> list[Any]:
    """Return the gradients of the parameters that have one."""
    return [grad for grad in [parameter.grad for parameter in parameters] if grad is not None]


def join(tensors: list[Any]) -> list[Any]:
    """Return tensors of the same elements, where small ones of a dtype and device are one vector."""
    large = []
    small: dict[Any, list[Any]] = {}
    for tensor in tensors:
        if tensor.numel() > SMALL:
            large.append(tensor)
        else:
            small.setdefault((tensor.dtype, tensor.device), []).append(tensor)
    for group in small.values():
        large.append(wengert.cat([tensor.flatten() for tensor in group]) if len(group) > 1 else group[0])
    return large


def norm_of_norms(tensors: list[Any], norm_type: float) -> Any:
    """Return the norm of the norms of tensors, on the device of the first."""
    if not tensors:
        return wengert.tensor(0.0)
    device = tensors[0].device
    if norm_type != 0:  # for order 0 the norm of norms counts tensors, not elements
        tensors = join(tensors)
    norms = [vector_norm(tensor, norm_type) for tensor in tensors]
    if len(norms) == 1 and norms[0].device == device:
        return norms[0] if norm_type != 0 else vector_norm(norms[0], norm_type)
    return vector_norm(wengert.stack([norm.to(device) for norm in norms]), norm_type)


def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Any:
    """Return the norm of the norms of tensors: that of the vector of all their elements.

    norm_type: the order of the norm, or ``"inf"``. error_if_nonfinite: raise RuntimeError where it is not finite.
    foreach: accepted and not needed.

    >>> import wengert as wg
    >>> wg.nn.utils.get_total_norm([wg.tensor([3.0]), wg.tensor([[4.0]])])
    tensor(5.)
    """
    norm_type = float(norm_type)
    with wengert.no_grad():
        total = norm_of_norms(list_tensors(tensors), norm_type)
    if error_if_nonfinite and not wengert.isfinite(total):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total


def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Any, foreach: bool | None = None
) -> None:
    """Scale the gradients of parameters in place by ``max_norm / (total_norm + 1e-6)``, where that is less than 1.

    total_norm: the norm of the gradients, from `get_total_norm`. foreach: accepted and not needed.
    """
    scale(grads_of(list_tensors(parameters)), float(max_norm), total_norm)


def scale(grads: list[Any], max_norm: float, total_norm: Any) -> None:
    """Scale gradients to a norm, where theirs is greater."""
    if not grads:
        return
    with wengert.no_grad():
        coefficient = wengert.clamp(max_norm / (total_norm + 1e-6), max=1.0)
        device = coefficient.device
        if device.type == "cpu" and coefficient == 1.0:
            return
        for grad in grads:
            grad.mul_(coefficient if grad.device == device else coefficient.to(grad.device))


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Any:
    """Scale the gradients of parameters in place so that their total norm is at most `max_norm`; return that norm.

    norm_type: the order of the norm, or ``"inf"``. error_if_nonfinite: raise RuntimeError where the norm is not finite.
    foreach: accepted and not needed.

    >>> import wengert as wg
    >>> weight = wg.nn.Parameter(wg.zeros(2))
    >>> weight.grad = wg.tensor([3.0, 4.0])
    >>> wg.nn.utils.clip_grad_norm_([weight], max_norm=1.0)
    tensor(5.)
    >>> weight.grad
    tensor([0.6000, 0.8000])
    """
    parameter_list = list_tensors(parameters)
    if not parameter_list and isinstance(parameters, GeneratorType):
        warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=2)
    grads = grads_of(parameter_list)
    total = get_total_norm(grads, norm_type, error_if_nonfinite)
    scale(grads, float(max_norm), total)
    return total


def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Any:
    """Call `clip_grad_norm_`, which takes the place of this deprecated name."""
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(
    parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None
) -> None:
    """Clamp the gradients of parameters in place to the interval from ``-clip_value`` to ``clip_value``.

    foreach: accepted and not needed.

    >>> import wengert as wg
    >>> weight = wg.nn.Parameter(wg.zeros(3))
    >>> weight.grad = wg.tensor([-3.0, 0.5, 3.0])
    >>> wg.nn.utils.clip_grad_value_([weight], 1.0)
    >>> weight.grad
    tensor([-1.0000,  0.5000,  1.0000])
    """
    clip_value = float(clip_value)
    with wengert.no_grad():
        for grad in grads_of(list_tensors(parameters)):
            grad.clamp_(min=-clip_value, max=clip_value)
