"""wengert.multiprocessing: Python's multiprocessing, which sends tensors by pickling. No memory is shared by this.

>>> from wengert import multiprocessing
>>> multiprocessing.get_sharing_strategy(), multiprocessing.get_context("spawn").get_start_method()
('file_system', 'spawn')
"""

from __future__ import annotations

import multiprocessing as _python
from multiprocessing import *  # noqa: F403 - the same names

__all__ = [*_python.__all__, "get_all_sharing_strategies", "get_sharing_strategy", "set_sharing_strategy"]

STRATEGY = "file_system"


def get_all_sharing_strategies() -> set[str]:
    """Return the names of the ways in which processes share tensors: the one name that programs commonly set."""
    return {STRATEGY}


def get_sharing_strategy() -> str:
    """Return the name of the only strategy."""
    return STRATEGY


def set_sharing_strategy(new_strategy: str) -> None:
    """Do nothing: a tensor is pickled whatever the strategy. AssertionError for the name of none."""
    if new_strategy not in get_all_sharing_strategies():
        raise AssertionError(f"expected one of {get_all_sharing_strategies()}, got {new_strategy!r}")
