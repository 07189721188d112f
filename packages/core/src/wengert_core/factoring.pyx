"""The driver of factorizations and systems of equations: the LAPACK that NumPy is linked to (blas.pyx).

An op uses it for a dtype once it has given what the op's reference gives for a small batch. Without it, with WENGERT_KERNELS=python,
and for whatever is not usual (empty matrices, batched tensors, dtypes that differ), the op is its reference, as other array ops are.
What is computed, and how: kernels/factoring.h. Each matrix is one job for one thread.

Note [Results by columns]
    Matrices come out column by column in memory, as LAPACK leaves them and as PyTorch has them. The kernels write row by row, so they
    get the transposed problem: X^T A^T = B^T for triangular systems, and for Cholesky's L the upper factor of A^T, which is L^T (the
    triangle that is read is the same one). What they wrote is then seen with its dims swapped. The others are copied: LU has other
    pivots for A^T.
"""
from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, uint32_t
from libc.string cimport memcpy, memset

import numpy as np

from wengert_core.array_ops cimport array_run
from wengert_core.arrays cimport array_of, contiguous_copy, tensor_of_array
from wengert_core.blas cimport by_one_thread, enter_one_thread, leave_one_thread, routine, wide_integers
from wengert_core.columns cimport by_columns, laid_by_columns
from wengert_core.driving cimport LIVE_INTERCEPT
from wengert_core.dtypes cimport COMPLEX64, FLOAT32, FLOAT64, INT32, DTypeFacts, dtype_facts
from wengert_core.op cimport EngineHooks, Op, engine_hooks
from wengert_core.reduction cimport only_references
from wengert_core.state cimport WG_RECORD, thread_state
from wengert_core.tensor cimport Tensor, new_empty, new_view
from wengert_core.workers cimport LARGE, body_fn, parallel_for

cdef extern from "kernels/factoring.h" nogil:
    ctypedef struct wg_lapack:
        void* potrf
        void* getrf
        void* getri
        void* geqrf
        void* orgqr
        void* trsm
        void* gemm
        int wide
        char one[16]
        char minus_one[16]
    ctypedef struct wg_matrices:
        const char* data
        Py_ssize_t row, column
        Py_ssize_t steps[64]
    ctypedef struct wg_factoring:
        const wg_lapack* lapack
        int code, itemsize, n_batch, upper, left, unit, failed
        Py_ssize_t sizes[64]
        Py_ssize_t m, n, k
        wg_matrices a, b
        char* out
        char* second
        int32_t* pivots
        int32_t* info
    void wg_cholesky(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_triangular(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_lu(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_inverse(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_solve(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_qr(Py_ssize_t begin, Py_ssize_t end, void* ctx)

cdef enum:
    SHARE = 0x20000                    # multiplications worth a thread of their own: 5 to 10 for a nanosecond
    N_CODES = 4                        # float32, float64, complex64, complex128
    UNTRIED = 0
    TRUSTED = 1
    REFUSED = 2

cdef DTypeFacts* FACTS = dtype_facts()
cdef EngineHooks* HOOKS = engine_hooks()
cdef wg_lapack LAPACK[N_CODES]         # by dtype code - FLOAT32
memset(LAPACK, 0, sizeof(LAPACK))

cdef struct Family:                    # Op.data: what the op's dtypes were found to be
    int way
    unsigned char state[N_CODES]

cdef Family FAMILIES[6]
memset(FAMILIES, 0, sizeof(FAMILIES))
cdef tuple WAYS = ("cholesky", "triangular", "lu", "inverse", "solve", "qr")
ctypedef object (*run_type)(Op op, PyObject** slots)
cdef run_type RUNS[6]


def configure(Op op, str way):
    """Make an array op one that LAPACK computes. way: "cholesky", "triangular", "lu", "inverse", "solve" or "qr"."""
    cdef Family* family = &FAMILIES[<int> WAYS.index(way)]
    family.way = <int> WAYS.index(way)
    if only_references():
        return
    op.data = family
    op.run = RUNS[family.way]


# ---- LAPACK

cdef int look_up(int i) except -1:
    """The routines for a dtype."""
    cdef wg_lapack* lapack = &LAPACK[i]
    number = np.ones(1, ("f4", "f8", "c8", "c16")[i])
    cdef bytes one = number.tobytes(), minus_one = (-number).tobytes()
    kind = "sdcz"[i]
    lapack.potrf, lapack.getrf, lapack.getri = routine(kind + "potrf"), routine(kind + "getrf"), routine(kind + "getri")
    lapack.geqrf, lapack.orgqr = routine(kind + "geqrf"), routine(kind + ("orgqr" if i < 2 else "ungqr"))
    lapack.trsm, lapack.gemm = routine(kind + "trsm"), routine(kind + "gemm")
    lapack.wide = wide_integers()
    memcpy(lapack.one, <const char*> one, len(one))
    memcpy(lapack.minus_one, <const char*> minus_one, len(one))
    return 0


cdef bint is_whole(wg_lapack* lapack) noexcept:
    return (lapack.potrf != NULL and lapack.getrf != NULL and lapack.getri != NULL and lapack.geqrf != NULL
            and lapack.orgqr != NULL and lapack.trsm != NULL and lapack.gemm != NULL)


cdef bint trusted(Op op, int code) except -1:
    """Whether LAPACK is there for a dtype and gives what the op's reference gives."""
    cdef Family* family = <Family*> op.data
    cdef int i = code - FLOAT32
    if family.state[i] == UNTRIED:
        look_up(i)
        family.state[i] = TRUSTED if is_whole(&LAPACK[i]) else REFUSED
        if family.state[i] == TRUSTED and not agrees(op, code):
            family.state[i] = REFUSED
    return family.state[i] == TRUSTED


cdef object agrees(Op op, int code):
    a = np.array([[[4, 0.5, -1], [1, 5, 2], [2, 3, 6]], [[1, 7, 2], [0.25, 3, 1], [0.5, -0.5, 2]]]).astype(
        ("f4", "f8", "c8", "c16")[code - FLOAT32])
    if code >= COMPLEX64:
        a = a + np.tril(np.full((3, 3), 0.5j, a.dtype), -1)
    arrays = [a, a[::-1, :, :2].copy()][:2 if "B" in op.params else 1]
    kept = {name: False for name in ("upper", "unitriangular") if name in op.params}
    found = op(*[tensor_of_array(x) for x in arrays], **kept)
    named = dict(zip(op.params, arrays))
    named |= {name: <object> op.defaults[i] for i, name in enumerate(op.params) if name not in named and op.defaults[i] != NULL}
    with np.errstate(all="ignore"):
        expected = op.reference(np, *[(named | kept)[name] for name in op.params])
    pairs = zip(found if isinstance(found, tuple) else (found,), expected if isinstance(expected, tuple) else (expected,))
    return all([np.allclose(array_of(x), y, 1e-3, 1e-3) for x, y in pairs])


def by_lapack(Op op, dtype):
    """Whether this op is computed by LAPACK for a dtype; else it is its reference."""
    cdef int code = dtype.code
    return op.data != NULL and code >= FLOAT32 and trusted(op, code)


# ---- the steps

cdef bint begin(Op op, PyObject** slots, int n_matrices, wg_factoring* job, uint32_t* live) except -1:
    """Whether LAPACK takes it; then the job knows the first matrices."""
    cdef Tensor a, b = None
    if type(<object> slots[0]) is not Tensor:
        return False
    a = <Tensor> slots[0]
    live[0] = a.flags
    if n_matrices == 2:
        if type(<object> slots[1]) is not Tensor:
            return False
        b = <Tensor> slots[1]
        live[0] |= b.flags
        if b.code != a.code or b.count == 0:
            return False
    live[0] &= thread_state().modes
    if live[0] & LIVE_INTERCEPT or a.device or a.code < FLOAT32 or a.rank < 2 or a.count == 0 or not trusted(op, a.code):
        return False
    job.lapack, job.code, job.itemsize, job.failed = &LAPACK[a.code - FLOAT32], a.code, FACTS.itemsize[a.code], 0
    job.m, job.n = a.dims[a.rank - 2], a.dims[a.rank - 1]
    job.n_batch = a.rank - 2
    memcpy(job.sizes, a.dims, job.n_batch * sizeof(Py_ssize_t))
    matrices(a, job.n_batch, False, &job.a)
    job.upper, job.unit, job.left = False, False, True
    return True


cdef void matrices(Tensor t, int n_batch, bint vectors, wg_matrices* out) noexcept:
    """Where the matrices of a tensor are; vectors: each is a column."""
    cdef int i, own = t.rank - (1 if vectors else 2), missing = n_batch - own
    cdef Py_ssize_t* strides = t.dims + t.rank
    out.data = t.data
    out.row, out.column = strides[own], FACTS.itemsize[t.code] if vectors else strides[own + 1]
    for i in range(n_batch):
        out.steps[i] = 0 if i < missing or t.dims[i - missing] == 1 else strides[i - missing]


cdef int join_batches(Op op, Tensor a, Tensor b, bint vectors, wg_factoring* job) except -1:
    """Broadcast the dims in front of two tensors' matrices."""
    cdef int i, other = b.rank - (1 if vectors else 2), shift
    cdef Py_ssize_t size
    cdef int n = job.n_batch if job.n_batch > other else other
    for i in range(n - 1, -1, -1):
        shift = i - (n - job.n_batch)
        job.sizes[i] = job.sizes[shift] if shift >= 0 else 1
    for i in range(other):
        size = b.dims[i]
        shift = i + n - other
        if job.sizes[shift] == 1:
            job.sizes[shift] = size
        elif size != 1 and size != job.sizes[shift]:
            raise RuntimeError(f"The size of tensor a ({job.sizes[shift]}) must match the size of tensor b ({size}) at non-singleton "
                               f"dimension {shift}: {op.name} broadcasts the dims in front of the matrices")
    job.n_batch = n
    matrices(a, n, False, &job.a)
    matrices(b, n, vectors, &job.b)
    return 0


cdef Tensor output(wg_factoring* job, int code, int n, Py_ssize_t rows, Py_ssize_t columns):
    """An empty tensor with ``n`` dims for each matrix."""
    cdef Py_ssize_t shape[66]
    memcpy(shape, job.sizes, job.n_batch * sizeof(Py_ssize_t))
    shape[job.n_batch] = rows
    shape[job.n_batch + (1 if n > 1 else 0)] = columns if n > 1 else rows
    return new_empty(code, job.n_batch + n, shape)


cdef void turn(wg_matrices* x) noexcept:
    """Read matrices transposed."""
    x.row, x.column = x.column, x.row


cdef int run(Op op, wg_factoring* job, body_fn body, Py_ssize_t work) except -1:
    """The body on each matrix. work: multiplications for one."""
    cdef Py_ssize_t count = 1
    cdef int i
    cdef bint alone = by_one_thread(work)
    for i in range(job.n_batch):
        count *= job.sizes[i]
    if alone:
        enter_one_thread()
    if count * work < LARGE:
        body(0, count, job)
    else:
        with nogil:
            parallel_for(count, 1 + SHARE // work, body, job)
    if alone:
        leave_one_thread()
    if job.failed:
        raise MemoryError(f"{op.name}: no memory for LAPACK's copy of a {job.m} x {job.n} matrix")
    return 0


cdef object finished(Op op, PyObject** slots, tuple results, uint32_t live):
    """The outputs, recorded."""
    cdef PyObject* outs[4]
    cdef int i
    if live & WG_RECORD and HOOKS.record != NULL:
        for i in range(<int> len(results)):
            outs[i] = <PyObject*> results[i]
        HOOKS.record(op, slots, outs, <int> len(results))
    return results if len(results) > 1 else results[0]


# ---- the ops

cdef object cholesky_run(Op op, PyObject** slots):
    """(Tensor A, *, bool upper)"""
    cdef wg_factoring job
    cdef uint32_t live
    cdef Tensor factor, info
    if not begin(op, slots, 1, &job, &live) or job.m != job.n:
        return array_run(op, slots)
    job.upper = not <object> slots[1]      # of the transposed matrices the other factor, transposed: Note [Results by columns]
    turn(&job.a)
    factor, info = output(&job, job.code, 2, job.n, job.n), output(&job, INT32, 0, 0, 0)
    job.out, job.info = factor.data, <int32_t*> info.data
    run(op, &job, wg_cholesky, job.n * job.n * job.n // 3 + 1)
    return finished(op, slots, (by_columns(factor), info), live)


cdef object triangular_run(Op op, PyObject** slots):
    """(Tensor A, Tensor B, *, bool upper, bool left, bool unitriangular)"""
    cdef wg_factoring job
    cdef uint32_t live
    cdef Tensor x
    if not begin(op, slots, 2, &job, &live) or job.m != job.n:
        return array_run(op, slots)
    job.upper, job.left = bool(<object> slots[2]), bool(<object> slots[3])
    job.unit = bool(<object> slots[4])
    if not is_system(&job, <Tensor> slots[1], False):
        return array_run(op, slots)
    join_batches(op, <Tensor> slots[0], <Tensor> slots[1], False, &job)
    turn(&job.a)
    turn(&job.b)
    job.upper, job.left = not job.upper, not job.left
    x = output(&job, job.code, 2, job.n if job.left else job.k, job.k if job.left else job.n)
    job.out = x.data
    run(op, &job, wg_triangular, job.n * job.n * job.k)
    return finished(op, slots, (by_columns(x),), live)


cdef bint is_system(wg_factoring* job, Tensor b, bint vectors) noexcept:
    """Whether the right side fits the matrix; then its other size is known."""
    if vectors:
        job.k = 1
        return b.dims[b.rank - 1] == job.n
    if b.rank < 2:
        return False
    job.k = b.dims[b.rank - (1 if job.left else 2)]
    return b.dims[b.rank - (2 if job.left else 1)] == job.n


cdef object solve_run(Op op, PyObject** slots):
    """(Tensor A, Tensor B, *, bool left)"""
    cdef wg_factoring job
    cdef uint32_t live
    cdef Tensor a, b, x, info
    cdef bint vectors
    if not begin(op, slots, 2, &job, &live) or job.m != job.n:
        return array_run(op, slots)
    a, b = <Tensor> slots[0], <Tensor> slots[1]
    job.left = bool(<object> slots[2])
    vectors = b.rank == 1 or (b.rank == a.rank - 1 and same_sizes(a, b))
    if not is_system(&job, b, vectors):
        return array_run(op, slots)
    join_batches(op, a, b, vectors, &job)
    info = output(&job, INT32, 0, 0, 0)
    x = output(&job, job.code, 1 if vectors else 2, job.n if job.left else job.k, job.k if job.left else job.n)
    job.out, job.info = x.data, <int32_t*> info.data
    run(op, &job, wg_solve, job.n * job.n * (job.k + job.n // 3 + 1))
    if job.left and x.rank > 1:        # of vectors the last two dims, as in PyTorch
        x = laid_by_columns(x)
    return finished(op, slots, (x, info if job.n_batch == a.rank - 2 and info.count * job.n * job.n == a.count else first_of(info, a)), live)


cdef Tensor first_of(Tensor info, Tensor a):
    """What is known of a's own matrices, where its dims in front were broadcast."""
    cdef Py_ssize_t steps[64]
    cdef int i, n = a.rank - 2
    for i in range(n):
        steps[i] = info.dims[2 * info.rank - n + i]
    return contiguous_copy(new_view(info, n, a.dims, steps, info.data))


cdef bint same_sizes(Tensor a, Tensor b) noexcept:
    """Whether b's sizes are a's, but for its last."""
    cdef int i
    for i in range(b.rank):
        if a.dims[i] != b.dims[i]:
            return False
    return True


cdef object inverse_run(Op op, PyObject** slots):
    """(Tensor A)"""
    cdef wg_factoring job
    cdef uint32_t live
    cdef Tensor inverse, info
    if not begin(op, slots, 1, &job, &live) or job.m != job.n:
        return array_run(op, slots)
    job.k = job.n
    inverse, info = output(&job, job.code, 2, job.n, job.n), output(&job, INT32, 0, 0, 0)
    job.out, job.info = inverse.data, <int32_t*> info.data
    run(op, &job, wg_inverse, job.n * job.n * job.n)
    return finished(op, slots, (laid_by_columns(inverse), info), live)


cdef object lu_run(Op op, PyObject** slots):
    """(Tensor A)"""
    cdef wg_factoring job
    cdef uint32_t live
    cdef Tensor lu, pivots, info
    cdef Py_ssize_t least
    if not begin(op, slots, 1, &job, &live):
        return array_run(op, slots)
    least = min(job.m, job.n)
    lu, pivots, info = output(&job, job.code, 2, job.m, job.n), output(&job, INT32, 1, least, 0), output(&job, INT32, 0, 0, 0)
    job.out, job.pivots, job.info = lu.data, <int32_t*> pivots.data, <int32_t*> info.data
    run(op, &job, wg_lu, job.m * job.n * least)
    return finished(op, slots, (laid_by_columns(lu), pivots, info), live)


cdef object qr_run(Op op, PyObject** slots):
    """(Tensor A, str mode)"""
    cdef wg_factoring job
    cdef uint32_t live
    cdef Tensor q = None, r
    cdef Py_ssize_t nothing = 0
    if not begin(op, slots, 1, &job, &live):
        return array_run(op, slots)
    mode = <object> slots[1]
    job.k = job.m if mode == "complete" else min(job.m, job.n)
    job.out = NULL
    if mode == "r":
        q = new_empty(job.code, 1, &nothing)
    else:
        q = output(&job, job.code, 2, job.m, job.k)
        job.out = q.data
    r = output(&job, job.code, 2, job.k, job.n)
    job.second = r.data
    run(op, &job, wg_qr, 2 * job.m * job.n * job.k)
    return finished(op, slots, (q if mode == "r" else laid_by_columns(q), laid_by_columns(r)), live)


RUNS[0], RUNS[1], RUNS[2] = cholesky_run, triangular_run, lu_run
RUNS[3], RUNS[4], RUNS[5] = inverse_run, solve_run, qr_run
