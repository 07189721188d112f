"""Running the drivers for other devices than the CPU.

Note [Drivers for other devices]
    A driver does not know of devices. An operation on a tensor of another device comes to ``intercept`` (its flag
    FOREIGN), and at the end of that chain to backends/intercept.pyx, which runs the same driver once more, with
    ELSEWHERE set in the thread's modes and FOREIGN off. Then ``new_empty`` takes the device's memory, ``array_of``
    gives the device's arrays, ``copy_into`` and ``array_into`` go by the device, and no loop or kernel of the CPU is
    chosen: a driver asks ``without_kernels()``, which is also true where WENGERT_KERNELS wants references only. So
    promotion, shapes, out=, errors, versions and recording are the same. What records (the engine, hooks of users) is
    called with the usual modes again.
    A tensor's data pointer is an address of the device there: only pointer arithmetic is done with it.
Note [Results taken over]
    A driver allocates its result, and a reference computes an array of its own: to copy the one into the other takes a
    kernel and twice the memory's bandwidth. So where nobody can tell the difference, the result keeps the array's
    memory in place of its own: the result's memory was allocated by the running operation (``FRESH``, forgotten when an
    operation begins or ends) and no other tensor shares it, the array is known to this operation only, has the result's
    dtype and shape, and the plugin (``take``) finds that it fills a block of the device's memory, which nothing else
    refers to.
"""
from wengert_core.dispatch.op cimport Op
from wengert_core.runtime.config cimport ONLY_REFERENCES
from wengert_core.runtime.state cimport WG_ON_DEVICE, thread_state
from wengert_core.tensors.tensor cimport Tensor

cdef inline bint runs_on_device() noexcept:
    """Whether a driver runs for another device."""
    return thread_state().modes & WG_ON_DEVICE != 0


cdef inline bint without_kernels() noexcept:
    """Return whether references compute in place of CPU kernels: for another device, or as the environment says."""
    return ONLY_REFERENCES or runs_on_device()

cdef void forget_fresh() noexcept                     # an operation begins or ends: Note [Results taken over]
cdef object view_with_shape(object array, Tensor t)            # an array in t's shape; itself where it has it
cdef object namespace()                               # the array namespace to compute with: NumPy, or the device's
# what computes an op there: the device's kernel for it, or its reference
cdef object reference_of(Op op)
cdef object as_array(object value)                    # a computed value as an array of that namespace
cdef object array_at(Tensor t)                        # the device's array on t's memory
cdef object host_value(Tensor t)                      # a tensor of the host without dims, for a computation elsewhere
cdef bint captures(unsigned int device_number) except -1   # whether a device notes work for a graph; 0: the host
cdef int put_array(object array, Tensor t) except -1  # an array of either side into a tensor of either
# copy_into where one of the two is not on the host
cdef int copy_on_device(Tensor target, Tensor source) except -1
# every element = the number of t's dtype
cdef int fill_on_device(Tensor t, const char* number) except -1
cdef object number_on_device(Tensor t)                # the only element as a Python number; waits for the device
cdef Tensor move_to_device(Tensor t)                      # a copy where the drivers run
# all bytes of t's storage as a tensor of uint8, on the same memory
cdef Tensor storage_bytes(Tensor t)
cdef Tensor on_host(Tensor t)                         # a copy in the host's memory, of t's dtype, contiguous
