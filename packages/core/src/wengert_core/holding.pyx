"""The tensors held by a kernel that gives the GIL up. Note [What a kernel holds] is in holding.pxd."""
from cpython.ref cimport PyObject

from wengert_core.op cimport K_TENSORS, Op
from wengert_core.tensor cimport Tensor, alias
from wengert_core.workers cimport LARGE


cdef object held_slots(Op op, PyObject** slots, PyObject** own):
    """Fill ``own`` with the arguments, tensors among them held. Who computes reads these; who records gets ``slots``."""
    cdef list keep = []
    cdef int i
    for i in range(op.n_params):
        own[i] = slots[i]
        if slots[i] == NULL or i == op.out_slot:
            continue
        if isinstance(<object> slots[i], Tensor):
            keep.append(alias(<Tensor> slots[i]))
        elif op.kinds[i] & 63 == K_TENSORS and isinstance(<object> slots[i], (tuple, list)):
            keep.append(tuple([alias(<Tensor> item) if isinstance(item, Tensor) else item for item in <object> slots[i]]))
        else:
            continue
        own[i] = <PyObject*> keep[len(keep) - 1]
    return keep


cdef bint any_large(Op op, PyObject** slots) noexcept:
    cdef int i
    for i in range(op.n_params):
        if slots[i] != NULL and isinstance(<object> slots[i], Tensor) and (<Tensor> slots[i]).count >= LARGE:
            return True
    return False
