"""Numbers at equal distances, for arange and linspace, and the matrix of eye."""
from libc.string cimport memset

from wengert_core.dtypes.dtypes cimport (BFLOAT16, CAT_FLOAT, FLOAT16, FLOAT32, FLOAT64, INT64, UINT64, DTypeFacts,
                                         code_of, dtype_facts)
from wengert_core.dtypes.scalars cimport check_range
from wengert_core.kernels.pointwise.casts cimport cast
from wengert_core.kernels.types cimport cast_fn
from wengert_core.runtime.thread_pool cimport GRAIN, LARGE, parallel_for
from wengert_core.tensors.tensor cimport Tensor, new_empty

cdef DTypeFacts* FACTS = dtype_facts()
cdef enum:
    BLOCK = 256                        # numbers computed before they are converted together

cdef struct Ramp:                      # numbers at equal distances, first or low the number 0
    char* data
    Py_ssize_t itemsize
    bint real, in_place                # in_place: the tensor's dtype is the one that is computed in
    double first, pace
    long long low, stride
    cast_fn narrow


def ramp(Tensor tensor, start, step):
    """Fill a contiguous tensor with start + i * step, computed in double precision or in 64-bit integers."""
    cdef Ramp r
    r.data, r.itemsize = tensor.data, FACTS.itemsize[tensor.code]
    r.real = FACTS.category[tensor.code] == CAT_FLOAT
    r.in_place = tensor.code == FLOAT64 or tensor.code == INT64 or tensor.code == UINT64
    r.narrow = cast(FLOAT64 if r.real else INT64, tensor.code)
    if r.real:
        r.first, r.pace = start, step
    else:
        if tensor.code == UINT64:      # the same bits as an integer with a sign
            start, step = (start + 2**63) % 2**64 - 2**63, (step + 2**63) % 2**64 - 2**63
        r.low, r.stride = start, step
    if tensor.count < LARGE:
        fill_ramp(0, tensor.count, &r)
    else:
        with nogil:
            parallel_for(tensor.count, GRAIN, fill_ramp, &r)
    return tensor


cdef void fill_ramp(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    """Blocks are computed where they belong if their dtype allows it, else converted from there; what counts is of 32
    bits, for SIMD.
    """
    cdef Ramp* r = <Ramp*> ctx
    cdef double reals[BLOCK]
    cdef long long wholes[BLOCK]
    cdef double* real = reals
    cdef long long* whole = wholes
    cdef double at
    cdef long long low
    cdef char* target
    cdef int i, n
    while begin < end:
        n = <int> min(<Py_ssize_t> BLOCK, end - begin)
        target = r.data + begin * r.itemsize
        if r.real:
            real = <double*> target if r.in_place else reals
            at = <double> begin
            for i in range(n):
                real[i] = r.first + r.pace * (at + <double> i)
            if not r.in_place:
                r.narrow(<char*> reals, 8, target, r.itemsize, n)
        else:
            whole = <long long*> target if r.in_place else wholes
            low = r.low + r.stride * begin
            for i in range(n):
                whole[i] = low
                low += r.stride
            if not r.in_place:
                r.narrow(<char*> wholes, 8, target, r.itemsize, n)
        begin += n


def identity(kind, Py_ssize_t n, Py_ssize_t m):
    """An n by m matrix with ones on its diagonal and zeros elsewhere."""
    cdef Py_ssize_t shape[2]
    cdef Py_ssize_t itemsize
    cdef double one = 1
    cdef Tensor t
    shape[0], shape[1] = n, m
    t = new_empty(code_of(kind), 2, shape)
    itemsize = FACTS.itemsize[t.code]
    memset(t.data, 0, t.count * itemsize)
    cast(FLOAT64, t.code)(<char*> &one, 0, t.data, (m + 1) * itemsize, min(n, m))
    return t


def line(Tensor tensor, first, last):
    """Fill a contiguous real tensor with numbers at equal distances from first to last, counted from both ends.

    In double precision; single for floating dtypes of up to 32 bits, each step rounded to the tensor's, as torch.
    """
    cdef double low, high, value
    cdef float short_value
    cdef Py_ssize_t i, n = tensor.count, itemsize = FACTS.itemsize[tensor.code]
    cdef double step
    cdef bint is_short = FACTS.category[tensor.code] == CAT_FLOAT and tensor.code != FLOAT64
    cdef float short_step
    cdef cast_fn narrow = cast(FLOAT32 if is_short else FLOAT64, tensor.code)
    cdef char* where = tensor.data
    if FACTS.category[tensor.code] < CAT_FLOAT:
        first, last = int(first), int(last)
    else:
        check_range(first, tensor.code)
        check_range(last, tensor.code)
    low, high = first, last
    step = (high - low) / (n - 1) if n > 1 else 0
    short_step = (<float> high - <float> low) / <float> (n - 1) if n > 1 else 0
    if tensor.code == FLOAT16 or tensor.code == BFLOAT16:
        return line_of_half(tensor, low, high)
    if tensor.code == FLOAT32 and n > 1:
        with nogil:
            short_line(<float*> where, n, <float> low, <float> high, short_step)
        return tensor
    with nogil:
        for i in range(n):
            if is_short:
                short_value = <float> low + short_step * <float> i
                if n > 1 and i >= n // 2:
                    short_value = <float> high - short_step * <float> (n - 1 - i)
                narrow(<char*> &short_value, 4, where, itemsize, 1)
            else:
                value = low + step * i
                if n > 1 and i >= n // 2:
                    value = high - step * (n - 1 - i)
                narrow(<char*> &value, 8, where, itemsize, 1)
            where += itemsize
    return tensor


cdef void short_line(float* out, Py_ssize_t n, float low, float high, float step) noexcept nogil:
    """The two halves, each in a loop that vectorizes."""
    cdef Py_ssize_t i, half = n // 2
    for i in range(half):
        out[i] = low + step * <float> i
    for i in range(half, n):
        out[i] = high - step * <float> (n - 1 - i)


cdef inline float round_to_16_bits(float value, cast_fn narrow, cast_fn widen) noexcept nogil:
    """To sixteen bits and back."""
    cdef char half[2]
    narrow(<char*> &value, 4, half, 2, 1)
    widen(half, 2, <char*> &value, 4, 1)
    return value


cdef Tensor line_of_half(Tensor tensor, float low, float high):
    """line in sixteen bits: the step, its multiples and the sums are rounded."""
    cdef cast_fn narrow = cast(FLOAT32, tensor.code), widen = cast(tensor.code, FLOAT32)
    cdef Py_ssize_t i, n = tensor.count
    cdef float step, value
    with nogil:
        low, high = round_to_16_bits(low, narrow, widen), round_to_16_bits(high, narrow, widen)
        width = round_to_16_bits(high - low, narrow, widen)
        step = round_to_16_bits(width / <float> (n - 1), narrow, widen) if n > 1 else 0
        for i in range(n):
            if n > 1 and i >= n // 2:
                value = high - round_to_16_bits(step * <float> (n - 1 - i), narrow, widen)
            else:
                value = low + round_to_16_bits(step * <float> i, narrow, widen)
            narrow(<char*> &value, 4, tensor.data + 2 * i, 2, 1)
    return tensor
