"""Members of a fused group, as its launch runs them. See fused.pyx."""
from wengert_core.extend cimport loop_t, npy_intp, reduce_fn

cdef enum:
    MOST_AHEAD = 4

cdef enum MemberKind:
    MEMBER_POINTWISE = 0
    MEMBER_SUM = 1                     # of all elements
    MEMBER_ROW_SUMS = 2                # of a matrix: a number for each row
    MEMBER_COLUMN_SUMS = 3

cdef struct Side:                      # an operand of a member
    char* data                         # of the first element, in memory; NULL: in a block of the thread
    npy_intp step                      # bytes from element to element; 0: there is not one for each
    npy_intp along                     # of a matrix: bytes from column to column
    npy_intp down                      # ... from row to row
    int block                          # the number of that block

cdef struct Member:
    int kind                           # MemberKind
    loop_t fn
    void* data                         # as ``fn`` gets it
    reduce_fn sum
    char* sums                         # of each block, and then of sections. Note [Sums in tiles]
    Py_ssize_t section                 # elements, or rows, of a section of a sum; 0: there is one
    int item                           # bytes of an element of a sum
    int block                          # of a sum: where blocks are put together; -1: they need not be
    int other                          # of a product with 1: the number of its other factor; -1: it is none
    bint wanted                        # memory must have the result behind the group
    bint dense                         # its result has no gaps
    char* memory                       # to which the result is copied from its block; NULL: to none
    int n_sides                        # the last is the result
    Py_ssize_t columns                 # of a matrix whose operands may be a row or a column; 0: it is none
    Side sides[5]
    double params[4]
    double numbers[4][2]               # operands that are numbers

cdef struct FusedPlan:                 # of the launch that a group becomes
    Py_ssize_t n                       # elements
    Py_ssize_t columns                 # of a matrix that has sums of rows or columns; 0: there is none
    Py_ssize_t rows                    # ... and of one piece of work: Note [Sums in tiles]
    Py_ssize_t grain                   # blocks, or pieces, worth a thread
    int n_blocks                       # of a thread
    Py_ssize_t nbytes                  # of such a block
    Py_ssize_t size                    # of all this, in bytes
    int n_ahead
    Side* ahead[MOST_AHEAD]        # operands whose memory is asked for beforehand
    Py_ssize_t parts[MOST_AHEAD]   # bytes of each that are asked for before a member runs
    int n_members
    Member* members                    # behind this


cdef inline Side* result_of(Member* member) noexcept nogil:
    return &member.sides[member.n_sides - 1]
