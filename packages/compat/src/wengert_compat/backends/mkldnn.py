"""wengert.backends.mkldnn: Intel's library of network layers (oneDNN), which wengert does not use.

``enabled`` and ``deterministic`` can be set, have PyTorch's defaults and change nothing.

>>> import wengert as wg
>>> wg.backends.mkldnn.enabled
True
"""

from __future__ import annotations

from contextlib import AbstractContextManager

from wengert_compat.backends.settings import hold

__all__ = ["deterministic", "enabled", "flags", "is_available"]

enabled = True
deterministic = False


def is_available() -> bool:
    """Return False: layers are computed by wengert's own kernels.

    >>> import wengert as wg
    >>> wg.backends.mkldnn.is_available()
    False
    """
    return False


def flags(
    enabled: bool = False, deterministic: bool = False, allow_tf32: bool = True, fp32_precision: str = "none"
) -> AbstractContextManager[None]:
    """Set ``enabled`` and ``deterministic`` for the time of a block. What is computed in it is the same without.

    >>> import wengert as wg
    >>> with wg.backends.mkldnn.flags(enabled=False):
    ...     wg.backends.mkldnn.enabled
    False
    """
    return hold(__name__, enabled=enabled, deterministic=deterministic)
