"""Hyperparameters of optimizers: their checks, and the numbers and tensors that they are."""

from __future__ import annotations

from typing import Any

import wengert
from wengert import Tensor, plugins

__all__ = [
    "CAPTURABLE_DEVICES",
    "FUSED_DEVICES",
    "check_adam_options",
    "check_betas",
    "check_capturable",
    "check_fused_parameter",
    "check_fused_switch",
    "check_lr",
    "check_steps",
    "require",
    "scalar_dtype",
    "scalar_of",
    "step_tensor",
    "value_of",
]

CAPTURABLE_DEVICES = ["cuda", "xpu", "hpu", "privateuseone", "xla"]
FUSED_DEVICES = ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]
"""Devices whose names stand in messages, as PyTorch lists them."""


def require(condition: Any, message: str) -> None:
    """Raise ValueError with the message unless the condition holds."""
    if not condition:
        raise ValueError(message)


def check_lr(lr: Any) -> None:
    """Raise ValueError unless the learning rate is a number, or a tensor of one element, that is not negative."""
    require(not isinstance(lr, Tensor) or lr.numel() == 1, "Tensor lr must be 1-element")
    require(lr >= 0.0, f"Invalid learning rate: {lr}")


def check_betas(betas: Any) -> None:
    """Raise ValueError unless both decay rates of running averages are in [0, 1)."""
    for index in (0, 1):
        require(0.0 <= betas[index] < 1.0, f"Invalid beta parameter at index {index}: {betas[index]}")


def check_adam_options(lr: Any, betas: Any, eps: Any, weight_decay: Any) -> None:
    """Raise ValueError for an option that Adam and the optimizers derived from it do not accept."""
    check_lr(lr)
    require(eps >= 0.0, f"Invalid epsilon value: {eps}")
    check_betas(betas)
    require(weight_decay >= 0.0, f"Invalid weight_decay value: {weight_decay}")


def check_fused_switch(fused: Any, foreach: Any, differentiable: Any) -> None:
    """Raise RuntimeError where ``fused`` is asked for together with what it excludes."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def check_fused_parameter(param: Tensor) -> None:
    """Raise RuntimeError where ``fused`` cannot update the parameter: it is not of a floating point dtype."""
    if not param.is_floating_point():
        raise RuntimeError(
            "`fused=True` requires all the params to be floating point Tensors of "
            f"supported devices: {FUSED_DEVICES} but {param.dtype} and {param.device.type}"
        )


def check_capturable(param: Tensor, names: str, *scalars: Tensor) -> None:
    """Raise AssertionError unless a parameter and the named scalars of its state are on one accelerator."""
    kind = param.device.type
    is_supported = kind in CAPTURABLE_DEVICES or getattr(plugins.group("devices").find(kind), "can_capture", False)
    if not is_supported or any(scalar.device.type != kind for scalar in scalars):
        raise AssertionError(f"If capturable=True, {names} must be on supported devices: {CAPTURABLE_DEVICES}.")


def check_steps(steps: Any, name: str = "state_steps") -> None:
    """Raise RuntimeError unless the counts of steps that a functional form got are tensors."""
    if not all(isinstance(step, Tensor) for step in steps):
        raise RuntimeError(f"API has changed, `{name}` argument must contain a list of singleton tensors")


def scalar_of(value: Any) -> Any:
    """Return a hyperparameter with its tensor of one element, if it is one, as a tensor without dimensions."""
    return value.squeeze() if isinstance(value, Tensor) and value.dim() else value


def value_of(scalar: Any) -> Any:
    """Return the number that a tensor, or each element of a vector, holds; a number is returned as it is."""
    if not isinstance(scalar, Tensor):
        return scalar
    return scalar[0].item() if scalar.dim() else scalar.item()


def scalar_dtype(fused: Any = None) -> Any:
    """Return the dtype of counts of steps: float64 where that is the default dtype and ``fused`` is off."""
    default: Any = wengert.get_default_dtype()
    return wengert.float64 if default is wengert.float64 and not fused else wengert.float32


def step_tensor(group: dict[str, Any], param: Tensor, value: float = 0.0) -> Tensor:
    """Return the tensor that counts steps; it is on the parameter's device only where no host reads it."""
    fused = group.get("fused")
    device = param.device if fused or group.get("capturable") else "cpu"
    return wengert.tensor(float(value), dtype=scalar_dtype(fused), device=device)
