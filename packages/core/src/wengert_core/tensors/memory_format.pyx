"""Memory layouts: which strides a copy has, and what ``memory_format=`` means."""
from cpython.ref cimport PyObject

from wengert_core.binding.checked_methods import checked
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, new_empty, set_contiguity, strides_of

cdef DTypeFacts* FACTS = dtype_facts()


@checked
class memory_format:
    """A layout of memory for copies: ``wengert.contiguous_format``, ``preserve_format``, ``channels_last``,
    ``channels_last_3d``.
    """

    __slots__ = ("name",)

    def __new__(cls):
        raise TypeError("cannot create 'torch.memory_format' instances: use wengert.contiguous_format, "
                        "channels_last, ...")

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return self.name


cdef object named_format(str name):
    """A memory format: there are those that this module makes."""
    made = object.__new__(memory_format)
    made.name = name
    return made


contiguous_format = named_format("contiguous_format")
"""Row-major."""
preserve_format = named_format("preserve_format")
"""As the input, where it is dense."""
channels_last = named_format("channels_last")
"""Of images [batch, channels, height, width]: the channels of a pixel lie side by side."""
channels_last_3d = named_format("channels_last_3d")
"""Of volumes [batch, channels, depth, height, width]: the channels of a voxel lie side by side."""

cdef tuple FORMATS = (preserve_format, contiguous_format, channels_last, channels_last_3d)


cdef Format format_of(PyObject* asked, Format otherwise) except? FORMAT_PRESERVE:
    """What memory_format= asks for. None: otherwise."""
    cdef int i
    if asked == <PyObject*> None:
        return otherwise
    for i in range(4):
        if FORMATS[i] is <object> asked:
            return <Format> i
    raise TypeError(f"argument 'memory_format' must be torch.memory_format, not {type(<object> asked).__name__}")


cdef int innermost_first(Format form, int rank, int* order) noexcept:
    """The dims of a layout; 0 when it is not one of this rank."""
    cdef int i, dims = 4 if form == FORMAT_CHANNELS_LAST else 5 if form == FORMAT_CHANNELS_LAST_3D else rank
    if rank != dims:
        return 0
    for i in range(rank):
        order[i] = rank - 1 - i
    if form != FORMAT_CONTIGUOUS:      # the channels, dim 1, before all others but the batch
        for i in range(rank - 2, 0, -1):
            order[i] = order[i - 1]
        order[0] = 1
    return 1


cdef bint has_format(Tensor t, Format form) noexcept:
    """Whether t is laid out so, without gaps."""
    cdef Py_ssize_t step = FACTS.itemsize[t.code]
    cdef int order[64]
    cdef int i
    if form == FORMAT_CONTIGUOUS:
        return t.flags & TF_CONTIGUOUS
    if not innermost_first(form, t.rank, order):
        return False
    for i in range(t.rank):
        if t.dims[order[i]] != 1:
            if t.dims[t.rank + order[i]] != step:
                return False
            step *= t.dims[order[i]]
    return True


cdef int lay_out(Tensor out, Format form) except -1:
    """Give a fresh tensor the strides of a layout."""
    cdef int order[64]
    cdef int outermost[64]
    cdef int i
    if not innermost_first(form, out.rank, order):
        raise RuntimeError(f"required rank {4 if form == FORMAT_CHANNELS_LAST else 5} tensor to use "
                           f"{FORMATS[<int> form].name} format: this one has {out.rank} dims")
    if form != FORMAT_CONTIGUOUS:
        for i in range(out.rank):
            outermost[i] = order[out.rank - 1 - i]
        dense_strides(out, outermost)
    return 0


cdef inline int compare(int a, int b, const Py_ssize_t* strides, const Py_ssize_t* sizes) noexcept:
    """1 when dim a must lie further out than b, -1 when further in, 0 when the strides do not say."""
    if strides[a] == 0 or strides[b] == 0:
        return 0
    if strides[a] != strides[b]:
        return 1 if strides[a] > strides[b] else -1
    return 1 if sizes[a] > sizes[b] else 0


cdef void order_of(int ndim, int n, const Py_ssize_t** strides, const Py_ssize_t* sizes, int* order) noexcept:
    """Dims by falling stride, by the first of n that says (0: expanded, does not say), else as they are.

    An insertion sort from the innermost dim outwards, as torch's, so that ties come out alike.
    """
    cdef int i, k, m, at, verdict
    cdef int inner[64]
    for i in range(ndim):
        inner[i] = ndim - 1 - i
    for i in range(1, ndim):
        at = i
        for k in range(i - 1, -1, -1):
            verdict = 0
            for m in range(n):
                if verdict == 0:
                    verdict = compare(inner[k], inner[at], strides[m], sizes)
            if verdict > 0:
                inner[k], inner[at] = inner[at], inner[k]
                at = k
            elif verdict < 0:
                break
    for i in range(ndim):
        order[i] = inner[ndim - 1 - i]


cdef void dense_strides(Tensor out, const int* order) noexcept:
    """Give ``out`` strides without gaps, its dims in the order given, outermost first."""
    cdef Py_ssize_t step = FACTS.itemsize[out.code]
    cdef int i
    for i in range(out.rank - 1, -1, -1):
        out.dims[out.rank + order[i]] = step
        if out.dims[order[i]] > 1:
            step *= out.dims[order[i]]
    set_contiguity(out)


cdef bint is_dense(Tensor t, const int* order) noexcept:
    """Whether t's elements fill a stretch of memory without gaps or overlaps, its dims in that order."""
    cdef Py_ssize_t step = FACTS.itemsize[t.code]
    cdef int i
    for i in range(t.rank - 1, -1, -1):
        if t.dims[order[i]] != 1:
            if t.dims[t.rank + order[i]] != step:
                return False
            step *= t.dims[order[i]]
    return True


cdef Tensor new_preserved(Tensor t, int code):
    cdef Tensor out = new_empty(code, t.rank, t.dims)
    cdef const Py_ssize_t* own
    cdef int order[64]
    cdef int i
    if t.flags & TF_CONTIGUOUS and code == t.code:
        for i in range(t.rank):
            out.dims[t.rank + i] = t.dims[t.rank + i]
        return out
    if t.rank < 2 or t.count == 0:
        return out
    own = strides_of(t)
    order_of(t.rank, 1, &own, t.dims, order)
    if is_dense(t, order):
        for i in range(t.rank):
            out.dims[t.rank + i] = t.dims[t.rank + i] // FACTS.itemsize[t.code] * FACTS.itemsize[code]
        set_contiguity(out)
    else:
        dense_strides(out, order)
    return out
