"""Eigenvalues of Hermitian matrices and singular values, by LAPACK. The driver's steps: lapack.pyx."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.keep_alive cimport hold_slots
from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.array_call cimport array_run
from wengert_core.drivers.linalg import lapack
from wengert_core.drivers.linalg.lapack cimport (KERNELS, WG_NO_RESULT, begin, finish_outputs, output, real_code, run,
                                                 set_run, wg_factoring)
from wengert_core.exchange.column_major cimport by_columns
from wengert_core.tensors.tensor cimport Tensor, new_empty

cdef enum:
    START = 0x4000                     # multiplications in the time that LAPACK takes for any matrix
    PRODUCTS = 20                      # products of two matrices in the time that it takes for one


def configure(Op op, str way):
    """Make an array op one that LAPACK computes. way: "eigh" or "svd"."""
    lapack.configure(op, way)


cdef Tensor real_values(wg_factoring* job, Py_ssize_t count):
    cdef Tensor values = output(job, real_code(job.code), 1, count, 0)
    job.values = values.data
    return values


cdef Tensor nothing(wg_factoring* job):
    cdef Py_ssize_t none = 0
    return new_empty(job.code, 1, &none)


cdef object eigh_run(Op op, PyObject** slots, uint32_t live):
    """(Tensor A, str UPLO, bool compute_v)"""
    cdef wg_factoring job
    cdef PyObject* own[16]
    cdef Tensor values, vectors
    if not begin(op, slots, 0, &job, live) or job.m != job.n:
        return array_run(op, slots, live)
    _holds = hold_slots(op, slots, own)
    job.upper = <object> slots[1] == "U"
    values = real_values(&job, job.n)
    if <object> slots[2]:
        vectors = by_columns(output(&job, job.code, 2, job.n, job.n))
        job.out = vectors.data
    else:
        vectors = nothing(&job)
    run(op, &job, KERNELS.eigh, (<Tensor> own[0],), (values, vectors), job.n * job.n * job.n,
        START + PRODUCTS * job.n * job.n * job.n)
    return finish_outputs(op, slots, (values, vectors), live)


cdef object svd_run(Op op, PyObject** slots, uint32_t live):
    """(Tensor A, bool full_matrices, bool compute_uv)"""
    cdef wg_factoring job
    cdef PyObject* own[16]
    cdef Tensor values, u, vh
    cdef Py_ssize_t least
    if not begin(op, slots, 0, &job, live):
        return array_run(op, slots, live)
    _holds = hold_slots(op, slots, own)
    least = min(job.m, job.n)
    job.full = bool(<object> slots[1])
    values = real_values(&job, least)
    if <object> slots[2]:
        u = by_columns(output(&job, job.code, 2, job.m if job.full else least, job.m))
        vh = by_columns(output(&job, job.code, 2, job.n, job.n if job.full else least))
        job.out, job.second = u.data, vh.data
    else:
        u, vh = nothing(&job), nothing(&job)
    run(op, &job, KERNELS.svd, (<Tensor> own[0],), (u, values, vh), job.m * job.n * least,
        START + PRODUCTS * job.m * job.n * least)
    if job.failed == WG_NO_RESULT:     # the reference says which matrix, and why
        return array_run(op, slots, live)
    return finish_outputs(op, slots, (u, values, vh), live)


set_run("eigh", eigh_run)
set_run("svd", svd_run)
