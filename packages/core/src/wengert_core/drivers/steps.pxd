"""The steps that all drivers share: promotion, broadcasting, out=, what comes before and after a write, recording."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.hooks cimport hooks
from wengert_core.dispatch.op cimport Op
from wengert_core.runtime.state cimport WG_GUARD, WG_RECORD, thread_state
from wengert_core.tensors.tensor cimport TF_INFERENCE, TF_VIEW, Tensor

cdef enum:
    MAX_NDIM = 64

cdef int combine_codes(int of_dims, int of_zero_dims, int of_numbers) noexcept    # -1: none of that kind
cdef bint can_cast(int source, int target) noexcept
cdef int broadcast(Op op, int* ndim, Py_ssize_t* shape, Tensor t) except -1       # widen shape by t's
# what out= gives; None where the op has no out=
cdef inline PyObject* prepare_given_out(Op op, PyObject** slots) noexcept:
    return slots[op.out_slot] if op.out_slot >= 0 else <PyObject*> None
cdef bint tangent_is_lost(Tensor t) except -1
cdef Tensor prepare_out(
    Op op, PyObject** slots, PyObject* out, int code, int ndim, const Py_ssize_t* shape, uint32_t live
)
cdef int before_write(Op op, PyObject** slots, Tensor target, uint32_t live, PyObject** keep) except -1
cdef int after_write(Op op, PyObject** slots, Tensor target, uint32_t live, PyObject* keep) except -1
cdef int check_write(Op op, PyObject** slots, PyObject** keep) except -1
cdef int record(Op op, PyObject** slots, Tensor out, uint32_t live) except -1
cdef int record_outputs(Op op, PyObject** slots, PyObject** outs, int n, uint32_t live) except -1
cdef object common_code(Op op, PyObject** slots, int n, int* code)


cdef inline int guard_write(Op op, PyObject** slots, Tensor target, uint32_t live, PyObject** keep) except -1:
    """Let the engine refuse a write that must not happen. keep: see Hooks.before_inplace; the caller owns it."""
    keep[0] = NULL
    if (live & WG_RECORD or target.flags & (TF_VIEW | TF_INFERENCE) or thread_state().modes & WG_GUARD) \
            and hooks().before_inplace != NULL:
        return check_write(op, slots, keep)
    return 0
