"""Operations of the machine: which one a launch is. Note [Instructions] in machine.h."""
from libc.string cimport memcmp, memcpy

from wengert_core.extend cimport (FLOAT64, LAUNCH_CALL, LAUNCH_FILL, LAUNCH_GUARD, LAUNCH_MOVE, LAUNCH_STORE, FillPlan,
                                  StorePlan, bytes_between, dtype_facts)
from wengert_replay.passes.kernels cimport ARITHMETIC_DIV, ARITHMETIC_NONE, arithmetic_of
from wengert_replay.passes.schedule cimport MOST_COUNTED
from wengert_replay.trace.tables cimport room_for_another

cdef enum:
    MOST_LOOKED_AT = 64                # entries of a table

cdef Launch PROBE
if bytes_between(&PROBE, PROBE.data) != HEAD_BYTES:
    raise ImportError("wengert-replay was built for another wengert-core: the head of a Launch differs")


cdef npy_intp step_of(PointwisePlan* plan, int k) noexcept:
    """Of one element: as the eager call of one, which for three inputs goes nowhere. NumPy's clip looks at that."""
    return plan.strides[k][0] if plan.ndim or plan.n_in > 2 else dtype_facts().itemsize[plan.dtypes[k]]


cdef int operation_of(PointwisePlan* plan, int n_in) noexcept:
    cdef bint is_double = plan.loop.out == FLOAT64
    cdef Py_ssize_t itemsize = dtype_facts().itemsize[plan.loop.out], n = plan.shape[0]
    cdef int k, scalars = 0, arithmetic = arithmetic_of(plan)
    if arithmetic == ARITHMETIC_NONE:
        return -1
    if n == 1:
        return (WG_OP_ADD_F64 if is_double else WG_OP_ADD_F32) + arithmetic
    if n * itemsize <= 8 or plan.strides[n_in][0] != itemsize:
        return -1                      # its slot is no whole vector
    for k in range(n_in):
        if plan.strides[k][0] == 0:
            scalars |= 1 << k
        elif plan.strides[k][0] != itemsize:
            return -1
    if scalars == 0:
        return (WG_OP_ADD_F64_VV if is_double else WG_OP_ADD_F32_VV) + arithmetic
    if arithmetic > ARITHMETIC_DIV or scalars == 3:
        return -1
    if scalars == 1:
        return (WG_OP_ADD_F64_SV if is_double else WG_OP_ADD_F32_SV) + arithmetic
    return (WG_OP_ADD_F64_VS if is_double else WG_OP_ADD_F32_VS) + arithmetic


cdef void fill_bytes(Launch* launch, char* slot, Py_ssize_t nbytes) noexcept:
    cdef FillPlan* plan = <FillPlan*> launch.plan
    cdef Py_ssize_t at, itemsize
    if launch.kind == LAUNCH_STORE:
        memcpy(slot, (<StorePlan*> launch.plan).bytes, nbytes)
    elif launch.kind == LAUNCH_FILL:
        itemsize = dtype_facts().itemsize[plan.dtype]
        for at in range(0, nbytes, itemsize):
            memcpy(slot + at, plan.number, itemsize)


cdef bint is_core(Launch* launch) noexcept nogil:
    """A move has its bytes behind that."""
    return launch.fail == NULL and launch.kind != LAUNCH_CALL and launch.kind != LAUNCH_GUARD \
        and launch.kind != LAUNCH_MOVE


cdef bint is_move(Launch* launch) noexcept nogil:
    return launch.kind == LAUNCH_MOVE and launch.high[0] <= MOST_COUNTED


cdef Py_ssize_t find_or_add(void** table, Py_ssize_t* n, const void* entry, Py_ssize_t size) except -1:
    cdef Py_ssize_t k
    for k in range(n[0] - 1, max(n[0] - MOST_LOOKED_AT, <Py_ssize_t> 0) - 1, -1):
        if memcmp(<char*> table[0] + k * size, entry, size) == 0:
            return k
    table[0] = room_for_another(table[0], n[0], size)
    memcpy(<char*> table[0] + n[0] * size, entry, size)
    n[0] += 1
    return n[0] - 1
