"""Older names of the main namespace: a default tensor type, and names of types as PyTorch's messages have them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import wengert_core
from wengert_core.extend import Tensor, warn_user

__all__ = ["set_default_tensor_type", "typename"]

NO_FLOATING_TYPE = "only floating-point types are supported as the default type"


def set_default_tensor_type(t: Any) -> None:
    """Make the dtype of a tensor type the default: ``torch.DoubleTensor``, or its name. ``set_default_dtype`` is newer.

    TypeError for a type that is not of floating-point numbers.

    >>> import warnings
    >>> import wengert as wg
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     wg.set_default_tensor_type(wg.DoubleTensor)
    ...     wg.get_default_dtype()
    ...     wg.set_default_tensor_type("torch.FloatTensor")
    torch.float64
    """
    if isinstance(t, str):
        module, _, name = t.rpartition(".")
        if module == "torch":
            t = getattr(wengert_core, name, None)
        elif module == "torch.cuda":
            raise TypeError(
                f"type {t} not available. Torch not compiled with CUDA enabled. Use set_default_dtype and "
                "set_default_device"
            )
        else:
            t = getattr(import_module(module), name, None)
    dtype = getattr(t, "dtype", None)
    if dtype is None:
        raise TypeError(f"invalid type object: {NO_FLOATING_TYPE}")
    if not dtype.is_floating_point:
        raise TypeError(NO_FLOATING_TYPE)
    warn_user(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
        "torch.set_default_device() as alternatives."
    )
    wengert_core.set_default_dtype(dtype)


def typename(obj: Any, /) -> str:
    """Return the name of a value's type as PyTorch's messages have it.

    >>> import wengert as wg
    >>> wg.typename(wg.ones(1)), wg.typename(3), wg.typename(int)
    ('torch.FloatTensor', 'int', 'int')
    """
    if isinstance(obj, Tensor):
        return str(obj.type())
    named = obj if getattr(obj, "__qualname__", None) is not None else type(obj)
    module = getattr(named, "__module__", None) or ""
    return named.__qualname__ if module in ("", "builtins", "__builtin__") else f"{module}.{named.__qualname__}"
