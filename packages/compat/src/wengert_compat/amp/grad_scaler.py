"""GradScaler: losses scaled up so that gradients of float16 do not vanish, and steps left out where they overflow.

Note [Stages of a step]
    Between two calls of ``update`` each optimizer goes from READY to UNSCALED to STEPPED. ``inf_checks`` holds for each
    device whose gradients were unscaled a float32 tensor that is 1 where one of them was infinite or nan. An optimizer
    is anything with ``param_groups``, a list of dicts with "params", and ``step``.
"""

from __future__ import annotations

import enum
import inspect
from collections.abc import Iterable
from typing import Any

import wengert_core
from wengert_core import float16
from wengert_core.extend import Tensor, warn_user

from wengert_compat.amp.settings import has_cuda

__all__ = ["GradScaler"]


class Stage(enum.Enum):
    """The stage of an optimizer. Note [Stages of a step]"""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


class OptimizerState:
    """The state of one optimizer since the last update."""

    def __init__(self) -> None:
        self.stage = Stage.READY
        self.inf_checks: dict[Any, Tensor] = {}


class GradScaler:
    """Scales losses, unscales gradients, leaves steps out whose gradients overflowed, and adapts the scale.

    device: the type of device.   init_scale: the first scale.
    growth_factor: what multiplies the scale after ``growth_interval`` updates in a row without an overflow; above 1.
    backoff_factor: what multiplies it after one with an overflow; below 1.
    enabled: False for a scaler that leaves everything as it is.

    >>> import wengert as wg
    >>> class SGD:
    ...     def __init__(self, params):
    ...         self.param_groups = [{"params": list(params)}]
    ...     def step(self):
    ...         with wg.no_grad():
    ...             for p in self.param_groups[0]["params"]:
    ...                 p -= 0.1 * p.grad
    >>> w = wg.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer, scaler = SGD([w]), wg.amp.GradScaler("cpu", init_scale=1024.0)
    >>> scaler.scale((w * w).sum()).backward()
    >>> w.grad
    tensor([2048., 4096.])
    >>> scaler.step(optimizer)
    >>> w
    tensor([0.8000, 1.6000], requires_grad=True)
    >>> scaler.update()
    >>> scaler.get_scale()
    1024.0
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device, self._enabled = device, enabled
        if enabled and device == "cuda" and not has_cuda():
            warn_user("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")
            self._enabled = False
        if not self._enabled:
            return
        if not growth_factor > 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if not backoff_factor < 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale, self._scale = init_scale, None
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval = growth_interval
        self._init_growth_tracker, self._growth_tracker = 0, None
        self._per_optimizer_states: dict[int, OptimizerState] = {}

    _scale: Tensor | None
    _growth_tracker: Tensor | None

    # ---- scaling
    def _made_scale(self, device: Any) -> Tensor:
        """Return the scale as a tensor; it and the count of updates are made where the first scaled tensor is."""
        if self._scale is None:
            self._scale = wengert_core.full((), float(self._init_scale), dtype=wengert_core.float32, device=device)
            self._growth_tracker = wengert_core.full(
                (), self._init_growth_tracker, dtype=wengert_core.int32, device=device
            )
        return self._scale

    def scale(self, outputs: Any) -> Any:
        """Return the outputs times the scale: a tensor, or the same for an iterable of them, as deep as it is nested.

        ValueError for what is neither.
        """
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            scale = self._made_scale(outputs.device)
            return outputs * (scale if scale.device == outputs.device else scale.to(outputs.device))
        if isinstance(outputs, list | tuple):
            return type(outputs)(map(self.scale, outputs))
        if isinstance(outputs, Iterable):
            return map(self.scale, outputs)
        raise ValueError(
            f"outputs must be a Tensor or an iterable of Tensors, got an object of type {type(outputs).__name__}"
        )

    def _checked_scale(self, caller: str) -> Tensor:
        """Return the scale. AssertionError where nothing was scaled."""
        if self._scale is None:
            raise AssertionError(
                f"Attempted {caller} but _scale is None.  This may indicate your script did not use "
                "scaler.scale(loss or outputs) earlier in the iteration."
            )
        return self._scale

    def _state_of(self, optimizer: Any) -> OptimizerState:
        return self._per_optimizer_states.setdefault(id(optimizer), OptimizerState())

    # ---- unscaling
    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of an optimizer's parameters by the scale, in place; else ``step`` does.

        RuntimeError where it was called since the last ``update``, or after ``step``; AssertionError before ``scale``;
        ValueError for gradients of float16, which parameters of float32 do not have.
        """
        if not self._enabled:
            return
        scale, state = self._checked_scale("unscale_"), self._state_of(optimizer)
        if state.stage is Stage.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state.stage is Stage.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        gradients = gradients_of(optimizer)
        if any(grad.dtype is float16 for grad in gradients):
            raise ValueError("Attempting to unscale FP16 gradients.")
        state.inf_checks = overflows(gradients)
        for grad in gradients:
            grad.mul_((1.0 / scale.double()).float().to(grad.device))
        state.stage = Stage.UNSCALED

    # ---- stepping
    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Return ``optimizer.step(*args, **kwargs)``; None, without a call, where a gradient is infinite or nan.

        An optimizer with ``_step_supports_amp_scaling`` is always called; it finds ``grad_scale`` and ``found_inf``,
        tensors, in attributes of those names.
        AssertionError before ``scale`` and where no parameter has a gradient; RuntimeError for a ``closure``, and
        where it was called since the last ``update``.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._checked_scale("step")
        state = self._state_of(optimizer)
        if state.stage is Stage.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            return self._step_with_scale(optimizer, state, args, kwargs)
        if state.stage is Stage.READY:
            self.unscale_(optimizer)
        if not state.inf_checks:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = None if any(map(bool, state.inf_checks.values())) else optimizer.step(*args, **kwargs)
        state.stage = Stage.STEPPED
        return result

    def _step_with_scale(self, optimizer: Any, state: OptimizerState, args: Any, kwargs: dict[str, Any]) -> Any:
        """Call the step of an optimizer that unscales gradients itself."""
        if "grad_scaler" in inspect.signature(optimizer.step).parameters:
            warn_user(
                "GradScaler is going to stop passing itself as a keyword argument to the passed optimizer. In the near "
                "future GradScaler registers `grad_scale: Tensor` and `found_inf: Tensor` to the passed optimizer and "
                "let the optimizer use them directly.", FutureWarning,
            )  # fmt: skip
            kwargs = kwargs | {"grad_scaler": self}
        scale = self._checked_scale("step")
        if state.stage is Stage.READY:
            state.inf_checks = overflows(gradients_of(optimizer))
        if not state.inf_checks:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        optimizer.grad_scale = None if state.stage is Stage.UNSCALED else scale
        optimizer.found_inf = join_checks(state.inf_checks, scale.device)
        try:
            result = optimizer.step(*args, **kwargs)
        finally:
            del optimizer.grad_scale, optimizer.found_inf
        state.stage = Stage.STEPPED
        return result

    # ---- the scale
    def update(self, new_scale: Any = None) -> None:
        """Adapt the scale to what the steps since the last update found, or set it to a number or a tensor.

        AssertionError before ``scale``, where nothing was unscaled, and for a tensor of several elements, of another
        type of device or one that requires grad; TypeError for what is neither.
        """
        if not self._enabled:
            return
        scale = self._checked_scale("update")
        if new_scale is not None:
            self._set_scale(scale, new_scale)
        else:
            checks = [check for state in self._per_optimizer_states.values() for check in state.inf_checks.values()]
            if not checks:
                raise AssertionError("No inf checks were recorded prior to update.")
            self._adapt(scale, overflowed=any(map(bool, checks)))
        self._per_optimizer_states.clear()

    def _set_scale(self, scale: Tensor, value: Any) -> None:
        if isinstance(value, int | float):
            scale.fill_(value)
            return
        if not isinstance(value, Tensor):
            raise TypeError(f"update(): argument 'new_scale' must be a float or a Tensor, not {type(value).__name__}")
        if value.device.type != self._device or value.numel() != 1 or value.requires_grad:
            raise AssertionError(
                "new_scale should be a float or a 1-element torch.cuda.FloatTensor or torch.FloatTensor with "
                "requires_grad=False."
            )
        scale.copy_(value.reshape(()))

    def _adapt(self, scale: Tensor, overflowed: bool) -> None:
        """Lower the scale after an overflow; raise it after ``growth_interval`` updates without, if it stays finite."""
        if overflowed:
            scale.mul_(self._backoff_factor)
        count = 0 if overflowed else self._get_growth_tracker() + 1
        if count == self._growth_interval and (scale * self._growth_factor).isfinite():
            scale.mul_(self._growth_factor)
        assert self._growth_tracker is not None  # made together with the scale
        self._growth_tracker.fill_(0 if count == self._growth_interval else count)

    def get_scale(self) -> float:
        """Return the scale as a number; 1.0 where the scaler is not enabled."""
        if not self._enabled:
            return 1.0
        return float(self._init_scale if self._scale is None else self._scale.item())

    def _get_growth_tracker(self) -> int:
        """Return how many updates in a row had no overflow."""
        if not self._enabled:
            return 0
        return int(self._init_growth_tracker if self._growth_tracker is None else self._growth_tracker.item())

    def get_growth_factor(self) -> float:
        """Return what multiplies the scale after ``growth_interval`` updates without an overflow."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Choose what multiplies the scale after ``growth_interval`` updates without an overflow."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """Return what multiplies the scale after an update with an overflow."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Choose what multiplies the scale after an update with an overflow."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """Return how many updates without an overflow let the scale grow."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Choose how many updates without an overflow let the scale grow."""
        self._growth_interval = new_interval

    def is_enabled(self) -> bool:
        """Return whether the scaler does anything."""
        return self._enabled

    # ---- keeping it
    def state_dict(self) -> dict[str, Any]:
        """Return the scale, the settings and the count of updates without an overflow; {} where it is not enabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(), "growth_factor": self._growth_factor, "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval, "_growth_tracker": self._get_growth_tracker(),
        }  # fmt: skip

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what ``state_dict`` gave; RuntimeError for {}."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale, self._init_growth_tracker = state_dict["scale"], state_dict["_growth_tracker"]
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        if self._scale is not None and self._growth_tracker is not None:
            self._scale.fill_(self._init_scale)
            self._growth_tracker.fill_(self._init_growth_tracker)

    def __getstate__(self) -> dict[str, Any]:
        state = vars(self).copy()
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError(
                    "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end after "
                    "scaler.update()."
                )
            state |= {"_init_scale": self.get_scale(), "_init_growth_tracker": self._get_growth_tracker()}
            state |= {"_scale": None, "_growth_tracker": None}
        return state


def gradients_of(optimizer: Any) -> list[Tensor]:
    """Return the gradients of an optimizer's parameters, without history."""
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    return [parameter.grad.detach() for parameter in parameters if parameter.grad is not None]


def overflows(gradients: Iterable[Tensor]) -> dict[Any, Tensor]:
    """Return for each device a float32 tensor: 1 where one of the gradients there is infinite or nan, else 0."""
    found: dict[Any, Tensor] = {}
    for grad in gradients:
        check = (~grad.isfinite()).any().float()
        found[grad.device] = check.maximum(found[grad.device]) if grad.device in found else check
    return found


def join_checks(checks: dict[Any, Tensor], device: Any) -> Tensor:
    """Return the checks of all devices in one tensor on one of them."""
    first, *others = (check.to(device) for check in checks.values())
    for other in others:
        first = first.maximum(other)
    return first
