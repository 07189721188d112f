"""Products of matrices: NumPy's matmul loop, called by pointer.

Note [What the loop gets]
    sizes: {batch, m, n, p} for [m, n] @ [n, p]; steps, in bytes: a's, b's and out's from one product of the batch to
    the next, then a's along m and n, b's along n and p, out's along m and p. The loop hands to BLAS what BLAS can take,
    row-major or transposed, and computes the rest slowly: an operand of a large product which BLAS cannot take is
    copied first.
    BLAS is NumPy's, or the one that the user has chosen (runtime/blas_lookup.pyx), whose gemm stands in front of the
    loop. In front of NumPy's stand inner products of our own: Note [Few rows] in kernels/linalg/inner.h.
"""
import warnings

import numpy as np
from libc.string cimport memcmp, memcpy, memset

from wengert_core.dispatch.keep_alive cimport hold
from wengert_core.drivers.linalg.dot cimport DOT_UNIT
from wengert_core.drivers.linalg.outer cimport outer_product
from wengert_core.drivers.linalg.product cimport (PRODUCT_BY_LOOP, PRODUCT_IN_UNITS, PRODUCT_SHARED, SHARE, Product,
                                                  run_product, set_batch)
from wengert_core.drivers.linalg.product_launch cimport add_row_to, tell_product, tell_row
from wengert_core.drivers.pointwise.loop_lookup import numpy_is_known
from wengert_core.dtypes.dtypes cimport (BFLOAT16, BOOL, COMPLEX128, FLOAT16, FLOAT32, FLOAT64, N_DTYPES, DTypeFacts,
                                         dtype_facts)
from wengert_core.dtypes.dtypes import COMPUTE_NAMES as _COMPUTE_NAMES
from wengert_core.exchange.arrays cimport contiguous_copy, convert_copy, copy_into
from wengert_core.exchange.copy_launch cimport tell_zeros
from wengert_core.kernels.types cimport loop_t, npy_intp
from wengert_core.runtime.blas_lookup cimport (FEW, by_one_thread, is_chosen, routine, start, threads_of_this_thread,
                                               wide_integers)
from wengert_core.runtime.config cimport ONLY_REFERENCES
from wengert_core.runtime.launches cimport count_recorders
from wengert_core.runtime.state cimport WG_TELL, thread_state
from wengert_core.runtime.thread_pool cimport body_fn, parallel_for
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, new_like

cdef extern from "numpy/arrayobject.h":
    pass

cdef extern from "numpy/ufuncobject.h":
    ctypedef struct PyUFuncObject:
        int nargs
        loop_t* functions
        void** data
        int ntypes
        const char* types

cdef extern from "wengert_core/kernels/linalg/gemm.h":
    ctypedef struct wg_gemm_loop:
        void* gemm
        void* threads
        double few
        loop_t other
        void* other_data
        int itemsize, wide
        char one[16]
        char zero[16]
    void wg_gemm_run(char** args, npy_intp* sizes, npy_intp* steps, void* data) noexcept nogil

cdef extern from "wengert_core/kernels/linalg/inner.h":
    ctypedef struct wg_inner_loop:
        void* products
        Py_ssize_t itemsize
        loop_t other
        void* other_data
        int (*parallel_for)(Py_ssize_t n, Py_ssize_t grain, body_fn body, void* ctx) noexcept nogil
        Py_ssize_t large, share
    void wg_find_inner(wg_inner_loop* loop, bint is_double, bint wide) noexcept nogil
    void wg_inner_run(char** args, npy_intp* sizes, npy_intp* steps, void* data) noexcept nogil

cdef enum:
    COPY_FROM = 0x1000                 # multiplications from which on an operand is copied for BLAS
    SHARED = 0x40000                   # multiplications from which on OpenBLAS uses several threads
    WITHOUT_GIL = 0x8000               # multiplications from which on the GIL is released

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()
cdef struct ProductLoop:
    loop_t fn                          # NULL: none
    void* data
    bint asked

cdef ProductLoop LOOPS[N_DTYPES]
memset(LOOPS, 0, sizeof(LOOPS))
cdef wg_gemm_loop CHOSEN[4]            # from float32 on
memset(CHOSEN, 0, sizeof(CHOSEN))
cdef wg_inner_loop INNER[2]            # float32, float64
memset(INNER, 0, sizeof(INNER))


def may_use_loops():
    """Return False when references are asked for, or NumPy is too new to be known (see pointwise/loop_lookup.pyx)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return not ONLY_REFERENCES and numpy_is_known()


cdef bint USE_LOOPS = may_use_loops()


# ---- the loop

cdef int computing_code(int code) noexcept:
    return FLOAT32 if code == FLOAT16 or code == BFLOAT16 else code


cdef bint has_product(int code):
    cdef ProductLoop* loop = &LOOPS[computing_code(code)]
    if not loop.asked:
        loop.asked = True
        if USE_LOOPS and code != BOOL:
            fetch(loop, computing_code(code))
    return loop.fn != NULL


cdef int fetch(ProductLoop* loop, int code) except -1:
    """Find NumPy's loop for a dtype; it stays unused when it disagrees with np.matmul on a small product."""
    cdef PyUFuncObject* u = <PyUFuncObject*> <void*> np.matmul
    cdef int i, number = FACTS.numpy_type[code]
    for i in range(u.ntypes):
        if u.types[3 * i] == number and u.types[3 * i + 1] == number and u.types[3 * i + 2] == number:
            loop.fn, loop.data = u.functions[i], u.data[i]
            if loop.fn != NULL and not agrees(loop, code):
                loop.fn = NULL
            if loop.fn != NULL and FLOAT32 <= code <= COMPLEX128 and is_chosen():
                choose(loop, code)
            elif loop.fn != NULL and FLOAT32 <= code <= FLOAT64:
                put_inner_products(loop, code)
            return 0
    return 0


cdef int put_inner_products(ProductLoop* loop, int code) except -1:
    """Put inner products in front of NumPy's loop, where this machine has the registers for them."""
    cdef wg_inner_loop* inner = &INNER[code - FLOAT32]
    wg_find_inner(inner, code == FLOAT64, True)
    if inner.products == NULL:
        return 0
    inner.itemsize, inner.large, inner.share = FACTS.itemsize[code], FEW, SHARE
    inner.other, inner.other_data, inner.parallel_for = loop.fn, loop.data, parallel_for
    loop.fn, loop.data = <loop_t> wg_inner_run, inner
    return 0


def use_tiles(bint wide):
    """Compute inner products with the widest registers of this machine, or as on one that lacks them: for tests.

    Returns whether inner products are computed here at all.
    """
    cdef bint has = False
    for code in (FLOAT32, FLOAT64):
        if has_product(code) and LOOPS[<int> code].fn == <loop_t> wg_inner_run:
            wg_find_inner(&INNER[code - FLOAT32], code == FLOAT64, wide)
            has = True
    return has


cdef int choose(ProductLoop* loop, int code) except -1:
    """Put the gemm of the BLAS that the user has chosen in front of NumPy's loop, unless it disagrees."""
    cdef wg_gemm_loop* chosen = &CHOSEN[code - FLOAT32]
    cdef ProductLoop numpys = loop[0]
    cdef bytes one = np.ones(1, _COMPUTE_NAMES[code]).tobytes()
    chosen.gemm = routine("sdcz"[code - FLOAT32] + "gemm")
    if chosen.gemm == NULL:
        return 0
    chosen.threads, chosen.few = threads_of_this_thread(), FEW
    chosen.other, chosen.other_data = loop.fn, loop.data
    chosen.itemsize, chosen.wide = <int> FACTS.itemsize[code], wide_integers()
    memcpy(chosen.one, <const char*> one, len(one))
    loop.fn, loop.data = <loop_t> wg_gemm_run, chosen
    if not agrees(loop, code):
        loop[0] = numpys
        warnings.warn("The BLAS that is used in place of NumPy's (WENGERT_BLAS, or MKL where it is installed) has a "
                      f"wrong product of two small {_COMPUTE_NAMES[code]} matrices; NumPy's is used",
                      RuntimeWarning, stacklevel=1)
    return 0


cdef bint agrees(ProductLoop* loop, int code):
    """The loop's [2, 3] @ [3, 2] is NumPy's."""
    cdef npy_intp sizes[4]
    cdef npy_intp steps[9]
    cdef char* args[3]
    cdef char result[64]
    cdef Py_ssize_t itemsize = FACTS.itemsize[code]
    cdef bytes raw
    dtype = np.dtype(_COMPUTE_NAMES[code])
    a, b = np.arange(1, 7, dtype=dtype).reshape(2, 3), np.arange(2, 8, dtype=dtype).reshape(3, 2)
    args[0], args[1], args[2] = <char*> <size_t> a.ctypes.data, <char*> <size_t> b.ctypes.data, result
    sizes[0], sizes[1], sizes[2], sizes[3] = 1, 2, 3, 2
    steps[0], steps[1], steps[2] = 0, 0, 0
    steps[3], steps[4], steps[5] = 3 * itemsize, itemsize, 2 * itemsize
    steps[6], steps[7], steps[8] = itemsize, 2 * itemsize, itemsize
    loop.fn(args, sizes, steps, loop.data)
    raw = np.matmul(a, b).tobytes()
    return memcmp(result, <const char*> raw, 4 * itemsize) == 0


# ---- operands

cdef inline bint is_blas_able(Tensor t) noexcept:
    """Return whether BLAS takes each matrix of t as it is: one of the last two dims dense, no overlap in the other."""
    cdef Py_ssize_t itemsize = FACTS.itemsize[t.code], rows, columns, row_step, column_step
    cdef Py_ssize_t* strides = t.dims + t.rank
    if t.flags & TF_CONTIGUOUS or t.rank == 0:
        return True
    if t.rank == 1:
        return t.dims[0] == 1 or (strides[0] >= itemsize and strides[0] % itemsize == 0)
    rows, columns = t.dims[t.rank - 2], t.dims[t.rank - 1]
    row_step, column_step = strides[t.rank - 2], strides[t.rank - 1]
    if rows == 1 or columns == 1:
        row_step = column_step if rows == 1 else row_step
        return row_step >= itemsize and row_step % itemsize == 0
    if row_step % itemsize or column_step % itemsize:
        return False
    return (column_step == itemsize and row_step >= columns * itemsize) \
        or (row_step == itemsize and column_step >= rows * itemsize)


cdef inline Tensor operand(Tensor t, int code, Py_ssize_t work, bint whole):
    """``t`` as dtype ``code`` and fit for the loop. whole: dims in front will be joined."""
    if t.code != code:
        return convert_copy(t, code)
    if (whole and not t.flags & TF_CONTIGUOUS) or (work >= COPY_FROM and not is_blas_able(t)):
        return contiguous_copy(t)
    return t


cdef void tidy(npy_intp* step_1, npy_intp* step_2, Py_ssize_t n_1, Py_ssize_t n_2, Py_ssize_t itemsize) noexcept nogil:
    """Give dims of size 1, whose step means nothing, one that BLAS takes."""
    if n_1 == 1:
        step_1[0] = step_2[0] * n_2 if step_2[0] >= itemsize else itemsize
    elif n_2 == 1:
        step_2[0] = itemsize if step_1[0] >= itemsize else step_1[0] * n_1


cdef int multiply(Tensor a, Tensor b, bint transposed, Tensor out) except -1:
    cdef Product p
    cdef Py_ssize_t itemsize, work, n = a.dims[a.rank - 1]
    cdef int code = computing_code(out.code)
    cdef bint joined = b.rank <= 2 and a.rank > 2
    cdef Tensor target = out if out.code == code else new_like(out, code)
    if out.count == 0:
        return 0
    if out.count * n >= WITHOUT_GIL:
        a, b = hold(a), hold(b)
    if n == 0:
        memset(target.data, 0, target.count * FACTS.itemsize[code])
        if RECORDERS[0] and thread_state().modes & WG_TELL:
            tell_zeros(target)
    elif n == 1 and outer_product(a, b, transposed, target):
        pass
    else:
        a, b = operand(a, code, out.count * n, joined), operand(b, code, out.count * n, False)
        itemsize = FACTS.itemsize[code]
        p.fn, p.data, p.code, p.way, p.alone = LOOPS[code].fn, LOOPS[code].data, code, PRODUCT_BY_LOOP, False
        p.sizes[0], p.sizes[2] = 1, n
        p.sizes[1], p.steps[3], p.steps[4] = 1, n * itemsize, a.dims[2 * a.rank - 1]
        if joined:
            p.sizes[1] = a.count // n
            p.steps[3] = n * itemsize
        elif a.rank > 1:
            p.sizes[1], p.steps[3] = a.dims[a.rank - 2], a.dims[2 * a.rank - 2]
        p.sizes[3], p.steps[5], p.steps[6] = 1, b.dims[2 * b.rank - 1], itemsize
        if b.rank > 1 and transposed:
            p.sizes[3], p.steps[6] = b.dims[b.rank - 2], b.dims[2 * b.rank - 2]
        elif b.rank > 1:
            p.sizes[3], p.steps[6] = b.dims[b.rank - 1], b.dims[2 * b.rank - 1]
            p.steps[5] = b.dims[2 * b.rank - 2]
        tidy(&p.steps[3], &p.steps[4], p.sizes[1], n, itemsize)
        tidy(&p.steps[5], &p.steps[6], n, p.sizes[3], itemsize)
        p.steps[7], p.steps[8] = p.sizes[3] * itemsize, itemsize     # target is row-major
        p.steps[0] = p.steps[1] = p.steps[2] = p.n_batch = 0
        if not joined and (a.rank > 2 or b.rank > 2):
            p.n_batch = (a.rank if a.rank > b.rank else b.rank) - 2
            set_batch(&p, a, b, target)
        if out.count * n < WITHOUT_GIL:
            run_product(&p, a.data, b.data, target.data)
        else:
            work = p.sizes[1] * p.sizes[3] * n
            if out.count == 1 and FLOAT32 <= code <= COMPLEX128 and n >= 2 * DOT_UNIT:
                p.way = PRODUCT_IN_UNITS
            elif p.n_batch == 1 and work <= FEW:
                p.way = PRODUCT_SHARED
            if p.way != PRODUCT_IN_UNITS and work > SHARED and by_one_thread(work):
                p.alone = True
                start()
            with nogil:
                run_product(&p, a.data, b.data, target.data)
        if RECORDERS[0] and thread_state().modes & WG_TELL:
            tell_product(&p, a, b, target)
    if target is not out:
        copy_into(out, target)
    return 0


# ---- a row added to each row

cdef bint add_row(Tensor matrix, Tensor row) except -1:
    cdef Py_ssize_t n = row.dims[0] if row.rank == 1 else -1, m
    if matrix.rank == 0 or matrix.dims[matrix.rank - 1] != n or n == 0 or row.code != matrix.code \
            or not row.flags & matrix.flags & TF_CONTIGUOUS:
        return False
    if row.code != FLOAT32 and row.code != FLOAT64:
        return False
    m = matrix.count // n
    add_row_to(matrix.data, row.data, m, n, row.code)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_row(matrix, row, m, n)
    return True


def uses_chosen():
    """Whether products of float32 are computed by MKL or the BLAS that WENGERT_BLAS names, not by NumPy's."""
    return has_product(FLOAT32) and LOOPS[<int> FLOAT32].fn == <loop_t> wg_gemm_run
