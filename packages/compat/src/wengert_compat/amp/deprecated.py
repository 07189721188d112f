"""The older spellings for one type of device, which PyTorch warns of: torch.cpu.amp, torch.cuda.amp, and functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core.extend import dtype, warn_user

from wengert_compat.amp import settings
from wengert_compat.amp.grad_scaler import GradScaler


def warn(old: str, new: str) -> None:
    """Warn of a class or decorator that has a successor."""
    warn_user(f"`torch.{old}` is deprecated. Please use `torch.amp.{new}` instead.", FutureWarning)


class OlderGradScaler(GradScaler):
    """``GradScaler`` of one type of device, which the class says, with a FutureWarning."""

    device_type: str

    def __init__(
        self,
        init_scale: float = 65536.0,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        warn(f"{self.device_type}.amp.GradScaler(args...)", f"GradScaler('{self.device_type}', args...)")
        super().__init__(self.device_type, init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def reader(old: str, new: str, device_type: str, function: Callable[[str], Any]) -> Callable[[], Any]:
    """Return a function without arguments that reads a setting of one type of device, with a DeprecationWarning."""

    def read() -> Any:
        warn_user(f"torch.{old}() is deprecated. Please use torch.{new}('{device_type}') instead.", DeprecationWarning)
        return function(device_type)

    read.__name__ = read.__qualname__ = old
    read.__doc__ = f"Return ``{new}({device_type!r})``, with a DeprecationWarning."
    return read


def writer(
    old: str, new: str, device_type: str, function: Callable[[str, Any], None], name: str, check: type
) -> Callable[[Any], None]:
    """Return a function of one argument that sets a setting of one type of device, with a DeprecationWarning."""

    def write(value: Any, /) -> None:
        if not isinstance(value, check):
            expected = "bool" if check is bool else "torch.dtype"
            raise TypeError(f"{name} must be a {expected} (got {type(value).__name__})")
        warn_user(f"torch.{old}({name}) is deprecated. Please use torch.{new}('{device_type}', {name}) instead.",
                  DeprecationWarning)
        function(device_type, value)

    write.__name__ = write.__qualname__ = old
    write.__doc__ = f"Call ``{new}({device_type!r}, {name})``, with a DeprecationWarning. TypeError for another type."
    return write


is_autocast_cpu_enabled: Callable[[], bool] = reader(
    "is_autocast_cpu_enabled", "is_autocast_enabled", "cpu", settings.is_autocast_enabled
)
get_autocast_cpu_dtype: Callable[[], dtype] = reader(
    "get_autocast_cpu_dtype", "get_autocast_dtype", "cpu", settings.get_autocast_dtype
)
get_autocast_gpu_dtype: Callable[[], dtype] = reader(
    "get_autocast_gpu_dtype", "get_autocast_dtype", "cuda", settings.get_autocast_dtype
)
set_autocast_cpu_enabled: Callable[[bool], None] = writer(
    "set_autocast_cpu_enabled", "set_autocast_enabled", "cpu", settings.set_autocast_enabled, "enabled", bool
)
set_autocast_cpu_dtype: Callable[[dtype], None] = writer(
    "set_autocast_cpu_dtype", "set_autocast_dtype", "cpu", settings.set_autocast_dtype, "dtype", dtype
)
set_autocast_gpu_dtype: Callable[[dtype], None] = writer(
    "set_autocast_gpu_dtype", "set_autocast_dtype", "cuda", settings.set_autocast_dtype, "dtype", dtype
)
