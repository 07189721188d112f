"""DeviceProgram: a graph of a device with what a function does beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import RLock
from typing import Any
from weakref import ref

from wengert_core import Generator
from wengert_core.extend import CaptureError, Tensor, device_memory_of, device_plugin
from wengert_engine import no_grad
from wengert_engine.extend import is_released
from wengert_engine.namespaces.graph import increment_version
from wengert_registry import fork_lock

from wengert_replay.devices.arguments import Arguments
from wengert_replay.devices.watch import DeviceWatch
from wengert_replay.signature import Unhashable, flatten, rebuild

STORED = "the function has stored tensors that it made somewhere else than in its results"
"""A refusal for this time: optimizers make their state in their first steps."""


class FusionError(RuntimeError):
    """A device cannot compute a chain of operations by one kernel."""


class LeafGradient:
    """The gradient of a leaf before and after a program."""

    def __init__(self, leaf: Tensor, before: Tensor | None, used: bool, graph: Any) -> None:
        self.leaf = ref(leaf)
        after = leaf.grad
        self.is_changed = after is not before
        self.was_none = before is None
        self.memory = ref(device_memory_of(before)) if before is not None and used else None
        self.after = after  # that a replay gives a copy of
        self.is_foreign = self.is_changed and after is not None and not graph.owns(device_memory_of(after))

    def fits(self) -> bool:
        """Whether the leaf is as it was before the recording."""
        leaf = self.leaf()
        if leaf is None:
            return False
        grad = leaf.grad
        if grad is None or self.was_none:
            return grad is None and self.was_none
        return self.memory is None or device_memory_of(grad) is self.memory()


class DeviceProgram:
    """A captured function's work on a device, for one signature."""

    def __init__(self, plugin: Any, index: int, graph: Any, arguments: Arguments) -> None:
        self.plugin: Any = plugin
        self.index: int = index
        self.graph: Any = graph
        self.arguments: Arguments = arguments
        arguments.note_writes()
        self.structure: Any = None
        self.results: list[Tensor] = []
        self.outside: list[tuple[Any, Any, int]] = []  # weak references to tensor and memory, and the address
        self.memories: list[Any] = []
        self.bumps: list[tuple[Any, int]] = []
        self.gradients: list[LeafGradient] = []
        self.calls: list[Any] = []
        self.generators: list[Generator] = []
        self.refusal: str = ""
        self.lock: RLock = fork_lock()
        self.done: Any = None  # an event behind the last replay

    def note(self, watch: DeviceWatch, results: list[Tensor], structure: Any) -> None:
        """Note what a recording has seen, and why there is no program."""
        self.structure, self.results, self.calls = structure, results, watch.calls
        self.generators = watch.generators
        alive = [memory for one in watch.memories.values() if (memory := one()) is not None]
        mine = self.arguments.memories()
        for leaf, before in watch.leaves.values():
            used = before is not None and any(device_memory_of(before) is memory for memory in alive)
            self.gradients.append(LeafGradient(leaf, before, used, self.graph))
        grads = [one.after for one in self.gradients if one.is_changed and one.after is not None]
        self.memories = [ref(one) for one in alive if not self.graph.owns(one) and id(one) not in mine]
        seen = set()
        for tensor_reference, memory_reference, address, version in watch.tensors.values():
            tensor, memory = tensor_reference(), memory_reference()
            if tensor is None or memory is None or self.graph.owns(memory) or id(memory) in mine:
                continue
            self.outside.append((tensor_reference, memory_reference, address))
            if tensor._version > version and id(memory) not in seen:
                seen.add(id(memory))
                self.bumps.append((tensor_reference, tensor._version - version))
        self.refusal = watch.refusal or self.arguments.why_not(results) or self.why_not(alive, results, grads)

    def why_not(self, alive: list[Any], results: list[Tensor], grads: list[Tensor]) -> str:
        """Return why the recording is no program; "" where it is one."""
        device = self.arguments.device
        if any(one.device != device for one in results):
            return "a result is not on the device"
        if any(one.requires_grad and one.grad_fn is not None and not is_released(one.grad_fn) for one in results):
            return "a result on a device has a graph"
        if any(one.is_foreign for one in self.gradients):
            return "a gradient of a leaf is a tensor from outside"
        made = [one for one in results if not self.arguments.own(one)]
        used = [device_memory_of(one) for one in {id(one): one for one in [*made, *grads]}.values()]
        if not all(self.graph.owns(one) for one in used):
            return "a result is, or is a view of, a tensor from outside"
        if len({id(one) for one in used}) < len(used):
            return "two results or gradients share memory"
        if any(self.graph.owns(one) and all(one is not other for other in used) for one in alive):
            return STORED
        return ""

    def is_stale(self) -> bool:
        """Whether a tensor from outside is gone, or has other memory."""
        if any(one() is None for one in self.memories):
            return True
        for tensor_reference, memory_reference, address in self.outside:
            tensor = tensor_reference()
            if tensor is not None and (
                device_memory_of(tensor) is not memory_reference() or tensor.data_ptr() != address
            ):
                return True
        return any(one.leaf() is None for one in self.gradients)

    def fits(self) -> bool:
        """Whether a replay does what a call would do."""
        return not self.is_stale() and all(one.fits() for one in self.gradients) and all(map(gives_same, self.calls))

    def replay(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """Return the results of a call with these arguments."""
        stream = self.plugin.current_stream(self.index)
        with self.lock, no_grad():
            if self.done is not None:
                stream.wait_event(self.done)
            self.arguments.read(tensors)
            self.graph.replay()
            for reference, n in self.bumps:
                tensor = reference()
                for _ in range(n if tensor is not None else 0):
                    increment_version(tensor)
            found = self.finish(tensors)
            self.done = stream.record_event()
        return self.add_views(found, tensors)

    def finish(self, tensors: Sequence[Tensor]) -> list[Tensor | None]:
        """Copy what the graph has computed to where the caller finds it; None for what is there already."""
        self.arguments.write(tensors)
        copies: dict[int, Tensor] = {}

        def copy(tensor: Tensor) -> Tensor:
            if id(tensor) not in copies:
                copies[id(tensor)] = tensor.detach().clone()
            return copies[id(tensor)]

        for one in self.gradients:
            leaf = one.leaf()
            if one.is_changed and leaf is not None:
                leaf.grad = None if one.after is None else copy(one.after)
        return [None if self.arguments.own(one) else copy(one) for one in self.results]

    def add_views(self, found: list[Tensor | None], tensors: Sequence[Tensor]) -> list[Tensor]:
        """Return the results of a call: copies, and arguments and views of them."""
        return [self.arguments.in_place_of(result, tensors) if copied is None else copied
                for result, copied in zip(self.results, found, strict=True)]  # fmt: skip


def gives_same(call: tuple[Any, Any, list[Any]]) -> bool:
    """Call a Python function of a recording again; return whether it gives what it gave."""
    function, structure, numbers = call
    tensors: list[Tensor] = []
    return bool(flatten(function(), tensors) == structure and [one.tolist() for one in tensors] == numbers)


def record_program(
    function: Callable[..., Any], structure: Any, tensors: list[Tensor], fuse: bool
) -> tuple[DeviceProgram | None, Any, list[Any]]:
    """Run a function as a recording; return the program, and the result with its tensors apart.

    fuse: whether pointwise operations are computed together: Note [Chains on a device].
    The program may be one that is refused. None where the capture has raised: everything is as before then, and the
    list has the reason where it is the capture's. FusionError where the device cannot compute a chain.
    """
    device = tensors[0].device
    plugin, index = device_plugin(device.type), int(device.index or 0)
    with no_grad():
        arguments = Arguments(tensors)
    watch = DeviceWatch(tensors[0], fuse)
    current, side = plugin.current_stream(index), plugin.make_stream(index)
    side.wait_stream(current)
    results: list[Tensor] = []
    plugin.set_stream(side)
    try:
        plugin.begin_capture(index, None, "thread_local")
        try:
            watch.start()
            try:
                args, kwargs = rebuild(structure, arguments.inputs)
                shape = flatten(function(*args, **kwargs), results)
                watch.finish()
            finally:
                watch.stop()
        finally:
            graph = plugin.end_capture(index)
    except BaseException as error:
        for leaf, before in watch.leaves.values():
            leaf.grad = before
        if not isinstance(error, Exception):
            raise
        if watch.chain is not None and watch.chain.failure is not None:
            raise FusionError(str(watch.chain.failure)) from watch.chain.failure
        is_refused = isinstance(error, (CaptureError, Unhashable))
        return None, None, [f"the device cannot capture it: {error}"] if is_refused else []
    finally:
        plugin.set_stream(current)
        current.wait_stream(side)
    graph.replay()  # this call's work
    watch.held.clear()
    program = DeviceProgram(plugin, index, graph, arguments)
    program.note(watch, results, shape)
    if program.refusal:
        with no_grad():
            arguments.write(tensors)
        arguments.hand_over_gradients(tensors)
        return program, shape, [arguments.in_place_of(one, tensors) for one in results]
    with no_grad():
        found = program.finish(tensors)
        program.done = current.record_event()
    return program, shape, program.add_views(found, tensors)
