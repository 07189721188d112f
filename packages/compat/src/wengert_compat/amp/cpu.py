"""wengert.cpu.amp: autocast and GradScaler for the CPU, by their older names, with a FutureWarning."""

from __future__ import annotations

from typing import Any

from wengert_core import bfloat16

from wengert_compat.amp import autocast_mode
from wengert_compat.amp.deprecated import OlderGradScaler, warn

__all__ = ["GradScaler", "autocast"]


class autocast(autocast_mode.autocast):
    """``wengert.autocast("cpu", ...)``, with a FutureWarning."""

    def __init__(self, enabled: bool = True, dtype: Any = bfloat16, cache_enabled: bool = True) -> None:
        warn("cpu.amp.autocast(args...)", "autocast('cpu', args...)")
        super().__init__("cpu", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(OlderGradScaler):
    """``wengert.amp.GradScaler("cpu", ...)``, with a FutureWarning."""

    device_type = "cpu"
