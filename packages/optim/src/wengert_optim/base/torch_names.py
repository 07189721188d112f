"""Names of PyTorch's ``torch.optim.optimizer`` that optimizers written for it import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import wengert
from wengert import Tensor

from wengert_optim.base.hyperparameters import (
    CAPTURABLE_DEVICES,
    check_fused_parameter,
    scalar_dtype,
    scalar_of,
)
from wengert_optim.base.step_hooks import use_grad_for_differentiable

__all__ = [
    "_capturable_doc",
    "_default_to_fused_or_foreach",
    "_device_dtype_check_for_fused",
    "_differentiable_doc",
    "_disable_dynamo_if_unsupported",
    "_foreach_doc",
    "_fused_doc",
    "_get_capturable_supported_devices",
    "_get_scalar_dtype",
    "_get_value",
    "_maximize_doc",
    "_params_doc",
    "_stack_if_compiling",
    "_to_scalar",
    "_use_grad_for_differentiable",
    "_view_as_real",
]

_params_doc = "params (iterable): parameters, pairs of a name and a parameter, or dicts that define groups of them"
_foreach_doc = "foreach (bool, optional): accepted; small parameters are updated together in any case (default: None)"
_fused_doc = "fused (bool, optional): accepted; a gradient scaler leaves unscaling to a fused step (default: None)"
_capturable_doc = "capturable (bool, optional): keep the number of steps on the parameter's device (default: False)"
_differentiable_doc = "differentiable (bool, optional): record the graph of the step (default: False)"
_maximize_doc = "maximize (bool, optional): maximize the objective instead of minimizing it (default: False)"

_use_grad_for_differentiable = use_grad_for_differentiable
_to_scalar = scalar_of
_get_scalar_dtype = scalar_dtype


def _get_value(x: Any) -> Any:
    """Return the number that a tensor holds; a number is returned as it is."""
    return x.item() if isinstance(x, Tensor) else x


def _stack_if_compiling(x: Any) -> Any:
    """Return the argument: nothing is compiled here."""
    return x


def _disable_dynamo_if_unsupported(single_tensor_fn: Any = None) -> Callable[[Any], Any]:
    """Return a decorator that returns its function: nothing is compiled here."""
    return lambda function: function


def _default_to_fused_or_foreach(params: Any, differentiable: bool, use_fused: bool = False) -> tuple[bool, bool]:
    """Return whether an update is fused and whether it is for lists, where the user said neither."""
    params = [param for param in params if param is not None]
    fused = use_fused and not differentiable and all(param.is_floating_point() for param in params)
    foreach = not (fused or differentiable) and all(param.device.type == "cuda" for param in params)
    return fused, foreach


def _device_dtype_check_for_fused(p: Tensor, cuda_unsupported: bool = False) -> None:
    """Raise RuntimeError where ``fused`` cannot update the parameter."""
    check_fused_parameter(p)


def _get_capturable_supported_devices(supports_xla: bool = True) -> list[str]:
    """Return the types of devices that graphs of kernels are captured on."""
    return [device for device in CAPTURABLE_DEVICES if supports_xla or device != "xla"]


def _view_as_real(params: list[Tensor], *state_and_grads: list[Tensor]) -> None:
    """Replace complex parameters in a list, and what belongs to them in other lists, by real views."""
    for index, param in enumerate(params):
        if wengert.is_complex(param):
            for tensors in (params, *state_and_grads):
                tensors[index] = wengert.view_as_real(tensors[index])
