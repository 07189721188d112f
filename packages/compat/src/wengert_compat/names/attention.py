"""wengert.nn.attention: which of PyTorch's kernels for attention may be used. wengert has one, and stores the choice.

>>> import wengert as wg
>>> with wg.nn.attention.sdpa_kernel(wg.nn.attention.SDPBackend.MATH):
...     wg.backends.cuda.math_sdp_enabled(), wg.backends.cuda.flash_sdp_enabled()
(True, False)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any

from wengert_compat.backends import cuda

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(Enum):
    """A kernel for attention, by PyTorch's names and numbers."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


NAMES = {
    "flash": SDPBackend.FLASH_ATTENTION,
    "mem_efficient": SDPBackend.EFFICIENT_ATTENTION,
    "math": SDPBackend.MATH,
    "cudnn": SDPBackend.CUDNN_ATTENTION,
}


@contextmanager
def sdpa_kernel(backends: Any, set_priority: bool = False) -> Iterator[None]:
    """Let only some kernels for attention be enabled inside of a block; it changes no number and no time.

    backends: an SDPBackend, or a list of them.   set_priority: stored by nobody: there is one kernel.
    Raises AssertionError for other backends.
    """
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError("Backend must be an instance of SDPBackend or a list of SDPBackend instances, got "
                             f"{type(backends).__name__}")  # fmt: skip
    chosen = backends if isinstance(backends, list) else [backends]
    before = dict(cuda.attention)
    try:
        cuda.attention.update({name: backend in chosen for name, backend in NAMES.items()})
        yield
    finally:
        cuda.attention.update(before)
