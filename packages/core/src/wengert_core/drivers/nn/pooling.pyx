"""The driver of pooling in one to three dims: means and extremes of windows, with fixed or adaptive windows, and their
gradients.

What windows are: Note [Windows] in pooling_windows.pyx.
"""

from cpython.mem cimport PyMem_Free
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint32_t

from wengert_core.dispatch.arguments cimport int_slot, ints_slot, scalar_name, sizes_list
from wengert_core.dispatch.keep_alive cimport any_large, hold, hold_slots
from wengert_core.dispatch.op cimport Op, op_error
from wengert_core.drivers.nn.pooling_loops cimport find_invalid, raise_invalid, run, tell_pool
from wengert_core.drivers.nn.pooling_windows cimport (ADAPTIVE_AVERAGE, ADAPTIVE_LARGEST, AVERAGE, GATHER, LARGEST,
                                                      SCATTER, SPREAD_ADAPTIVE, SPREAD_AVERAGE, Kind, Pool,
                                                      adaptive_windows, check_input, fixed_windows, function,
                                                      set_planes)
from wengert_core.drivers.out_argument cimport into_out
from wengert_core.drivers.references cimport call_reference, result_into, results_into
from wengert_core.drivers.steps cimport record, record_outputs
from wengert_core.dtypes.dtypes cimport BFLOAT16, CAT_FLOAT, CAT_INT, FLOAT16, FLOAT32, INT64, DTypeFacts, dtype_facts
from wengert_core.dtypes.dtypes import C_NAMES as _C_NAMES
from wengert_core.exchange.arrays cimport array_of, convert_copy, row_major_as
from wengert_core.exchange.device_memory cimport captures, on_host, without_kernels
from wengert_core.exchange.restore_format cimport restore_layout
from wengert_core.runtime.launches cimport tell_complete
from wengert_core.runtime.state cimport WG_TELL
from wengert_core.runtime.thread_pool cimport LARGE
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, new_empty, shape_tuple

cdef DTypeFacts* FACTS = dtype_facts()
cdef dict KINDS = {"average": AVERAGE, "largest": LARGEST, "adaptive_average": ADAPTIVE_AVERAGE,
                   "adaptive_largest": ADAPTIVE_LARGEST, "spread_average": SPREAD_AVERAGE,
                   "spread_adaptive": SPREAD_ADAPTIVE, "scatter": SCATTER, "gather": GATHER}


def configure(Op op, str kind, int ndim):
    """Make ``op`` a pooling op. ndim: dims that windows have; 0: the op has a slot ``ndim``."""
    op.impl = (KINDS[kind], ndim)
    op.run = gradient_run if KINDS[kind] >= SPREAD_AVERAGE else pool_run


# ---- running

cdef inline int computing_code(int code) noexcept:
    return FLOAT32 if code == FLOAT16 or code == BFLOAT16 else code


cdef inline Tensor computable(Tensor t):
    """Contiguous; low precision as float32."""
    return row_major_as(t, computing_code(t.code))


cdef Py_ssize_t divisor_of(Op op, PyObject** slots) except? -1:
    cdef Py_ssize_t divisor
    cdef int last = op.n_params - (2 if op.out_slot >= 0 else 1)
    if op.params[last] != "divisor_override" or slots[last] == <PyObject*> None:
        return 0
    divisor = int_slot(op, slots, last)
    if divisor == 0:
        raise RuntimeError(f"divisor must be not zero: {function(op)} got divisor_override=0")
    return divisor


cdef object pool_run(Op op, PyObject** slots, uint32_t live):
    """Means and extremes. Slot 0 is the input; slots 1, ... are the windows, or the output's size."""
    cdef Tensor t = <Tensor> slots[0], source, out, indices = None
    cdef Kind kind = op.impl[0]
    cdef int n = op.impl[1], code = t.code, i
    cdef bint adaptive = kind == ADAPTIVE_AVERAGE or kind == ADAPTIVE_LARGEST
    cdef bint extremes = kind == LARGEST or kind == ADAPTIVE_LARGEST
    cdef Py_ssize_t shape[64]
    cdef bint large
    cdef Pool p
    check_input(op, t, n, adaptive)
    check_dtype(op, kind, n, code)
    set_planes(&p, n, t.rank, t.dims)
    try:
        if adaptive:
            sizes_of_output(op, slots, &p)
        else:
            fixed_windows(op, slots, &p, 1, extremes, t.dims[t.rank - n - 1])
            p.divisor = divisor_of(op, slots)
        for i in range(t.rank):
            shape[i] = t.dims[i] if i < t.rank - n else p.outside[3 - t.rank + i]
        out = new_empty(computing_code(code), t.rank, shape)
        if extremes:
            indices = new_empty(INT64, t.rank, shape)
        if adaptive:  # now, as the output would not fit into memory where the tables would not
            adaptive_windows(&p)
        if without_kernels() or FACTS.category[code] != CAT_FLOAT:
            by_reference(op, slots, out, indices)
        elif out.count:
            large = t.count >= LARGE or t.count + out.count * 2 >= LARGE
            t = hold(t) if large else t
            source = computable(t)
            p.source, p.target, p.indices = source.data, out.data, NULL if indices is None else <int64_t*> indices.data
            run(&p, kind, out.code, source.count + out.count * 2, large)
            if live & WG_TELL:
                tell_pool(&p, kind, source.count + out.count * 2, large, source, out, indices)
    finally:
        PyMem_Free(p.begin[0])
    out = out if out.code == code else convert_copy(out, code)
    if not t.flags & TF_CONTIGUOUS and (n == 2 or kind == LARGEST):
        out, indices = restore_layout(t, out), None if indices is None else restore_layout(t, indices)
    return finish_result(op, slots, out, indices, live)


cdef int check_dtype(Op op, Kind kind, int n, int code) except -1:
    """Integers have extremes, int64 means as well; half precision has no means in three dims."""
    cdef bint taken = FACTS.category[code] == CAT_FLOAT and (kind != AVERAGE or n < 3 or computing_code(code) == code)
    if kind == LARGEST:
        taken = taken or FACTS.category[code] == CAT_INT
    elif kind == AVERAGE:
        taken = taken or code == INT64
    if not taken:
        raise NotImplementedError(f"\"{function(op)}\" not implemented for '{scalar_name(code)}': "
                                  "convert the input, with .float() say")
    return 0


cdef int sizes_of_output(Op op, PyObject** slots, Pool* p) except -1:
    cdef Py_ssize_t sizes[64]
    cdef int i, n = ints_slot(op, slots, 1, sizes)
    if n == 1:
        for i in range(1, p.ndim):
            sizes[i] = sizes[0]
    elif n != p.ndim:
        raise RuntimeError(f"{function(op)}: output_size must be {p.ndim}, but got {sizes_list(n, sizes)}")
    for i in range(p.ndim):
        if sizes[i] < 0 and op.impl[0] == ADAPTIVE_LARGEST:
            raise RuntimeError(f"Trying to create tensor with negative dimension {sizes[i]}: {function(op)} got "
                               f"output_size {sizes_list(p.ndim, sizes)}")
        if sizes[i] < 0:
            raise RuntimeError(f"{function(op)}: elements of output_size must be greater than or equal to 0 but "
                               f"received {{{', '.join(map(str, sizes_list(p.ndim, sizes)))}}}")
        p.outside[3 - p.ndim + i] = sizes[i]
    return 0


cdef object finish_result(Op op, PyObject** slots, Tensor out, Tensor indices, uint32_t live):
    """The result, in out= or recorded, or both results."""
    cdef PyObject* outs[2]
    if live & WG_TELL:
        tell_complete(<void*> op)
    if op.out_slot >= 0 and slots[op.out_slot] != <PyObject*> None:
        check_out(<object> slots[op.out_slot], out)
        return into_out(op, slots, out, live)
    outs[0], outs[1] = <PyObject*> out, <PyObject*> indices
    if indices is None:
        if live:
            record(op, slots, out, live)
        return out
    record_outputs(op, slots, outs, 2, live)
    return out, indices


cdef int check_out(object given, Tensor out) except -1:
    """out= must have the result's dtype, not one it casts to."""
    if isinstance(given, Tensor) and (<Tensor> given).code != out.code:
        raise RuntimeError(f"Expected out tensor to have dtype {_C_NAMES[out.code]}, but got "
                           f"{_C_NAMES[(<Tensor> given).code]} instead")
    return 0


cdef int by_reference(Op op, PyObject** slots, Tensor out, Tensor indices) except -1:
    cdef int i
    arguments = []
    for i in range(op.n_params):
        if i == op.out_slot:
            continue
        value = <object> slots[i]
        if isinstance(value, Tensor):
            value = array_of(convert_copy(value, FLOAT32) if (<Tensor> value).code in (FLOAT16, BFLOAT16) else value)
        arguments.append(value)
    return results_into(op, call_reference(op, arguments), [out, indices]) if indices is not None \
        else result_into(op, call_reference(op, arguments), out)


# ---- gradients

cdef object gradient_run(Op op, PyObject** slots, uint32_t live):
    """Slot 0 is the gradient (for "gather" the input). The others, by name: input_sizes, ndim, indices, the windows."""
    cdef Tensor t = <Tensor> slots[0], source, out, indices = None
    cdef Kind kind = op.impl[0]
    cdef Py_ssize_t shape[64]
    cdef int rank = t.rank, n, i, code = t.code
    cdef PyObject* kept[16]
    cdef PyObject** own = slots
    cdef bint large
    cdef Pool p
    n = <int> int_slot(op, slots, op.params.index("ndim"))
    if kind == GATHER:
        for i in range(rank):
            shape[i] = t.dims[i]
    else:
        rank = ints_slot(op, slots, op.params.index("input_sizes"), shape)
    large = any_large(op, slots) or (rank == t.rank and is_large(rank, shape))
    if large:
        _holds, own = hold_slots(op, slots, kept), kept
        t = <Tensor> own[0]
    if kind == SCATTER or kind == GATHER:
        if not isinstance(<object> slots[1], Tensor):
            raise op_error(op, 1, "Tensor", slots[1])
        indices = computable(<Tensor> own[1])
    if rank != t.rank or rank < n or n < 1 or n > 3 or FACTS.category[code] != CAT_FLOAT \
            or (indices is not None and indices.code != INT64):
        raise RuntimeError(f"{op.name}: {scalar_name(code)}{list(shape_tuple(t))} does not fit an input of shape "
                           f"{sizes_list(rank, shape)}")
    set_planes(&p, n, rank, shape)
    for i in range(n):
        p.outside[3 - n + i] = (indices if kind == GATHER else t).dims[rank - n + i]
    try:
        if kind == SPREAD_AVERAGE:
            fixed_windows(op, slots, &p, 3, False, 0)
            p.divisor = divisor_of(op, slots)
        elif kind == SPREAD_ADAPTIVE:
            adaptive_windows(&p)
        else:
            p.out_plane = p.outside[0] * p.outside[1] * p.outside[2]
        check_gradient(op, &p, t, indices, kind)
        if kind == GATHER:
            for i in range(n):
                shape[rank - n + i] = p.outside[3 - n + i]
        out = new_empty(computing_code(code), rank, shape)
        if without_kernels():
            by_reference(op, own, out, None)
        elif out.count:
            source = computable(t)
            p.source, p.target, p.indices = source.data, out.data, NULL if indices is None else <int64_t*> indices.data
            run(&p, kind, out.code, source.count + out.count, large)
            if live & WG_TELL:
                tell_pool(&p, kind, source.count + out.count, large, source, out, indices)
    finally:
        PyMem_Free(p.begin[0])
    return finish_result(op, slots, out if out.code == code else convert_copy(out, code), None, live)


cdef bint is_large(int ndim, Py_ssize_t* shape) noexcept:
    cdef double count = 1
    cdef int i
    for i in range(ndim):
        count *= shape[i]
    return count >= LARGE


cdef int check_gradient(Op op, Pool* p, Tensor t, Tensor indices, Kind kind) except -1:
    """The number of elements, and that places are inside a plane: this op may be called by anybody."""
    cdef Py_ssize_t expected = p.planes * (p.in_plane if kind == GATHER else p.out_plane), i
    cdef Pool places
    if t.count != expected or (indices is not None and indices.count != p.planes * p.out_plane):
        raise RuntimeError(f"{op.name}: a tensor of shape {list(shape_tuple(t))} does not fit the other arguments: "
                           f"expected {expected} elements")
    if indices is not None and not captures(indices.device):
        if indices.device:
            indices = on_host(indices)
        places = p[0]
        places.indices = <int64_t*> indices.data
        i = find_invalid(&places)
        if i >= 0:
            raise_invalid(op.name, &places, i)
    return 0
