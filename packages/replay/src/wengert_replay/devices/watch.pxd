"""DeviceWatch: the tensors that a function uses while a device's work is captured. See watch.pyx."""
from cpython.ref cimport PyObject

from wengert_core.extend cimport Op, Recorder, Tensor
from wengert_engine.extend cimport Tracer

from wengert_replay.devices.fusion cimport PendingChain
from wengert_replay.trace.lines cimport Lines


cdef class GeneratorCalls:
    cdef readonly dict boxes           # id of a tensor -> the Box of what it has in the replay that runs
    cdef list held                     # the tensors, until the recording ends
    cdef object plugin
    cdef int index

    cdef object run(self, function, tuple args)
    cdef object box_of(self, Tensor t)


cdef class DeviceWatch(Tracer):
    cdef readonly dict tensors         # id -> (weak reference, weak reference to its memory, address, version)
    cdef readonly dict memories        # id -> weak reference to memory of the device that was used or made
    cdef readonly dict held            # id -> memory from before the capture, until its first replay
    cdef readonly dict extents         # id of memory -> (its first address that was used, the end)
    cdef readonly dict written         # id -> weak reference to memory that was written
    cdef list given                    # to the operation that runs: weak references to tensor and memory, version
    cdef readonly dict leaves          # id -> (leaf, its gradient before)
    cdef readonly set asked            # ids of leaves whose gradient was read or replaced
    cdef readonly bint needs_whole_backward    # a checkpoint of the kind that runs ``backward()`` itself
    cdef readonly GeneratorCalls generator_calls
    cdef readonly bint has_effects     # on memory of the host, or on generators, beside ``generator_calls``
    cdef readonly list calls           # of Python functions: (function, flattened result, its tensors)
    cdef readonly list states          # (generator, its state when it was first seen)
    cdef bint is_off                   # the device's numbers are being read
    cdef bytes last_read               # of the device; b"": Python has it
    cdef readonly list generators      # of random numbers, that were given to operations
    cdef readonly PendingChain chain   # operations that wait; None: they are queued one by one
    cdef readonly str refusal          # why there is no program; "" where there may be one
    cdef public object changes         # of the state of Python by the function: Changes; None: nobody asks
    cdef public object listing         # the Listing of operations; None: none is wanted
    cdef readonly set regions          # (first address, end) of storages that operations have made
    cdef readonly Lines lines            # of the program, that called operations
    cdef readonly str call             # the operation that runs or has failed, as it is printed; "" between two
    cdef set host                      # storages of the host that were made meanwhile
    cdef dict host_before              # storage of the host -> (a tensor on it, its state before the first write)
    cdef list keep                     # so that their addresses stay theirs
    cdef unsigned int device
    cdef int depth                     # of operations inside of operations
    cdef Recorder recorder

    cdef void drop_launches(self) noexcept
    cdef object call_of_generators(self, function, tuple args)
    cdef int copy_before_write(self, Op op, PyObject** slots) except -1
    cdef int note_call(self, Op op, PyObject** slots) except -1
    cdef int see_effects(self) except -1
    cdef int note_host_read(self) except -1
    cdef int note_writes(self, bint is_underway) except -1
    cdef int add_leaf(self, Tensor leaf) except -1
    cdef int see(self, object value, bint is_result) except -1
    cdef int see_tensor(self, Tensor t, bint is_result) except -1
    cdef int see_host(self, Tensor t, bint is_result) except -1
    cdef int refuse(self, str why) except -1
