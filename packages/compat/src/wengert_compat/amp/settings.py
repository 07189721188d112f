"""Autocast's settings of each thread, and the functions that read and set them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from wengert_core import bfloat16, float16
from wengert_core.extend import ArgumentCasts, accelerator_functions, device, dtype, set_argument_casts

__all__ = [
    "autocast_decrement_nesting", "autocast_increment_nesting", "clear_autocast_cache", "get_autocast_dtype",
    "is_autocast_cache_enabled", "is_autocast_enabled", "set_autocast_cache_enabled", "set_autocast_dtype",
    "set_autocast_enabled",
]  # fmt: skip

BFLOAT16_FIRST = {"cpu", "hpu", "maia", "xla"}
"""Device types whose autocast computes in bfloat16 unless told otherwise; the others do in float16."""
OTHER_TYPES = {"hpu", "ipu", "maia", "mtia", "xla"}
"""Device types that PyTorch has autocast for and wengert has no devices of; they may be named."""


class Settings(threading.local):
    """The settings of a thread."""

    def __init__(self) -> None:
        self.enabled: set[str] = set()
        self.dtypes: dict[str, Any] = {}
        self.cache_enabled, self.nesting = True, 0
        self.cache: dict[int, tuple[Any, ...]] = {}


SETTINGS = Settings()
CASTS: list[ArgumentCasts] = []
"""The casts of calls' arguments; made when autocast is first enabled."""


def type_of(device_type: object, caller: str) -> str:
    """Return the checked type of a device: TypeError for what is no text, RuntimeError for a type that is not known."""
    if not isinstance(device_type, str):
        raise wrong_type(caller, "device_type", 1, "str", device_type)
    kind = device_type if device_type in OTHER_TYPES else str(device(device_type).type)
    if kind == "meta":
        raise RuntimeError(
            f"unsupported scalarType, unknown device type for autocast: {caller}() got 'meta', which computes nothing"
        )
    return kind


def wrong_type(caller: str, name: str, position: int, expected: str, value: object) -> TypeError:
    """Return the TypeError for an argument of another type."""
    return TypeError(
        f"{caller}(): argument '{name}' (position {position}) must be {expected}, not {type(value).__name__}"
    )


def has_cuda() -> bool:
    """Return whether a CUDA device can be used."""
    return bool(accelerator_functions("cuda")["is_available"]())


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Return whether operations on tensors of a type of device are cast in this thread.

    >>> import wengert as wg
    >>> with wg.autocast("cpu"):
    ...     wg.is_autocast_enabled("cpu"), wg.is_autocast_enabled("cuda")
    (True, False)
    """
    return type_of(device_type, "is_autocast_enabled") in SETTINGS.enabled


def set_autocast_enabled(*args: Any, **kwargs: Any) -> None:
    """Let operations on tensors of a type of device be cast in this thread, or not: ``(device_type, enabled)``.

    ``set_autocast_enabled(enabled)`` is for CUDA. ``autocast`` sets it for the time of a block, and is to be preferred.
    TypeError unless ``enabled`` is a bool.

    >>> import wengert as wg
    >>> wg.set_autocast_enabled("cpu", True)
    >>> wg.mm(wg.ones(1, 1), wg.ones(1, 1)).dtype
    torch.bfloat16
    >>> wg.set_autocast_enabled("cpu", False)
    """
    names = ("device_type", "enabled") if len(args) + len(kwargs) > 1 else ("enabled",)
    if len(args) > 2 or not set(kwargs) <= set(names[len(args):]) or len(args) + len(kwargs) != len(names):
        raise TypeError(
            "set_autocast_enabled() received an invalid combination of arguments, expected (str device_type, bool "
            "enabled) or (bool enabled)"
        )
    values = dict(zip(names, args, strict=False)) | kwargs
    if not isinstance(values["enabled"], bool):
        raise wrong_type("set_autocast_enabled", "enabled", len(names), "bool", values["enabled"])
    kind = type_of(values.get("device_type", "cuda"), "set_autocast_enabled")
    (SETTINGS.enabled.add if values["enabled"] else SETTINGS.enabled.discard)(kind)
    switch()


def switch() -> None:
    """Let this thread's calls be cast where autocast is enabled for some type of device."""
    if SETTINGS.enabled and not CASTS:
        from wengert_compat.amp.policies import cast_for

        CASTS.append(ArgumentCasts(cast_for, context_factory, caches))
    set_argument_casts(CASTS[0] if SETTINGS.enabled else None)


def caches(device_type: str) -> bool:
    """Return whether casts of leaves on a type of device are kept until the outermost block ends."""
    return device_type in SETTINGS.enabled and SETTINGS.cache_enabled


def context_factory() -> Callable[[], AbstractContextManager[None]]:
    """Return what gives a block with the settings of now: the second run of a checkpoint is cast as the first was."""
    then = set(SETTINGS.enabled), dict(SETTINGS.dtypes), SETTINGS.cache_enabled
    return lambda: hold_settings(*then)


@contextmanager
def hold_settings(enabled: set[str], dtypes: dict[str, Any], cache_enabled: bool) -> Generator[None, None, None]:
    """Set all settings for the time of a block."""
    before = SETTINGS.enabled, SETTINGS.dtypes, SETTINGS.cache_enabled
    SETTINGS.enabled, SETTINGS.dtypes, SETTINGS.cache_enabled = set(enabled), dict(dtypes), cache_enabled
    autocast_increment_nesting()
    switch()
    try:
        yield
    finally:
        if autocast_decrement_nesting() == 0:
            clear_autocast_cache()
        SETTINGS.enabled, SETTINGS.dtypes, SETTINGS.cache_enabled = before
        switch()


def get_autocast_dtype(device_type: str) -> Any:
    """Return the dtype of lower precision in which autocast computes on a type of device.

    >>> import wengert as wg
    >>> wg.get_autocast_dtype("cpu"), wg.get_autocast_dtype("cuda")
    (torch.bfloat16, torch.float16)
    """
    kind = type_of(device_type, "get_autocast_dtype")
    return SETTINGS.dtypes.get(kind, bfloat16 if kind in BFLOAT16_FIRST else float16)


def set_autocast_dtype(device_type: str, dtype: Any) -> None:
    """Choose the dtype of lower precision in which autocast computes on a type of device, in this thread.

    TypeError for what is no dtype. Any dtype may be set; ``autocast`` takes bfloat16 and float16 alone.

    >>> import wengert as wg
    >>> wg.set_autocast_dtype("cpu", wg.float16)
    >>> wg.get_autocast_dtype("cpu")
    torch.float16
    >>> wg.set_autocast_dtype("cpu", wg.bfloat16)
    """
    kind = type_of(device_type, "set_autocast_dtype")
    if not is_dtype(dtype):
        raise wrong_type("set_autocast_dtype", "dtype", 2, "torch.dtype", dtype)
    SETTINGS.dtypes[kind] = dtype


def is_dtype(value: object) -> bool:
    """Return whether a value is a dtype of wengert."""
    return isinstance(value, dtype)


def is_autocast_cache_enabled() -> bool:
    """Return whether a leaf that is cast several times inside of one autocast is cast once; True at first.

    >>> import wengert as wg
    >>> wg.is_autocast_cache_enabled()
    True
    """
    return SETTINGS.cache_enabled


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Let autocast keep what it makes of leaves until the outermost block ends, or not.

    A leaf that was written to since is cast again. TypeError for what is no bool.

    >>> import wengert as wg
    >>> wg.set_autocast_cache_enabled(True)
    """
    if not isinstance(enabled, bool):
        raise TypeError(f"enabled must be a bool (got {type(enabled).__name__})")
    SETTINGS.cache_enabled = enabled


def clear_autocast_cache() -> None:
    """Forget what autocast has made of leaves in this thread.

    >>> import wengert as wg
    >>> wg.clear_autocast_cache()
    """
    SETTINGS.cache.clear()


def autocast_increment_nesting() -> int:
    """Say that a block of autocast begins. Return how many are open.

    >>> import wengert as wg
    >>> wg.autocast_increment_nesting(), wg.autocast_decrement_nesting()
    (1, 0)
    """
    SETTINGS.nesting += 1
    return SETTINGS.nesting


def autocast_decrement_nesting() -> int:
    """Say that a block of autocast ends. Return how many are still open.

    >>> import wengert as wg
    >>> wg.autocast_increment_nesting(), wg.autocast_decrement_nesting()
    (1, 0)
    """
    SETTINGS.nesting -= 1
    return SETTINGS.nesting
