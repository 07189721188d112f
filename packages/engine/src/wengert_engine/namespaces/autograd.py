"""wengert.autograd: reverse-mode automatic differentiation."""

from wengert_engine import Function, backward, enable_grad, grad, inference_mode, no_grad, set_grad_enabled
from wengert_engine.anomaly.anomaly_mode import AnomalyError, detect_anomaly, set_detect_anomaly
from wengert_engine.function.nested import NestedIOFunction
from wengert_engine.modes.grad_mode import (
    _force_original_view_tracking,
    enforce_grad_layout_policy,
    is_multithreading_enabled,
    set_multithreading_enabled,
)
from wengert_engine.namespaces.variable import Variable

_is_multithreading_enabled = is_multithreading_enabled
"""The other name."""

__all__ = ["AnomalyError", "Function", "NestedIOFunction", "Variable", "_force_original_view_tracking",
           "_is_multithreading_enabled", "backward",
           "detect_anomaly", "enable_grad", "enforce_grad_layout_policy", "grad", "inference_mode",
           "is_multithreading_enabled", "no_grad", "set_detect_anomaly", "set_grad_enabled",
           "set_multithreading_enabled"]
