"""Python doors to the kernels, for tests and benchmarks only: NumPy arrays in, results written to an array given.

Shapes and dtypes are checked here, since kernels check nothing. Arrays may be strided but must be aligned.
"""
from libc.stdint cimport uintptr_t

from wengert_core.kernels.index.index cimport IndexLoop, first_out_of_range, gather, scatter, scatter_add
from wengert_core.kernels.pointwise.casts cimport cast as find_cast
from wengert_core.kernels.pointwise.pointwise cimport Pointwise, describe_pointwise
from wengert_core.kernels.pointwise.strided cimport MAX_DIMS, cast_strided as cast_nd, copy_strided as copy_nd
from wengert_core.kernels.pointwise.strided cimport fill_strided as fill_nd
from wengert_core.kernels.reduce.reduce cimport find_reduction
from wengert_core.kernels.reduce.scan cimport find_scan, scan_fn
from wengert_core.kernels.reduce.softmax cimport find_softmax, rows_fn
from wengert_core.kernels.types cimport cast_fn, npy_intp, reduce_fn
from wengert_core.runtime.thread_pool cimport parallel_for

cdef extern from "<pthread.h>" nogil:
    unsigned long pthread_self()

cdef extern from "<unistd.h>" nogil:
    int usleep(unsigned int microseconds)

DTYPE_NAMES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
               "complex64", "complex128", "uint16", "uint32", "uint64")
_CODES = {name: code for code, name in enumerate(DTYPE_NAMES)}


cdef char *pointer(array) except? NULL:
    return <char *><uintptr_t>array.ctypes.data


cdef int dtype_code(array) except -1:
    return _CODES[array.dtype.name]


cdef int write_layout(array, npy_intp *strides, npy_intp *shape) except -1:
    cdef int dim
    if array.ndim > MAX_DIMS or not array.flags.aligned:
        raise ValueError("kernels take aligned arrays of at most 64 dims")
    for dim in range(array.ndim):
        strides[dim] = array.strides[dim]
        shape[dim] = array.shape[dim]
    return array.ndim


def cast(src, dst):
    """Convert the 1-d array src into the 1-d array dst of the same size."""
    cdef cast_fn convert = find_cast(dtype_code(src), dtype_code(dst))
    cdef char *src_ptr = pointer(src)
    cdef char *dst_ptr = pointer(dst)
    cdef npy_intp src_stride = src.strides[0], dst_stride = dst.strides[0], n = src.size
    if src.shape != dst.shape or src.ndim != 1:
        raise ValueError(f"cast: shapes {src.shape} and {dst.shape}")
    with nogil:
        convert(src_ptr, src_stride, dst_ptr, dst_stride, n)


def copy_strided(dst, src):
    """Copy src into dst: equal shapes; equal dtypes are copied by item size, others cast."""
    cdef npy_intp dst_strides[MAX_DIMS]
    cdef npy_intp src_strides[MAX_DIMS]
    cdef npy_intp shape[MAX_DIMS]
    cdef int ndim = write_layout(src, src_strides, shape), itemsize = src.itemsize
    cdef int src_code = dtype_code(src), dst_code = dtype_code(dst)
    cdef char *src_ptr = pointer(src)
    cdef char *dst_ptr = pointer(dst)
    write_layout(dst, dst_strides, shape)
    if src.shape != dst.shape:
        raise ValueError(f"copy_strided: shapes {src.shape} and {dst.shape}")
    with nogil:
        if src_code == dst_code:
            copy_nd(dst_ptr, dst_strides, src_ptr, src_strides, shape, ndim, itemsize)
        else:
            cast_nd(dst_ptr, dst_strides, dst_code, src_ptr, src_strides, src_code, shape, ndim)


def fill_strided(dst, value):
    """Fill dst with the 0-d array value of the same dtype."""
    cdef npy_intp strides[MAX_DIMS]
    cdef npy_intp shape[MAX_DIMS]
    cdef int ndim = write_layout(dst, strides, shape), itemsize = dst.itemsize
    cdef char *dst_ptr = pointer(dst)
    cdef char *value_ptr = pointer(value)
    if value.dtype != dst.dtype:
        raise ValueError(f"fill_strided: dtypes {value.dtype} and {dst.dtype}")
    with nogil:
        fill_nd(dst_ptr, strides, shape, ndim, itemsize, value_ptr)


def has_reduction(name, src_dtype, dst_dtype):
    """Whether reduce() knows this name for these dtype names."""
    return find_reduction(name.encode(), _CODES[src_dtype], _CODES[dst_dtype]) != NULL


def reduce(name, src, dst):
    """Reduce the 2-d array src along axis 1 into the 1-d array dst."""
    cdef reduce_fn run = find_reduction(name.encode(), dtype_code(src), dtype_code(dst))
    cdef char *src_ptr = pointer(src)
    cdef char *dst_ptr = pointer(dst)
    cdef npy_intp outer_n, n, outer_stride, stride, dst_stride
    if run == NULL or src.ndim != 2 or dst.shape != src.shape[:1]:
        raise ValueError(f"reduce: no {name} of {src.dtype}{src.shape} to {dst.dtype}{dst.shape}")
    outer_n, n = src.shape
    outer_stride, stride = src.strides
    dst_stride = dst.strides[0]
    with nogil:
        run(src_ptr, outer_n, outer_stride, n, stride, dst_ptr, dst_stride)


def has_pointwise(name, dtype):
    """Whether pointwise() knows this name for this dtype name."""
    cdef Pointwise op
    return describe_pointwise(name.encode(), _CODES[dtype], &op)


def pointwise(name, out, *inputs, params=()):
    """Run a pointwise loop over 1-d arrays of one size; the dtype is that of the last input."""
    cdef Pointwise op
    if not inputs:
        raise ValueError(f"pointwise: {name} needs inputs, got none")
    cdef bint known = describe_pointwise(name.encode(), dtype_code(inputs[len(inputs) - 1]), &op)
    cdef char *args[4]
    cdef npy_intp strides[4]
    cdef double values[4]
    cdef npy_intp n = out.size
    cdef int k
    if not known or op.nin != len(inputs) or op.nparams != len(params) or op.out != dtype_code(out):
        raise ValueError(f"pointwise: no {name} of {[a.dtype for a in inputs]} and {len(params)} to {out.dtype}")
    for k, array in enumerate((*inputs, out)):
        if array.shape != (n,):
            raise ValueError(f"pointwise: shapes {array.shape} and {out.shape}")
        args[k] = pointer(array)
        strides[k] = array.strides[0]
    for k in range(len(params)):
        values[k] = params[k]
    with nogil:
        op.loop(args, &n, strides, values)


def softmax(name, out, a, b=None):
    """Run a softmax kernel over the rows of 2-d arrays of contiguous rows; out of logsumexp has one column."""
    cdef rows_fn run = find_softmax(name.encode(), dtype_code(a))
    cdef char *a_ptr = pointer(a)
    cdef char *b_ptr = NULL if b is None else pointer(b)
    cdef char *out_ptr = pointer(out)
    cdef npy_intp a_stride = a.strides[0], b_stride = 0, out_stride = out.strides[0]
    cdef npy_intp rows = a.shape[0], n = a.shape[1]
    for array in (a, out) if b is None else (a, b, out):
        if array.dtype != a.dtype or array.shape[0] != rows or (array.size and array.strides[1] != a.itemsize):
            raise ValueError(f"softmax: {array.dtype}{array.shape} beside {a.dtype}{a.shape}")
    if run == NULL or out.shape[1] != (1 if name == "logsumexp" else n):
        raise ValueError(f"softmax: no {name} of {a.dtype} to {out.shape}")
    if b is not None:
        b_stride = b.strides[0]
    with nogil:
        run(a_ptr, a_stride, b_ptr, b_stride, out_ptr, out_stride, rows, n)


def scan(name, src, dst):
    """Run a scan along axis 1 of the 2-d array src into dst of the same shape."""
    cdef scan_fn run = find_scan(name.encode(), dtype_code(src), dtype_code(dst))
    cdef char *src_ptr = pointer(src)
    cdef char *dst_ptr = pointer(dst)
    cdef npy_intp outer_n, n, outer_stride, stride, dst_outer, dst_stride
    if run == NULL or src.ndim != 2 or dst.shape != src.shape:
        raise ValueError(f"scan: no {name} of {src.dtype}{src.shape} to {dst.dtype}{dst.shape}")
    outer_n, n = src.shape
    outer_stride, stride = src.strides
    dst_outer, dst_stride = dst.strides
    with nogil:
        run(src_ptr, outer_n, outer_stride, n, stride, dst_ptr, dst_outer, dst_stride)


def check_index(index, low, high):
    """Position of the first entry of the 1-d int64 index outside low <= entry < high, or -1."""
    cdef char *ptr = pointer(index)
    cdef npy_intp stride = index.strides[0], n = index.size, low_c = low, high_c = high
    if index.dtype != "int64":
        raise ValueError(f"check_index: {index.dtype}")
    return first_out_of_range(ptr, stride, n, low_c, high_c)


def index_loop(name, self_, dim, index, other):
    """gather, scatter or scatter_add along dim of 2-d arrays; index and other have one shape."""
    cdef IndexLoop loop
    cdef int axis, code = dtype_code(self_), itemsize = self_.itemsize
    if index.shape != other.shape or other.dtype != self_.dtype or index.dtype != "int64":
        raise ValueError(f"index_loop: index {index.shape}, other {other.shape}")
    if index.size and check_index(index.ravel(), -self_.shape[dim], self_.shape[dim]) >= 0:
        raise IndexError("index out of range")
    loop.self, loop.index, loop.other = pointer(self_), pointer(index), pointer(other)
    loop.dim_size, loop.dim_stride = self_.shape[dim], self_.strides[dim]
    for axis in range(2):
        loop.self_stride[axis] = 0 if axis == dim else self_.strides[axis]
        loop.index_stride[axis] = index.strides[axis]
        loop.other_stride[axis] = other.strides[axis]
        loop.shape[axis] = index.shape[axis]
    if name == "gather":
        gather(&loop, itemsize)
    elif name == "scatter":
        scatter(&loop, itemsize)
    elif name != "scatter_add" or not scatter_add(&loop, code):
        raise ValueError(f"index_loop: no {name} of {self_.dtype}")


# ---- worker threads

cdef struct Visit:
    npy_intp *counts
    npy_intp *threads
    unsigned int pause
    bint nested


cdef void visit(Py_ssize_t begin, Py_ssize_t end, void *ctx) noexcept nogil:
    cdef Visit *v = <Visit *>ctx
    cdef Visit inner
    cdef Py_ssize_t i
    if v.pause:
        usleep(v.pause)
    if v.nested:
        inner.counts, inner.threads, inner.pause, inner.nested = v.counts + begin, v.threads + begin, 0, False
        parallel_for(end - begin, 1, visit, &inner)
        return
    for i in range(begin, end):
        v.counts[i] += 1
        v.threads[i] = <npy_intp>pthread_self()


def visits(counts, threads, grain, pause=0, nested=False):
    """Share out the positions of two int64 arrays: add 1 to each count, note who did it. Returns how many threads were
    asked.

    pause: microseconds that each piece takes.   nested: each piece is shared out once more.
    """
    cdef Visit v
    cdef Py_ssize_t n = counts.size, size = grain
    cdef int asked
    if counts.shape != threads.shape or counts.dtype != "int64" or threads.dtype != "int64":
        raise ValueError(f"visits: {counts.dtype}{counts.shape} and {threads.dtype}{threads.shape}")
    v.counts, v.threads, v.pause, v.nested = <npy_intp *>pointer(counts), <npy_intp *>pointer(threads), pause, nested
    with nogil:
        asked = parallel_for(n, size, visit, &v)
    return asked
