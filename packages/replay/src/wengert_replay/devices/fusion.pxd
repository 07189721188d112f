"""PendingChain: pointwise operations on a device that wait, to be computed by one kernel. See fusion.pyx."""
from wengert_core.extend cimport Op, Tensor


cdef class Region:                     # contiguous memory that a chain reads or writes
    cdef object memory                 # weak
    cdef size_t high                   # where it ends
    cdef object operand                # the number that it has now
    cdef bint is_read
    cdef bint is_written


cdef class PendingChain:
    cdef object plugin                 # of the device
    cdef int index                     # the plugin's number of it
    cdef unsigned int device           # core's number of it
    cdef readonly object failure       # the exception of a kernel that could not be made or queued; None
    cdef object stream                 # that the operations belong to
    cdef Py_ssize_t n                  # elements of each operation
    cdef int code                      # dtype of all
    cdef list steps                    # (name, operands)
    cdef list inputs                   # (memory, address, layout); the memory is held
    cdef list numbers
    cdef dict read                     # (address, layout) -> the input's operand
    cdef dict regions                  # address -> Region of contiguous memory that is read or written
    cdef list strided                  # (low, high) of inputs that are not contiguous

    cdef void clear(self)
    cdef bint take(self, Op op, object reference, list inputs, Tensor out) except -1
    cdef int run(self) except -1
    cdef bint add(self, object name, list inputs, Tensor out, object stream) except -1
    cdef Region region_at(self, size_t address, object memory)
    cdef object operand_of(self, object value, Tensor out)
    cdef object read_memory(self, object memory, size_t address, object layout)
    cdef bint meets_write(self, size_t low, size_t high, size_t own) except -1
    cdef bint meets_read(self, size_t low, size_t high, size_t own) except -1
    cdef tuple expression(self, list outputs)
    cdef int queue(self) except -1
