"""What a tensor says about its place in memory: sizes, strides, offset, storage."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.arguments cimport wrap_dim
from wengert_core.dispatch.exact_values cimport plain_int
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.geometry.size_math cimport bytes_between
from wengert_core.runtime.launches cimport count_recorders
from wengert_core.tensors.memory_format cimport FORMAT_CONTIGUOUS, FORMAT_PRESERVE, Format, format_of, has_format
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, TF_VIEW, Tensor, same_shape, storage_of, strides_of

from wengert_core.drivers.view.element_count import CountMethod
from wengert_core.tensors.facts import tell_fact
from wengert_core.tensors.memory_format import contiguous_format

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()


cdef int read_dim(str name, object dim, Tensor t) except -1:
    cdef object number = plain_int(dim)    # runs code, which may change t's rank
    if number is None:
        raise TypeError(f"{name}(): argument 'dim' (position 1) must be int, not {type(dim).__name__}")
    if t.rank == 0:
        raise IndexError(f"Dimension specified as {number} but tensor has no dimensions")
    return wrap_dim(number, t.rank)


def size(Tensor self, dim=None, *, axis=None):
    """All sizes, or the size of one dim."""
    dim = axis if dim is None else dim
    if dim is None:
        return self.shape
    cdef int which = read_dim("size", dim, self)
    return self.dims[which]


def stride(Tensor self, dim=None, *, axis=None):
    """The steps between neighbors, in elements: of all dims, or of one."""
    dim = axis if dim is None else dim
    cdef Py_ssize_t itemsize = FACTS.itemsize[self.code]
    cdef int which
    if dim is None:
        return tuple([strides_of(self)[i] // itemsize for i in range(self.rank)])
    which = read_dim("stride", dim, self)
    return strides_of(self)[which] // itemsize


def storage_offset(Tensor self):
    """Where the first element lies in the storage, in elements."""
    if RECORDERS[0]:
        tell_fact(self, "storage_offset()")
    return bytes_between(storage_of(self).data, self.data) // FACTS.itemsize[self.code]


def is_contiguous(Tensor self, *, memory_format=contiguous_format):
    """Whether the elements lie in memory without gaps: row by row, or as another memory format has it."""
    cdef Format form
    if memory_format is contiguous_format:
        return bool(self.flags & TF_CONTIGUOUS)
    form = format_of(<PyObject*> memory_format, FORMAT_CONTIGUOUS)
    if form == FORMAT_PRESERVE:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return has_format(self, form)


def is_set_to(Tensor self, Tensor tensor):
    """Whether both are the same elements of the same storage, with one shape and strides."""
    cdef int i
    if storage_of(self).data != storage_of(tensor).data or self.data != tensor.data or not same_shape(self, tensor):
        return False
    for i in range(self.rank):
        if strides_of(self)[i] != strides_of(tensor)[i]:
            return False
    return True


def nelement(Tensor self):
    """Number of elements."""
    return self.count


def nbytes(Tensor self):
    """Bytes of all elements."""
    return self.count * FACTS.itemsize[self.code]


def itemsize(Tensor self):
    """Bytes of one element."""
    return FACTS.itemsize[self.code]


def is_view(Tensor self):
    """Whether this tensor is a view of another."""
    if RECORDERS[0]:
        tell_fact(self, "_is_view()")
    return bool(self.flags & TF_VIEW)


def base_of(Tensor self):
    """The tensor that this one is a view of, or None."""
    if RECORDERS[0]:
        tell_fact(self, "_base")
    return <object> self.base if self.base != NULL else None


METHODS = {"size": CountMethod(size, "size", Tensor, True), "stride": stride, "storage_offset": storage_offset,
           "is_set_to": is_set_to, "is_contiguous": is_contiguous, "nelement": nelement, "_is_view": is_view,
           "nbytes": property(nbytes, doc=nbytes.__doc__), "itemsize": property(itemsize, doc=itemsize.__doc__),
           "_base": property(base_of, doc=base_of.__doc__)}
"""What a table mounts on Tensor."""
