"""emit_nvtx, emit_itt: a range for each operation, in the profilers of GPU and CPU makers.

Note [Sequence numbers in ranges]
    A forward range has ``seq=<N>``: should the operation record a node, that gets the number N. A node's range has
    ``stashed seq=<N>``. What runs while nothing is recorded has ``seq=0``.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from wengert_engine.extend import current_recording, set_listener

from wengert_profiler.columns.event_names import CUSTOM, FUNCTION, NODE, OP, dotted_names, event_name


class Ranges:
    """A sink of ranges: a subclass says how one is opened (``push``) and closed (``pop``)."""

    record_shapes: bool = False

    def __init__(self, record_shapes: Any = False) -> None:
        self.record_shapes = record_shapes is True or record_shapes == "shapes"
        self.dotted: dict[int, str] | None = None

    def push(self, message: str) -> None:
        """Open a range."""
        raise NotImplementedError(f"{type(self).__name__} must define push")

    def pop(self) -> None:
        """Close the innermost one."""
        raise NotImplementedError(f"{type(self).__name__} must define pop")

    def begin(self, kind: int, what: Any, number: int, shapes: list[Any] | None) -> None:
        """Something begins."""
        if self.dotted is None or (kind == FUNCTION and id(what) not in self.dotted):
            self.dotted = dotted_names()
        message = event_name(kind, what, self.dotted)
        if kind == NODE and number >= 0:
            message += f", stashed seq={number}"
        elif kind in (OP, FUNCTION, CUSTOM):
            message += f", seq={number}"
        if self.record_shapes and kind in (OP, FUNCTION, CUSTOM, NODE):
            message += f", sizes={shapes}"
        self.push(message)

    def end(self) -> None:
        """It ends."""
        self.pop()


def first_of(*names: str) -> Any:
    """The first of these modules that is installed, or None."""
    for name in names:
        try:
            return import_module(name)
        except ImportError:
            continue
    return None


class NvtxRanges(Ranges):
    """Ranges of NVTX, by the package ``nvtx``, or by CuPy where that is absent."""

    def __init__(self, record_shapes: Any = False) -> None:
        super().__init__(record_shapes)
        module = first_of("nvtx", "cupy.cuda.nvtx")
        if module is None:
            raise ImportError("NVTX ranges need the package nvtx: pip install 'wengert-profiler[nvtx]'")
        if module.__name__ == "nvtx":
            self.open, self.close = module.push_range, module.pop_range
        else:
            self.open, self.close = module.RangePush, module.RangePop

    def push(self, message: str) -> None:
        """Open a range."""
        self.open(message)

    def pop(self) -> None:
        """Close the innermost one."""
        self.close()


class IttRanges(Ranges):
    """Tasks of ITT, which VTune shows, by the package ``ittapi``."""

    def __init__(self, record_shapes: Any = False) -> None:
        super().__init__(record_shapes)
        module = first_of("ittapi")
        if module is None:
            raise ImportError("ITT ranges need the package ittapi: pip install 'wengert-profiler[itt]'")
        self.make = module.task
        self.running: list[Any] = []

    def push(self, message: str) -> None:
        """Open a task."""
        task = self.make(message)
        task.begin()
        self.running.append(task)

    def pop(self) -> None:
        """Close the innermost one."""
        self.running.pop().end()


class Emitting:
    """What emit_nvtx and emit_itt have in common."""

    enabled: bool
    record_shapes: bool
    entered: bool

    name = ""
    ranges: type[Ranges]

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled, self.record_shapes, self.entered = enabled, bool(record_shapes), False

    def __enter__(self) -> Any:
        if not self.enabled:
            return self
        if self.entered:
            raise RuntimeError(f"{self.name} annotation context manager is not reentrant")
        if current_recording() is not None:
            raise RuntimeError("Profiler is already enabled on this thread.")
        set_listener(self.ranges(self.record_shapes))
        self.entered = True
        return self

    def __exit__(self, *error: object) -> None:
        if self.enabled:
            set_listener(None)


class emit_nvtx(Emitting):
    """Context manager in which every operation of autograd emits an NVTX range, for Nsight Systems and nvprof.

    enabled: False makes it do nothing.   record_shapes: add the sizes of tensor arguments, ``[]`` for others.
    ImportError without the package nvtx: pip install 'wengert-profiler[nvtx]'. RuntimeError inside of another profile.

    A forward operation's range has ``seq=<N>``, the range of the node it recorded ``stashed seq=<N>``, also when a
    derivative is recorded and run backward again.
    """

    name = "NVTX"
    ranges: type[Ranges] = NvtxRanges


class emit_itt(Emitting):
    """Context manager in which every operation of autograd emits an ITT task, for Intel VTune.

    Arguments, errors and numbers are those of emit_nvtx. Needs the package ittapi: pip install 'wengert-profiler[itt]'.
    """

    name = "ITT"
    ranges: type[Ranges] = IttRanges
