"""Collecting: garbage in cycles that keeps what a recording has made.

Note [Garbage of a recording]
    Python's collector is off while a function is recorded and looked at, so that what the function has made is among
    the newest objects. To collect these takes the time of a few operations, where a look at all objects of a process
    takes many times as long as the function. Garbage that an object from before the recording belongs to is not found
    so: the function seems to have stored something, and its next call is recorded once more.
"""

from __future__ import annotations

import gc

from wengert_replay.recording.tracing import CollectorStop

YOUNG = 1


def collect_young() -> None:
    """Free what only cycles among new objects have."""
    gc.collect(YOUNG)


def without_collector() -> CollectorStop:
    """Turn Python's collector off, so that new objects stay new for ``collect_young``.

    The context is compiled: Ctrl-C cannot come between its beginning and the ``with`` that ends it.
    """
    return CollectorStop()
