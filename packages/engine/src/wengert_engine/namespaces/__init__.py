"""What the engine mounts into ``wengert``: one module for each place."""

from typing import Any

from wengert_engine import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from wengert_engine.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled
from wengert_engine.attributes import detach, detach_
from wengert_engine.inspection import SavedTensor
from wengert_engine.mutation import _unsafe_preserve_version_counter


def top() -> dict[str, Any]:
    """The engine's names in ``wengert`` itself."""
    return {
        "detach": detach, "detach_": detach_, "enable_grad": enable_grad, "inference_mode": inference_mode,
        "is_anomaly_check_nan_enabled": is_anomaly_check_nan_enabled, "is_anomaly_enabled": is_anomaly_enabled,
        "is_grad_enabled": is_grad_enabled, "is_inference_mode_enabled": is_inference_mode_enabled, "no_grad": no_grad,
        "set_grad_enabled": set_grad_enabled, "autograd.SavedTensor": SavedTensor,
        "autograd._unsafe_preserve_version_counter": _unsafe_preserve_version_counter,
    }
