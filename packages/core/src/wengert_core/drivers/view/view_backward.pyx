"""The driver of the adjoints of views: zeros in which one view shows the gradient.

``select_backward(grad, sizes, dim, index)`` makes zeros of those sizes and copies ``grad`` into ``zeros.select(dim,
index)``: the arguments behind the sizes are the view's. One op, so that its own derivative is the view of a gradient.
"""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t
from libc.string cimport memset

from wengert_core.dispatch.arguments cimport ints_slot
from wengert_core.dispatch.dispatcher cimport dispatch
from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.steps cimport record
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport copy_into, fill_number
from wengert_core.exchange.copy_launch cimport tell_zeros
from wengert_core.runtime.launches cimport tell_complete
from wengert_core.runtime.state cimport WG_TELL
from wengert_core.tensors.tensor cimport Tensor, new_empty, same_shape, shape_tuple

cdef DTypeFacts* FACTS = dtype_facts()


def configure(Op op, Op view):
    """Make ``op`` the adjoint of ``view``."""
    op.run = view_backward_run
    op.impl = view


cdef Tensor zeros(int code, int rank, Py_ssize_t* shape):
    cdef Tensor whole = new_empty(code, rank, shape)
    if whole.device:
        fill_number(whole, 0)
    else:
        memset(whole.data, 0, whole.count * FACTS.itemsize[code])
    return whole


cdef object view_backward_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor grad = <Tensor> slots[0]
    cdef Op view = <Op> op.impl
    cdef Py_ssize_t shape[64]
    cdef PyObject* of_view[16]
    cdef Tensor whole, part
    cdef int i
    whole = zeros(grad.code, ints_slot(op, slots, 1, shape), shape)
    if live & WG_TELL and not whole.device:
        tell_zeros(whole)
    of_view[0] = <PyObject*> whole
    for i in range(1, view.n_params):
        of_view[i] = slots[i + 1]
    part = dispatch(view, of_view)
    if not same_shape(part, grad):
        raise RuntimeError(f"{op.name}: the gradient has shape {list(shape_tuple(grad))}, the view "
                           f"{list(shape_tuple(part))}")
    copy_into(part, grad)
    if live:
        if live & WG_TELL:
            tell_complete(<void*> op)
        record(op, slots, whole, live)
    return whole
