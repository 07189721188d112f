"""Operations of the machine: which one a launch is. See machine.h."""
from wengert_core.extend cimport Launch, PointwisePlan, npy_intp

cdef extern from "wengert_replay/programs/machine.h" nogil:
    enum:
        WG_VECTOR
        WG_OP_END
        WG_OP_NOP
        WG_OP_CALL
        WG_OP_GUARD
        WG_OP_LAUNCH
        WG_OP_CORE
        WG_OP_MOVE
        WG_OP_LOAD_4
        WG_OP_STORE_4
        WG_OP_WIDE
        WG_OP_KERNEL_1
        WG_OP_PRODUCT
        WG_OP_ADD_ROW_F64
        WG_OP_ADD_ROW_F32
        WG_OP_ADD_F64
        WG_OP_ADD_F32
        WG_OP_ADD_F64_VV
        WG_OP_ADD_F32_VV
        WG_OP_ADD_F64_SV
        WG_OP_ADD_F32_SV
        WG_OP_ADD_F64_VS
        WG_OP_ADD_F32_VS

cdef enum:
    HEAD_BYTES = 24                    # of a Launch, before ``data``

# The operation that computes a launch, all of whose operands lie in slots; -1: its kernel does.
cdef int operation_of(PointwisePlan* plan, int n_in) noexcept
cdef npy_intp step_of(PointwisePlan* plan, int k) noexcept           # bytes between elements of an operand
cdef void fill_bytes(Launch* launch, char* slot, Py_ssize_t nbytes) noexcept     # as a store or a fill writes them
cdef bint is_core(Launch* launch) noexcept nogil      # nobody reads more of it than its head and ``data``
cdef bint is_move(Launch* launch) noexcept nogil      # an instruction copies its bytes
# The number of an entry in a table, which it is put into where it is not among the last ones.
cdef Py_ssize_t find_or_add(void** table, Py_ssize_t* n, const void* entry, Py_ssize_t size) except -1
