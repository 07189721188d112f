"""CUDA graphs by CuPy's stream capture.

Note [Memory of a graph]
    Kernels of a graph use the addresses that they were captured with. What is allocated during a capture, by core and
    by CuPy's functions, comes from a pool of CuPy's that belongs to the graph: it gives freed memory to the same
    capture, and to nobody else as long as graph or tensor is there. What a replay reads of the host is copied ahead of
    the launch to memory outside of that pool, because the graph's own work writes all over the pool.
Note [The mode of a capture]
    CUDA's modes "global" and "thread_local" refuse to allocate memory during a capture. CuPy's pool grows then, so
    captures begin with CuPy's default, "relaxed", and the plugin itself refuses what would wait for the device.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from wengert_core.extend import CaptureError, DevicePlugin

from wengert_cuda.products import CaptureProducts, ProductHandles

MODES = ("global", "thread_local", "relaxed")
DEFAULT_STREAMS = (0, 1, 2)
"""CUDA's handles of streams that cannot capture."""


def refusal(what: str) -> CaptureError:
    """The error for a call that a capture does not permit."""
    return CaptureError(f"CUDA error: operation not permitted when stream is capturing: {what}")


class GraphPool:
    """Memory of graphs; tensors on it keep it alive."""

    def __init__(self, cuda: Any) -> None:
        self.pool = cuda.MemoryPool()
        self.workspaces: dict[int, Any] = {}  # of cuBLAS, by stream


class Capture:
    """A capture that is underway in a thread."""

    def __init__(self, cuda: Any, stream: Any, pool: GraphPool, products: CaptureProducts | None) -> None:
        self.stream, self.pool, self.products = stream, pool, products
        self.uploads: list[tuple[Any, Callable[[], Any]]] = []  # what each replay copies to the device first
        self.held: list[Any] = []  # memory that the graph uses beside its pool
        self.allocator = cuda.using_allocator(pool.pool.malloc)
        self.side = cuda.Stream(non_blocking=True)  # for copies that are done at once


class CudaGraph:
    """A graph that can be launched."""

    def __init__(self, plugin: CapturingDevice, index: int, raw: Any, capture: Capture) -> None:
        self.plugin, self.index, self.raw = plugin, index, raw
        self.pool, self.uploads, self.held = capture.pool, capture.uploads, capture.held

    @property
    def handle(self) -> int:
        """CUDA's handle of what is launched."""
        return int(self.raw.graphExec)

    def owns(self, memory: Any) -> bool:
        """Whether memory was allocated in the capture."""
        return getattr(memory, "graph_pool", None) is self.pool

    def replay(self) -> None:
        """Launch the graph on the current stream."""
        self.plugin.require_no_capture("a replay of a graph")
        with self.plugin.cupy.cuda.Device(self.index):
            for array, make in self.uploads:
                self.plugin.upload(make(), array, False)
            self.raw.launch(self.plugin.cupy.cuda.get_current_stream(self.index))

    def to_dot(self) -> str:
        """A text in Graphviz's language: CuPy does not tell the nodes."""
        return f'digraph {{\n  graph [label="CUDA graph {self.handle:#x}"]\n}}'


class CapturingDevice(DevicePlugin):
    """The methods of CUDA's plugin that capture graphs."""

    can_capture = True
    cupy: Any

    def __init__(self) -> None:
        super().__init__()
        self.captures = 0  # in all threads
        self.handles = ProductHandles(self)

    def capture_here(self) -> Capture | None:
        """This thread's capture."""
        return getattr(self.local, "capture", None) if self.captures else None

    def require_no_capture(self, what: str) -> None:
        """CaptureError where this thread captures a graph."""
        if self.captures and self.capture_here() is not None:
            raise refusal(what)

    def is_capturing(self, index: int) -> bool:
        capture = self.capture_here()
        if capture is None:
            return False
        stream = self.cupy.cuda.get_current_stream(index)
        if stream.ptr == capture.stream.ptr:
            return True
        return stream.ptr not in DEFAULT_STREAMS and bool(stream.is_capturing())  # it may have joined the capture

    def products_here(self) -> CaptureProducts | None:
        """cuBLAS for what is queued now, where that is captured; None: CuPy is to call it."""
        capture = self.capture_here()
        if capture is None or capture.products is None:
            return None
        return capture.products if self.is_capturing(self.cupy.cuda.Device().id) else None

    def explain_refusal(self, error: NotImplementedError) -> NotImplementedError:
        """CuPy's error for a call of cuBLAS in a capture, with the reason why it was CuPy that was to call it."""
        capture = self.capture_here()
        if capture is None or capture.products is not None:
            return error
        why = self.handles.why_not.get(self.cupy.cuda.Device().id, "the capture is of another device")
        return NotImplementedError(f"{error}; wengert-cuda's own calls of cuBLAS cannot be used: {why}")

    def explain_linalg_refusal(self, name: str, error: NotImplementedError) -> NotImplementedError:
        """CuPy's error for linear algebra in a capture, with the operation and what to do; others as they are."""
        if self.capture_here() is None:
            return error
        return NotImplementedError(f"{error}: linalg.{name} calls cuSOLVER, whose results CuPy checks on the host; "
                                   "compute it ahead of the capture, or by a function that is not captured")

    def make_graph_pool(self) -> GraphPool:
        return GraphPool(self.cupy.cuda)

    def begin_capture(self, index: int, pool: Any = None, mode: str = "global") -> None:
        if mode not in MODES:
            raise ValueError(f"expected one of the modes {', '.join(MODES)}, got {mode!r}")
        self.require_no_capture("another capture")
        cuda = self.cupy.cuda
        pool = self.make_graph_pool() if pool is None else pool
        with cuda.Device(index):
            products = self.handles.begin(pool, index)
            capture = Capture(cuda, cuda.get_current_stream(index), pool, products)
            try:
                capture.stream.begin_capture()
            except BaseException:
                self.handles.end(products, index)
                raise
        capture.allocator.__enter__()
        self.local.capture = capture
        self.captures += 1

    def end_capture(self, index: int) -> CudaGraph:
        capture = self.capture_here()
        if capture is None:
            raise RuntimeError("CUDA error: no capture has begun in this thread")
        self.local.capture = None
        self.captures -= 1
        capture.allocator.__exit__(None, None, None)
        self.handles.end(capture.products, index)
        with self.cupy.cuda.Device(index):
            return CudaGraph(self, index, capture.stream.end_capture(), capture)

    def replayed_upload(self, index: int, first: Any, make: Callable[[], Any] | None) -> Any:
        capture = self.capture_here()
        if capture is None:
            raise RuntimeError("replayed_upload: no capture has begun in this thread")
        array = self.constant(np.ascontiguousarray(first).reshape(first.shape), capture)
        if make is not None:
            capture.uploads.append((array, make))
        return array

    def constant(self, host: Any, capture: Capture) -> Any:
        """An array of the device with the host's numbers, which are copied now, beside the capture."""
        with capture.side:  # CuPy's pool gives memory that is free on the current stream
            pointer = self.cupy.get_default_memory_pool().malloc(max(host.nbytes, 1))
        pointer.copy_from_host_async(host.ctypes.data, host.nbytes, capture.side)
        capture.side.synchronize()
        array = self.cupy.ndarray(host.shape, host.dtype, pointer)
        capture.held.append(array)
        return array

    def as_constant(self, value: Any) -> Any:
        """During a capture, the device's array of numbers of the host; None: no capture, or it is the device's."""
        capture = self.capture_here()
        if capture is None or isinstance(value, self.cupy.ndarray):
            return None
        try:
            return self.constant(np.asarray(value, order="C"), capture)
        except TypeError:  # a list with arrays of the device
            return None
