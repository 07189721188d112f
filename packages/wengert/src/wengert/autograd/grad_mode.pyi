from wengert_engine.modes.grad_mode import _force_original_view_tracking as _force_original_view_tracking
from wengert_engine.modes.grad_mode import enable_grad as enable_grad
from wengert_engine.modes.grad_mode import enforce_grad_layout_policy as enforce_grad_layout_policy
from wengert_engine.modes.grad_mode import inference_mode as inference_mode
from wengert_engine.modes.grad_mode import no_grad as no_grad
from wengert_engine.modes.grad_mode import set_grad_enabled as set_grad_enabled
from wengert_engine.modes.grad_mode import set_multithreading_enabled as set_multithreading_enabled

__all__ = [
    "_force_original_view_tracking", "enable_grad", "enforce_grad_layout_policy", "inference_mode", "no_grad",
    "set_grad_enabled", "set_multithreading_enabled",
]
