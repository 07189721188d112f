"""wengert.autograd.kineto_available."""

from __future__ import annotations


def kineto_available() -> bool:
    """Return False: what is profiled is written by wengert's own profiler, not by Kineto.

    >>> import wengert as wg
    >>> wg.autograd.kineto_available()
    False
    """
    return False
