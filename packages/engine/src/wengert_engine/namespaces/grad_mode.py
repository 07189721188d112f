"""wengert.autograd.grad_mode: whether operations are recorded."""

from wengert_engine.modes.grad_mode import (
    _force_original_view_tracking,
    enable_grad,
    enforce_grad_layout_policy,
    inference_mode,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)

__all__ = ["_force_original_view_tracking", "enable_grad", "enforce_grad_layout_policy", "inference_mode",
           "no_grad", "set_grad_enabled", "set_multithreading_enabled"]
