"""Fused groups: launches that run block by block, as one launch. See fused.pyx."""
from wengert_core.extend cimport Launch, loop_t, npy_intp, reduce_fn
from wengert_replay.passes.slots cimport Slots

cdef struct Side:                      # an operand of a member
    char* data                         # of the first element, in memory; NULL: in a block of the thread
    npy_intp step                      # bytes from element to element; 0: there is not one for each
    npy_intp along                     # of a matrix: bytes from column to column
    npy_intp down                      # ... from row to row
    int block                          # the number of that block

cdef struct Member:
    loop_t fn                          # NULL: a sum
    void* data                         # as ``fn`` gets it
    reduce_fn sum
    char* sums                         # of each block, and then of sections
    bint is_double                     # a sum of float64
    bint wanted                        # memory must have the result behind the group
    int n_sides                        # the last is the result
    Py_ssize_t columns                 # of a matrix whose operands may be a row or a column; 0: it is none
    Side sides[5]
    double params[4]
    double numbers[4][2]               # operands that are numbers

cdef struct FusedPlan:                 # of the launch that a group becomes
    Py_ssize_t n                       # elements
    Py_ssize_t grain                   # blocks worth a thread
    Py_ssize_t section                 # elements of a section of a sum; 0: there is one
    int n_blocks                       # of a thread
    Py_ssize_t nbytes                  # of such a block
    int n_members
    Member* members                    # behind this

# Make the launch of a group that begins at a place in the order. base: where slots begin.
cdef int fuse(Launch* into, Slots slots, Py_ssize_t at, char* base) except -1
cdef void redirect_fused(Launch* launch, char* low, Py_ssize_t nbytes, char* to) noexcept nogil    # as Stream.redirect
cdef Py_ssize_t size_of_fused(Launch* launch) noexcept       # bytes of its plan
