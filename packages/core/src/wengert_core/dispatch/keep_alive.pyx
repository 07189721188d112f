"""Arguments that may change during an op. Notes [What a kernel holds], [What a warning may change]: keep_alive.pxd."""
cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport uint64_t

from wengert_core.dispatch.op cimport K_TENSORS, Op
from wengert_core.runtime.thread_pool cimport LARGE
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor cimport Tensor, alias


cdef object hold_slots(Op op, PyObject** slots, PyObject** own):
    """Fill ``own`` with the arguments, tensors among them held. Kernels read these; recording gets ``slots``."""
    cdef list keep = []
    cdef int i
    for i in range(op.n_params):
        own[i] = slots[i]
        if slots[i] == NULL or i == op.out_slot:
            continue
        if isinstance(<object> slots[i], Tensor):
            keep.append(alias(<Tensor> slots[i]))
        elif op.kinds[i] & 63 == K_TENSORS and isinstance(<object> slots[i], (tuple, list)):
            keep.append(tuple([alias(<Tensor> item) if isinstance(item, Tensor) else item
                               for item in <object> slots[i]]))
        else:
            continue
        own[i] = <PyObject*> keep[len(keep) - 1]
    return keep


cdef uint64_t layout_of_arguments(Op op, PyObject** slots) noexcept:
    """Return a hash (FNV-1a) of memory, dtype, sizes and strides of all tensors but out=; slots: NULL where read."""
    cdef uint64_t state = 14695981039346656037U
    cdef int i
    for i in range(0 if slots == NULL else op.n_params):
        if slots[i] == NULL or i == op.out_slot:
            continue
        if isinstance(<object> slots[i], Tensor):
            state = with_layout(state, <Tensor> slots[i])
        elif isinstance(<object> slots[i], (tuple, list)):
            for each in <object> slots[i]:
                if isinstance(each, Tensor):
                    state = with_layout(state, <Tensor> each)
    return state


@cython.overflowcheck(False)
cdef uint64_t with_layout(uint64_t state, Tensor t) noexcept:
    cdef int i
    state = ((state ^ <uint64_t> <size_t> t.data) * 1099511628211U ^ <uint64_t> t.code) * 1099511628211U
    for i in range(2 * t.rank):
        state = (state ^ <uint64_t> t.dims[i]) * 1099511628211U
    return (state ^ <uint64_t> t.rank) * 1099511628211U


cdef int check_layout(Op op, PyObject** slots, uint64_t before) except -1:
    if layout_of_arguments(op, slots) != before:
        raise RuntimeError(f"{op.name}: an argument has got other memory or another shape while the operation ran: by "
                           "code that a warning runs, or by another thread. "
                           "Change a tensor when what reads it has ended")
    return 0


cdef int warn_in_call(Op op, PyObject** slots, str text) except -1:
    """Warn, between two looks at the arguments. Note [What a warning may change]"""
    cdef uint64_t before = layout_of_arguments(op, slots)
    warn_user(text)
    return check_layout(op, slots, before)


cdef bint any_large(Op op, PyObject** slots) noexcept:
    cdef int i
    for i in range(op.n_params):
        if slots[i] != NULL and isinstance(<object> slots[i], Tensor) and (<Tensor> slots[i]).count >= LARGE:
            return True
    return False
