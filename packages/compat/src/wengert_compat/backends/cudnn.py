"""wengert.backends.cudnn: NVIDIA's library of network layers, which wengert does not use.

``enabled``, ``benchmark``, ``deterministic``, ``allow_tf32`` and ``benchmark_limit`` have PyTorch's defaults. They can
be set, which changes nothing: no operation calls cuDNN, not even on a GPU.

>>> import wengert as wg
>>> wg.backends.cudnn.benchmark
False
>>> wg.backends.cudnn.deterministic = True
>>> wg.backends.cudnn.deterministic
True
>>> wg.backends.cudnn.deterministic = False
"""

from __future__ import annotations

from contextlib import AbstractContextManager

from wengert_compat.backends.settings import hold

__all__ = ["allow_tf32", "benchmark", "benchmark_limit", "deterministic", "enabled", "flags", "is_available", "version"]

enabled = True
benchmark = False
benchmark_limit: int | None = None
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """Return False: wengert does not use cuDNN.

    >>> import wengert as wg
    >>> wg.backends.cudnn.is_available()
    False
    """
    return False


def version() -> int | None:
    """Return None: there is no cuDNN that could have a version.

    >>> import wengert as wg
    >>> wg.backends.cudnn.version()
    """
    return None


def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int | None = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
    fp32_precision: str = "none",
    depthwise_kernel: str = "auto",
) -> AbstractContextManager[None]:
    """Set the four settings that are bools for the time of a block. What is computed in it is the same without.

    As in PyTorch without cuDNN, the other three arguments are taken and not used.

    >>> import wengert as wg
    >>> with wg.backends.cudnn.flags(enabled=False):
    ...     wg.backends.cudnn.enabled
    False
    >>> wg.backends.cudnn.enabled
    True
    """
    return hold(__name__, enabled=enabled, benchmark=benchmark, deterministic=deterministic, allow_tf32=allow_tf32)
