"""What a device is: the interface that a plugin of the group ``wengert.devices.v1`` implements.

An entry point names a class derived from ``DevicePlugin`` (or an instance); its name is the device's type. It is loaded
when the name is used for the first time. Every operation has a reference written for an array namespace, so that a
device
which gives ``xp``, memory, arrays on that memory and copies has all operations, with derivatives. ``kernels`` replaces
the references it can better. Streams are optional. docs/examples/device is a complete plugin.
"""

from __future__ import annotations

from _thread import _local
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any

from wengert_core.devices.device import device
from wengert_core.devices.fused_expression import FusedExpression

Array = Any
"""An array of the device's namespace. Needed of it: shape, ndim, dtype (NumPy's), assignment of [...]."""


class Memory:
    """What ``allocate`` gives: it owns a block of memory, which is freed with it. Any object with ``address`` will
    do.
    """

    address: int  # of the first byte, in the device's address space; never read by the host. Not 0.


class DevicePlugin:
    """One type of device, such as "cuda"; there may be several of it, numbered from 0."""

    type: str = ""  # the name of the entry point
    xp: Any = None  # an array namespace close to NumPy's; looked up when something is computed
    special: Any = None  # a namespace of functions as scipy.special has them, for wengert-special; None: there is none
    kernels: Mapping[str, Callable[..., Any]] = {}  # op name -> callable as the op's reference is: (xp, *arguments);
    # that of an op which other ops compute (TABLE.staged) may give None: it leaves these arguments to them. A pointwise
    # one may have a method flat(kind, arrays, out, n, *values) -> bool, which computes n contiguous elements by their
    # addresses: kind is "f" (float32) or "d" (float64); values are addresses where arrays has a bit, numbers elsewhere

    dlpack_type: int | None = None  # DLPack's number of this type of device (CUDA: 2); None: it has none
    accelerator: bool = True  # whether pin_memory() without a device may mean this type
    can_capture: bool = False  # whether it has graphs: see begin_capture
    fusible: Container[str] = ()  # names of steps (see FusedStep) that ``fuse`` takes, of float32 and float64

    def __init__(self) -> None:
        self.local = _local()

    # ---- what is there

    def device_count(self) -> int:
        """How many devices of this type can be used now."""
        raise NotImplementedError

    def unavailable(self) -> str:
        """One sentence that says why there is none, and what to do."""
        return f"no device of type '{self.type}' is available"

    def current_device(self) -> int:
        """The number that the type's name alone stands for, in this thread."""
        number: int = getattr(self.local, "device", 0)
        return number

    def set_device(self, index: int) -> None:
        """Make a device the current one of this thread."""
        self.local.device = index

    def enter(self, index: int) -> Any:
        """Called before each operation on a device: make it the one that ``xp`` computes on. Gives what ``leave``
        takes.
        """
        return None

    def leave(self, before: Any) -> None:
        """Called after each operation."""

    def properties(self, index: int) -> Mapping[str, Any]:
        """What a device is, by torch's names: at least "name"; "total_memory" in bytes, "major" and "minor" of its
        capability, "multi_processor_count", ... where it has them.
        """
        return {"name": f"{self.type}:{index}"}

    def can_access_peer(self, index: int, other: int) -> bool:
        """Whether a device can read another one's memory directly."""
        return False

    # ---- memory

    def allocate(self, nbytes: int, index: int) -> Any:
        """Memory of ``nbytes`` bytes (perhaps 0) on a device, with its ``address``; not cleared.

        Where there is none: free what is cached, try once more, then raise ``OutOfMemoryError`` with the sizes.
        """
        raise NotImplementedError

    def array(self, memory: Any, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any) -> Array:
        """An array on memory that ``allocate`` gave, which it keeps alive. offset: of the first element, in bytes;
        so strides.
        """
        raise NotImplementedError

    def adopt(self, address: int, nbytes: int, index: int, owner: Any) -> Any:
        """Memory of another library on a device, as ``allocate`` would give it; it keeps ``owner``. For DLPack."""
        raise BufferError(f"devices of type '{self.type}' take no memory of other libraries")

    def take(self, array: Array) -> tuple[Any, Any] | None:
        """(an array's memory as ``allocate`` would give it, what owns the block), for a result that keeps the memory
        instead of a copy; None where the array does not fill a block of the device's memory from its beginning, in
        row-major order.
        """
        return None

    def memory_stats(self, index: int) -> dict[str, int]:
        """Figures: at least "allocated" and "peak", bytes of live tensors. A device that keeps freed memory for reuse
        adds "reserved" and "reserved_peak", bytes with what is kept.
        """
        return {}

    def memory_info(self, index: int) -> tuple[int, int]:
        """(free bytes, all bytes) of a device, whoever uses them."""
        raise RuntimeError(f"devices of type '{self.type}' do not tell how much memory they have")

    def reset_peak(self, index: int) -> None:
        """Let "peak" and "reserved_peak" start again."""

    def empty_cache(self) -> None:
        """Give memory that is kept for reuse back to the device."""

    def pin(self, nbytes: int) -> Any:
        """Host memory that the device reads and writes directly, as an object with the buffer protocol."""
        raise RuntimeError(f"Cannot access pinned memory: devices of type '{self.type}' have none")

    # ---- copies; all in the order of the current stream, the shapes are equal or broadcast to the target's

    def assign(self, target: Array, source: Array) -> None:
        """target[...] = source on one device, with torch's conversions."""
        kind, wanted = source.dtype.kind, target.dtype.kind
        if kind == "c" and wanted not in "cb":
            source = source.real
        if wanted == "b" and kind != "b":
            source = source != 0
        target[...] = source

    def fill(self, target: Array, number: Any) -> None:
        """Write a NumPy scalar of the target's dtype to every element; a zero keeps its sign."""
        target[...] = number

    def upload(self, host: Any, target: Array, non_blocking: bool) -> None:
        """Copy a NumPy array of the target's dtype to the device. non_blocking: the memory is pinned, and the host need
        not wait; else the array may change as soon as this returns.
        """
        raise NotImplementedError

    def download(self, source: Array) -> Any:
        """A NumPy array with the elements; returns when they are there."""
        raise NotImplementedError

    def download_to(self, source: Array, host: Any) -> None:
        """Copy to a contiguous NumPy array of the same dtype and shape in pinned memory. It need not be waited for:
        whoever reads the array waits for the current stream. Keep the array alive until the copy is done.
        """
        host[...] = self.download(source)

    def transfer(self, source: Array, target: Array) -> None:
        """Copy between two devices of this type. Work that comes behind on either's current stream waits for it."""
        self.upload(self.download(source), target, False)

    # ---- order: streams and events. A device that computes at once needs none of it

    def synchronize(self, index: int) -> None:
        """Wait until all work on a device is done."""

    def current_stream(self, index: int) -> Any:
        """The stream that this thread's work on a device goes to; None: the device has no streams.

        A stream has device, synchronize(), wait_stream(other), wait_event(event), record_event(event or None), query().
        """
        return None

    def set_stream(self, stream: Any) -> Any:
        """Make a stream the current one of its device, for this thread; gives the one before."""
        raise RuntimeError(f"devices of type '{self.type}' have no streams")

    def make_stream(self, index: int, priority: int = 0) -> Any:
        """A new stream."""
        raise RuntimeError(f"devices of type '{self.type}' have no streams")

    def external_stream(self, index: int, handle: int) -> Any:
        """A stream that another library has made, by its handle; it must stay as long as the object."""
        raise RuntimeError(f"devices of type '{self.type}' take no streams of other libraries")

    def default_stream(self, index: int) -> Any:
        """The stream that is current unless another one is."""
        return None

    def make_event(self, enable_timing: bool = False) -> Any:
        """An event: record(stream=None), wait(stream=None), query(), synchronize(), elapsed_time(end) in ms."""
        raise RuntimeError(f"devices of type '{self.type}' have no events")

    def stream_number(self, index: int) -> int | None:
        """The current stream as DLPack hands it to another library, which lets it wait for what it gives us."""
        return None

    def export_stream(self, index: int, number: int | None) -> None:
        """Let another library's stream (as DLPack numbers it; None: the default one) wait for the current one."""

    def record_stream(self, memory: Any, stream: Any) -> None:
        """The memory is used on that stream, too: it must not be reused before what is queued there now is done."""

    # ---- graphs: work that is noted once, and done again by one call

    def begin_capture(self, index: int, pool: Any = None, mode: str = "global") -> None:
        """Note what this thread queues on the current stream of a device from now on, instead of doing it.

        pool: of ``make_graph_pool``, for memory that is allocated meanwhile; None: one of its own.   mode: whose calls
        that a capture does not allow are errors, "global" (of all threads), "thread_local" or "relaxed".
        Numbers are not there before the graph is replayed: what reads them raises ``CaptureError``, and so does what
        waits for the device, takes memory of the host that is not pinned, or begins another capture on that stream.
        """
        raise RuntimeError(f"devices of type '{self.type}' have no graphs")

    def end_capture(self, index: int) -> Any:
        """The graph of what was noted since ``begin_capture``. Also where this raises, nothing is noted any more.

        A graph has ``replay()``, which queues its work on the current stream of its device, ``owns(memory)``, whether
        memory was allocated meanwhile, and ``to_dot()``, a text that describes it. It keeps its pool, and the memory
        that was allocated, but not that of tensors from outside.
        """
        raise RuntimeError(f"devices of type '{self.type}' have no graphs")

    def is_capturing(self, index: int) -> bool:
        """Whether work on the current stream of a device is noted for a graph."""
        return False

    def make_graph_pool(self) -> Any:
        """A pool of memory that several graphs may share, if they are replayed in the order of their captures."""
        raise RuntimeError(f"devices of type '{self.type}' have no graphs")

    def replayed_upload(self, index: int, first: Any, make: Callable[[], Any] | None) -> Array:
        """In a capture: a contiguous array for numbers of the host, which no other work writes.

        first: a NumPy array with its dtype and shape.   make: gives what each replay copies to it before all other
        work; None: it is ``first`` for good.
        """
        raise RuntimeError(f"devices of type '{self.type}' have no graphs")

    def fuse(
        self, expression: FusedExpression
    ) -> Callable[[int, int, Sequence[Array], Sequence[float], Sequence[Array]], None] | None:
        """A function that computes an expression by one kernel, with the bits that its operations give one by one.
        None: they run one by one.

        It is called with the number of the device, n, the inputs, the numbers and the outputs, and queues the kernel on
        the current stream. The arrays are those of ``array``: inputs have the sizes and strides of the expression, or
        are contiguous and have one dim of n, as the outputs.
        """
        return None

    def device(self, index: int) -> device:
        """The device object of a number."""
        return device(self.type, index)


class OutOfMemoryError(RuntimeError):
    """A device has no memory left."""


class CaptureCounts(_local):
    """The number of errors that a thread has made."""

    n = 0


CAPTURE_COUNTS = CaptureCounts()


class CaptureError(RuntimeError):
    """A call is not permitted while work is noted for a graph."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        CAPTURE_COUNTS.n += 1

    @staticmethod
    def count() -> int:
        """Count those of this thread: a function that catches one goes on without what it has asked for."""
        return CAPTURE_COUNTS.n
