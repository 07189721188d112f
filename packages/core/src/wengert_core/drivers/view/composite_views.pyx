"""Operations made of view operations: each computes a primitive's arguments and runs it. Also clone, which a reshape
may need.

Note [Composites have no node]
    ``x.flatten()`` records a View node, as in torch: an op of the family "composite" has no formula, its primitives
    have. It does not look at modes: where other devices, batching or observers are at work, they meet the primitives.
"""

from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.arguments cimport MOST_DIMS, dim_slot, int_slot, ints_slot, sizes_list, wrap_dim
from wengert_core.dispatch.dispatcher cimport watch_only
from wengert_core.dispatch.op cimport Op, op_error, run_fn
from wengert_core.drivers.steps cimport record
from wengert_core.drivers.view.reshape cimport geometry_permute, geometry_transpose, infer_size, view_strides
from wengert_core.drivers.view.slice cimport geometry_slice
from wengert_core.drivers.view.view cimport (V_ALIAS, V_CLONE, V_EXPAND, V_PERMUTE, V_RESHAPE_ALIAS, V_SLICE,
                                             V_TRANSPOSE, V_UNSAFE_VIEW, V_VIEW, checked_self, is_stale, mark_origin,
                                             only_recorded, recorded_view, set_shortcuts, view_call)
from wengert_core.dtypes.dtypes cimport CAT_COMPLEX, dtype_facts
from wengert_core.exchange.arrays cimport copy_into
from wengert_core.geometry.size_math cimport mul_add, mul_overflows
from wengert_core.messages.tensor_attribute_error import TensorAttributeError
from wengert_core.runtime.launches cimport tell_complete
from wengert_core.runtime.state cimport WG_RECORD, WG_TELL, thread_state
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.memory_format cimport (FORMAT_CONTIGUOUS, FORMAT_PRESERVE, Format, format_of, has_format,
                                                 lay_out, new_preserved)
from wengert_core.tensors.memory_format import contiguous_format
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, new_like, new_view, shape_tuple

cdef extern from "Python.h":
    bint PyIndex_Check(PyObject* o) noexcept

cdef enum:
    LIVE_SLOW = 4 | 8 | 16 | 1 | 2     # LIVE_INTERCEPT | WG_GRAD | WG_DUAL: the primitive itself must run


cdef inline bint needs_primitive(Tensor t) noexcept:
    cdef unsigned int modes = thread_state().modes
    return t.flags & modes & LIVE_SLOW != 0 or is_stale(t, modes)


cdef inline Tensor mark_view(Tensor t, Tensor out):
    mark_origin(t, out, thread_state().modes)
    return out


def configure(Op op, str what):
    """Make ``op`` the composite (or clone) called ``what``."""
    cdef int i = NAMES.index(what)
    op.run = RUNS[i]
    if what != "clone":
        watch_only(op, -1)             # the primitives that it calls are dispatched
    set_shortcuts(op)


# ---- copies

cdef object clone_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor t = checked_self(op, slots)
    cdef Tensor out
    cdef Format form
    form = format_of(slots[1], FORMAT_PRESERVE)
    if form == FORMAT_PRESERVE:
        out = new_preserved(t, t.code)
    else:
        out = new_like(t, t.code)
        lay_out(out, form)
    copy_into(out, t)
    if live & (WG_RECORD | WG_TELL):
        if live & WG_TELL:
            tell_complete(<void*> op)
        record(op, slots, out, live)
    return out


cdef object contiguous_clone(Tensor t):
    return view_call(V_CLONE, t, (contiguous_format,))


cdef object contiguous_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor t = checked_self(op, slots)
    cdef Format form
    if slots[1] == <PyObject*> None or t.flags & TF_CONTIGUOUS and <object> slots[1] is contiguous_format:
        return t if t.flags & TF_CONTIGUOUS else contiguous_clone(t)
    form = format_of(slots[1], FORMAT_CONTIGUOUS)
    if form == FORMAT_PRESERVE and t.flags & TF_CONTIGUOUS or form != FORMAT_PRESERVE and has_format(t, form):
        return t
    if form == FORMAT_PRESERVE:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return view_call(V_CLONE, t, (<object> slots[1],))


# ---- sizes

cdef object reshape_to(Op op, Tensor t, int ndim, Py_ssize_t* shape, PyObject* sizes):
    """Return a view of that shape where strides allow, else a copy. ``shape`` may have one -1. sizes: NULL or shape."""
    cdef Py_ssize_t strides[64]
    cdef PyObject* slots[2]
    cdef int kind
    infer_size(op, t, ndim, shape)
    if not view_strides(t, ndim, shape, strides):
        return view_call(V_UNSAFE_VIEW, contiguous_clone(t), (tuple(sizes_list(ndim, shape)),))
    if not needs_primitive(t):
        return mark_view(t, new_view(t, ndim, shape, strides, t.data))
    kind = V_VIEW if t.flags & TF_CONTIGUOUS else V_RESHAPE_ALIAS
    if sizes != NULL and only_recorded(t, thread_state().modes):
        slots[0], slots[1] = <PyObject*> t, sizes
        return recorded_view(kind, slots, t, new_view(t, ndim, shape, strides, t.data))
    return view_call(kind, t, (tuple(sizes_list(ndim, shape)),))


cdef object reshape_run(Op op, PyObject** slots, uint32_t live):
    cdef Py_ssize_t shape[64]
    cdef int ndim = ints_slot(op, slots, 1, shape)
    return reshape_to(op, <Tensor> slots[0], ndim, shape, slots[1])


cdef object flatten_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor t = <Tensor> slots[0]
    cdef Py_ssize_t shape[64]
    cdef int first = dim_slot(op, slots, 1, t.rank), last = dim_slot(op, slots, 2, t.rank), i, n = 0
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim: "
                           f"{int_slot(op, slots, 1)} and {int_slot(op, slots, 2)} for shape {list(shape_tuple(t))}")
    if t.rank and first == last:
        return t
    for i in range(t.rank):
        if i <= first or i > last:
            shape[n] = t.dims[i]
            n += 1
        else:
            shape[n - 1] = mul_add("flatten", shape[n - 1], t.dims[i], 0)
    if t.rank == 0:
        shape[0], n = 1, 1
    return reshape_to(op, t, n, shape, NULL)


cdef object ravel_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor t = <Tensor> slots[0]
    cdef Py_ssize_t shape[1]
    shape[0] = t.count
    return reshape_to(op, t if t.flags & TF_CONTIGUOUS else contiguous_clone(t), 1, shape, NULL)


cdef object unflatten_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor t = <Tensor> slots[0]
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t shape[128]
    cdef int dim = dim_slot(op, slots, 1, t.rank), n = ints_slot(op, slots, 2, sizes), i, open_dim = -1
    cdef Py_ssize_t product = 1, whole = t.dims[dim] if t.rank else 1
    cdef bint overflow = False
    if t.rank == 0:
        raise RuntimeError("unflatten got an unexpected error:\nDimension specified as 0 but tensor has no dimensions")
    if n == 0:
        raise RuntimeError("unflatten: sizes must be non-empty")
    for i in range(n):
        if sizes[i] == -1 and open_dim < 0:
            open_dim = i
        elif sizes[i] < 0:
            raise RuntimeError("unflatten got an unexpected error: only one dimension can be inferred, and sizes must "
                               f"not be negative: {sizes_list(n, sizes)}")
        else:
            overflow |= mul_overflows(product, sizes[i], &product)
    if not overflow and open_dim >= 0 and product and whole % product == 0:
        sizes[open_dim] = whole // product
        product = whole
    if overflow or product != whole or (open_dim >= 0 and sizes[open_dim] < 0):
        raise RuntimeError(f"unflatten: Provided sizes {sizes_list(n, sizes)} don't multiply up to the size of dim "
                           f"{dim} ({whole}) in the input tensor")
    if t.rank + n - 1 > MOST_DIMS:
        raise RuntimeError(f"unflatten: the result would have more than {MOST_DIMS} dimensions")
    for i in range(dim):
        shape[i] = t.dims[i]
    for i in range(n):
        shape[dim + i] = sizes[i]
    for i in range(dim + 1, t.rank):
        shape[n - 1 + i] = t.dims[i]
    return view_call(V_VIEW, t, (tuple(sizes_list(n + t.rank - 1 if t.rank else n, shape)),))


cdef Tensor other_tensor(Op op, PyObject** slots):
    return <Tensor> slots[1]


cdef object view_as_run(Op op, PyObject** slots, uint32_t live):
    return view_call(V_VIEW, <Tensor> slots[0], (shape_tuple(other_tensor(op, slots)),))


cdef object reshape_as_run(Op op, PyObject** slots, uint32_t live):
    return reshape_to(op, <Tensor> slots[0], other_tensor(op, slots).rank, other_tensor(op, slots).dims, NULL)


cdef object expand_as_run(Op op, PyObject** slots, uint32_t live):
    return view_call(V_EXPAND, <Tensor> slots[0], (shape_tuple(other_tensor(op, slots)),))


cdef object broadcast_to_run(Op op, PyObject** slots, uint32_t live):
    return view_call(V_EXPAND, <Tensor> slots[0], (<object> slots[1],))


# ---- order of the dims

cdef object transpose_dims(Tensor t, int a, int b):
    if needs_primitive(t):
        return view_call(V_TRANSPOSE, t, (a, b))
    return mark_view(t, geometry_transpose(t, a, b))


cdef object permute_dims(Tensor t, const int* order):
    if needs_primitive(t):
        return view_call(V_PERMUTE, t, (tuple([order[i] for i in range(t.rank)]),))
    return mark_view(t, geometry_permute(t, order))


cdef object swapaxes_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor t = <Tensor> slots[0]
    return transpose_dims(t, dim_slot(op, slots, 1, t.rank), dim_slot(op, slots, 2, t.rank))


cdef object t_property_run(Op op, PyObject** slots, uint32_t live):
    """x.T: all dims reversed."""
    cdef Tensor t = checked_self(op, slots)
    cdef int order[64]
    cdef int i
    if t.rank == 0:
        warn_user("Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases.")
    elif t.rank != 2:
        warn_user("The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it "
                  "will throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
                  "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.")
    for i in range(t.rank):
        order[i] = t.rank - 1 - i
    return permute_dims(t, order)


cdef object transpose_matrix(Tensor t, str name):
    if t.rank == 0:
        instead = "This function is the identity in these cases." if name == "tensor.mT" else "Consider using x.conj()."
        warn_user(f"{'adjoint()' if name == 'tensor.adjoint()' else 'T' + name[1:]} is deprecated on 0-D tensors. "
                  f"{instead}")
        return t
    if t.rank < 2:
        error = RuntimeError if name == "tensor.adjoint()" else TensorAttributeError
        raise error(f"{name} is only supported on matrices or batches of matrices. Got {t.rank}-D tensor.")
    return transpose_dims(t, t.rank - 2, t.rank - 1)


cdef object mt_property_run(Op op, PyObject** slots, uint32_t live):
    return transpose_matrix(checked_self(op, slots), "tensor.mT")


cdef object adjoint_run(Op op, PyObject** slots, uint32_t live):
    """The conjugate transpose of matrices: .mH, .H, adjoint()."""
    cdef Tensor t = checked_self(op, slots)
    cdef str name = op.name
    if name == "matrix_H" and t.rank != 2 and t.rank:
        raise TensorAttributeError(f"tensor.H is only supported on matrices (2-D tensors). Got {t.rank}-D tensor."
                                   f"{' For batches of matrices, consider using tensor.mH' if t.rank > 2 else ''}")
    out = transpose_matrix(t, {"adjoint": "tensor.adjoint()", "mH": "tensor.mH"}.get(name, "tensor.H"))
    return out.conj() if dtype_facts().category[t.code] == CAT_COMPLEX else out


cdef object movedim_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor t = <Tensor> slots[0]
    cdef Py_ssize_t source[64]
    cdef Py_ssize_t target[64]
    cdef int order[64]
    cdef int n = ints_slot(op, slots, 1, source), m = ints_slot(op, slots, 2, target), i, k = 0
    cdef unsigned long long moved
    if PyIndex_Check(slots[1]) != PyIndex_Check(slots[2]):
        raise op_error(op, 2, "int" if PyIndex_Check(slots[1]) else "tuple of ints", slots[2])
    if n != m:
        raise RuntimeError(f"movedim: Invalid source or destination dims: source ({sizes_list(n, source)} dims) should "
                           f"contain the same number of dims as destination ({sizes_list(m, target)} dims)")
    for i in range(m):
        wrap_dim(target[i], t.rank)        # torch looks at all of them before it looks for those that come twice
    moved = wrap_distinct(t.rank, n, source, "source")
    wrap_distinct(t.rank, n, target, "destination")
    if t.rank == 0:
        return view_call(V_ALIAS, t, ())
    for i in range(t.rank):
        order[i] = -1
    for i in range(n):
        order[target[i]] = <int> source[i]
    for i in range(t.rank):
        if order[i] < 0:
            while moved >> k & 1:
                k += 1
            order[i] = k
            k += 1
    return permute_dims(t, order)


cdef unsigned long long wrap_distinct(int rank, int n, Py_ssize_t* dims, str what) except? 0:
    """Count dims from the front; their set. RuntimeError when one comes twice."""
    cdef unsigned long long seen = 0
    cdef int i
    given = sizes_list(n, dims)
    for i in range(n):
        dims[i] = wrap_dim(dims[i], rank)
    for i in range(n):
        if seen >> dims[i] & 1:
            raise RuntimeError(f"movedim: repeated dim in `{what}` ({given})")
        seen |= 1ULL << dims[i]
    return seen


# ---- parts

cdef object narrow_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor t = <Tensor> slots[0]
    cdef Py_ssize_t start = int_slot(op, slots, 2), length = int_slot(op, slots, 3), size
    cdef int dim
    if t.rank == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError(f"narrow(): length must be non-negative. It is {length}")
    dim = dim_slot(op, slots, 1, t.rank)
    size = t.dims[dim]
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {start})")
    if start < 0:
        start += size
    if start > size - length:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    if needs_primitive(t):
        return view_call(V_SLICE, t, (dim, start, start + length, 1))
    return mark_view(t, geometry_slice(t, dim, start, start + length, 1))


cdef tuple NAMES = ("clone", "contiguous", "reshape", "flatten", "ravel", "unflatten", "view_as", "reshape_as",
                    "expand_as", "broadcast_to", "swapaxes", "numpy_T", "mT", "adjoint", "movedim", "narrow")
cdef run_fn RUNS[16]
RUNS[0], RUNS[1], RUNS[2], RUNS[3] = clone_run, contiguous_run, reshape_run, flatten_run
RUNS[4], RUNS[5], RUNS[6], RUNS[7] = ravel_run, unflatten_run, view_as_run, reshape_as_run
RUNS[8], RUNS[9], RUNS[10], RUNS[11] = expand_as_run, broadcast_to_run, swapaxes_run, t_property_run
RUNS[12], RUNS[13], RUNS[14], RUNS[15] = mt_property_run, adjoint_run, movedim_run, narrow_run
