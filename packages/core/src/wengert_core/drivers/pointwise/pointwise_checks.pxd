"""What pointwise operations refuse."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.pointwise.pointwise_record cimport Pointwise

cdef int check_mask(Op op, PyObject* mask) except -1
cdef int computing(int code) noexcept    # the dtype that 16 bits are computed in; another itself
cdef int check_inputs(Op op, Pointwise* p, PyObject** slots, int code) except -1
cdef int check_numbers(Pointwise* p, PyObject** slots, int code) except -1
cdef int check_same(Op op, Pointwise* p, PyObject** slots) except -1
cdef object find_unaccepted(Op op, Pointwise* p, int code)
cdef int refuse_zero(Op op, PyObject* divisor) except -1
