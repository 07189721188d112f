"""Views with other sizes or another order of dims: view, transpose, permute, squeeze, unsqueeze, expand."""
from cpython.ref cimport Py_XDECREF, PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.arguments cimport (MOST_DIMS, dim_slot, dims_slot, ints_slot, scalar_name, sizes_list,
                                              tensor_name, wrap_dim)
from wengert_core.dispatch.exact_values cimport begins_with_bool
from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.view.view cimport (V_ALIAS, V_EXPAND, V_PERMUTE, V_RESHAPE_ALIAS, V_SQUEEZE, V_T,
                                             V_TRANSPOSE, V_UNSAFE_VIEW, V_UNSQUEEZE, V_VIEW, set_builder, view_run)
from wengert_core.dtypes.dtypes cimport CAT_COMPLEX, DTypeFacts, dtype, dtype_facts, dtype_of
from wengert_core.geometry.size_math cimport bytes_between, step_sizes
from wengert_core.tensors.tensor cimport (TF_CONTIGUOUS, TF_VIEW, Tensor, alias, new_view, set_contiguity, shape_tuple,
                                          storage_of, strides_of)

cdef DTypeFacts* FACTS = dtype_facts()


# ---- view

cdef bint view_strides(Tensor t, int ndim, const Py_ssize_t* shape, Py_ssize_t* strides) noexcept:
    """Strides with which ``shape`` (as many elements) shows t's memory; False when there are none.

    Walks both shapes from the back: a stretch of t's dims that lie in memory as one must be filled exactly by new dims.
    """
    cdef int d, new = ndim - 1
    cdef Py_ssize_t step = FACTS.itemsize[t.code], have = 1, used = 1
    cdef Py_ssize_t* old = strides_of(t)
    if t.flags & TF_CONTIGUOUS:
        for d in range(ndim - 1, -1, -1):
            strides[d] = step
            step = step_sizes(step, max(shape[d], 1))
        if t.count == 0 and ndim == t.rank:
            keep_strides_of_same_shape(t, ndim, shape, strides)
        return True
    step = old[t.rank - 1]
    for d in range(t.rank - 1, -1, -1):
        have *= t.dims[d]
        if d and (t.dims[d - 1] == 1 or old[d - 1] == have * step):
            continue
        while new >= 0 and (used < have or shape[new] == 1):
            strides[new] = used * step
            used *= shape[new]
            new -= 1
        if used != have:
            return False
        if d:
            step = old[d - 1]
            have = used = 1
    return new < 0


cdef void keep_strides_of_same_shape(Tensor t, int ndim, const Py_ssize_t* shape, Py_ssize_t* strides) noexcept:
    cdef int d
    for d in range(ndim):
        if shape[d] != t.dims[d]:
            return
    for d in range(ndim):
        strides[d] = strides_of(t)[d]


cdef int infer_size(Op op, Tensor t, int ndim, Py_ssize_t* shape) except -1:
    """Fill in a size of -1 and check the number of elements."""
    cdef Py_ssize_t n = 1
    cdef int i, open_dim = -1
    for i in range(ndim):
        if shape[i] >= 0:
            if shape[i] and n > (<Py_ssize_t> 1 << 62) // shape[i]:
                raise wrong_size(op, t, ndim, shape)
            n *= shape[i]
        elif shape[i] != -1:
            raise RuntimeError(f"invalid shape dimension {shape[i]} at index {i} of shape {sizes_list(ndim, shape)}: "
                               f"{op.name} got a tensor of shape {list(shape_tuple(t))}")
        elif open_dim >= 0:
            raise RuntimeError(f"only one dimension can be inferred: {op.name} got the shape {sizes_list(ndim, shape)}")
        else:
            open_dim = i
    if open_dim < 0:
        if n != t.count:
            raise wrong_size(op, t, ndim, shape)
        return 0
    if n == 0 and t.count == 0:
        raise RuntimeError(f"cannot reshape tensor of 0 elements into shape {sizes_list(ndim, shape)} because the "
                           f"unspecified dimension size -1 can be any value and is ambiguous: {op.name}")
    if n == 0 or t.count % n:
        raise wrong_size(op, t, ndim, shape)
    shape[open_dim] = t.count // n
    return 0


cdef object wrong_size(Op op, Tensor t, int ndim, const Py_ssize_t* shape):
    return RuntimeError(f"shape '{sizes_list(ndim, shape)}' is invalid for input of size {t.count}: {op.name} got a "
                        f"tensor of shape {list(shape_tuple(t))}")


def configure_view(Op op):
    """Let ``view`` take a dtype in place of sizes."""
    op.run = view_or_dtype_run


cdef object view_or_dtype_run(Op op, PyObject** slots, uint32_t live):
    if isinstance(<object> slots[1], dtype):
        return view_dtype(<Tensor> slots[0], (<dtype> slots[1]).code)
    if begins_with_bool(slots[1]):
        raise TypeError(f"{op.name}() received an invalid combination of arguments - its sizes begin with a bool: "
                        "give ints")
    return view_run(op, slots, live)


cdef Tensor view_dtype(Tensor t, int code):
    """The same bytes as another dtype: a tensor without history, as in torch."""
    cdef Py_ssize_t old = FACTS.itemsize[t.code], new = FACTS.itemsize[code], ratio = new // old
    cdef Tensor out = alias(t)
    cdef int i, last = t.rank - 1
    names = f"to view {scalar_name(t.code)} as {scalar_name(code)} (different element sizes)"
    out.code = code
    if old == new:
        return out
    if t.rank == 0:
        raise RuntimeError(f"self.dim() cannot be 0 {names}")
    if strides_of(t)[last] != old:
        raise RuntimeError(f"self.stride(-1) must be 1 {names}, but got {strides_of(t)[last] // old}")
    if ratio > 1 and t.dims[last] % ratio:
        raise RuntimeError(f"self.size(-1) must be divisible by {ratio} {names}, but got {t.dims[last]}")
    for i in range(last if ratio > 1 else 0):
        if strides_of(t)[i] % new:
            raise RuntimeError(f"self.stride({i}) must be divisible by {ratio} {names}, but got "
                               f"{strides_of(t)[i] // old}")
    if bytes_between(storage_of(t).data, t.data) % new:
        raise RuntimeError(f"self.storage_offset() must be divisible by {ratio} {names}")
    if not t.device and t.count:
        check_alignment("view", code, t.data)
    out.dims[last] = t.dims[last] * old // new
    out.dims[t.rank + last] = new
    out.count = t.count * old // new
    set_contiguity(out)
    return out


cdef int check_alignment(str name, int code, const char* data) except -1:
    """RuntimeError where elements of a dtype would lie at addresses that the processor's instructions do not take."""
    cdef Py_ssize_t step = FACTS.itemsize[code] // (2 if FACTS.category[code] == CAT_COMPLEX else 1)
    if <Py_ssize_t> data % step:
        raise RuntimeError(f"{name}(): a tensor of {dtype_of(code).name} needs memory whose address is a multiple of "
                           f"{step}, got {<Py_ssize_t> data:#x}: clone() the bytes first")
    return 0


cdef Tensor build_view(Op op, PyObject** slots, Tensor t):
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t strides[64]
    cdef int ndim = ints_slot(op, slots, 1, shape)
    infer_size(op, t, ndim, shape)
    if not view_strides(t, ndim, shape, strides):
        raise RuntimeError("view size is not compatible with input tensor's size and stride (at least one dimension "
                           "spans across two contiguous subspaces). Use .reshape(...) instead. view got shape "
                           f"{list(shape_tuple(t))} with byte strides {sizes_list(t.rank, strides_of(t))} and asked "
                           f"for {sizes_list(ndim, shape)}")
    return new_view(t, ndim, shape, strides, t.data)


cdef Tensor build_unsafe_view(Op op, PyObject** slots, Tensor t):
    """As view, on memory that nobody else has: the output is a tensor of its own."""
    cdef Tensor out = build_view(op, slots, t)
    Py_XDECREF(out.base)
    out.base = NULL
    out.flags &= ~(<uint32_t> TF_VIEW)
    return out


cdef Tensor build_alias(Op op, PyObject** slots, Tensor t):
    return new_view(t, t.rank, t.dims, strides_of(t), t.data)


# ---- order of the dims

cdef Tensor geometry_transpose(Tensor t, int a, int b):
    cdef Tensor out = new_view(t, t.rank, t.dims, strides_of(t), t.data)
    if t.rank:
        out.dims[a], out.dims[b] = t.dims[b], t.dims[a]
        out.dims[t.rank + a], out.dims[t.rank + b] = t.dims[t.rank + b], t.dims[t.rank + a]
        set_contiguity(out)
    return out


cdef Tensor build_transpose(Op op, PyObject** slots, Tensor t):
    return geometry_transpose(t, dim_slot(op, slots, 1, t.rank), dim_slot(op, slots, 2, t.rank))


cdef Tensor build_t(Op op, PyObject** slots, Tensor t):
    if t.rank > 2:
        raise RuntimeError(f"{op.name}() expects a tensor with <= 2 dimensions, but self is {t.rank}D: its shape is "
                           f"{list(shape_tuple(t))}; use .mT, .transpose() or .permute()")
    return geometry_transpose(t, 0, 1 if t.rank == 2 else 0)


cdef Tensor geometry_permute(Tensor t, const int* order):
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t strides[64]
    cdef int i
    for i in range(t.rank):
        shape[i] = t.dims[order[i]]
        strides[i] = t.dims[t.rank + order[i]]
    return new_view(t, t.rank, shape, strides, t.data)


cdef Tensor build_permute(Op op, PyObject** slots, Tensor t):
    cdef Py_ssize_t raw[64]
    cdef int order[64]
    cdef int i, n = ints_slot(op, slots, 1, raw)
    cdef unsigned long long seen = 0
    if n != t.rank:
        raise RuntimeError("permute(sparse_coo): number of dimensions in the tensor input does not match the length of "
                           f"the desired ordering of dimensions i.e. input.dim() = {t.rank} is not equal to len(dims) "
                           f"= {n}: the input has shape {list(shape_tuple(t))}, dims is {sizes_list(n, raw)}")
    for i in range(n):
        order[i] = wrap_dim(raw[i], t.rank)
        if seen >> order[i] & 1:
            raise RuntimeError(f"permute(): duplicate dims are not allowed. dims is {sizes_list(n, raw)}")
        seen |= 1ULL << order[i]
    return geometry_permute(t, order)


# ---- more and fewer dims

cdef Tensor build_squeeze(Op op, PyObject** slots, Tensor t):
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t strides[64]
    cdef int dims[64]
    cdef int i, n = 0, count
    cdef unsigned long long chosen = ~0ULL
    if slots[1] != <PyObject*> None:
        count = dims_slot(op, slots, 1, t.rank, dims)
        chosen = 0
        for i in range(count):
            chosen |= 1ULL << dims[i]
    for i in range(t.rank):
        if t.dims[i] != 1 or not chosen >> i & 1:
            shape[n] = t.dims[i]
            strides[n] = t.dims[t.rank + i]
            n += 1
    return new_view(t, n, shape, strides, t.data)


cdef Tensor build_unsqueeze(Op op, PyObject** slots, Tensor t):
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t strides[64]
    cdef int i, dim = dim_slot(op, slots, 1, t.rank + 1)
    if t.rank == MOST_DIMS:
        raise RuntimeError(f"unsqueeze: the tensor has {MOST_DIMS} dimensions already, the most a tensor can have")
    for i in range(t.rank):
        shape[i + (i >= dim)] = t.dims[i]
        strides[i + (i >= dim)] = t.dims[t.rank + i]
    shape[dim] = 1
    strides[dim] = step_sizes(t.dims[t.rank + dim], t.dims[dim]) if dim < t.rank else FACTS.itemsize[t.code]
    return new_view(t, t.rank + 1, shape, strides, t.data)


cdef str type_of_expanded(int code):
    """torch's name of the type of a tensor in this message: some types have no old name."""
    name = scalar_name(code)
    return f"CPU{name}Type" if name in ("Bool", "BFloat16", "ComplexFloat", "ComplexDouble") else tensor_name(code)


cdef Tensor build_expand(Op op, PyObject** slots, Tensor t):
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t size, step
    cdef int i, own, n = ints_slot(op, slots, 1, shape)
    if n < t.rank:
        raise RuntimeError(f"expand({type_of_expanded(t.code)}{{{list(shape_tuple(t))}}}, "
                           f"size={sizes_list(n, shape)}): the number of sizes provided ({n}) must be greater or equal "
                           f"to the number of dimensions in the tensor ({t.rank})")
    for i in range(n - 1, -1, -1):
        own = i - n + t.rank
        if own >= 0:
            size, step = t.dims[own], t.dims[t.rank + own]
        else:
            size, step = 1, shape[i + 1] * strides[i + 1] if t.rank else 0
        if shape[i] == -1 and own >= 0:
            shape[i] = size
        if shape[i] < 0 or (shape[i] != size and size != 1):
            raise expand_error(t, n, shape, i, size)
        strides[i] = step if shape[i] == size and t.rank else 0
    return new_view(t, n, shape, strides, t.data)


cdef object expand_error(Tensor t, int n, const Py_ssize_t* shape, int dim, Py_ssize_t size):
    if shape[dim] == -1:
        return RuntimeError("The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension "
                            f"{dim}: the tensor has shape {list(shape_tuple(t))}")
    if shape[dim] < 0:
        return RuntimeError(f"expand: a size must not be negative, got {sizes_list(n, shape)}")
    return RuntimeError(f"The expanded size of the tensor ({shape[dim]}) must match the existing size ({size}) at "
                        f"non-singleton dimension {dim}.  Target sizes: {sizes_list(n, shape)}.  Tensor sizes: "
                        f"{list(shape_tuple(t))}")

set_builder(V_VIEW, build_view)
set_builder(V_RESHAPE_ALIAS, build_view)
set_builder(V_ALIAS, build_alias)
set_builder(V_TRANSPOSE, build_transpose)
set_builder(V_T, build_t)
set_builder(V_PERMUTE, build_permute)
set_builder(V_SQUEEZE, build_squeeze)
set_builder(V_UNSQUEEZE, build_unsqueeze)
set_builder(V_EXPAND, build_expand)
set_builder(V_UNSAFE_VIEW, build_unsafe_view)
