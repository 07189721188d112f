"""DeviceWatch: the tensors that a function uses while a device's work is captured, and what it does beside."""
cimport cython
from cpython.ref cimport PyObject
from libc.stdlib cimport free

from weakref import ref

import numpy as np

from wengert_core.extend cimport (WG_GRAD, Launch, Op, Storage, StorePlan, Tensor, alias, free_launch, is_strided,
                                  set_recorder)

from wengert_core import Generator
from wengert_core.extend import device_memory_of, device_plugin
from wengert_engine.extend import set_tracer

from wengert_replay.devices.fusion cimport PendingChain
from wengert_replay.recording.watch cimport written_tensors
from wengert_replay.trace.lines cimport Lines

from wengert_replay.inspection.state import restore_storage, storage_state
from wengert_replay.refusal import OLD_GRAPH as _OLD_GRAPH
from wengert_replay.signature import Unhashable, flatten


cdef int defer(void* owner, object op, object reference, list inputs, object out) except -1:
    return (<DeviceWatch> owner).chain.take(<Op> op, reference, inputs, <Tensor> out)


cdef int see_read(void* owner) except -1:
    return (<DeviceWatch> owner).note_host_read()


cdef int do_deferred(void* owner) except -1:
    return (<DeviceWatch> owner).chain.run()


class Box:
    """A tensor of the host that each replay has another one for."""

    __slots__ = ("tensor",)

    def __init__(self, tensor):
        self.tensor = tensor


@cython.binding(False)
@cython.auto_pickle(False)
cdef class GeneratorCalls:
    """Calls that read or set the states of generators, in a graph whose replays draw random numbers on the host.

    A graph's draws are copies to the device, made ahead of all its work, in their order. A call is one, too: it copies
    nothing of use, and what it gives waits in boxes for later calls. A checkpoint draws its numbers again so.
    """

    def __init__(self, plugin, int index):
        self.plugin, self.index, self.boxes, self.held = plugin, index, {}, []

    cdef object box_of(self, Tensor t):
        found = self.boxes.get(id(t))
        if found is None:
            found = self.boxes[id(t)] = Box(t)
            self.held.append(t)
        return found

    cdef object run(self, function, tuple args):
        """Call a function of tensors of the host now, and in each replay of the graph that is captured."""
        if not self.plugin.is_capturing(self.index):
            return function(*args)
        result = function(*args)
        given = [self.box_of(one) for one in args]
        made = [self.box_of(one) for one in result or ()]
        token = np.zeros(1, np.uint8)

        def repeat():
            found = function(*[one.tensor for one in given])
            for box, tensor in zip(made, found or (), strict=True):
                box.tensor = tensor
            return token

        self.plugin.replayed_upload(self.index, token, repeat)
        return result

    def close(self):
        """Know no more tensors; return the boxes."""
        boxes = list(self.boxes.values())
        self.boxes, self.held = {}, []
        return boxes


@cython.binding(False)
cdef class DeviceWatch(Tracer):
    """A listener of a thread from ``start`` to ``stop``; all tensors have to be on one device."""

    def __init__(self, Tensor first not None, bint fuse):
        self.tensors, self.memories, self.leaves, self.calls, self.refusal = {}, {}, {}, [], ""
        self.host, self.keep, self.held, self.device = set(), [], {}, first.device
        self.host_before = {}
        self.extents, self.asked, self.written, self.given = {}, set(), {}, []
        self.generators, self.states, self.last_read = [], [], b""
        self.regions, self.lines, self.call = set(), Lines(), ""
        self.recorder.owner, self.recorder.see_read = <void*> self, see_read
        plugin = device_plugin((<object> first).device.type)
        self.generator_calls = GeneratorCalls(plugin, (<object> first).device.index or 0)
        if fuse and plugin.fusible:
            self.chain = PendingChain(plugin, (<object> first).device.index or 0, first.device)
            self.recorder.defer, self.recorder.do_deferred = defer, do_deferred

    def start(self):
        """Listen to this thread. RuntimeError where it is observed already."""
        set_tracer(self)
        set_recorder(&self.recorder)   # drivers of the host tell what they do; nobody asks

    def go_on_from(self, DeviceWatch other not None):
        """Listen to the backward of what another watch has listened to; before ``start``."""
        self.last_node, self.host, self.keep = other.last_node, other.host, other.keep
        self.generator_calls = other.generator_calls
        self.listing, self.lines, self.regions = other.listing, other.lines, other.regions

    def share_generators(self, GeneratorCalls calls not None):
        """Let what later graphs do with generators come behind what earlier ones have done; before ``start``."""
        self.generator_calls = calls

    def finish(self):
        """Queue what waits to be queued together with other work."""
        self.see_effects()
        if self.chain is not None:
            self.chain.run()

    def stop(self):
        """Listen no more."""
        set_tracer(None)
        set_recorder(NULL)
        self.drop_launches()
        if self.chain is not None:
            self.chain.clear()

    def __dealloc__(self):
        self.drop_launches()
        free(self.recorder.launches)

    cdef void drop_launches(self) noexcept:
        cdef Py_ssize_t i
        for i in range(self.recorder.n):
            free_launch(&self.recorder.launches[i])
        self.recorder.n = 0

    cdef int refuse(self, str why) except -1:
        if not self.refusal:
            self.refusal = why
        return 0

    cdef int begin(self, Op op, PyObject** slots) except -1:
        cdef int i
        if not self.is_off:
            self.copy_before_write(op, slots)
        if self.depth == 0 and not self.is_off:
            self.see_effects()
            for i in range(op.n_params):
                if slots[i] != NULL and slots[i] != op.defaults[i]:
                    self.see(<object> slots[i], False)
            if self.listing is not None:
                self.note_call(op, slots)
        self.depth += 1
        return 0

    cdef int copy_before_write(self, Op op, PyObject** slots) except -1:
        """Copy memory of the host before an operation writes to it: the function may have to run once more."""
        cdef Tensor t
        for t in written_tensors(op, slots):
            if t.device == 0 and is_strided(t) and <size_t> t.storage not in self.host_before:
                self.host_before[<size_t> t.storage] = alias(t), storage_state(t)
        return 0

    def undo_on_host(self):
        """Let memory of the host, and its versions, be as before the first write. Memory of another size stays."""
        cdef Tensor t
        for t, state in reversed(self.host_before.values()):   # two Storages, as of ``data``, may have one memory
            if (<Storage> t.storage).nbytes == len(state[0]):
                restore_storage(t, state)
        self.host_before.clear()

    cdef int note_call(self, Op op, PyObject** slots) except -1:
        """Note the operation that begins, as it is printed: results may be written to what it reads."""
        cdef int i
        cdef bint has_gap = False
        arguments = []
        for i in range(op.n_params):
            if slots[i] == NULL or slots[i] == op.defaults[i]:
                has_gap = True
            else:
                arguments.append((op.params[i] if has_gap else "", <object> slots[i]))
        self.call = self.listing.call(op.name, arguments)
        return 0

    def list_guard(self, Tensor t not None, str numbers not None):
        """Add a number that Python has read to the listing."""
        if self.listing is not None:
            self.listing.add_guard(t, numbers, self.lines.current())

    cdef int end(self, Op op, PyObject** slots, PyObject* result) except -1:
        self.depth -= 1
        if self.depth == 0 and not self.is_off:
            self.note_writes(False)
            self.see(<object> result, True)
            if self.listing is not None:
                self.listing.add(self.call, <object> result, self.lines.current())
                self.call = ""
            self.drop_launches()
            self.recorder.opaque = 0
        return 0

    cdef int fail(self, Op op, PyObject** slots) except -1:
        self.depth -= 1
        if self.depth == 0:
            self.note_writes(False)
            self.recorder.opaque = 0
        return 0

    cdef int see_effects(self) except -1:
        """See whether, between two operations, something has happened that a replay would not do."""
        if self.recorder.opaque and not self.is_off:
            self.has_effects = True
            self.refuse("memory of the host, or the state of a generator, is read or written by Python")
        return 0

    cdef int note_host_read(self) except -1:
        """A number of a tensor of the host leaves for Python: it must have been made meanwhile, or be the device's."""
        cdef Launch* launch = &self.recorder.launches[self.recorder.n - 1]
        cdef StorePlan* plan = <StorePlan*> launch.plan
        cdef Tensor t
        cdef Storage storage
        if self.depth or self.is_off:           # by an operation, whose arguments were seen, or by the reader
            return 0
        if self.last_read and (<char*> plan.bytes)[:plan.nbytes] == self.last_read:
            self.last_read = b""                   # a copy of what ``note_numbers`` was told
            return 0
        for t in self.keep:
            storage = <Storage> t.storage
            if <size_t> storage.data <= <size_t> launch.data[0] <= <size_t> storage.data + storage.nbytes:
                return 0
        return self.refuse("a number of a tensor of the host is read, which would be kept")

    def note_numbers(self, bytes numbers not None):
        """Note what was read of the device; what the reader has done beside is no effect of the function."""
        self.last_read, self.recorder.opaque, self.is_off = numbers, 0, False

    cdef int note_writes(self, bint is_underway) except -1:
        """Note which memory the operation that has ended has written. is_underway: it has not, and may have."""
        cdef unsigned int version
        for reference, memory, version in self.given:
            t = reference()
            if t is not None and (is_underway or (<Storage> (<Tensor> t).storage).version != version):
                self.written[id(memory())] = memory
        if not is_underway:
            self.given.clear()
        return 0

    cdef int note_alias(self, Tensor source, Tensor made) except -1:
        if source.device == self.device and is_strided(source):
            self.see_tensor(source, False)
        if self.listing is not None:
            self.listing.add_alias(source, made)
        return 0

    def give_up(self, str why not None):
        """Note why there is no program."""
        self.refuse(why)

    def note_read(self, Tensor t not None):
        """Note that a number of the host is what a tensor has, ahead of ``note_numbers``."""
        if self.depth == 0:
            self.see_effects()
        self.note_writes(True)
        self.see_tensor(t, False)
        self.is_off = True

    cdef int note_grad(self, Tensor leaf) except -1:
        self.asked.add(id(leaf))
        return self.add_leaf(leaf)

    cdef int note_python(self, object source) except -1:
        self.needs_whole_backward = self.needs_whole_backward or getattr(source, "_needs_whole_backward", False)
        return 0

    cdef int add_leaf(self, Tensor leaf) except -1:
        cdef bint has_grad = leaf.extra != NULL and leaf.extra.grad != NULL    # `leaf.grad` would come back here
        if id(leaf) not in self.leaves:
            self.leaves[id(leaf)] = (leaf, <object> leaf.extra.grad if has_grad else None)
        return 0

    cdef int note_old_node(self) except -1:
        return self.refuse(_OLD_GRAPH)

    cdef object call_of_generators(self, function, tuple args):
        cdef int opaque = self.recorder.opaque
        cdef bint is_off = self.is_off
        self.is_off = True
        try:
            return self.generator_calls.run(function, args)
        finally:
            self.is_off, self.recorder.opaque = is_off, opaque

    def call_python(self, function, tuple args not None, dict kwargs not None):
        if getattr(function, "_is_of_generators", False):
            return self.call_of_generators(function, args)
        result = function(*args, **kwargs) if self.changes is None else self.changes.call(function, args, kwargs)
        tensors = []
        try:
            structure = flatten(result, tensors)
        except Unhashable as error:
            self.refuse(f"a Python function inside of it gives an object of type {error}")
            return result
        if args or kwargs:
            self.refuse("it calls a Python function with tensors; optimizers do so unless capturable=True")
        elif any((<Tensor> t).device for t in tensors):
            self.refuse("a Python function inside of it gives tensors of the device")
        else:
            self.calls.append((function, structure, [t.tolist() for t in tensors]))
        return result

    cdef int see(self, object value, bint is_result) except -1:
        cdef Tensor t
        cdef int opaque
        if isinstance(value, Tensor):
            t = <Tensor> value
            self.see_tensor(t, is_result)
            if not is_result and t.device == self.device and is_strided(t):
                self.given.append((ref(t), ref(device_memory_of(t)), (<Storage> t.storage).version))
            return 0
        if type(value) in (tuple, list) or is_result and isinstance(value, tuple):
            for item in value:
                self.see(item, is_result)
        elif isinstance(value, Generator) and value not in self.generators:
            self.generators.append(value)
            opaque = self.recorder.opaque
            self.states.append((value, value.get_state()))
            self.recorder.opaque = opaque
        return 0

    cdef int see_tensor(self, Tensor t, bint is_result) except -1:
        cdef object known
        cdef size_t low, high
        if t.device == 0 and is_strided(t):
            return self.see_host(t, is_result)
        if t.device != self.device or not is_strided(t):
            return self.refuse(f"a tensor of another device or layout ({(<object> t).device}) is used")
        known = self.tensors.get(id(t))
        if known is not None and known[0]() is t:
            return 0
        memory = device_memory_of(t)
        reference = ref(memory)
        known = self.memories.get(id(memory))
        if not is_result and (known is None or known() is not memory):
            self.held[id(memory)] = memory     # from outside: the graph reads it when it is replayed for the first time
        self.memories[id(memory)] = reference
        low = <size_t> (<Storage> t.storage).data
        high = low + <size_t> (<Storage> t.storage).nbytes
        if is_result and (known is None or known() is not memory):
            self.regions.add((low, high))
        if known is not None and known() is memory:
            low, high = min(low, self.extents[id(memory)][0]), max(high, self.extents[id(memory)][1])
        self.extents[id(memory)] = low, high
        self.tensors[id(t)] = (ref(t), reference, <size_t> t.data, (<Storage> t.storage).version)
        if t.flags & WG_GRAD and t.grad_fn == NULL and not is_result:
            self.add_leaf(t)
        return 0

    cdef int see_host(self, Tensor t, bint is_result) except -1:
        """A number of the host becomes a part of the work: it must have been made meanwhile."""
        if is_result:
            self.host.add(<size_t> t.storage)
            self.keep.append(t)
        elif <size_t> t.storage not in self.host:
            self.refuse("a tensor of the host is used, whose numbers would be kept")
        return 0


def line_text(Lines lines not None, unsigned int number):
    """Return a line of a program by its number, as "file:line"; "" where there is none."""
    return lines.text(number)


def version_counter(Tensor t not None):
    """Return a number for the counter of a tensor's versions: the same for views, and another one for ``data``."""
    return <size_t> t.storage


def set_version(Tensor t not None, unsigned int version):
    """Let the memory of a tensor have a version that it had before."""
    (<Storage> t.storage).version = version
