"""Modules whose parameters are not initialized."""

from __future__ import annotations

from typing import Any

import wengert

from wengert_nn.modules.module import Module

__all__ = ["skip_init"]


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """Return ``module_cls(*args, **kwargs)`` whose parameters have undefined values.

    The class's ``reset_parameters`` is not called, and the state of the random generator stays as it is. The class
    must accept an argument `device`, as in PyTorch.

    >>> import wengert as wg
    >>> wg.nn.utils.skip_init(wg.nn.Linear, 2, 3).weight.shape
    torch.Size([3, 2])
    """
    import inspect

    if not (isinstance(module_cls, type) and issubclass(module_cls, Module)):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    uninitialized = type(module_cls.__name__, (module_cls,), {"reset_parameters": leave_parameters})
    state = wengert.get_rng_state()
    try:
        module = uninitialized(*args, **kwargs)
    finally:
        wengert.set_rng_state(state)
    module.__class__ = module_cls
    return module


def leave_parameters(self: Any) -> None:
    """Leave the parameters as they are."""
