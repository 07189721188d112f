"""Course: what iterations with one body copy and run. See course.pyx."""
from libc.stdint cimport int64_t

from wengert_core.extend cimport Tensor
from wengert_replay.loops.body cimport Body, Port
from wengert_replay.memory.arena cimport FarField, Field

cdef struct Feed:                      # bytes that are copied in iteration i
    char* source                       # in iteration 0
    char* target
    Py_ssize_t source_step             # bytes from one iteration to the next
    Py_ssize_t target_step
    Py_ssize_t nbytes

cdef struct Feeds:
    Feed* items                        # owned
    Py_ssize_t n

cdef struct Step:                      # an argument that is a row where that is
    char* row                          # its first byte in iteration 0
    Py_ssize_t step                    # bytes from one iteration to the next
    char* rows                         # of the body's instructions, and the places in them that name it; borrowed
    const Field* items
    Py_ssize_t n
    const FarField* far
    Py_ssize_t n_far

cdef struct Steps:
    Step* items                        # owned
    Py_ssize_t n


cdef class Course:
    cdef Body body
    cdef Body test                     # None: there is none
    cdef Feeds before                  # rows, and carries that are kept
    cdef Feeds behind                  # outputs
    cdef Feeds moves                   # the carry, for the next iteration with this body
    cdef Steps steps
    cdef list strided                  # [tensor, its address in iteration 0, its step, another tensor, it is read]
    cdef Py_ssize_t n_empty            # first iterations in which these loops of the body may have none
    cdef list excused
    cdef char* index                   # where the number of the iteration stands; NULL: nobody asks for it
    cdef int index_step                # from one iteration to the next: 1 or -1
    cdef Py_ssize_t end                # iterations
    cdef int test_code                 # the dtype of what the test gives
    cdef Py_ssize_t test_itemsize
    cdef char* failed                  # the row where a run has stopped

    cdef int add_input(self, Py_ssize_t k, Tensor rows, bint backwards, bint in_place) except -1
    cdef int add_output(self, Py_ssize_t k, Tensor rows, bint backwards) except -1
    cdef int add_rows(self, Port* port, Tensor like, Tensor rows, bint backwards, bint reads) except -1
    cdef int add_kept(self, Py_ssize_t k, Tensor rows) except -1
    cdef int check_rows(self, Tensor rows) except -1
    cdef int add_step(self, Py_ssize_t k, char* row, Py_ssize_t step) except -1
    cdef int set_test(self, Body test, Py_ssize_t n_carry) except -1
    cdef int add_moves(self, Py_ssize_t n_carry) except -1
    # Run iterations from one on, a single one unless the body repeats; return the number of the one behind them. The
    # carry is in the body's arguments then where it repeats, and in its results otherwise.
    cdef Py_ssize_t run(self, Py_ssize_t at, int64_t lower, bint repeats) except -1
    cdef Py_ssize_t run_chunk(self, Py_ssize_t at, Py_ssize_t end, int64_t lower, int* stop) noexcept nogil
    cdef int run_once(self, Py_ssize_t at, int64_t lower) except -1
    cdef bint ends(self) except -1     # the test does not hold for the carry that is in the body's arguments


cdef bint is_true(const char* data, int code, Py_ssize_t itemsize) noexcept nogil      # whether a number is not 0
# Raise Refusal unless the last carry has the strides that the result had in the recording.
cdef int check_strides(str construct, Tensor target, Tensor last) except -1
cdef bint is_alike(Tensor t, Tensor other) noexcept            # they have the same geometry
# Whether a test does not hold for the carry that a body gives. offsets: in ``scratch``, of the test's arguments.
cdef bint ends_behind(Body test, Body body, char* scratch, list offsets) except -1
cdef bint is_row_of(Tensor rows, Tensor like) noexcept         # a row has the strides of a tensor of the body
cdef bint is_dense_port(Port* port, Tensor like) noexcept      # the bytes of a tensor are elements of it
cdef Tensor tensor_at(Tensor like, char* data)         # of the same geometry, with its first element there
