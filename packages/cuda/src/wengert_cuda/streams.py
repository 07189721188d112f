"""CUDA's streams and events, with torch's methods."""

from __future__ import annotations

from typing import Any

from wengert_core.extend import device

from wengert_cuda.cupy_module import cupy


class CudaStream:
    """A stream of one device. Equal to every other object for the same stream."""

    def __init__(self, index: int, raw: Any = None, priority: int = 0) -> None:
        self.index, self.priority = index, priority
        if raw is None:
            with cupy().cuda.Device(index):
                raw = cupy().cuda.Stream(non_blocking=True, priority=priority)
        self.raw = raw

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CudaStream) and (self.index, self.raw.ptr) == (other.index, other.raw.ptr)

    def __hash__(self) -> int:
        return hash((self.index, self.raw.ptr))

    def __repr__(self) -> str:
        return f"<wengert.cuda.Stream device=cuda:{self.index} cuda_stream={self.raw.ptr:#x}>"

    @property
    def device(self) -> device:
        """Whose stream it is."""
        return device("cuda", self.index)

    @property
    def cuda_stream(self) -> int:
        """CUDA's handle."""
        return int(self.raw.ptr)

    def synchronize(self) -> None:
        """Wait until all work is done."""
        self.raw.synchronize()

    def query(self) -> bool:
        """Whether all work is done."""
        return bool(self.raw.done)

    def wait_stream(self, other: CudaStream) -> None:
        """Let what is queued from now on wait for all that is queued on another stream."""
        self.wait_event(other.record_event())

    def wait_event(self, event: CudaEvent) -> None:
        """Let what is queued from now on wait for an event."""
        if event.raw is not None:
            self.raw.wait_event(event.raw)

    def record_event(self, event: CudaEvent | None = None) -> CudaEvent:
        """Let an event (a new one by default) happen when what is queued now is done."""
        event = CudaEvent() if event is None else event
        event.record(self)
        return event


class StreamHandle:
    """CUDA's handle of a stream, as CuPy's protocol asks for it."""

    def __init__(self, handle: int) -> None:
        self.handle = handle

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.handle  # the protocol's version


def wrap_stream(handle: int, index: int) -> Any:
    """CuPy's stream of a device for CUDA's handle; whoever made the stream keeps it."""
    cuda = cupy().cuda
    if hasattr(cuda.Stream, "from_external"):  # from CuPy 14 on, where ExternalStream warns
        return cuda.Stream.from_external(StreamHandle(handle))
    return cuda.ExternalStream(handle, index)


class CudaEvent:
    """A point in a stream's queue."""

    def __init__(self, enable_timing: bool = False) -> None:
        self.timing = enable_timing
        self.raw: Any = None  # made on the device of the stream that records it

    def record(self, stream: CudaStream | None = None) -> None:
        """Happen when what is queued now on a stream (the current one by default) is done."""
        cuda = cupy().cuda
        index = cuda.Device().id if stream is None else stream.index
        with cuda.Device(index):
            if self.raw is None:
                self.raw = cuda.Event(disable_timing=not self.timing)
            self.raw.record(cuda.get_current_stream(index) if stream is None else stream.raw)

    def wait(self, stream: CudaStream | None = None) -> None:
        """Let a stream (the current one by default) wait for this."""
        if self.raw is not None:
            (cupy().cuda.get_current_stream() if stream is None else stream.raw).wait_event(self.raw)

    def query(self) -> bool:
        """Whether it has happened."""
        return self.raw is None or bool(self.raw.done)

    def synchronize(self) -> None:
        """Let the host wait for it."""
        if self.raw is not None:
            self.raw.synchronize()

    def elapsed_time(self, end: CudaEvent) -> float:
        """Milliseconds from this event to another."""
        if not (self.timing and end.timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self.raw is None or end.raw is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return float(cupy().cuda.get_elapsed_time(self.raw, end.raw))
