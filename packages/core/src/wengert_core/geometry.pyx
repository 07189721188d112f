"""What a tensor says about its place in memory: sizes, strides, offset, storage."""
from wengert_core.dims cimport wrap_dim
from wengert_core.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.layouts import channels_last, contiguous_format
from wengert_core.state cimport WG_BATCHED
from wengert_core.tensor cimport TF_CONTIGUOUS, TF_VIEW, Tensor, same_shape, storage_of, strides_of

cdef DTypeFacts* FACTS = dtype_facts()


cdef int read_dim(str name, object dim, int rank) except -1:
    if isinstance(dim, bool) or not hasattr(dim, "__index__"):
        raise TypeError(f"{name}(): argument 'dim' (position 1) must be int, not {type(dim).__name__}")
    return wrap_dim(dim, rank)


def size(Tensor self, dim=None):
    """All sizes, or the size of one dim."""
    if dim is None:
        return self.shape
    if self.rank == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return self.dims[read_dim("size", dim, self.rank)]


def stride(Tensor self, dim=None):
    """The steps between neighbours, in elements: of all dims, or of one."""
    cdef Py_ssize_t itemsize = FACTS.itemsize[self.code]
    if dim is None:
        return tuple([strides_of(self)[i] // itemsize for i in range(self.rank)])
    if self.rank == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return strides_of(self)[read_dim("stride", dim, self.rank)] // itemsize


def storage_offset(Tensor self):
    """Where the first element lies in the storage, in elements."""
    return (self.data - storage_of(self).data) // FACTS.itemsize[self.code]


def untyped_storage(Tensor self):
    """The memory this tensor lies in, shared with its views."""
    if self.flags & WG_BATCHED:
        from wengert_core.inside_vmap import no_storage
        raise no_storage()
    return storage_of(self)


def is_contiguous(Tensor self, *, memory_format=contiguous_format):
    """Whether the elements lie in memory row by row without gaps."""
    if memory_format is channels_last:
        return is_channels_last(self)
    return bool(self.flags & TF_CONTIGUOUS)


cdef bint is_channels_last(Tensor t) noexcept:
    cdef Py_ssize_t step = FACTS.itemsize[t.code]
    cdef int order[4]
    cdef int i
    order[0], order[1], order[2], order[3] = 1, 3, 2, 0
    if t.rank != 4:
        return False
    for i in range(4):
        if t.dims[order[i]] != 1:
            if t.dims[4 + order[i]] != step:
                return False
            step *= t.dims[order[i]]
    return True


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
    return bool(self.flags & TF_VIEW)


def base_of(Tensor self):
    """The tensor that this one is a view of, or None."""
    return <object> self.base if self.base != NULL else None


METHODS = {"size": size, "stride": stride, "storage_offset": storage_offset, "is_set_to": is_set_to,
           "untyped_storage": untyped_storage, "is_contiguous": is_contiguous, "nelement": nelement, "_is_view": is_view,
           "nbytes": property(nbytes, doc=nbytes.__doc__), "itemsize": property(itemsize, doc=itemsize.__doc__),
           "_base": property(base_of, doc=base_of.__doc__)}
"""What a table mounts on Tensor."""
