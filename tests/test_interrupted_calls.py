"""Ctrl-C in the midst of calls: the thread is as it was before, whatever the library had switched for their time."""

from __future__ import annotations

import contextlib
import gc
import random
import signal
import time

import numpy as np
import pytest
import wengert as wg
import wengert.numpy as anp
from wengert.utils.checkpoint import checkpoint
from wengert_core.devices.device import PLUGIN_DEVICES, device_number
from wengert_core.extend import active_mode, is_torch_function_enabled
from wengert_engine.extend import current_vmap_level, is_dual_level_open, transforms_of_thread
from wengert_engine.record.saved_hooks_stack import hooks_active
from wengert_numpy.autograd_numpy.depth import STATE

INTERRUPTS = 60
"""The fewest that come in a test: a window of a few instructions, which a call enters some ten times, is met."""


class Length(wg.Tensor):
    pass


class Plain(wg.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def in_a_mode():
    with Plain():
        return ROWS * 2 + ROWS.sum(0)


def with_saved_hooks():
    with wg.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t):
        y = (LEAF * LEAF).sum()
    return wg.autograd.grad(y, LEAF)


def in_a_dual_level():
    with wg.autograd.forward_ad.dual_level():
        x = wg.autograd.forward_ad.make_dual(ROWS[0], ROWS[1])
        return wg.autograd.forward_ad.unpack_dual(x.sin())


def call_a_capture():
    f = wg.capture(lambda x: (LEAF * x).sin().sum(), quiet=True)
    return [wg.autograd.grad(f(ROWS), LEAF) for _ in range(3)]


def on_sim():
    return ROWS.to("sim")


ROWS, LEAF = wg.linspace(-1, 1, 12).view(3, 4), wg.ones(4, requires_grad=True)
CALLS = {
    "vmap": lambda: wg.vmap(lambda row: row.sin().sum())(ROWS),
    "grad": lambda: wg.func.grad(lambda x: (x * x).sum())(ROWS),
    "jvp": lambda: wg.func.jvp(lambda x: (x * x).sum(), (ROWS,), (ROWS,)),
    "jacfwd": lambda: wg.func.jacfwd(lambda x: x * x)(ROWS[0]),
    "hessian": lambda: wg.func.hessian(lambda x: (x * x).sum())(ROWS[0]),
    "hvp": lambda: wg.autograd.functional.hvp(lambda x: (x**3).sum(), ROWS[0], ROWS[1]),
    "a dual level": in_a_dual_level,
    "a subclass": lambda: ROWS.as_subclass(Length) * 2 + ROWS,
    "a mode": in_a_mode,
    "hooks": with_saved_hooks,
    "checkpoint": lambda: wg.autograd.grad(
        checkpoint(lambda x: (x * 2).sin().sum(), LEAF, use_reentrant=False), LEAF
    ),
    "a function of NumPy": lambda: anp.grad(lambda x: (x * x).sum())(np.ones(3)),
    "a captured function": call_a_capture,
    "a device": lambda: (on_sim() * 2 + 1).sum().item(),
}


def state():
    """Modes and levels that a call may switch for its time."""
    return {
        "__torch_function__": is_torch_function_enabled(),
        "mode": active_mode(),
        "vmap": current_vmap_level(),
        "transforms": transforms_of_thread.depth,
        "refusing": len(transforms_of_thread.refusing),
        "dual level": is_dual_level_open(),
        "hooks": hooks_active(),
        "gradients": wg.is_grad_enabled(),
        "inference": wg.is_inference_mode_enabled(),
        "arrays": STATE.depth,
        "dtype": wg.get_default_dtype(),
        "device": wg.zeros(1).device.type,
    }


def interrupt(*_):
    raise KeyboardInterrupt


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no timer on this system")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_ctrl_c_leaves_the_thread_as_it_was(call):
    call(), call()
    gc.collect()  # else an interrupt may come in the midst of how something of another test is closed
    start = time.perf_counter()
    call()
    longest, times, interrupts = time.perf_counter() - start, random.Random(0), 0
    before, handler = state(), signal.signal(signal.SIGALRM, interrupt)
    try:
        for _ in range(20 * INTERRUPTS):
            with contextlib.suppress(KeyboardInterrupt):
                try:
                    signal.setitimer(signal.ITIMER_REAL, times.uniform(1e-6, longest + 2e-6))
                    call()
                except KeyboardInterrupt:
                    interrupts += 1
                    raise
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            assert state() == before
            if interrupts == 10 * INTERRUPTS:
                break
    finally:
        signal.signal(signal.SIGALRM, handler)
    assert interrupts >= INTERRUPTS


def test_an_error_of_a_plugin_that_is_entered_leaves_the_thread_on_the_cpu(monkeypatch):
    x = on_sim()
    plugin, _ = PLUGIN_DEVICES[device_number(x.device)]

    def refuse(self, index):
        raise OSError("no such device any more")

    with monkeypatch.context() as patch:
        patch.setattr(type(plugin), "enter", refuse)
        with pytest.raises(OSError, match="no such device"):
            x * 2
    assert wg.zeros(1).device.type == "cpu"
    assert (ROWS * 2).tolist() == [[2 * one for one in row] for row in ROWS.tolist()]
    assert (x * 2).cpu().tolist() == (ROWS * 2).tolist()
