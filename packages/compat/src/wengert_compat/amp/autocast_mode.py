"""autocast, and the decorators of a Function's forward and backward."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Self, TypeVar

from wengert_core import bfloat16, float16, float64
from wengert_core.extend import Tensor, dtype, warn_user

from wengert_compat.amp import settings

__all__ = ["autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

F = TypeVar("F", bound=Callable[..., Any])


def is_autocast_available(device_type: str) -> bool:
    """Return whether there is autocast for a type of device; RuntimeError for a type that is not known.

    >>> import wengert as wg
    >>> wg.amp.is_autocast_available("cpu"), wg.amp.is_autocast_available("meta")
    (True, False)
    """
    return device_type != "meta" and bool(settings.type_of(device_type, "is_autocast_available"))


class autocast:
    """A block, or a decorator, in which operations compute in lower precision where that is enough.

    device_type: "cpu", "cuda" or another type of device, whose tensors are concerned.
    dtype: bfloat16 or float16; None for the device type's own.   enabled: False for a block without it.
    cache_enabled: whether a leaf that is used several times is cast once; None for what is set.
    Matrix products and convolutions are computed in ``dtype``, losses, decompositions and others in float32, cat and
    stack in the widest dtype among their arguments; what is in none of these lists computes in the dtypes it gets.
    float64, integers and complex numbers stay as they are. A backward computes in the dtypes of its operations.
    ValueError for a device_type that is no text, RuntimeError for one that is not known.

    >>> import wengert as wg
    >>> x, w = wg.ones(2, 3), wg.ones(3, 2, requires_grad=True)
    >>> with wg.autocast("cpu", dtype=wg.float16):
    ...     y = x @ w
    ...     with wg.autocast("cpu", enabled=False):
    ...         z = x @ w
    >>> y.dtype, z.dtype
    (torch.float16, torch.float32)
    >>> y.sum().backward()
    >>> w.grad.dtype
    torch.float32
    """

    def __init__(
        self, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        check_text(device_type)
        self.device: str = settings.type_of(device_type, "autocast")
        self.fast_dtype: Any = settings.get_autocast_dtype(self.device) if dtype is None else dtype
        self._cache_enabled = settings.is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        self._enabled = enabled
        self._before: list[tuple[bool, Any, bool]] = []
        if enabled and self.device == "cuda" and not settings.has_cuda():
            warn_user("CUDA is not available or torch_xla is imported. Disabling autocast.")
            self._enabled = False
        elif enabled and not any(self.fast_dtype is known for known in (bfloat16, float16)):
            name = self.device.upper()
            warn_user(
                f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n"
                f"{name} Autocast only supports dtypes of torch.bfloat16, torch.float16 currently."
            )
            self._enabled = False

    def __enter__(self) -> Self:
        before = (
            settings.is_autocast_enabled(self.device),
            settings.get_autocast_dtype(self.device),
            settings.is_autocast_cache_enabled(),
        )
        settings.set_autocast_enabled(self.device, self._enabled)
        if isinstance(self.fast_dtype, dtype):  # what is no dtype was warned about, and disabled
            settings.set_autocast_dtype(self.device, self.fast_dtype)
        settings.set_autocast_cache_enabled(bool(self._cache_enabled))
        settings.autocast_increment_nesting()
        self._before.append(before)
        return self

    def __exit__(self, *error: object) -> None:
        if not self._before:
            raise AttributeError("autocast: the block ends, but has not begun: its __enter__() was not called")
        if settings.autocast_decrement_nesting() == 0:
            settings.clear_autocast_cache()
        enabled, fast_dtype, cache_enabled = self._before.pop()
        settings.set_autocast_enabled(self.device, enabled)
        settings.set_autocast_dtype(self.device, fast_dtype)
        settings.set_autocast_cache_enabled(cache_enabled)

    def __call__(self, func: F) -> F:
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. Did you mean to use autocast as "
                "a context manager? For example:\n    with torch.autocast(device_type=...):\n        output = "
                "model(input)"
            )

        @functools.wraps(func)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return wrapper  # type: ignore[return-value]


def check_text(device_type: object) -> None:
    """Raise PyTorch's ValueError for a type of device that is no text."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


def cast_to(value: Any, device_type: str, target: Any) -> Any:
    """Return an argument with the floating tensors in it cast; those of float64 and of other devices stay."""
    if isinstance(value, Tensor):
        eligible = value.is_floating_point() and value.device.type == device_type and value.dtype is not float64
        return value.to(target) if eligible else value
    if isinstance(value, Mapping):
        return {
            cast_to(key, device_type, target): cast_to(part, device_type, target) for key, part in value.items()
        }
    if isinstance(value, list | tuple):
        parts = [cast_to(part, device_type, target) for part in value]
        return parts if isinstance(value, list) else tuple(parts)
    return value


def custom_fwd(fwd: Callable[..., Any] | None = None, *, device_type: str, cast_inputs: Any = None) -> Any:
    """Decorate the forward of a Function, so that ``custom_bwd`` computes as it did.

    cast_inputs: a dtype that floating tensors of the device type are cast to, where autocast is enabled; forward then
    runs with autocast disabled. None: forward runs with what is set.
    ValueError for a device_type that is no text.

    >>> import wengert as wg
    >>> class Times(wg.autograd.Function):
    ...     @staticmethod
    ...     @wg.amp.custom_fwd(device_type="cpu")
    ...     def forward(ctx, a, b):
    ...         ctx.save_for_backward(a, b)
    ...         return a @ b
    ...     @staticmethod
    ...     @wg.amp.custom_bwd(device_type="cpu")
    ...     def backward(ctx, grad):
    ...         a, b = ctx.saved_tensors
    ...         return grad @ b.t(), a.t() @ grad
    >>> a = wg.ones(2, 2, requires_grad=True)
    >>> with wg.autocast("cpu"):
    ...     y = Times.apply(a, a)
    >>> y.sum().backward()
    >>> y.dtype, a.grad.dtype
    (torch.bfloat16, torch.float32)
    """
    check_text(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        enabled = settings.is_autocast_enabled(device_type)
        args[0]._dtype = settings.get_autocast_dtype(device_type)
        args[0]._fwd_used_autocast = enabled and cast_inputs is None
        if cast_inputs is None or not enabled:
            return fwd(*args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(*cast_to(args, device_type, cast_inputs), **cast_to(kwargs, device_type, cast_inputs))

    return wrapper


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str) -> Any:
    """Decorate the backward of a Function whose forward has ``custom_fwd``: autocast is as it was there.

    ValueError for a device_type that is no text.

    >>> import wengert as wg
    >>> wg.amp.custom_bwd(device_type="cpu")(lambda ctx, grad: grad).__name__
    '<lambda>'
    """
    check_text(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, dtype=args[0]._dtype, enabled=args[0]._fwd_used_autocast):
            return bwd(*args, **kwargs)

    return wrapper
