"""Tensors among the arguments of a call: what a program depends on in them, and whether it can take them."""
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize

from wengert_core.extend cimport TF_INFERENCE, WG_BATCHED, WG_GRAD, Tensor, dtype_facts, dtype_of, is_strided
from wengert_replay.trace.overlap cimport is_foreign, share_memory


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
    cdef set seen = set()
    cdef list foreign = []
    key = []
    for t in tensors:
        why = why_not(t)
        if why:
            return None, why
        key.append(describe(t))
        seen.add(<size_t> t.storage)
        if is_foreign(t.storage):
            foreign.append(t)
    if len(seen) < len(tensors) or any([meets_other(t, tensors) for t in foreign]):
        return None, "two arguments share memory"
    return tuple(key), ""


cdef bint meets_other(Tensor t, list tensors) except -1:
    """Whether the memory of a tensor is also that of another one."""
    cdef Tensor other
    for other in tensors:
        if other is not t and share_memory(t.storage, other.storage):
            return True
    return False


def facts_of(tuple row not None):
    """Return dtype, shape and strides that ``describe_tensors`` has noted of a tensor, and in words what it is."""
    cdef int code = row[1]
    cdef bytes packed = row[2]
    cdef Py_ssize_t* numbers = <Py_ssize_t*> PyBytes_AS_STRING(packed)
    cdef Py_ssize_t i, rank = len(packed) // (2 * sizeof(Py_ssize_t)), itemsize = dtype_facts().itemsize[code]
    flags = (("requires_grad", row[3] & WG_GRAD), ("of inference mode", row[3] & TF_INFERENCE),
             ("with a gradient", row[4]), ("with a history", row[5]))
    return (dtype_of(code), tuple([numbers[i] for i in range(rank)]),
            tuple([numbers[rank + i] // itemsize for i in range(rank)]), [name for name, is_so in flags if is_so])
