"""Matrices that lie column by column in memory, as LAPACK leaves them."""
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport malloc
from libc.string cimport memcpy

from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport contiguous_copy
from wengert_core.runtime.launches cimport (LAUNCH_KERNEL, OPERAND_UPDATED, Launch, add_launch, add_operand,
                                            count_recorders)
from wengert_core.runtime.state cimport WG_TELL, thread_state
from wengert_core.tensors.tensor cimport Tensor, new_view, set_contiguity

cdef enum:
    WORDS = 2048                       # of 8 bytes: a matrix that is turned where it is stays in the first cache

ctypedef fused unit:                   # of what an element is made
    uint32_t
    uint64_t

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()


cdef Tensor by_columns(Tensor rows):
    """The transposes of fresh matrices: what is written row by row, seen column by column."""
    cdef Py_ssize_t* sizes = rows.dims + rows.rank - 2
    cdef Py_ssize_t* strides = sizes + rows.rank
    sizes[0], sizes[1] = sizes[1], sizes[0]
    strides[0], strides[1] = strides[1], strides[0]
    set_contiguity(rows)
    return rows


cdef Tensor copy_by_columns(Tensor x):
    """Fresh matrices column by column: small ones, which most are, in their own memory, others as a copy."""
    cdef Py_ssize_t* sizes = x.dims + x.rank - 2
    cdef Py_ssize_t* strides = sizes + x.rank
    cdef Turn turn
    turn.m, turn.n, turn.size = sizes[0], sizes[1], FACTS.itemsize[x.code]
    if not x.count or turn.m * turn.n * turn.size > 8 * WORDS or turn.size < 4:
        return by_columns(contiguous_copy(transpose_view(x)))
    turn.count = x.count // (turn.m * turn.n)
    turn_matrices(&turn, x.data)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_turn(&turn, x)
    strides[0], strides[1] = turn.size, turn.m * turn.size
    set_contiguity(x)
    return x


cdef struct Turn:                      # of matrices behind each other
    Py_ssize_t count
    Py_ssize_t m, n
    Py_ssize_t size                    # bytes of an element


cdef void turn_matrices(Turn* turn, char* target) noexcept nogil:
    cdef uint64_t room[WORDS]
    cdef Py_ssize_t _i, nbytes = turn.m * turn.n * turn.size
    for _i in range(turn.count):
        memcpy(room, target, nbytes)
        if turn.size == 4:
            transpose_units(<uint32_t*> target, <const uint32_t*> room, turn.m, turn.n, 1)
        else:
            transpose_units(<uint64_t*> target, room, turn.m, turn.n, turn.size // 8)
        target += nbytes


cdef int run_turn_launch(Launch* launch) noexcept nogil:
    turn_matrices(<Turn*> launch.plan, launch.data[0])
    return 0


cdef int tell_turn(Turn* turn, Tensor x) except -1:
    cdef Turn* own = <Turn*> malloc(sizeof(Turn))
    if own == NULL:
        raise MemoryError()
    own[0] = turn[0]
    add_operand(add_launch(run_turn_launch, LAUNCH_KERNEL, own), x.data, 0, x.count * turn.size, OPERAND_UPDATED)
    return 0


cdef void transpose_units(
    unit* target, const unit* source, Py_ssize_t m, Py_ssize_t n, Py_ssize_t units
) noexcept nogil:
    """Transpose an m by n matrix whose elements are so many units."""
    cdef Py_ssize_t r, c, k
    for c in range(n):
        for r in range(m):
            for k in range(units):
                target[k] = source[(r * n + c) * units + k]
            target += units


cdef Tensor transpose_view(Tensor x):
    """The transposed view, which nobody else sees."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t strides[64]
    memcpy(sizes, x.dims, x.rank * sizeof(Py_ssize_t))
    memcpy(strides, x.dims + x.rank, x.rank * sizeof(Py_ssize_t))
    cdef int i = x.rank - 2
    sizes[i], sizes[i + 1] = sizes[i + 1], sizes[i]
    strides[i], strides[i + 1] = strides[i + 1], strides[i]
    return new_view(x, x.rank, sizes, strides, x.data)
