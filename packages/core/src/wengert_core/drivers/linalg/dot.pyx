"""The dot product of long vectors on several threads: units of a fixed length, whose results are added in double
precision.

Note [The same result from any number of threads] in runtime/thread_pool.pxd.
"""
from wengert_core.dtypes.dtypes cimport COMPLEX64, COMPLEX128, FLOAT32, DTypeFacts, dtype_facts
from wengert_core.kernels.types cimport loop_t, npy_intp
from wengert_core.runtime.thread_pool cimport GRAIN_SUM, parallel_for

cdef enum:
    UNITS = 256                        # whose results wait at a time

cdef struct Dot:
    loop_t fn
    void* data
    char* a
    char* b
    npy_intp a_step
    npy_intp b_step
    Py_ssize_t n
    Py_ssize_t itemsize
    char* results

cdef DTypeFacts* FACTS = dtype_facts()


cdef void dot_in_units(
    loop_t fn, void* data, int code, char* a, npy_intp a_step, char* b, npy_intp b_step, Py_ssize_t n, char* target
) noexcept nogil:
    cdef double results[UNITS * 2]     # 16 bytes each
    cdef double total[2]
    cdef Py_ssize_t units, begin = 0, step = DOT_UNIT * UNITS
    cdef Dot dot
    dot.fn, dot.data, dot.a_step, dot.b_step = fn, data, a_step, b_step
    dot.itemsize, dot.results = FACTS.itemsize[code], <char*> results
    total[0] = total[1] = 0
    while begin < n:
        dot.a, dot.b, dot.n = a + begin * a_step, b + begin * b_step, min(step, n - begin)
        units = (dot.n + DOT_UNIT - 1) // DOT_UNIT
        parallel_for(units, GRAIN_SUM // DOT_UNIT, dot_units, &dot)
        add_up(results, code, units, total)
        begin += step
    store(total, code, target)


cdef void dot_units(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil:
    cdef Dot* dot = <Dot*> ctx
    cdef npy_intp sizes[4]
    cdef npy_intp steps[9]
    cdef char* args[3]
    cdef Py_ssize_t unit, first
    sizes[0] = sizes[1] = sizes[3] = 1
    steps[0] = steps[1] = steps[2] = 0
    steps[4], steps[5], steps[6], steps[7], steps[8] = dot.a_step, dot.b_step, dot.itemsize, dot.itemsize, dot.itemsize
    for unit in range(begin, end):
        first = unit * DOT_UNIT
        sizes[2] = min(<Py_ssize_t> DOT_UNIT, dot.n - first)
        steps[3] = sizes[2] * dot.a_step   # of dims of size 1, which means nothing: what BLAS takes
        args[0] = dot.a + first * dot.a_step
        args[1] = dot.b + first * dot.b_step
        args[2] = dot.results + unit * dot.itemsize
        dot.fn(args, sizes, steps, dot.data)


cdef void add_up(const double* results, int code, Py_ssize_t units, double* total) noexcept nogil:
    """total += the sum of the results, in their order."""
    cdef const float* single = <const float*> results
    cdef bint is_complex = code == COMPLEX64 or code == COMPLEX128
    cdef Py_ssize_t i, parts = 2 if is_complex else 1
    for i in range(units * parts):
        total[i % parts] += single[i] if code == FLOAT32 or code == COMPLEX64 else results[i]


cdef void store(const double* total, int code, char* target) noexcept nogil:
    cdef int i
    for i in range(2 if code == COMPLEX64 or code == COMPLEX128 else 1):
        if code == FLOAT32 or code == COMPLEX64:
            (<float*> target)[i] = <float> total[i]
        else:
            (<double*> target)[i] = total[i]
