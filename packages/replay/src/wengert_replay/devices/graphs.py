"""Graphs of a device by PyTorch's names: ``CUDAGraph``, ``graph`` and functions, for devices of any type.

Note [Captured work]
    While a graph is captured, operations run as far as the host is concerned: shapes, versions and the graph of
    autograd are made. The device notes their work and does nothing, so that numbers are there after the first replay.
    A replay uses the memory of the capture: new arguments are written into the old ones with ``copy_``, and results
    are overwritten. What a device offers for it stands in wengert_core's devices/plugin.py, from ``begin_capture`` on.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self
from weakref import WeakKeyDictionary, ref

from wengert_core import empty
from wengert_core.extend import accelerator_functions, device, device_plugin, warn_user
from wengert_engine.extend import is_observed

MODES = ("global", "thread_local", "relaxed")
GENERATOR_CALLS: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()
"""By pool and number of a device: a GeneratorCalls."""
UNDERWAY: list[str] = []
"""The types of devices of which a CUDAGraph captures just now."""


def plugin_of(kind: str) -> Any:
    """Return the plugin of a type of device that can be used now; None where there is none."""
    found = device_plugin(kind)
    return found if found is not None and found.device_count() else None


def graph_plugin(kind: str, name: str) -> Any:
    """Return the plugin of a type of device. RuntimeError where there is no device, or it has no graphs."""
    found = plugin_of(kind)
    if found is None:
        raise RuntimeError(f"Tried to instantiate dummy base class {name}")
    if not found.can_capture:
        raise RuntimeError(f"devices of type '{kind}' have no graphs")
    return found


class CUDAGraph:
    """Captured work of a device, which ``replay`` does again.

    keep_graph: make the graph ready at ``instantiate`` or at the first replay, not at the end of the capture.
    Use ``graph`` for a capture.
    """

    kind: ClassVar[str] = "cuda"
    _plugin: Any
    _index: int | None
    _graph: Any
    _pool: Any
    _is_debugged: bool
    _watch: Any  # of what a capture uses, and does with generators; None without a capture, or below a profiler
    _is_checked: bool  # whether replays look at memory from outside
    _inputs: list[tuple[Any, int]]  # weak references to memory from outside, and its address

    def __new__(cls, keep_graph: bool = False) -> Self:
        if not isinstance(keep_graph, bool):
            raise TypeError(f"CUDAGraph(): argument 'keep_graph' must be bool, not {type(keep_graph).__name__}")
        plugin = graph_plugin(cls.kind, "CUDAGraph")
        made = super().__new__(cls)
        made._plugin, made._index, made._graph, made._pool, made._is_debugged = plugin, None, None, None, False
        made._watch, made._inputs, made._is_checked = None, [], False
        return made

    def capture_begin(
        self, pool: Any = None, capture_error_mode: str = "global", check_input_liveness: bool = False
    ) -> None:
        """Begin to capture the work of the current stream.

        pool: of ``graph_pool_handle`` or of another graph, whose memory this graph may use, too.   capture_error_mode:
        whose calls that a capture does not allow are errors: "global" (of all threads), "thread_local" or "relaxed".
        check_input_liveness: let replays raise RuntimeError where memory from outside that operations of the capture
        use is freed. It makes a capture slower.
        """
        if capture_error_mode not in MODES:
            raise RuntimeError(
                f"Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got {capture_error_mode}"
            )
        if self._graph is not None:
            raise RuntimeError(
                "This CUDAGraph instance already owns a captured graph. To capture a new graph, create a new instance."
            )
        if self._index is not None:
            raise RuntimeError("capture_begin: this graph's capture has begun already")
        index = self._plugin.current_device()
        if self._plugin.current_stream(index) == self._plugin.default_stream(index):
            raise RuntimeError(
                "CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to replay them "
                "on the default stream.)"
            )
        pool = self._plugin.make_graph_pool() if pool is None else pool
        is_watched = check_input_liveness or not is_observed()
        watch = watch_inputs(self._plugin.device(index), pool) if is_watched else None
        try:
            self._plugin.begin_capture(index, pool, capture_error_mode)
        except BaseException:
            if watch is not None:
                watch.stop()
            raise
        UNDERWAY.append(self.kind)
        self._index, self._pool, self._watch, self._inputs = index, pool, watch, []
        self._is_checked = check_input_liveness

    def capture_end(self) -> None:
        """End the capture on the current stream; the graph can be replayed then."""
        if self._index is None or self._graph is not None:
            raise RuntimeError("capture_end: no capture of this graph has begun on the current stream")
        index, self._index = self._index, None
        UNDERWAY.remove(self.kind)
        watch, self._watch = self._watch, None
        if watch is not None:
            watch.stop()
        try:
            graph = self._graph = self._plugin.end_capture(index)
        except BaseException:
            self._pool = None
            raise
        self._index = index
        if watch is not None and self._is_checked:
            self._inputs = [(ref(one), one.address) for one in watch.held.values() if not graph.owns(one)]

    def abandon(self) -> None:
        """End a capture whose work is of no use."""
        if self._index is not None and self._graph is None:
            self.capture_end()
        self.reset()

    def instantiate(self) -> None:
        """Make the graph ready for replays, which the end of a capture has done."""
        self._require_graph("instantiate")

    def replay(self) -> None:
        """Queue the captured work on the current stream. RuntimeError: see ``check_input_liveness``."""
        graph = self._require_graph("replay")
        dead = [address for reference, address in self._inputs if reference() is None]
        if dead:
            lines = [f"Dead tensor #{k} (data_ptr={address:#x})" for k, address in enumerate(dead[:5], 1)]
            more = [f"... and {len(dead) - 5} more"] if len(dead) > 5 else []
            raise RuntimeError("\n".join([f"CUDA graph replay detected {len(dead)} dead tensor(s).", *lines, *more]))
        graph.replay()

    def reset(self) -> None:
        """Drop the captured work; the instance may capture again."""
        if self._index is not None and self._graph is None:
            raise RuntimeError("reset: a capture is underway")
        self._graph, self._pool, self._index, self._inputs = None, None, None, []

    def pool(self) -> Any:
        """Return the pool of the graph's memory, which other captures may share."""
        self._require_graph("pool()")
        return self._pool

    def enable_debug_mode(self) -> None:
        """Let ``debug_dump`` write."""
        self._is_debugged = True

    def debug_dump(self, debug_path: str) -> None:
        """Write the captured work to a file, in Graphviz's language; a warning without ``enable_debug_mode``."""
        if not self._is_debugged:
            warn_user("CUDA Graphs debug not enabled, set with [graph].enable_debug_mode()")
            return
        text = self._require_graph("debug_dump").to_dot()
        with open(debug_path, "w", encoding="utf-8") as file:
            file.write(text)

    def raw_cuda_graph(self) -> int:
        """Return CUDA's handle of the graph; RuntimeError: wengert's graphs do not keep it."""
        raise RuntimeError("You cannot access the raw cudaGraph_t instance unless CUDAGraph was initialized with "
                           "keep_graph=true, and wengert does not keep it")  # fmt: skip

    def raw_cuda_graph_exec(self) -> int:
        """Return CUDA's handle of the graph that is launched. RuntimeError where the device has none."""
        handle = getattr(self._require_graph("raw_cuda_graph_exec"), "handle", None)
        if handle is None:
            raise RuntimeError(f"raw_cuda_graph_exec: graphs of devices of type '{self.kind}' have no handle")
        return int(handle)

    def get_graph_data(self) -> dict[str, Any]:
        """Return nodes and edges of the graph; RuntimeError: they are not kept."""
        raise RuntimeError("get_graph_data requires keep_graph=True, and wengert does not keep the graph; debug_dump() "
                           "writes what the device's plugin tells")  # fmt: skip

    def _require_graph(self, name: str) -> Any:
        """The device's graph. RuntimeError before a capture has ended."""
        if self._graph is None:
            raise RuntimeError(f"Called CUDAGraph::{name} without a preceding successful capture.")
        return self._graph


class graph:
    """A context whose work on a device is captured into a graph.

    cuda_graph: the graph.   pool: of ``graph_pool_handle`` or of another graph, whose memory may be used, too.
    stream: the current one inside of the block; None: a stream for captures.   capture_error_mode: see
    ``CUDAGraph.capture_begin``.   enable_annotations: taken for torch's sake.   check_input_liveness: see there.
    Where the block raises, nothing is captured, and the graph may capture again.
    """

    default_capture_stream: ClassVar[Any] = None
    graph_class: ClassVar[type[CUDAGraph]] = CUDAGraph

    def __init__(
        self, cuda_graph: CUDAGraph, pool: Any = None, stream: Any = None, capture_error_mode: str = "global",
        enable_annotations: bool = False, check_input_liveness: bool = False,
    ) -> None:  # fmt: skip
        functions = accelerator_functions(self.graph_class.kind)
        cls = type(self)
        if stream is None and cls.default_capture_stream is None:
            cls.default_capture_stream = functions["Stream"]()
        if not isinstance(cuda_graph, self.graph_class):
            raise TypeError(f"graph(): argument 'cuda_graph' (position 1) must be CUDAGraph, not "
                            f"{type(cuda_graph).__name__}")  # fmt: skip
        self.cuda_graph, self.pool, self.capture_error_mode = cuda_graph, pool, capture_error_mode
        self.check_input_liveness = check_input_liveness
        self.capture_stream = cls.default_capture_stream if stream is None else stream
        self.synchronize, self.empty_cache = functions["synchronize"], functions["empty_cache"]
        self.stream_ctx = functions["stream"](self.capture_stream)

    def __enter__(self) -> None:
        self.synchronize()
        self.empty_cache()
        self.stream_ctx.__enter__()
        try:
            self.cuda_graph.capture_begin(self.pool, self.capture_error_mode, self.check_input_liveness)
        except BaseException:
            self.stream_ctx.__exit__(None, None, None)
            raise

    def __exit__(self, kind: type[BaseException] | None, *others: object) -> None:
        try:
            if kind is None:
                self.cuda_graph.capture_end()
            else:
                self._abandon()
        finally:
            self.stream_ctx.__exit__(kind, *others)

    def _abandon(self) -> None:
        """End a capture whose block has raised; what the device says of it would hide the reason."""
        try:
            self.cuda_graph.abandon()
        except RuntimeError:
            self.cuda_graph.reset()


def watch_inputs(where: device, pool: Any) -> Any:
    """Begin to note the memory from outside that this thread's operations on a device use; ``stop()`` ends that.

    What a checkpoint does with generators is done by each replay, so that it draws its numbers again: in the same
    graph, or in another one with this pool, as backward often is.
    """
    from wengert_replay.devices.watch import DeviceWatch

    watch = DeviceWatch(empty(0, device=where), False)
    calls = GENERATOR_CALLS.setdefault(pool, {})
    watch.share_generators(calls.setdefault(where.index, watch.generator_calls))
    watch.start()
    return watch


def is_capturing(kind: str) -> bool:
    """Return whether the current stream of a type of device captures a graph; False without a device."""
    plugin = plugin_of(kind)
    return plugin is not None and plugin.can_capture and bool(plugin.is_capturing(plugin.current_device()))


def captured_kind() -> str:
    """Return the type of device whose current stream a CUDAGraph captures; "" where none does."""
    return next((kind for kind in [*UNDERWAY] if is_capturing(kind)), "")


def is_current_stream_capturing() -> bool:
    """Return whether the current CUDA stream captures a graph; False without a device."""
    return is_capturing("cuda")


def graph_pool_handle() -> Any:
    """Return a pool of memory that graphs may share."""
    return graph_plugin("cuda", "_graph_pool_handle").make_graph_pool()


def graph_names(kind: str) -> dict[str, Any]:
    """Return the classes and functions of this module for the devices of a type, by name."""
    from wengert_replay.devices.callables import graph_callables, make_graphed_callables

    if kind == "cuda":
        return {"CUDAGraph": CUDAGraph, "graph": graph, "graph_pool_handle": graph_pool_handle,
                "is_current_stream_capturing": is_current_stream_capturing,
                "make_graphed_callables": make_graphed_callables}  # fmt: skip
    graph_class = type("CUDAGraph", (CUDAGraph,), {"kind": kind, "__doc__": CUDAGraph.__doc__})
    context = type("graph", (graph,), {"graph_class": graph_class, "__doc__": graph.__doc__})

    def make(callables: Any, sample_args: Any, num_warmup_iters: int = 3, allow_unused_input: bool = False,
             pool: Any = None) -> Any:  # fmt: skip
        return graph_callables(context, callables, sample_args, num_warmup_iters, allow_unused_input, pool)

    return {"CUDAGraph": graph_class, "graph": context,
            "graph_pool_handle": lambda: graph_plugin(kind, "_graph_pool_handle").make_graph_pool(),
            "is_current_stream_capturing": lambda: is_capturing(kind), "make_graphed_callables": make}  # fmt: skip
