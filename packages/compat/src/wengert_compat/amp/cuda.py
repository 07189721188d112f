"""wengert.cuda.amp: autocast, GradScaler and decorators for CUDA, by their older names, with a FutureWarning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core import float16

from wengert_compat.amp import autocast_mode
from wengert_compat.amp.deprecated import OlderGradScaler, warn

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


class autocast(autocast_mode.autocast):
    """``wengert.autocast("cuda", ...)``, with a FutureWarning."""

    def __init__(self, enabled: bool = True, dtype: Any = float16, cache_enabled: bool = True) -> None:
        warn("cuda.amp.autocast(args...)", "autocast('cuda', args...)")
        super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(OlderGradScaler):
    """``wengert.amp.GradScaler("cuda", ...)``, with a FutureWarning."""

    device_type = "cuda"


def custom_fwd(fwd: Callable[..., Any] | None = None, *, cast_inputs: Any = None) -> Any:
    """``wengert.amp.custom_fwd(..., device_type="cuda")``, with a FutureWarning."""
    warn("cuda.amp.custom_fwd(args...)", "custom_fwd(args..., device_type='cuda')")
    return autocast_mode.custom_fwd(fwd, cast_inputs=cast_inputs, device_type="cuda")


def custom_bwd(bwd: Callable[..., Any]) -> Any:
    """``wengert.amp.custom_bwd(..., device_type="cuda")``, with a FutureWarning."""
    warn("cuda.amp.custom_bwd(args...)", "custom_bwd(args..., device_type='cuda')")
    return autocast_mode.custom_bwd(bwd, device_type="cuda")
