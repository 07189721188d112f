"""The driver of factorizations: the LAPACK that NumPy is linked to (runtime/blas_lookup.pyx).
lu_solve.pyx solves by factors, eigh_svd.pyx decomposes.

An op uses it for a dtype once it has given what the op's reference gives for a small batch. Without it, with
WENGERT_KERNELS=python, and for whatever is not usual (empty matrices, batched tensors, dtypes that differ), the op is
its reference, as other array ops are. What is computed, and how: kernels/linalg/lapack.h. Each matrix is one job for
one thread.

Note [Results by columns]
    Matrices come out column by column in memory, as LAPACK leaves them and as PyTorch has them. The kernels write row
    by row, so they get the transposed problem: X^T A^T = B^T for triangular systems, and for Cholesky's L the upper
    factor of A^T, which is L^T (the triangle that is read is the same one). What they wrote is then seen with its dims
    swapped. LU is left as LAPACK writes it: it has other pivots for A^T. Other results are copied.
"""
from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, uint32_t
from libc.string cimport memcpy, memset

import numpy as np

from wengert_core.dispatch.keep_alive cimport hold_slots
from wengert_core.dispatch.op cimport Op, run_fn
from wengert_core.drivers.array_call cimport array_run
from wengert_core.drivers.linalg.lapack_launch cimport Factoring, check_failure, run_factoring, tell_factoring
from wengert_core.drivers.steps cimport record_outputs
from wengert_core.dtypes.dtypes cimport COMPLEX64, COMPLEX128, FLOAT32, INT32, DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport array_of, tensor_of_array
from wengert_core.exchange.column_major cimport by_columns, copy_by_columns
from wengert_core.runtime.blas_lookup cimport by_one_thread, routine, wide_integers
from wengert_core.runtime.config cimport ONLY_REFERENCES
from wengert_core.runtime.launches cimport count_recorders, tell_complete
from wengert_core.runtime.state cimport WG_OBSERVE, WG_ON_DEVICE, WG_TELL, WgState, thread_state
from wengert_core.runtime.thread_pool cimport LARGE, body_fn
from wengert_core.tensors.tensor cimport Tensor, new_empty, shape_tuple

from wengert_core.messages.mismatches import broadcast_error

cdef extern from "wengert_core/kernels/linalg/lapack.h" nogil:
    void wg_triangular(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_lu(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_inverse(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_solve(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_determinant(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_qr(Py_ssize_t begin, Py_ssize_t end, void* ctx)

cdef extern from "wengert_core/kernels/linalg/lapack_cholesky.h" nogil:
    void wg_cholesky(Py_ssize_t begin, Py_ssize_t end, void* ctx)

cdef extern from "wengert_core/kernels/linalg/lapack_eigen.h" nogil:
    void wg_eigh(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_svd(Py_ssize_t begin, Py_ssize_t end, void* ctx)

cdef enum:
    N_CODES = 4                        # float32, float64, complex64, complex128
    UNTRIED = 0
    TRUSTED = 1
    REFUSED = 2

KERNELS.solve, KERNELS.inverse, KERNELS.determinant = wg_solve, wg_inverse, wg_determinant
KERNELS.eigh, KERNELS.svd = wg_eigh, wg_svd
cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()
cdef wg_lapack LAPACK[N_CODES]         # by dtype code - FLOAT32
cdef bint LOOKED_UP[N_CODES]
memset(LAPACK, 0, sizeof(LAPACK))
memset(LOOKED_UP, 0, sizeof(LOOKED_UP))

cdef struct Family:                    # Op.data: what the op's dtypes were found to be
    int way
    unsigned char state[N_CODES]

cdef enum:
    N_WAYS = 11

cdef Family FAMILIES[N_WAYS]
memset(FAMILIES, 0, sizeof(FAMILIES))
cdef tuple WAYS = ("cholesky", "triangular", "lu", "qr", "inverse", "solve", "lu_solve", "det", "slogdet", "eigh",
                   "svd")
cdef run_fn RUNS[N_WAYS]


cdef int set_run(str way, run_fn run) except -1:
    RUNS[<int> WAYS.index(way)] = run
    return 0


def configure(Op op, str way):
    """Make an array op one that LAPACK computes. way: one of WAYS; for "solve" and later see lu_solve, eigh_svd."""
    cdef Family* family = &FAMILIES[<int> WAYS.index(way)]
    family.way = <int> WAYS.index(way)
    if ONLY_REFERENCES:
        return
    op.data = family
    op.run = RUNS[family.way]


# ---- LAPACK

cdef int look_up(int i) except -1:
    """The routines for a dtype; written once, as kernels read them without the GIL."""
    cdef wg_lapack lapack
    if LOOKED_UP[i]:
        return 0
    memset(&lapack, 0, sizeof(lapack))
    number = np.ones(1, ("f4", "f8", "c8", "c16")[i])
    cdef bytes one = number.tobytes(), minus_one = (-number).tobytes()
    kind = "sdcz"[i]
    lapack.potrf, lapack.getrf, lapack.getri = routine(kind + "potrf"), routine(kind + "getrf"), routine(kind + "getri")
    lapack.geqrf, lapack.orgqr = routine(kind + "geqrf"), routine(kind + ("orgqr" if i < 2 else "ungqr"))
    lapack.trsm, lapack.gemm = routine(kind + "trsm"), routine(kind + "gemm")
    lapack.syevd, lapack.gesdd = routine(kind + ("syevd" if i < 2 else "heevd")), routine(kind + "gesdd")
    lapack.wide = wide_integers()
    memcpy(lapack.one, <const char*> one, len(one))
    memcpy(lapack.minus_one, <const char*> minus_one, len(one))
    if not LOOKED_UP[i]:               # another thread may have been here meanwhile: the lines above call Python
        LAPACK[i] = lapack
        LOOKED_UP[i] = True
    return 0


cdef bint is_whole(wg_lapack* lapack) noexcept:
    return (lapack.potrf != NULL and lapack.getrf != NULL and lapack.getri != NULL and lapack.geqrf != NULL
            and lapack.orgqr != NULL and lapack.trsm != NULL and lapack.gemm != NULL and lapack.syevd != NULL
            and lapack.gesdd != NULL)


cdef inline bint has_lapack(int code) noexcept:
    """Whether LAPACK knows a dtype at all."""
    return FLOAT32 <= code <= COMPLEX128


cdef bint is_usable(Op op, int code) except -1:
    """Whether LAPACK is there for a dtype and gives what the op's reference gives."""
    cdef Family* family = <Family*> op.data
    cdef int i = code - FLOAT32
    if family.state[i] == UNTRIED:
        look_up(i)
        family.state[i] = TRUSTED if is_whole(&LAPACK[i]) else REFUSED
        if family.state[i] == TRUSTED and not agrees(op, code):
            family.state[i] = REFUSED
    return family.state[i] == TRUSTED


cdef bint compare(Op op, int code) except -1:
    """Whether LAPACK gives what the op's reference gives."""
    a = np.array([[[4, 0.5, -1], [1, 5, 2], [2, 3, 6]], [[1, 7, 2], [0.25, 3, 1], [0.5, -0.5, 2]]]).astype(
        ("f4", "f8", "c8", "c16")[code - FLOAT32])
    if code >= COMPLEX64:
        a = a + np.tril(np.full((3, 3), 0.5j, a.dtype), -1)
    examples = {"A": a, "LU": a, "pivots": np.array([[2, 2, 3], [3, 2, 3]], "i4"), "B": a[::-1, :, :2].copy()}
    named = {name: examples[name] for name in op.params if name in examples}
    kept = {name: False for name in ("upper", "unitriangular") if name in op.params}
    found = op(*[tensor_of_array(x) for x in named.values()], **kept)
    named |= {name: <object> op.defaults[i]
              for i, name in enumerate(op.params) if name not in named and op.defaults[i] != NULL}
    with np.errstate(all="ignore"):
        expected = op.reference(np, *[(named | kept)[name] for name in op.params])
    pairs = zip(found if isinstance(found, tuple) else (found,),
                expected if isinstance(expected, tuple) else (expected,))
    same = np.abs if WAYS[(<Family*> op.data).way] in ("eigh", "svd") else np.asarray  # their vectors have any phase
    return all([np.allclose(same(array_of(x)), same(y), 1e-3, 1e-3) for x, y in pairs])


cdef bint agrees(Op op, int code) except -1:
    """Compare a small batch. A thread that tells its launches tells none of these."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    state.modes = modes & ~(<unsigned int> (WG_TELL | WG_OBSERVE))
    try:
        return compare(op, code)
    finally:
        state.modes = modes


def by_lapack(Op op, dtype):
    """Whether this op is computed by LAPACK for a dtype; else it is its reference."""
    cdef int code = dtype.code
    return op.data != NULL and has_lapack(code) and is_usable(op, code)


# ---- the steps

cdef bint begin(Op op, PyObject** slots, int second, wg_factoring* job, uint32_t live) except -1:
    cdef Tensor a, b = None
    if not isinstance(<object> slots[0], Tensor):
        return False
    a = <Tensor> slots[0]
    if second:
        if not isinstance(<object> slots[second], Tensor):
            return False
        b = <Tensor> slots[second]
        if b.code != a.code or b.count == 0:
            return False
    if live & WG_ON_DEVICE or a.device or not has_lapack(a.code) or a.rank < 2 or a.count == 0 \
            or not is_usable(op, a.code):
        return False
    job.lapack, job.code, job.itemsize, job.failed = &LAPACK[a.code - FLOAT32], a.code, FACTS.itemsize[a.code], 0
    job.m, job.n = a.dims[a.rank - 2], a.dims[a.rank - 1]
    job.n_batch = a.rank - 2
    memcpy(job.sizes, a.dims, job.n_batch * sizeof(Py_ssize_t))
    matrices(a, job.n_batch, False, &job.a)
    job.upper, job.unit, job.left, job.adjoint, job.guarded, job.full = False, False, True, False, False, False
    job.out, job.second, job.values, job.pivots, job.info = NULL, NULL, NULL, NULL, NULL
    job.b.data, job.p.data = NULL, NULL
    return True


cdef void matrices(Tensor t, int n_batch, bint vectors, wg_matrices* out) noexcept:
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
            raise broadcast_error(op.name, job.sizes[shift], size, shift, (shape_tuple(a), shape_tuple(b)))
    job.n_batch = n
    matrices(a, n, False, &job.a)
    matrices(b, n, vectors, &job.b)
    return 0


cdef Tensor output(wg_factoring* job, int code, int n, Py_ssize_t rows, Py_ssize_t columns):
    cdef Py_ssize_t shape[66]
    memcpy(shape, job.sizes, job.n_batch * sizeof(Py_ssize_t))
    shape[job.n_batch] = rows
    shape[job.n_batch + (1 if n > 1 else 0)] = columns if n > 1 else rows
    return new_empty(code, job.n_batch + n, shape)


cdef void read_transposed(wg_matrices* x) noexcept:
    """Read matrices transposed."""
    x.row, x.column = x.column, x.row


cdef int run(
    Op op, wg_factoring* job, body_fn body, tuple reads, tuple writes, Py_ssize_t product, Py_ssize_t work=0
) except -1:
    cdef Factoring f
    cdef int i
    f.body, f.count, f.work, f.alone = body, 1, max(product, work), by_one_thread(product)
    for i in range(job.n_batch):
        f.count *= job.sizes[i]
    f.job = job
    if f.count * f.work < LARGE:
        run_factoring(&f)
    else:
        with nogil:
            run_factoring(&f)
    check_failure(op.name, job)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_factoring(&f, reads, writes)
    return 0


cdef object finish_outputs(Op op, PyObject** slots, tuple results, uint32_t live):
    """The outputs, recorded."""
    cdef PyObject* outs[4]
    cdef int i
    if live & WG_TELL:
        tell_complete(<void*> op)
    for i in range(<int> len(results)):
        outs[i] = <PyObject*> results[i]
    record_outputs(op, slots, outs, <int> len(results), live)
    return results if len(results) > 1 else results[0]


# ---- the ops

cdef object cholesky_run(Op op, PyObject** slots, uint32_t live):
    """(Tensor A, *, bool upper)"""
    cdef wg_factoring job
    cdef PyObject* own[16]
    cdef Tensor factor, info
    if not begin(op, slots, 0, &job, live) or job.m != job.n:
        return array_run(op, slots, live)
    _holds = hold_slots(op, slots, own)
    # The transposed matrices have the other factor, transposed: Note [Results by columns]
    job.upper = not <object> slots[1]
    read_transposed(&job.a)
    factor, info = output(&job, job.code, 2, job.n, job.n), output(&job, INT32, 0, 0, 0)
    job.out, job.info = factor.data, <int32_t*> info.data
    run(op, &job, wg_cholesky, (<Tensor> own[0],), (factor, info), job.n * job.n * job.n // 3 + 1)
    return finish_outputs(op, slots, (by_columns(factor), info), live)


cdef object triangular_run(Op op, PyObject** slots, uint32_t live):
    """(Tensor A, Tensor B, *, bool upper, bool left, bool unitriangular)"""
    cdef wg_factoring job
    cdef PyObject* own[16]
    cdef Tensor x
    if not begin(op, slots, 1, &job, live) or job.m != job.n:
        return array_run(op, slots, live)
    _holds = hold_slots(op, slots, own)
    job.upper, job.left = bool(<object> slots[2]), bool(<object> slots[3])
    job.unit = bool(<object> slots[4])
    if not is_system(&job, <Tensor> own[1], False):
        return array_run(op, slots, live)
    join_batches(op, <Tensor> own[0], <Tensor> own[1], False, &job)
    read_transposed(&job.a)
    read_transposed(&job.b)
    job.upper, job.left = not job.upper, not job.left
    x = output(&job, job.code, 2, job.n if job.left else job.k, job.k if job.left else job.n)
    job.out = x.data
    run(op, &job, wg_triangular, (<Tensor> own[0], <Tensor> own[1]), (x,), job.n * job.n * job.k)
    return finish_outputs(op, slots, (by_columns(x),), live)


cdef bint is_system(wg_factoring* job, Tensor b, bint vectors) noexcept:
    """Whether the right side fits the matrix; then its other size is known."""
    if vectors:
        job.k = 1
        return b.dims[b.rank - 1] == job.n
    if b.rank < 2:
        return False
    job.k = b.dims[b.rank - (1 if job.left else 2)]
    return b.dims[b.rank - (2 if job.left else 1)] == job.n


cdef tuple factorize(Op op, wg_factoring* job, Tensor a):
    cdef Py_ssize_t least = min(job.m, job.n)
    cdef Tensor lu = output(job, job.code, 2, job.n, job.m), pivots = output(job, INT32, 1, least, 0)
    cdef Tensor info = output(job, INT32, 0, 0, 0)
    job.second, job.pivots, job.info = lu.data, <int32_t*> pivots.data, <int32_t*> info.data
    run(op, job, wg_lu, (a,), (lu, pivots, info), job.m * job.n * least)
    return by_columns(lu), pivots, info


cdef object lu_run(Op op, PyObject** slots, uint32_t live):
    """(Tensor A)"""
    cdef wg_factoring job
    cdef PyObject* own[16]
    if not begin(op, slots, 0, &job, live):
        return array_run(op, slots, live)
    _holds = hold_slots(op, slots, own)
    return finish_outputs(op, slots, factorize(op, &job, <Tensor> own[0]), live)


cdef object qr_run(Op op, PyObject** slots, uint32_t live):
    """(Tensor A, str mode)"""
    cdef wg_factoring job
    cdef PyObject* own[16]
    cdef Tensor q = None, r
    cdef Py_ssize_t nothing = 0
    if not begin(op, slots, 0, &job, live):
        return array_run(op, slots, live)
    _holds = hold_slots(op, slots, own)
    mode = <object> slots[1]
    job.k = job.m if mode == "complete" else min(job.m, job.n)
    if mode == "r":
        q = new_empty(job.code, 1, &nothing)
    else:
        q = output(&job, job.code, 2, job.m, job.k)
        job.out = q.data
    r = output(&job, job.code, 2, job.k, job.n)
    job.second = r.data
    run(op, &job, wg_qr, (<Tensor> own[0],), (q, r), 2 * job.m * job.n * job.k)
    return finish_outputs(op, slots, (q if mode == "r" else copy_by_columns(q), copy_by_columns(r)), live)


set_run("cholesky", cholesky_run)
set_run("triangular", triangular_run)
set_run("lu", lu_run)
set_run("qr", qr_run)
