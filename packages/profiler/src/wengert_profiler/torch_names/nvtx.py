"""wengert.cuda.nvtx: ranges and marks of a program in NVIDIA's profilers, by the package nvtx or by CuPy.

``autograd.profiler.emit_nvtx`` makes a range for each operation; these are ranges of one's own.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wengert_profiler.api.emit_nvtx import first_of

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]

CUPY_NAMES = {"mark": "Mark", "push_range": "RangePush", "pop_range": "RangePop", "start_range": "RangeStart",
              "end_range": "RangeEnd"}  # fmt: skip
"""CuPy's names of the functions of the package nvtx."""


class Depth(threading.local):
    """How many ranges a thread has open."""

    n = 0


DEPTH = Depth()


def library_function(name: str) -> Any:
    """Return a function by its name in the package nvtx. RuntimeError where neither that nor CuPy is installed."""
    module = first_of("nvtx", "cupy.cuda.nvtx")
    if module is None:
        raise RuntimeError("NVTX functions not installed. Are you sure you have a CUDA build? Ranges need the package "
                           "nvtx: pip install 'wengert-profiler[nvtx]'")  # fmt: skip
    return getattr(module, name if module.__name__ == "nvtx" else CUPY_NAMES[name])


def range_push(msg: str) -> int:
    """Open a range inside of this thread's innermost one; return its depth, from 0 on. RuntimeError without NVTX."""
    library_function("push_range")(msg)
    DEPTH.n += 1
    return DEPTH.n - 1


def range_pop() -> int:
    """Close this thread's innermost range; return its depth, -1 where none was open. RuntimeError without NVTX."""
    library_function("pop_range")()
    if DEPTH.n == 0:
        return -1
    DEPTH.n -= 1
    return DEPTH.n


def range_start(msg: str) -> Any:
    """Open a range that any thread may close; return what ``range_end`` takes. RuntimeError without NVTX."""
    return library_function("start_range")(msg)


def range_end(range_id: Any) -> None:
    """Close a range of ``range_start``. RuntimeError without NVTX."""
    library_function("end_range")(range_id)


def mark(msg: str) -> None:
    """Mark a moment. RuntimeError without NVTX."""
    library_function("mark")(msg)


@contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """Open a range for a block or a function; its message is ``msg.format(*args, **kwargs)``."""
    range_push(msg.format(*args, **kwargs))
    try:
        yield
    finally:
        range_pop()
