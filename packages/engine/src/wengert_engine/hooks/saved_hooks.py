"""Hooks for saved tensors: the context managers of ``wengert.autograd.graph``."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from wengert_core.devices import device as devices

from wengert_engine.anomaly.saved_errors import modified_value
from wengert_engine.record.saved_hooks_stack import HooksBlock, hooks_active
from wengert_engine.reverse.launch import is_running, run_number

_disabled = threading.local()
"""``message``: why this thread may have no hooks; absent or None: it may. ``run``: the number of the backward in which
that was said, after which it holds no more."""


def disabled_because() -> str | None:
    """Why hooks may not be entered in this thread; None: they may."""
    message: str | None = getattr(_disabled, "message", None)
    return None if message is None or (_disabled.run and not is_running(_disabled.run)) else message


class saved_tensors_hooks(HooksBlock):
    """What is saved for backward in this context is packed by ``pack_hook`` and read by ``unpack_hook``.

    pack_hook: gets the tensor, may return anything.   unpack_hook: gets that, returns a tensor with the content of the
    first. pack_hook runs without recording, and may not write to its tensor; do not let the packed value hold the
    tensor itself where that is a result (detach it): the graph would own itself. Inner contexts replace outer ones.

    >>> import wengert_core as wc
    >>> from wengert_engine.hooks.saved_hooks import saved_tensors_hooks
    >>> x = wc.ones(2, requires_grad=True)
    >>> with saved_tensors_hooks(lambda t: t.detach().numpy().copy(), wc.from_numpy):
    ...     y = (x * x).sum()
    >>> y.backward()
    >>> x.grad.tolist()
    [2.0, 2.0]
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def _check_disabled(self) -> None:
        """Raise RuntimeError where hooks are disabled."""
        message = disabled_because()
        if message is not None:
            raise RuntimeError(message)


class save_on_cpu(saved_tensors_hooks):
    """What is saved for backward in this context is kept in memory of the CPU, and moved back when it is read.

    pin_memory: keep it in memory that a device reads directly; without a device there is none, and no effect.

    >>> import wengert_core as wc
    >>> from wengert_engine.hooks.saved_hooks import save_on_cpu
    >>> x = wc.ones(2, requires_grad=True)
    >>> with save_on_cpu():
    ...     y = (x * x).sum()
    >>> y.backward()
    >>> x.grad.tolist()
    [2.0, 2.0]
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(_copy_to_pinned if pin_memory else _on_cpu, _back)


def _on_cpu(tensor: Any) -> tuple[Any, Any, int, Any]:
    kept = tensor.detach().to("cpu")
    return tensor.device, kept, kept._version, None


def _copy_to_pinned(tensor: Any) -> tuple[Any, Any, int, Any]:
    """A copy in pinned memory, which nobody waits for, where the device has that. Its event says when it is there."""
    if tensor.device.type == "cpu":
        kept = tensor.detach().clone()
        return tensor.device, kept, kept._version, None
    kept = tensor.detach().contiguous().to("cpu", non_blocking=True)
    stream = _current_stream(tensor.device)
    return tensor.device, kept, kept._version, None if stream is None else stream.record_event()


def _back(packed: tuple[Any, Any, int, Any]) -> Any:
    """The tensor on its device. One that lives on the CPU is shared with the program, which may have written to it."""
    device, kept, version, event = packed
    if kept._version != version:
        raise modified_value("save_on_cpu", "a saved tensor", kept, version, kept._version)
    if event is not None:
        _current_stream(device).wait_event(event)
    return kept.to(device, non_blocking=True)


def _current_stream(device: Any) -> Any:
    plugin, index = devices.PLUGIN_DEVICES[devices.device_number(device)]
    return plugin.current_stream(index)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Generator[None, None, None]:
    """In this context, entering ``saved_tensors_hooks`` raises RuntimeError(error_message).

    Raises that itself when hooks are active already.

    >>> from wengert_engine.hooks.saved_hooks import disable_saved_tensors_hooks, save_on_cpu
    >>> with disable_saved_tensors_hooks("no hooks in here"):
    ...     with save_on_cpu():
    ...         pass
    Traceback (most recent call last):
    RuntimeError: no hooks in here
    """
    if not isinstance(error_message, str):
        raise TypeError("disable_saved_tensors_hooks(): incompatible function arguments. error_message must be str, "
                        f"not {type(error_message).__name__}")
    before = disabled_because(), getattr(_disabled, "run", 0)
    if hooks_active():
        raise RuntimeError(error_message)
    _disabled.message, _disabled.run = error_message, run_number()
    try:
        yield
    finally:
        _disabled.message, _disabled.run = before
