"""The driver of pooling in one to three dims: means and extremes of windows, with fixed or adaptive windows, and their gradients.

Note [Windows]
    Along each dim an output's window is begin, begin + step, ... below end, already inside the input; size is what it counts for in
    a mean's divisor. Three small tables say all that distinguishes the ops. Dims in front that are not there have one window of one
    element. Images and channels are planes, which threads share out; each plane is computed by one of them.
"""
import os

import numpy as np
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memset

from wengert_core.arrays cimport array_into, array_of, contiguous_copy, converted
from wengert_core.dims cimport int_slot, ints_slot, scalar_name, sizes_list
from wengert_core.driving cimport LIVE_INTERCEPT, intercepted, record
from wengert_core.dtypes cimport BFLOAT16, CAT_COMPLEX, CAT_FLOAT, FLOAT16, FLOAT32, FLOAT64, INT64, DTypeFacts, dtype_facts
from wengert_core.op cimport EngineHooks, Op, engine_hooks, op_error
from wengert_core.state cimport WG_BATCHED, WG_RECORD
from wengert_core.state cimport thread_state
from wengert_core.tensor cimport TF_CONTIGUOUS, Tensor, new_empty, shape_tuple
from wengert_core.workers cimport LARGE, body_fn, parallel_for

cdef enum Kind:
    AVERAGE = 0
    LARGEST = 1
    ADAPTIVE_AVERAGE = 2
    ADAPTIVE_LARGEST = 3
    SPREAD_AVERAGE = 4                 # gradients of the two means
    SPREAD_ADAPTIVE = 5
    SCATTER = 6                        # of the two extremes: elements at their places
    GATHER = 7                         # and the other way

cdef enum:
    WORTH_A_THREAD = 0x4000            # elements of windows that take about 20 us

cdef struct Pool:
    int ndim
    Py_ssize_t planes
    Py_ssize_t inside[3]
    Py_ssize_t outside[3]
    Py_ssize_t in_plane, out_plane     # elements
    Py_ssize_t step[3]                 # from an element of a window to the next
    Py_ssize_t* begin[3]
    Py_ssize_t* end[3]
    Py_ssize_t* size[3]
    Py_ssize_t divisor                 # of all windows; 0: each has its own
    char* source
    char* target
    int64_t* places

cdef DTypeFacts* FACTS = dtype_facts()
cdef EngineHooks* HOOKS = engine_hooks()
cdef bint ONLY_REFERENCES = os.environ.get("WENGERT_KERNELS", "") == "python"
cdef dict KINDS = {"average": AVERAGE, "largest": LARGEST, "adaptive_average": ADAPTIVE_AVERAGE, "adaptive_largest": ADAPTIVE_LARGEST,
                   "spread_average": SPREAD_AVERAGE, "spread_adaptive": SPREAD_ADAPTIVE, "scatter": SCATTER, "gather": GATHER}
cdef tuple NUMBERS = ("zero", "one", "two", "three")


def configure(Op op, str kind, int ndim):
    """Make ``op`` a pooling op. ndim: dims that windows have; 0: the op has a slot ``ndim``."""
    op.impl = (KINDS[kind], ndim)
    op.run = gradient_run if KINDS[kind] >= SPREAD_AVERAGE else pool_run


# ---- kernels

ctypedef fused real_t:
    float
    double


cdef void average(Py_ssize_t begin, Py_ssize_t end, Pool* p, real_t* unused) noexcept nogil:
    cdef Py_ssize_t plane, i, j, k, a, b, c, width, rows
    cdef real_t total, row_total
    cdef real_t* x
    cdef real_t* row
    cdef real_t* out
    for plane in range(begin, end):
        x = <real_t*> p.source + plane * p.in_plane
        out = <real_t*> p.target + plane * p.out_plane
        for i in range(p.outside[0]):
            for j in range(p.outside[1]):
                rows = p.size[0][i] * p.size[1][j]
                for k in range(p.outside[2]):
                    total = 0
                    width = p.end[2][k] - p.begin[2][k]
                    for a in range(p.begin[0][i], p.end[0][i]):
                        row = x + (a * p.inside[1] + p.begin[1][j]) * p.inside[2] + p.begin[2][k]
                        for b in range(p.end[1][j] - p.begin[1][j]):
                            for c in range(width):
                                total += row[c]
                            row += p.inside[2]
                    out[0] = total / <real_t> (p.divisor if p.divisor else rows * p.size[2][k])
                    out += 1


cdef void spread(Py_ssize_t begin, Py_ssize_t end, Pool* p, real_t* unused) noexcept nogil:
    """The adjoint of ``average``: source is what comes from above."""
    cdef Py_ssize_t plane, i, j, k, a, b, c, width, rows
    cdef real_t share
    cdef real_t* x
    cdef real_t* row
    cdef real_t* grad
    for plane in range(begin, end):
        x = <real_t*> p.target + plane * p.in_plane
        grad = <real_t*> p.source + plane * p.out_plane
        memset(x, 0, p.in_plane * sizeof(real_t))
        for i in range(p.outside[0]):
            for j in range(p.outside[1]):
                rows = p.size[0][i] * p.size[1][j]
                for k in range(p.outside[2]):
                    share = grad[0] / <real_t> (p.divisor if p.divisor else rows * p.size[2][k])
                    grad += 1
                    width = p.end[2][k] - p.begin[2][k]
                    for a in range(p.begin[0][i], p.end[0][i]):
                        row = x + (a * p.inside[1] + p.begin[1][j]) * p.inside[2] + p.begin[2][k]
                        for b in range(p.end[1][j] - p.begin[1][j]):
                            for c in range(width):
                                row[c] += share
                            row += p.inside[2]


cdef void largest(Py_ssize_t begin, Py_ssize_t end, Pool* p, real_t* unused) noexcept nogil:
    """The first of the largest, NaN above all."""
    cdef Py_ssize_t plane, i, j, k, a, b, c, row
    cdef Py_ssize_t best
    cdef real_t most, one
    cdef bint better
    cdef real_t* x
    cdef real_t* out
    cdef int64_t* place
    for plane in range(begin, end):
        x = <real_t*> p.source + plane * p.in_plane
        out = <real_t*> p.target + plane * p.out_plane
        place = p.places + plane * p.out_plane
        for i in range(p.outside[0]):
            for j in range(p.outside[1]):
                for k in range(p.outside[2]):
                    best = (p.begin[0][i] * p.inside[1] + p.begin[1][j]) * p.inside[2] + p.begin[2][k]
                    most = x[best]
                    a = p.begin[0][i]
                    while a < p.end[0][i]:
                        b = p.begin[1][j]
                        while b < p.end[1][j]:
                            row = (a * p.inside[1] + b) * p.inside[2]
                            c = p.begin[2][k]
                            while c < p.end[2][k]:
                                one = x[row + c]
                                better = (one > most) | (one != one)
                                most = one if better else most
                                best = row + c if better else best
                                c += p.step[2]
                            b += p.step[1]
                        a += p.step[0]
                    out[0], place[0] = most, best
                    out += 1
                    place += 1


cdef void scatter(Py_ssize_t begin, Py_ssize_t end, Pool* p, real_t* unused) noexcept nogil:
    cdef Py_ssize_t plane, k
    cdef real_t* x
    cdef real_t* grad
    cdef int64_t* place
    for plane in range(begin, end):
        x = <real_t*> p.target + plane * p.in_plane
        grad = <real_t*> p.source + plane * p.out_plane
        place = p.places + plane * p.out_plane
        memset(x, 0, p.in_plane * sizeof(real_t))
        for k in range(p.out_plane):
            x[place[k]] += grad[k]


cdef void gather(Py_ssize_t begin, Py_ssize_t end, Pool* p, real_t* unused) noexcept nogil:
    cdef Py_ssize_t plane, k
    cdef real_t* x
    cdef real_t* out
    cdef int64_t* place
    for plane in range(begin, end):
        x = <real_t*> p.source + plane * p.in_plane
        out = <real_t*> p.target + plane * p.out_plane
        place = p.places + plane * p.out_plane
        for k in range(p.out_plane):
            out[k] = x[place[k]]


cdef void average_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    average[float](begin, end, <Pool*> ctx, NULL)

cdef void average_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    average[double](begin, end, <Pool*> ctx, NULL)

cdef void spread_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    spread[float](begin, end, <Pool*> ctx, NULL)

cdef void spread_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    spread[double](begin, end, <Pool*> ctx, NULL)

cdef void largest_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    largest[float](begin, end, <Pool*> ctx, NULL)

cdef void largest_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    largest[double](begin, end, <Pool*> ctx, NULL)

cdef void scatter_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    scatter[float](begin, end, <Pool*> ctx, NULL)

cdef void scatter_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    scatter[double](begin, end, <Pool*> ctx, NULL)

cdef void gather_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    gather[float](begin, end, <Pool*> ctx, NULL)

cdef void gather_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    gather[double](begin, end, <Pool*> ctx, NULL)

cdef body_fn BODIES[8][2]              # by kind; float, double
BODIES[0][0], BODIES[0][1] = average_f32, average_f64
BODIES[1][0], BODIES[1][1] = largest_f32, largest_f64
BODIES[2][0], BODIES[2][1] = average_f32, average_f64
BODIES[3][0], BODIES[3][1] = largest_f32, largest_f64
BODIES[4][0], BODIES[4][1] = spread_f32, spread_f64
BODIES[5][0], BODIES[5][1] = spread_f32, spread_f64
BODIES[6][0], BODIES[6][1] = scatter_f32, scatter_f64
BODIES[7][0], BODIES[7][1] = gather_f32, gather_f64


cdef int run(Pool* p, Kind kind, int code, Py_ssize_t work) except -1:
    cdef body_fn body = BODIES[<int> kind][code == FLOAT64]
    if work < LARGE:
        body(0, p.planes, p)
    else:
        with nogil:
            parallel_for(p.planes, WORTH_A_THREAD * p.planes // work + 1, body, p)
    return 0


# ---- windows

cdef int sizes_of(Op op, PyObject** slots, int slot, int ndim, Py_ssize_t* out) except -1:
    """ndim numbers, or one for all of them. -1 (nothing) for None and an empty list."""
    cdef int i, n
    cdef str what = op.params[slot]
    if slots[slot] == <PyObject*> None:
        return 0
    n = ints_slot(op, slots, slot, out)
    if n == 0 and what == "stride":
        return 0
    if n == 1:
        for i in range(1, ndim):
            out[i] = out[0]
    elif n != ndim:
        raise RuntimeError(f"{function(op)}: {what} must either be {'omitted, ' if what == 'stride' else ''}a single int, or a tuple of "
                           f"{NUMBERS[ndim]} ints, but got {sizes_list(n, out)}")
    return ndim


cdef str function(Op op):
    """The op's name as users know it."""
    return op.name.removesuffix("_with_indices")


cdef Py_ssize_t output_size(Py_ssize_t size, Py_ssize_t kernel, Py_ssize_t stride, Py_ssize_t padding, Py_ssize_t dilation, bint ceil_mode) noexcept:
    """How many windows there are; the last one starts inside the input or its left padding."""
    cdef Py_ssize_t room = size + 2 * padding - dilation * (kernel - 1) - 1 + (stride - 1 if ceil_mode else 0), n
    if room < 0:
        return 0
    n = room // stride + 1
    return n - 1 if ceil_mode and (n - 1) * stride >= size + padding else n


cdef int check_windows(Op op, int ndim, Py_ssize_t* kernel, Py_ssize_t* stride, Py_ssize_t* padding, Py_ssize_t* dilation) except -1:
    cdef int i
    for i in range(ndim):
        if stride[i] == 0:
            raise RuntimeError(f"stride should not be zero: {function(op)} got {sizes_list(ndim, stride)}")
        if kernel[i] <= 0:
            raise RuntimeError(f"kernel size should be greater than zero, but got {sizes_list(ndim, kernel)}")
        if stride[i] < 0:
            raise RuntimeError(f"stride should be greater than zero, but got {sizes_list(ndim, stride)}")
        if dilation[i] <= 0:
            raise RuntimeError(f"dilation should be greater than zero, but got {sizes_list(ndim, dilation)}")
        if padding[i] < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {padding[i]}")
        if padding[i] > ((kernel[i] - 1) * dilation[i] + 1) // 2:
            raise RuntimeError(f"pad should be at most half of effective kernel size, but got pad={padding[i]}, kernel_size={kernel[i]} and "
                               f"dilation={dilation[i]}")
    return 0


cdef int fixed_windows(Op op, PyObject** slots, Pool* p, int first, bint extremes, Py_ssize_t channels) except -1:
    """Read kernel_size, stride, padding, ... from slots on, and set the output's sizes; the tables are filled by ``fill_fixed``."""
    cdef Py_ssize_t kernel[64]
    cdef Py_ssize_t stride[64]
    cdef Py_ssize_t padding[64]
    cdef Py_ssize_t dilation[64]
    cdef int i, n = p.ndim
    cdef bint ceil_mode = <object> slots[first + (4 if extremes else 3)], counted = True, fits = True
    sizes_of(op, slots, first, n, kernel)
    if not sizes_of(op, slots, first + 1, n, stride):
        for i in range(n):
            stride[i] = kernel[i]
    sizes_of(op, slots, first + 2, n, padding)
    for i in range(n):
        dilation[i] = 1
    if extremes:
        sizes_of(op, slots, first + 3, n, dilation)
    else:
        counted = <object> slots[first + 4]
    check_windows(op, n, kernel, stride, padding, dilation)
    for i in range(n):
        p.outside[3 - n + i] = output_size(p.inside[3 - n + i], kernel[i], stride[i], padding[i], dilation[i], ceil_mode)
        fits = fits and p.outside[3 - n + i] > 0
    if not fits:
        before = "x".join([str(p.inside[i]) for i in range(3 - n, 3)])
        after = "x".join([str(p.outside[i]) for i in range(3 - n, 3)])
        raise RuntimeError(f"Given input size: ({channels}x{before}). Calculated output size: ({channels}x{after}). Output size is too small; "
                           f"Invalid computed output size: {min([p.outside[i] for i in range(3 - n, 3)])}")
    set_up_tables(p)
    for i in range(n):
        fill_fixed(p, 3 - n + i, kernel[i], stride[i], padding[i], dilation[i], counted)
    return 0


cdef void fill_fixed(Pool* p, int axis, Py_ssize_t kernel, Py_ssize_t stride, Py_ssize_t padding, Py_ssize_t dilation, bint counted) noexcept:
    cdef Py_ssize_t i, begin, end, first
    p.step[axis] = dilation
    for i in range(p.outside[axis]):
        first = begin = i * stride - padding
        end = begin + (kernel - 1) * dilation + 1
        while begin < 0:
            begin += dilation
        p.size[axis][i] = min(end, p.inside[axis] + padding) - first
        p.begin[axis][i], p.end[axis][i] = begin, min(end, p.inside[axis])
        if not counted:
            p.size[axis][i] = p.end[axis][i] - begin


cdef int adaptive_windows(Pool* p) except -1:
    """Windows that share the input out evenly; they overlap where it cannot be."""
    cdef Py_ssize_t i
    cdef int axis
    set_up_tables(p)
    for axis in range(3 - p.ndim, 3):
        for i in range(p.outside[axis]):
            p.begin[axis][i] = i * p.inside[axis] // p.outside[axis]
            p.end[axis][i] = ((i + 1) * p.inside[axis] + p.outside[axis] - 1) // p.outside[axis]
            p.size[axis][i] = p.end[axis][i] - p.begin[axis][i]
    return 0


cdef int set_up_tables(Pool* p) except -1:
    """Room for the tables, and the one window of dims that are not there. begin[0] owns the memory."""
    cdef Py_ssize_t total = p.outside[0] + p.outside[1] + p.outside[2]
    cdef Py_ssize_t* memory = <Py_ssize_t*> PyMem_Malloc(3 * (total + 1) * sizeof(Py_ssize_t))
    cdef int axis
    if memory == NULL:
        raise MemoryError()
    p.out_plane = p.outside[0] * p.outside[1] * p.outside[2]
    for axis in range(3):
        p.step[axis] = 1
        p.begin[axis], p.end[axis], p.size[axis] = memory, memory + p.outside[axis], memory + 2 * p.outside[axis]
        memory += 3 * p.outside[axis]
        if axis < 3 - p.ndim:
            p.begin[axis][0], p.end[axis][0], p.size[axis][0] = 0, 1, 1
    return 0


cdef int set_planes(Pool* p, int ndim, int rank, const Py_ssize_t* shape) except -1:
    cdef int i
    memset(p, 0, sizeof(Pool))
    p.ndim, p.planes = ndim, 1
    for i in range(3):
        p.inside[i] = p.outside[i] = 1
    for i in range(rank - ndim):
        p.planes *= shape[i]
    for i in range(ndim):
        p.inside[3 - ndim + i] = shape[rank - ndim + i]
    p.in_plane = p.inside[0] * p.inside[1] * p.inside[2]
    return 0


cdef int check_input(Op op, Tensor t, int n, bint adaptive) except -1:
    """The rank of an input, and that only the dim of images is empty."""
    cdef int i
    cdef bint adaptive_max = op.impl[0] == ADAPTIVE_LARGEST
    cdef str words = "tensor with optional 0 dim batch size for input, "
    if t.rank != n + 1 and t.rank != n + 2:
        if adaptive:
            raise RuntimeError(f"{function(op)}(): Expected {n + 1}D or {n + 2}D tensor, but got{':' if adaptive_max else ''} "
                               f"{list(shape_tuple(t))}")
        raise RuntimeError(f"non-empty {n + 1}D or {n + 2}D (batch mode) tensor expected for input: {function(op)} got shape "
                           f"{list(shape_tuple(t))}; Expected {n + 1}D or {n + 2}D (batch mode) {words}but got:{list(shape_tuple(t))}")
    for i in range(t.rank - n - (0 if adaptive else 1), t.rank):
        if t.dims[i] == 0 and adaptive:
            raise RuntimeError(f"{function(op)}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                               f"{list(shape_tuple(t))} with dimension {i} being empty")
        if t.dims[i] == 0:
            raise RuntimeError(f"Expected {n + 1}D or {n + 2}D (batch mode) {words}but got:{list(shape_tuple(t))}")
    return 0


# ---- running

cdef inline int computing_code(int code) noexcept:
    return FLOAT32 if code == FLOAT16 or code == BFLOAT16 else code


cdef inline Tensor computable(Tensor t):
    """Contiguous; low precision as float32."""
    if t.code != computing_code(t.code):
        return converted(t, FLOAT32)
    return t if t.flags & TF_CONTIGUOUS else contiguous_copy(t)


cdef Py_ssize_t divisor_of(Op op, PyObject** slots) except -1:
    cdef Py_ssize_t divisor
    if op.params[op.n_params - 1] != "divisor_override" or slots[op.n_params - 1] == <PyObject*> None:
        return 0
    divisor = int_slot(op, slots, op.n_params - 1)
    if divisor == 0:
        raise RuntimeError(f"divisor must be not zero: {function(op)} got divisor_override=0")
    return divisor


cdef object pool_run(Op op, PyObject** slots):
    """Means and extremes. Slot 0 is the input; slots 1, ... are the windows, or the output's size."""
    cdef Tensor t = <Tensor> slots[0], source, out, places = None
    cdef uint32_t live = t.flags & thread_state().modes
    cdef Kind kind = op.impl[0]
    cdef int n = op.impl[1], code = t.code, i
    cdef bint adaptive = kind == ADAPTIVE_AVERAGE or kind == ADAPTIVE_LARGEST, extremes = kind == LARGEST or kind == ADAPTIVE_LARGEST
    cdef Py_ssize_t shape[64]
    cdef Pool p
    if live & LIVE_INTERCEPT:
        return intercepted(op, slots, live)
    check_input(op, t, n, adaptive)
    if FACTS.category[code] == CAT_COMPLEX or FACTS.category[code] < CAT_FLOAT and (adaptive or code != INT64):
        raise NotImplementedError(f"\"{function(op)}\" not implemented for '{scalar_name(code)}': it takes floating tensors")
    set_planes(&p, n, t.rank, t.dims)
    try:
        if adaptive:
            sizes_of_output(op, slots, &p)
            adaptive_windows(&p)
        else:
            fixed_windows(op, slots, &p, 1, extremes, t.dims[t.rank - n - 1])
            p.divisor = divisor_of(op, slots)
        for i in range(t.rank):
            shape[i] = t.dims[i] if i < t.rank - n else p.outside[3 - t.rank + i]
        out = new_empty(computing_code(code), t.rank, shape)
        if extremes:
            places = new_empty(INT64, t.rank, shape)
        if ONLY_REFERENCES or FACTS.category[code] != CAT_FLOAT:
            by_reference(op, slots, out, places)
        elif out.count:
            source = computable(t)
            p.source, p.target, p.places = source.data, out.data, NULL if places is None else <int64_t*> places.data
            run(&p, kind, out.code, source.count + out.count * 2)
    finally:
        PyMem_Free(p.begin[0])
    return given(op, slots, out if out.code == code else converted(out, code), places, live)


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
            raise RuntimeError(f"Trying to create tensor with negative dimension {sizes[i]}: {function(op)} got output_size "
                               f"{sizes_list(p.ndim, sizes)}")
        if sizes[i] < 0:
            raise RuntimeError(f"{function(op)}: elements of output_size must be greater than or equal to 0 but received "
                               f"{{{', '.join(map(str, sizes_list(p.ndim, sizes)))}}}")
        p.outside[3 - p.ndim + i] = sizes[i]
    return 0


cdef object given(Op op, PyObject** slots, Tensor out, Tensor places, uint32_t live):
    """The result, or both results, recorded."""
    cdef PyObject* outs[2]
    outs[0], outs[1] = <PyObject*> out, <PyObject*> places
    if places is None:
        if live:
            record(op, slots, out, live)
        return out
    if live & WG_RECORD and HOOKS.record != NULL:
        HOOKS.record(op, slots, outs, 2)
    return out, places


cdef int by_reference(Op op, PyObject** slots, Tensor out, Tensor places) except -1:
    cdef int i
    arguments = []
    for i in range(op.n_params):
        value = <object> slots[i]
        if isinstance(value, Tensor):
            value = array_of(converted(value, FLOAT32) if (<Tensor> value).code in (FLOAT16, BFLOAT16) else value)
        arguments.append(value)
    with np.errstate(all="ignore"):
        computed = op.reference(np, *arguments)
    if places is None:
        array_into(computed, out)
    else:
        array_into(computed[0], out)
        array_into(computed[1], places)
    return 0


# ---- gradients

cdef object gradient_run(Op op, PyObject** slots):
    """Slot 0 is the gradient (for "gather" the input). The others, by name: input_sizes, ndim, indices, the windows."""
    cdef Tensor t = <Tensor> slots[0], source, out, places = None
    cdef uint32_t live = t.flags & thread_state().modes
    cdef Kind kind = op.impl[0]
    cdef Py_ssize_t shape[64]
    cdef int rank = t.rank, n, i, code = t.code
    cdef Pool p
    if (kind == SCATTER or kind == GATHER) and isinstance(<object> slots[1], Tensor):
        live |= (<Tensor> slots[1]).flags & WG_BATCHED & thread_state().modes
    if live & LIVE_INTERCEPT:
        return intercepted(op, slots, live)
    n = <int> int_slot(op, slots, op.params.index("ndim"))
    if kind == SCATTER or kind == GATHER:
        if not isinstance(<object> slots[1], Tensor):
            raise op_error(op, 1, "Tensor", slots[1])
        places = computable(<Tensor> slots[1])
    if kind == GATHER:
        for i in range(rank):
            shape[i] = t.dims[i]
    else:
        rank = ints_slot(op, slots, op.params.index("input_sizes"), shape)
    if rank != t.rank or rank < n or n < 1 or n > 3 or FACTS.category[code] != CAT_FLOAT or (places is not None and places.code != INT64):
        raise RuntimeError(f"{op.name}: {scalar_name(code)}{list(shape_tuple(t))} does not fit an input of shape {sizes_list(rank, shape)}")
    set_planes(&p, n, rank, shape)
    for i in range(n):
        p.outside[3 - n + i] = (places if kind == GATHER else t).dims[rank - n + i]
    try:
        if kind == SPREAD_AVERAGE:
            fixed_windows(op, slots, &p, 3, False, 0)
            p.divisor = divisor_of(op, slots)
        elif kind == SPREAD_ADAPTIVE:
            adaptive_windows(&p)
        else:
            p.out_plane = p.outside[0] * p.outside[1] * p.outside[2]
        check_gradient(op, &p, t, places, kind)
        if kind == GATHER:
            for i in range(n):
                shape[rank - n + i] = p.outside[3 - n + i]
        out = new_empty(computing_code(code), rank, shape)
        if ONLY_REFERENCES:
            by_reference(op, slots, out, None)
        elif out.count:
            source = computable(t)
            p.source, p.target, p.places = source.data, out.data, NULL if places is None else <int64_t*> places.data
            run(&p, kind, out.code, source.count + out.count)
    finally:
        PyMem_Free(p.begin[0])
    return given(op, slots, out if out.code == code else converted(out, code), None, live)


cdef int check_gradient(Op op, Pool* p, Tensor t, Tensor places, Kind kind) except -1:
    """The number of elements, and that places are inside a plane: this op may be called by anybody."""
    cdef Py_ssize_t expected = p.planes * (p.in_plane if kind == GATHER else p.out_plane), i
    cdef int64_t* place
    if t.count != expected or (places is not None and places.count != p.planes * p.out_plane):
        raise RuntimeError(f"{op.name}: a tensor of shape {list(shape_tuple(t))} does not fit the other arguments: expected {expected} elements")
    if places is not None:
        place = <int64_t*> places.data
        for i in range(places.count):
            if place[i] < 0 or place[i] >= p.in_plane:
                raise IndexError(f"{op.name}: found an invalid index {place[i]}, a plane has {p.in_plane} elements")
    return 0
