"""A stand-in for CuPy on memory of the host: what wengert-cuda calls of it, with CuPy's rules, and no GPU.

Arrays of NumPy among the arguments are errors, kernels are compiled as C++ (compiled.py), memory comes from a pool with
a limit. ``install`` puts it in the place of CuPy. CuPy's documentation is the source of the signatures.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import operator
import sys
import types
from typing import Any, Self
from weakref import WeakSet

import compiled
import numpy as np
import scipy.special

CALLS: list[str] = []  # what was done that a test may ask for
LIMIT: list[int] = [1 << 40]
USED: list[int] = [0]
CACHED: list[int] = [0]  # bytes that a pool keeps: as good as used until it is emptied


class OutOfMemoryError(MemoryError):
    pass


NODES: list[list[Any]] = []  # of the capture that is underway, where there is one


def run(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Do work, and note it for a graph. At the end of a capture the memory from before it is as it was."""
    found = arrays(function(*args, **kwargs))
    if NODES:
        NODES[-1].append(lambda: keep(found, arrays(function(*args, **kwargs))))
    return found


def arrays(value: Any) -> Any:
    """A result with arrays in place of NumPy's numbers."""
    if isinstance(value, np.generic):
        return np.asarray(value)
    return type(value)(map(arrays, value)) if type(value) in (list, tuple) else value


def keep(target: Any, found: Any) -> None:
    """Copy the result of a replay to where the first run has put it."""
    if isinstance(target, np.ndarray):
        if target is not found and not np.may_share_memory(target, found):
            target[...] = found
    elif isinstance(target, (list, tuple)):
        for one, other in zip(target, found, strict=True):
            keep(one, other)


class Graph:
    graphExec = 0x1234  # noqa: N815 - CuPy's name

    def __init__(self, nodes: list[Any]) -> None:
        self.nodes = nodes

    def launch(self, stream: Any = None) -> None:
        CALLS.append("launch")
        for node in self.nodes:
            node()


LIVE: WeakSet[Memory] = WeakSet()


class Memory:
    def __init__(self, size: int) -> None:
        if USED[0] + CACHED[0] + size > LIMIT[0]:
            raise OutOfMemoryError(f"Out of memory allocating {size} bytes")
        USED[0] += size
        self.size, self.bytes = size, np.full(size, 0xFB, np.uint8)
        LIVE.add(self)
        self.ptr = self.bytes.ctypes.data

    def __del__(self) -> None:
        if hasattr(self, "bytes"):
            USED[0] -= self.size


class UnownedMemory:
    def __init__(self, ptr: int, size: int, owner: Any, device_id: int = -1) -> None:
        self.ptr, self.size, self.owner = ptr, size, owner


class MemoryPointer:
    def __init__(self, mem: Any, offset: int) -> None:
        self.mem, self.offset, self.ptr = mem, offset, mem.ptr + offset

    def __add__(self, offset: int) -> MemoryPointer:
        return MemoryPointer(self.mem, self.offset + offset)

    def copy_from_host_async(self, mem: int, size: int, stream: Any = None) -> None:
        CALLS.append("copy_from_host_async")
        if stream.capturing:
            NODES[-1].append(lambda: ctypes.memmove(self.ptr, mem, size))
        else:
            ctypes.memmove(self.ptr, mem, size)

    def copy_to_host_async(self, mem: int, size: int, stream: Any = None) -> None:
        CALLS.append("copy_to_host_async")
        ctypes.memmove(mem, self.ptr, size)


class Device:
    current = 0

    def __init__(self, device: int | None = None) -> None:
        self.id = Device.current if device is None else device

    def use(self) -> None:
        Device.current = self.id

    def __enter__(self) -> Self:
        self.before, Device.current = Device.current, self.id
        return self

    def __exit__(self, *error: object) -> None:
        Device.current = self.before

    compute_capability = "80"

    def synchronize(self) -> None:
        CALLS.append("synchronize")


class Stream:
    count = 0
    capturing = False

    def __init__(self, null: bool = False, non_blocking: bool = False, ptds: bool = False, priority: int = 0) -> None:
        Stream.count += not null
        self.ptr = 0 if null else 1000 + Stream.count
        self.done = True

    def use(self) -> None:
        CURRENT[0] = self

    def __enter__(self) -> Self:
        self.before, CURRENT[0] = CURRENT[0], self
        return self

    def __exit__(self, *error: object) -> None:
        CURRENT[0] = self.before

    @classmethod
    def from_external(cls, stream: Any) -> Stream:
        return ExternalStream(stream.__cuda_stream__()[1])

    def begin_capture(self, mode: Any = None) -> None:
        if self.ptr == 0:
            raise RuntimeError("cannot capture on the default (legacy) stream")
        self.capturing = True
        NODES.append([])
        self.contents = [(memory, memory.bytes.copy()) for memory in LIVE]

    def end_capture(self) -> Graph:
        self.capturing = False
        for memory, contents in self.contents:
            memory.bytes[...] = contents
        self.contents = []
        return Graph(NODES.pop())

    def is_capturing(self) -> bool:
        return self.capturing

    def synchronize(self) -> None:
        assert not self.capturing, "cudaErrorStreamCaptureUnsupported"
        CALLS.append(f"synchronize {self.ptr}")

    def wait_event(self, event: Any) -> None:
        CALLS.append(f"{self.ptr} waits for {event.stream}")


class ExternalStream(Stream):
    def __init__(self, ptr: int, device_id: int = -1) -> None:
        self.ptr, self.done = ptr, True


class Event:
    happened = True

    def __init__(self, block: bool = False, disable_timing: bool = False, interprocess: bool = False) -> None:
        self.stream = None

    @property
    def done(self) -> bool:
        return self.happened

    def record(self, stream: Any = None) -> None:
        self.stream = stream.ptr

    def synchronize(self) -> None:
        CALLS.append("event")


Stream.null = Stream(null=True)  # type: ignore[attr-defined]
CURRENT = [Stream.null]  # type: ignore[attr-defined]


class ndarray:
    """An array of the device; NumPy's own are none, and NumPy cannot read it."""

    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, shape: Any, dtype: Any = float, memptr: Any = None, strides: Any = None) -> None:
        dtype = np.dtype(dtype)
        if memptr is None or 0 in shape:
            self.hidden: Any = np.empty(shape, dtype)
            return
        strides = np.empty(shape, dtype).strides if strides is None else strides
        span = sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) + dtype.itemsize
        raw = (ctypes.c_uint8 * span).from_address(memptr.ptr)
        self.pointer = memptr
        raw.keep = memptr
        self.hidden = np.ndarray(shape, dtype, raw, 0, strides)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "hidden":
            raise AttributeError(name)
        found = getattr(self.hidden, name)
        return Function(found) if callable(found) else there(found) if isinstance(found, np.ndarray) else found

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("real", "imag"):
            setattr(self.hidden, name, host(value))
        else:
            object.__setattr__(self, name, value)

    @property
    def base(self) -> Any:
        return None if "pointer" in self.__dict__ else self.hidden

    @property
    def data(self) -> MemoryPointer:
        if "pointer" in self.__dict__:
            return self.pointer  # type: ignore[no-any-return]
        return MemoryPointer(UnownedMemory(self.hidden.ctypes.data, self.hidden.nbytes, self), 0)

    @property
    def device(self) -> Device:
        return Device(0)

    def get(self) -> Any:
        if NODES:
            raise RuntimeError("the current stream is capturing, so synchronous API calls are disallowed")
        CALLS.append("get")
        return np.array(self.hidden)

    def __setitem__(self, index: Any, value: Any) -> None:
        run(operator.setitem, self.hidden, host(index), host(value))

    def __getitem__(self, index: Any) -> Any:
        return there(run(operator.getitem, self.hidden, host(index)))

    def __len__(self) -> int:
        return len(self.hidden)

    def __bool__(self) -> bool:
        return bool(self.get())

    def __int__(self) -> int:
        return int(self.get())

    def __float__(self) -> float:
        return float(self.get())


def _operator(name: str) -> Any:
    def operate(self: ndarray, *others: Any) -> Any:
        refuse_captured(name.removeprefix("r").removeprefix("i"), (self, *others))
        result = run(lambda data, *more: getattr(data, name)(*more), self.hidden, *map(host, others))
        return self if result is self.hidden else result if result is NotImplemented else there(result)

    return operate


_BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
for _name in ("neg pos abs invert lt le eq ne gt ge".split() + _BINARY + [f"r{n}" for n in _BINARY]
              + [f"i{n}" for n in _BINARY]):  # fmt: skip
    setattr(ndarray, f"__{_name}__", _operator(f"__{_name}__"))


def host(value: Any) -> Any:
    """NumPy's array of an argument. TypeError for one that is the host's."""
    if isinstance(value, ndarray):
        return value.hidden
    if isinstance(value, np.ndarray):
        raise TypeError("Unsupported type <class 'numpy.ndarray'>")
    return type(value)(host(one) for one in value) if type(value) in (list, tuple) else value


def there(value: Any) -> Any:
    """A result of NumPy's as the device's."""
    if isinstance(value, (np.ndarray, np.generic)):
        found = ndarray.__new__(ndarray)
        found.hidden = np.asarray(value)
        return found
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(there, value))
    return type(value)(there(one) for one in value) if type(value) in (list, tuple) else value


REFUSED = {"cuBLAS": "matmul dot einsum tensordot outer inner vdot".split(),
           "cuSOLVER": "solve inv cholesky qr svd eigh eigvalsh slogdet det".split()}  # fmt: skip


def refuse_captured(name: str, args: Any) -> None:
    """CuPy's error for libraries that it does not call while a stream captures; whole numbers are its own kernels'."""
    for library in [library for library, names in REFUSED.items() if NODES and name in names]:
        if any(isinstance(one, ndarray) and one.dtype.kind in "fc" for one in args):
            raise NotImplementedError(f"calling {library} API during stream capture is currently unsupported")


class Function:
    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = getattr(self.function, "__self__", None)
        refuse_captured(self.function.__name__, (*args, there(bound) if isinstance(bound, np.ndarray) else None))
        return there(run(self.function, *map(host, args), **{name: host(value) for name, value in kwargs.items()}))

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.function, name)
        return Function(found) if callable(found) else found


def as_array(value: Any, dtype: Any = None) -> Any:
    """CuPy's asarray: what is the host's is copied to the device, on purpose."""
    return there(np.asarray(value if isinstance(value, np.ndarray) else host(value), dtype))


class ElementwiseKernel:
    def __init__(
        self, in_params: str, out_params: str, operation: str, name: str = "kernel", options: tuple[str, ...] = ()
    ) -> None:
        self.inputs, self.outputs, self.operation, self.name = in_params, out_params, operation, name

    def __call__(self, *args: Any) -> Any:
        found = self.compute(*args)
        if NODES:
            NODES[-1].append(lambda: keep(found.hidden, self.compute(*args).hidden))
        return found

    def compute(self, *args: Any) -> Any:
        CALLS.append(self.name)
        given = compiled.parameters(self.inputs) + compiled.parameters(self.outputs)
        typed = [value for value, (_, kind, _) in zip(args, given, strict=False) if kind == "T"]
        dtype = next(value.dtype for value in typed if getattr(value, "ndim", 0) or value is typed[-1])
        plain = [host(value) for value, (raw, *_) in zip(args, given, strict=False) if not raw]
        shape = np.broadcast_shapes(*[np.shape(value) for value in plain])
        arrays: list[Any] = []
        for value, (raw, kind, _) in zip(args, given, strict=False):
            wanted = dtype if kind == "T" else np.int64
            if raw:
                assert value.flags.c_contiguous
                arrays.append(host(value))
            else:
                arrays.append(np.ascontiguousarray(np.broadcast_to(np.asarray(host(value), wanted), shape)))
        if len(args) == len(given):
            compiled.elementwise(self.inputs, self.outputs, self.name, arrays, dtype.str[1:])
            return args[-1]
        size = max(math.prod(shape) * dtype.itemsize, 1)
        out = ndarray(shape, dtype, MemoryPointer(Memory(size), 0))
        compiled.elementwise(self.inputs, self.outputs, self.name, [*arrays, out.hidden], dtype.str[1:])
        return out


class RawModule:
    def __init__(self, *, code: str, options: tuple[str, ...] = ()) -> None:
        self.code = code

    def get_function(self, name: str) -> Any:
        def call(grid: Any, block: Any, args: Any, again: bool = False) -> None:
            if NODES and not again:
                NODES[-1].append(lambda: call(grid, block, args, True))
            CALLS.append(name)
            compiled.launch(self.code, name, grid[0], block, tuple(
                host(value) if isinstance(value, ndarray) else value for value in args))

        return call


def free_all_blocks() -> None:
    CALLS.append("free_all_blocks")
    CACHED[0] = 0


ALLOCATORS: list[Any] = []
PROPERTIES = {"name": b"a stand-in", "totalGlobalMem": 1 << 40, "major": 9, "minor": 0, "multiProcessorCount": 132,
              "uuid": b"0123456789abcdef", "luid": b""}  # fmt: skip


class MemoryPool:
    used_bytes = staticmethod(lambda: USED[0])
    total_bytes = staticmethod(lambda: USED[0] + CACHED[0])
    free_all_blocks = staticmethod(free_all_blocks)

    def __init__(self) -> None:
        self.chunks: list[Memory] = []

    def malloc(self, size: int) -> MemoryPointer:
        memory = Memory(size)
        if ALLOCATORS:
            CALLS.append("malloc of a graph")
            self.chunks.append(memory)  # a pool keeps what it has
        return MemoryPointer(memory, 0)


@contextlib.contextmanager
def using_allocator(allocator: Any) -> Any:
    ALLOCATORS.append(allocator)
    try:
        yield
    finally:
        ALLOCATORS.pop()


def alloc(size: int) -> MemoryPointer:
    return ALLOCATORS[-1](size) if ALLOCATORS else MemoryPointer(Memory(size), 0)


def install(limit: int = 1 << 40) -> types.ModuleType:
    """Put this in CuPy's place."""
    LIMIT[0] = limit

    class Module(types.ModuleType):
        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            found = getattr(np, name)
            if isinstance(found, type) or not callable(found):
                return Module.of(name, found) if isinstance(found, types.ModuleType) else found
            return Function(found)

        @staticmethod
        def of(name: str, real: Any) -> Any:
            module = types.SimpleNamespace()
            for one in dir(real):
                value = getattr(real, one)
                setattr(module, one, Function(value) if callable(value) and not isinstance(value, type) else value)
            return module

    cupy = Module("cupy")
    cupy.ndarray, cupy.ElementwiseKernel, cupy.RawModule = ndarray, ElementwiseKernel, RawModule
    cupy.asarray = as_array

    pool = MemoryPool()
    cupy.get_default_memory_pool = lambda: pool
    cupy.get_default_pinned_memory_pool = lambda: types.SimpleNamespace(free_all_blocks=lambda: None)
    cupy.cuda = types.SimpleNamespace(
        is_available=lambda: True, Device=Device, Stream=Stream, ExternalStream=ExternalStream, Event=Event,
        MemoryPointer=MemoryPointer, UnownedMemory=UnownedMemory, get_elapsed_time=lambda a, b: 1.0,
        alloc=alloc, using_allocator=using_allocator, MemoryPool=MemoryPool, Graph=Graph,
        alloc_pinned_memory=lambda size: bytearray(size),
        get_current_stream=lambda device_id=None: CURRENT[0],
        memory=types.SimpleNamespace(OutOfMemoryError=OutOfMemoryError, PooledMemory=Memory),
        runtime=types.SimpleNamespace(getDeviceCount=lambda: 1, getDevice=lambda: Device.current,
                                      memGetInfo=lambda: (LIMIT[0] - USED[0], LIMIT[0]),
                                      getDeviceProperties=lambda index: PROPERTIES,
                                      deviceCanAccessPeer=lambda index, other: int(index != other)),
    )  # fmt: skip
    cupyx, functions = types.ModuleType("cupyx"), types.ModuleType("cupyx.scipy.special")
    for name in ("psi", "zeta", "gammainc", "gammaincc", "j0", "j1", "y0", "y1", "i0", "i0e", "i1", "i1e", "erfcx"):
        setattr(functions, name, Function(getattr(scipy.special, name)))
    cupyx.errstate = lambda **options: contextlib.nullcontext()  # NumPy raises as it is
    sys.modules |= {"cupy": cupy, "cupyx": cupyx, "cupyx.scipy": types.ModuleType("cupyx.scipy"),
                    "cupyx.scipy.special": functions}
    return cupy
