"""What is made of LU: inverses, systems of equations, determinants. The driver's steps: lapack.pyx.

LU is an output of its own, by which formulas solve the adjoint system: PyTorch's nodes keep it, too.
"""
from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, uint32_t

from wengert_core.dispatch.keep_alive cimport hold_slots
from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.array_call cimport array_run
from wengert_core.drivers.linalg import lapack
from wengert_core.drivers.linalg.lapack cimport (KERNELS, begin, factorize, finish_outputs, is_system, join_batches,
                                                 matrices,
                                                 output, real_code, run, set_run, wg_factoring)
from wengert_core.dtypes.dtypes cimport INT32
from wengert_core.exchange.column_major cimport by_columns, copy_by_columns
from wengert_core.tensors.tensor cimport Tensor


def configure(Op op, str way):
    """Make an array op one that LAPACK computes. way: "inverse", "solve", "lu_solve", "det" or "slogdet"."""
    lapack.configure(op, way)


cdef object inverse_run(Op op, PyObject** slots, uint32_t live):
    """(Tensor A)"""
    cdef wg_factoring job
    cdef PyObject* own[16]
    cdef Tensor inverse, info
    if not begin(op, slots, 0, &job, live) or job.m != job.n:
        return array_run(op, slots, live)
    _holds = hold_slots(op, slots, own)
    job.k, job.adjoint = job.n, True   # the transposed inverse by rows
    inverse, info = output(&job, job.code, 2, job.n, job.n), output(&job, INT32, 0, 0, 0)
    job.out, job.info = inverse.data, <int32_t*> info.data
    run(op, &job, KERNELS.inverse, (<Tensor> own[0],), (inverse, info), job.n * job.n * job.n)
    return finish_outputs(op, slots, (by_columns(inverse), info), live)


# ---- systems

cdef object solve_run(Op op, PyObject** slots, uint32_t live):
    """(Tensor A, Tensor B, *, bool left)"""
    cdef wg_factoring job
    cdef PyObject* own[16]
    cdef Tensor a, b, lu, pivots, info
    cdef bint vectors
    if not begin(op, slots, 1, &job, live) or job.m != job.n:
        return array_run(op, slots, live)
    _holds = hold_slots(op, slots, own)
    a, b = <Tensor> own[0], <Tensor> own[1]
    job.left = bool(<object> slots[2])
    vectors = b.rank == 1 or (b.rank == a.rank - 1 and same_sizes(a, b))
    if not is_system(&job, b, vectors):
        return array_run(op, slots, live)
    lu, pivots, info = factorize(op, &job, <Tensor> own[0])
    job.guarded = True
    return finish_outputs(op, slots, (solution(op, &job, lu, pivots, b, vectors), info, lu, pivots), live)


cdef bint same_sizes(Tensor a, Tensor b) noexcept:
    """Whether b's sizes are a's, but for its last."""
    cdef int i
    for i in range(b.rank):
        if a.dims[i] != b.dims[i]:
            return False
    return True


cdef object lu_solve_run(Op op, PyObject** slots, uint32_t live):
    """(Tensor LU, Tensor pivots, Tensor B, *, bool left, bool adjoint)"""
    cdef wg_factoring job
    cdef PyObject* own[16]
    cdef Tensor lu, pivots, b
    if not begin(op, slots, 2, &job, live) or job.m != job.n or not isinstance(<object> slots[1], Tensor):
        return array_run(op, slots, live)
    _holds = hold_slots(op, slots, own)
    lu, pivots, b = <Tensor> own[0], <Tensor> own[1], <Tensor> own[2]
    job.left, job.adjoint = bool(<object> slots[3]), bool(<object> slots[4])
    if (pivots.device or pivots.code != INT32
            or pivots.rank != lu.rank - 1 or not same_sizes(lu, pivots) or not is_system(&job, b, False)):
        return array_run(op, slots, live)
    return finish_outputs(op, slots, (solution(op, &job, lu, pivots, b, False),), live)


cdef Tensor solution(Op op, wg_factoring* job, Tensor lu, Tensor pivots, Tensor b, bint vectors):
    """x of A x = b, and its kin."""
    cdef Tensor x
    join_batches(op, lu, b, vectors, job)
    matrices(pivots, job.n_batch, True, &job.p)
    x = output(job, job.code, 1 if vectors else 2, job.n if job.left else job.k, job.k if job.left else job.n)
    job.out = x.data
    run(op, job, KERNELS.solve, (lu, pivots, b), (x,), job.n * job.n * (job.k + 1))
    return copy_by_columns(x) if job.left and x.rank > 1 else x      # of vectors the last two dims, as in PyTorch


# ---- determinants

cdef object det_run(Op op, PyObject** slots, uint32_t live):
    """(Tensor A)"""
    cdef wg_factoring job
    cdef PyObject* own[16]
    cdef Tensor lu, pivots, det
    if not begin(op, slots, 0, &job, live) or job.m != job.n:
        return array_run(op, slots, live)
    _holds = hold_slots(op, slots, own)
    lu, pivots, _ = factorize(op, &job, <Tensor> own[0])
    det = output(&job, job.code, 0, 0, 0)
    job.out, job.second = det.data, NULL
    multiply(op, &job, lu, pivots, (det,))
    return finish_outputs(op, slots, (det, lu, pivots), live)


cdef object slogdet_run(Op op, PyObject** slots, uint32_t live):
    """(Tensor A)"""
    cdef wg_factoring job
    cdef PyObject* own[16]
    cdef Tensor lu, pivots, sign, size
    if not begin(op, slots, 0, &job, live) or job.m != job.n:
        return array_run(op, slots, live)
    _holds = hold_slots(op, slots, own)
    lu, pivots, _ = factorize(op, &job, <Tensor> own[0])
    sign = output(&job, job.code, 0, 0, 0)
    size = output(&job, real_code(job.code), 0, 0, 0)
    job.out, job.second = sign.data, size.data
    multiply(op, &job, lu, pivots, (sign, size))
    return finish_outputs(op, slots, (sign, size, lu, pivots), live)


cdef int multiply(Op op, wg_factoring* job, Tensor lu, Tensor pivots, tuple results) except -1:
    """The product of the diagonal, by the outputs that the job has."""
    matrices(lu, job.n_batch, False, &job.a)
    matrices(pivots, job.n_batch, True, &job.p)
    run(op, job, KERNELS.determinant, (lu, pivots), results, 4 * job.n)
    return 0


set_run("inverse", inverse_run)
set_run("solve", solve_run)
set_run("lu_solve", lu_solve_run)
set_run("det", det_run)
set_run("slogdet", slogdet_run)
