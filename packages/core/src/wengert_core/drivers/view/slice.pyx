"""Views of a part and of any geometry: select, slice, diagonal, unfold, as_strided, complex numbers as pairs."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.arguments cimport check_rank, dim_slot, int_slot, ints_slot, scalar_name, sizes_list
from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.references cimport geometry_result
from wengert_core.drivers.view.view cimport (V_AS_STRIDED, V_BY_FUNCTION, V_DIAGONAL, V_SELECT, V_SLICE, V_UNFOLD,
                                             V_VIEW_AS_COMPLEX, V_VIEW_AS_REAL, set_builder)
from wengert_core.dtypes.dtypes cimport (COMPLEX128, COMPLEX64, FLOAT16, FLOAT32, FLOAT64, DTypeFacts, dtype_facts,
                                         dtype_of)
from wengert_core.geometry.size_math cimport bytes_between, extent, mul_add, step_sizes
from wengert_core.tensors.tensor cimport Tensor, new_view, set_contiguity, shape_tuple, storage_of, strides_of

cdef DTypeFacts* FACTS = dtype_facts()


# ---- parts

cdef Tensor build_select(Op op, PyObject** slots, Tensor t):
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t index = int_slot(op, slots, 2), at = index
    cdef int i, dim
    if t.rank == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = dim_slot(op, slots, 1, t.rank)
    if at < 0:
        at += t.dims[dim]
    if not 0 <= at < t.dims[dim]:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(shape_tuple(t))} at dimension "
                         f"{dim}")
    for i in range(t.rank - 1):
        shape[i] = t.dims[i + (i >= dim)]
        strides[i] = t.dims[t.rank + i + (i >= dim)]
    return new_view(t, t.rank - 1, shape, strides, t.data + at * t.dims[t.rank + dim])


cdef Tensor geometry_slice(Tensor t, int dim, Py_ssize_t start, Py_ssize_t end, Py_ssize_t step):
    """[start:end:step] along a dim; 0 <= start <= end <= its size, step > 0."""
    cdef Py_ssize_t stride = t.dims[t.rank + dim]
    cdef Tensor out = new_view(t, t.rank, t.dims, strides_of(t), t.data + start * stride)
    cdef int i
    out.dims[dim] = (end - start - 1) // step + 1 if end > start else 0
    out.dims[t.rank + dim] = step_sizes(stride, step)
    out.count = 1
    for i in range(t.rank):
        out.count *= out.dims[i]
    set_contiguity(out)
    return out


cdef Py_ssize_t clamp_bound(
    Op op, PyObject** slots, int slot, Py_ssize_t otherwise, Py_ssize_t low, Py_ssize_t size
) except? -1:
    """A slice's end as a position in [low, size]."""
    cdef Py_ssize_t at
    if slots[slot] == <PyObject*> None:
        return otherwise
    at = int_slot(op, slots, slot)
    if at < 0:
        at += size
    return low if at < low else size if at > size else at


cdef Tensor build_slice(Op op, PyObject** slots, Tensor t):
    cdef Py_ssize_t start, end, step, size
    cdef int dim
    if t.rank == 0:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    dim = dim_slot(op, slots, 1, t.rank)
    size = t.dims[dim]
    step = int_slot(op, slots, 4)
    if step <= 0:
        raise RuntimeError(f"slice step must be positive, got {step}")
    start = clamp_bound(op, slots, 2, 0, 0, size)
    end = clamp_bound(op, slots, 3, size, start, size)
    return geometry_slice(t, dim, start, end, step)


cdef Tensor build_diagonal(Op op, PyObject** slots, Tensor t):
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t offset = int_slot(op, slots, 1), size
    cdef int a = dim_slot(op, slots, 2, t.rank), b = dim_slot(op, slots, 3, t.rank), i, n = 0
    cdef char* data = t.data
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {int_slot(op, slots, 2)}, "
                           f"{int_slot(op, slots, 3)}")
    for i in range(t.rank):
        if i != a and i != b:
            shape[n], strides[n] = t.dims[i], t.dims[t.rank + i]
            n += 1
    size = min(t.dims[a], t.dims[b] - offset) if offset >= 0 else min(t.dims[a] + offset, t.dims[b])
    if size < 0:
        size = 0
    if size:
        data += offset * t.dims[t.rank + b] if offset >= 0 else -offset * t.dims[t.rank + a]
    shape[n], strides[n] = size, t.dims[t.rank + a] + t.dims[t.rank + b]
    return new_view(t, n + 1, shape, strides, data)


cdef Tensor build_unfold(Op op, PyObject** slots, Tensor t):
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t size = int_slot(op, slots, 2), step = int_slot(op, slots, 3), length
    cdef int i, dim = dim_slot(op, slots, 1, t.rank)
    length = t.dims[dim] if t.rank else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > length:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {length} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    check_rank("unfold", t.rank + 1)
    for i in range(t.rank):
        shape[i], strides[i] = t.dims[i], t.dims[t.rank + i]
    shape[t.rank], strides[t.rank] = size, strides[dim] if t.rank else FACTS.itemsize[t.code]
    if t.rank:
        shape[dim], strides[dim] = (length - size) // step + 1, step_sizes(strides[dim], step)
    return new_view(t, t.rank + 1, shape, strides, t.data)


# ---- any geometry

cdef Tensor make_strided_view(Tensor t, int ndim, const Py_ssize_t* shape, Py_ssize_t* strides, Py_ssize_t offset):
    """A view by sizes, strides and offset in elements of t's storage; checked against the storage's size."""
    cdef Py_ssize_t itemsize = FACTS.itemsize[t.code], end
    cdef int i
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    for i in range(ndim):
        if strides[i] < 0:
            raise RuntimeError("as_strided: Negative strides are not supported at the moment, got strides: "
                               f"{sizes_list(ndim, strides)}")
        if shape[i] < 0:
            raise RuntimeError(f"Storage size calculation overflowed with sizes={sizes_list(ndim, shape)} and "
                               f"strides={sizes_list(ndim, strides)}")
    end = extent(ndim, shape, strides, offset, itemsize)
    if end > storage_of(t).nbytes:
        raise out_of_bounds(ndim, shape, strides, offset, itemsize, end, storage_of(t).nbytes)
    offset = mul_add("as_strided", offset, itemsize, 0)      # without elements it may lie behind the end
    for i in range(ndim):
        strides[i] = mul_add("as_strided", strides[i], itemsize, 0)  # of a dim of one element: any
    return new_view(t, ndim, shape, strides, storage_of(t).data + offset)


cdef object out_of_bounds(
    int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides, Py_ssize_t offset, Py_ssize_t itemsize,
    Py_ssize_t end, Py_ssize_t nbytes
):
    return RuntimeError(f"setStorage: sizes {sizes_list(ndim, shape)}, strides {sizes_list(ndim, strides)}, storage "
                        f"offset {offset}, and itemsize {itemsize} requiring a storage size of {end} are out of bounds "
                        f"for storage of size {nbytes}")


cdef Tensor build_as_strided(Op op, PyObject** slots, Tensor t):
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t offset
    cdef int ndim = ints_slot(op, slots, 1, shape)
    if ints_slot(op, slots, 2, strides) != ndim:
        raise RuntimeError(f"mismatch in length of strides and shape: {sizes_list(ndim, shape)} and "
                           f"{<object> slots[2]}")
    if slots[3] != <PyObject*> None:
        offset = int_slot(op, slots, 3)
    else:
        offset = bytes_between(storage_of(t).data, t.data) // FACTS.itemsize[t.code]
    return make_strided_view(t, ndim, shape, strides, offset)


cdef Tensor build_by_function(Op op, PyObject** slots, Tensor t):
    """A plugin's geometry: sizes, strides and offset in elements."""
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t itemsize = FACTS.itemsize[t.code]
    cdef int i
    arguments = [<object> slots[i] for i in range(1, op.n_params)]
    sizes, steps, offset = geometry_result(op, op.impl(
        shape_tuple(t), tuple([strides_of(t)[i] // itemsize for i in range(t.rank)]),
        bytes_between(storage_of(t).data, t.data) // itemsize, *arguments
    ))
    for i in range(len(sizes)):
        shape[i], strides[i] = sizes[i], steps[i]
    return make_strided_view(t, <int> len(<tuple> sizes), shape, strides, offset)


# ---- complex numbers as pairs

cdef Tensor build_view_as_real(Op op, PyObject** slots, Tensor t):
    cdef Tensor out
    cdef int i
    if t.code != COMPLEX64 and t.code != COMPLEX128:
        raise RuntimeError(f"view_as_real is only supported for complex tensors, got {dtype_of(t.code)!r}")
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t strides[64]
    check_rank("view_as_real", t.rank + 1)
    for i in range(t.rank):
        shape[i], strides[i] = t.dims[i], t.dims[t.rank + i]
    shape[t.rank], strides[t.rank] = 2, FACTS.itemsize[t.code] // 2
    out = new_view(t, t.rank + 1, shape, strides, t.data)
    out.code = FACTS.real[t.code]
    set_contiguity(out)
    return out


cdef Tensor build_view_as_complex(Op op, PyObject** slots, Tensor t):
    cdef Py_ssize_t itemsize = FACTS.itemsize[t.code]
    cdef Tensor out
    cdef int i
    if t.code != FLOAT16 and t.code != FLOAT32 and t.code != FLOAT64:
        raise RuntimeError("view_as_complex is only supported for half, float and double tensors, but got a tensor of "
                           f"scalar type: {scalar_name(t.code)} (wengert: float32 and float64)")
    if t.rank == 0:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if t.code == FLOAT16 and t.dims[t.rank - 1] == 2:
        raise TypeError("Got unsupported ScalarType ComplexHalf: view_as_complex takes float32 and float64")
    if t.dims[t.rank - 1] != 2:
        raise RuntimeError(f"Tensor must have a last dimension of size 2: its shape is {list(shape_tuple(t))}")
    if strides_of(t)[t.rank - 1] != itemsize:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    for i in range(t.rank - 1):
        if strides_of(t)[i] % (2 * itemsize):
            raise RuntimeError(f"Tensor must have a stride divisible by 2 for all but last dimension: dimension {i}")
    if bytes_between(storage_of(t).data, t.data) % (2 * itemsize):
        raise RuntimeError("Tensor must have a storage_offset divisible by 2")
    out = new_view(t, t.rank - 1, t.dims, strides_of(t), t.data)
    out.code = COMPLEX64 if t.code == FLOAT32 else COMPLEX128
    set_contiguity(out)
    return out

set_builder(V_SELECT, build_select)
set_builder(V_SLICE, build_slice)
set_builder(V_DIAGONAL, build_diagonal)
set_builder(V_AS_STRIDED, build_as_strided)
set_builder(V_UNFOLD, build_unfold)
set_builder(V_VIEW_AS_REAL, build_view_as_real)
set_builder(V_VIEW_AS_COMPLEX, build_view_as_complex)
set_builder(V_BY_FUNCTION, build_by_function)
