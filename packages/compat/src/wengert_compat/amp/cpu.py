"""wengert.cpu.amp: autocast and GradScaler for the CPU, by their older names, with a FutureWarning."""

from __future__ import annotations

from typing import Any

from wengert_core import bfloat16

from wengert_compat.amp import autocast_mode, grad_scaler
from wengert_compat.amp.deprecated import warn

__all__ = ["GradScaler", "autocast"]


class autocast(autocast_mode.autocast):
    """``wengert.autocast("cpu", ...)``, with a FutureWarning."""

    def __init__(self, enabled: bool = True, dtype: Any = bfloat16, cache_enabled: bool = True) -> None:
        warn("cpu.amp.autocast(args...)", "autocast('cpu', args...)")
        super().__init__("cpu", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(grad_scaler.GradScaler):
    """``wengert.amp.GradScaler("cpu", ...)``, with a FutureWarning."""

    def __init__(
        self,
        init_scale: float = 65536.0,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        warn("cpu.amp.GradScaler(args...)", "GradScaler('cpu', args...)")
        super().__init__("cpu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)
