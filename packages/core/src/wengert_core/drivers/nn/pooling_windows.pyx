"""The windows of pooling ops: what their arguments say, as tables.

Note [Windows]
    Along each dim an output's window is begin, begin + step, ... below end, already inside the input; size is what it
    counts for in a mean's divisor. Three small tables say all that distinguishes the ops. Dims in front that are not
    there have one window of one element. Images and channels are planes, which threads share out; each plane is
    computed by one of them.
"""
from cpython.mem cimport PyMem_Malloc
from cpython.ref cimport PyObject
from libc.string cimport memset

from wengert_core.dispatch.arguments cimport ints_slot, sizes_list
from wengert_core.dispatch.op cimport Op
from wengert_core.tensors.tensor cimport Tensor, shape_tuple

cdef Py_ssize_t LARGEST_INT = 0x7fffffff  # of a window's numbers, as torch's; so no product of two of them overflows
cdef Py_ssize_t MOST_WINDOWS = 1 << 48  # more than any memory holds
cdef tuple NUMBERS = ("zero", "one", "two", "three")


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
        raise RuntimeError(f"{function(op)}: {what} must either be {'omitted, ' if what == 'stride' else ''}a single "
                           f"int, or a tuple of {NUMBERS[ndim]} ints, but got {sizes_list(n, out)}")
    return ndim


cdef str function(Op op):
    """The op's name as users know it."""
    return op.name.removesuffix("_with_indices")


cdef Py_ssize_t output_size(
    Py_ssize_t size, Py_ssize_t kernel, Py_ssize_t stride, Py_ssize_t padding, Py_ssize_t dilation, bint ceil_mode
) noexcept:
    """How many windows there are; the last one starts inside the input or its left padding."""
    cdef Py_ssize_t room = size + 2 * padding - dilation * (kernel - 1) - 1 + (stride - 1 if ceil_mode else 0), n
    if room < 0:
        return 0
    n = room // stride + 1
    return n - 1 if ceil_mode and (n - 1) * stride >= size + padding else n


cdef int check_windows(
    Op op, int ndim, Py_ssize_t* kernel, Py_ssize_t* stride, Py_ssize_t* padding, Py_ssize_t* dilation
) except -1:
    cdef int i
    for i in range(ndim):
        if kernel[i] > LARGEST_INT or padding[i] > LARGEST_INT or dilation[i] > LARGEST_INT:
            raise RuntimeError(f"value cannot be converted to type int without overflow: {function(op)} got kernel "
                               f"size {sizes_list(ndim, kernel)}, padding {sizes_list(ndim, padding)} and dilation "
                               f"{sizes_list(ndim, dilation)}, expected at most {LARGEST_INT}")
        stride[i] = min(stride[i], 1 << 61)  # from there on no second window is met, and nothing overflows
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
            raise RuntimeError(f"pad should be at most half of effective kernel size, but got pad={padding[i]}, "
                               f"kernel_size={kernel[i]} and dilation={dilation[i]}")
    return 0


cdef int fixed_windows(Op op, PyObject** slots, Pool* p, int first, bint extremes, Py_ssize_t channels) except -1:
    """Read kernel_size, stride, padding, ... from slots on, and set the output's sizes; ``fill_fixed`` fills tables."""
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
    if n == 3 and not extremes and (p.inside[0] < kernel[0] or p.inside[1] < kernel[1] or p.inside[2] < kernel[2]):
        raise RuntimeError(f"input image (T: {p.inside[0]} H: {p.inside[1]} W: {p.inside[2]}) smaller than kernel size "
                           f"(kT: {kernel[0]} kH: {kernel[1]} kW: {kernel[2]})")
    for i in range(n):
        p.outside[3 - n + i] = output_size(p.inside[3 - n + i], kernel[i], stride[i], padding[i], dilation[i],
                                           ceil_mode)
        fits = fits and p.outside[3 - n + i] > 0
    if not fits:
        before = "x".join([str(p.inside[i]) for i in range(3 - n, 3)])
        after = "x".join([str(p.outside[i]) for i in range(3 - n, 3)])
        raise RuntimeError(f"Given input size: ({channels}x{before}). Calculated output size: ({channels}x{after}). "
                           "Output size is too small; Invalid computed output size: "
                           f"{min([p.outside[i] for i in range(3 - n, 3)])}")
    set_up_tables(p)
    for i in range(n):
        fill_fixed(p, 3 - n + i, kernel[i], stride[i], padding[i], dilation[i], counted)
    return 0


cdef void fill_fixed(
    Pool* p, int axis, Py_ssize_t kernel, Py_ssize_t stride, Py_ssize_t padding, Py_ssize_t dilation, bint counted
) noexcept:
    cdef Py_ssize_t i, begin, end, first
    p.step[axis] = dilation
    for i in range(p.outside[axis]):
        first = begin = i * stride - padding
        end = begin + (kernel - 1) * dilation + 1
        if begin < 0:
            begin += (dilation - 1 - begin) // dilation * dilation
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
    cdef Py_ssize_t total = 0
    cdef Py_ssize_t* memory = NULL
    cdef int axis
    for axis in range(3):
        total = min(total + min(p.outside[axis], MOST_WINDOWS), MOST_WINDOWS)
    if total < MOST_WINDOWS:
        memory = <Py_ssize_t*> PyMem_Malloc(3 * (total + 1) * sizeof(Py_ssize_t))
    if memory == NULL:
        raise MemoryError("pooling: the positions of windows in an output of "
                          f"{p.outside[0]}x{p.outside[1]}x{p.outside[2]} do not fit into memory")
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
    if t.rank < 3 and n == 2 and op.impl[0] == AVERAGE:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-max(t.rank, 1)}, "
                         f"{max(t.rank, 1) - 1}], but got -3): {function(op)} got shape {list(shape_tuple(t))}")
    if t.rank != n + 1 and t.rank != n + 2:
        if adaptive:
            raise RuntimeError(f"{function(op)}(): Expected {n + 1}D or {n + 2}D tensor, but "
                               f"got{':' if adaptive_max else ''} {list(shape_tuple(t))}")
        raise RuntimeError(f"non-empty {n + 1}D or {n + 2}D (batch mode) tensor expected for input: {function(op)} got "
                           f"shape {list(shape_tuple(t))}; Expected {n + 1}D or {n + 2}D (batch mode) {words}but "
                           f"got:{list(shape_tuple(t))}")
    for i in range(t.rank - n - (0 if adaptive and not (adaptive_max and n == 1 and t.rank == 3) else 1), t.rank):
        if t.dims[i] == 0 and adaptive:
            raise RuntimeError(f"{function(op)}(): Expected input to have non-zero size for non-batch dimensions, but "
                               f"input has sizes {list(shape_tuple(t))} with dimension {i} being empty")
        if t.dims[i] == 0:
            raise RuntimeError(f"Expected {n + 1}D or {n + 2}D (batch mode) {words}but got:{list(shape_tuple(t))}")
    return 0
