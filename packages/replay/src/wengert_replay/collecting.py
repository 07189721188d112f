"""Collecting: garbage in cycles that keeps what a recording has made.

Note [Garbage of a recording]
    Python's collector pauses while a function is recorded, so that what the function has made is among the newest two
    of its generations. These are collected in the time of a few operations, where a look at all objects of a process
    takes many times as long as the function. Garbage that an object from before the recording belongs to is not found
    so: the function seems to have stored something, and its next call is recorded once more.
"""

import gc

YOUNG = 1


def collect_young() -> None:
    """Free what only cycles among new objects have."""
    gc.collect(YOUNG)
