"""Tensors among the arguments of a call: what a program depends on in them, and whether it can take them."""
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.ref cimport PyObject

from wengert_core.extend cimport TF_INFERENCE, WG_BATCHED, WG_GRAD, Tensor, is_strided


cdef object describe(Tensor t):
    """Return class, dtype, sizes and strides, and whether it requires grad, is of inference mode, has a gradient, has
    a history.
    """
    cdef bint has_grad = t.extra != NULL and t.extra.grad != NULL
    return (type(t), t.code, PyBytes_FromStringAndSize(<char*> t.dims, 2 * t.rank * sizeof(Py_ssize_t)),
            t.flags & (WG_GRAD | TF_INFERENCE), has_grad, t.grad_fn != NULL)


cdef str why_not(Tensor t):
    """Return why an argument cannot be replayed; "" where it can."""
    if t.device or t.flags & WG_BATCHED or not is_strided(t):
        return f"an argument is on {(<object> t).device} in layout {(<object> t).layout}"
    return ""


def describe_tensors(list tensors):
    """Return a hashable value that is equal for tensors that one program can take, and why no program can: "" or words.
    """
    cdef Tensor t
    cdef set storages = set()
    cdef Py_ssize_t n = 0
    key = []
    for t in tensors:
        why = why_not(t)
        if why:
            return None, why
        key.append(describe(t))
        if t.count:
            n += 1
            storages.add(<size_t> <PyObject*> t.storage)
    if len(storages) < n:
        return None, "two arguments share memory"
    return tuple(key), ""
