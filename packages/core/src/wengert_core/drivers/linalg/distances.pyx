"""Distances of pairs of rows, and their gradients, by the kernels of kernels/linalg/distances.h.

Each function returns None for arguments that its kernel does not take: tensors of another dtype than float32 and
float64, of a device or a layout, without elements, or too few of them.

>>> from wengert_core import arange
>>> rows = arange(200.0).reshape(100, 2)
>>> pair_distances(rows, 2.0)[:3]
tensor([2.8284, 5.6569, 8.4853])
>>> pair_distances(rows[:3], 2.0) is None
True
"""
from libc.math cimport INFINITY

from wengert_core.dispatch.keep_alive cimport hold, in_pieces
from wengert_core.drivers.kernel_launch cimport add_tensor, tell_kernel
from wengert_core.dtypes.dtypes cimport FLOAT32, FLOAT64
from wengert_core.exchange.arrays cimport is_host_array, row_major
from wengert_core.exchange.device_memory cimport without_kernels
from wengert_core.runtime.launches cimport LAUNCH_DONE, OPERAND_READ, OPERAND_WRITTEN, Launch, count_recorders
from wengert_core.runtime.state cimport WG_TELL, thread_state
from wengert_core.runtime.thread_pool cimport LARGE, body_fn, parallel_for
from wengert_core.tensors.tensor cimport Tensor, new_empty, strides_of

cdef extern from "wengert_core/kernels/linalg/distances.h" nogil:
    ctypedef struct wg_distances:
        Py_ssize_t rows, others, columns, blocks
        int kind, is_pairs
        double p
        Py_ssize_t x_batch, y_batch, batch
        Py_ssize_t row_step, other_step
        Py_ssize_t grad_batch, grad_row_step, grad_other_step
        const char* x
        const char* y
        const char* grad
        char* distances
        char* out
    enum:
        WG_LANES, WG_NORM_0, WG_NORM_1, WG_NORM_2, WG_NORM_3, WG_NORM_MAX, WG_NORM_P
    void wg_distances_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_distances_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_distances_back_f32(Py_ssize_t begin, Py_ssize_t end, void* ctx)
    void wg_distances_back_f64(Py_ssize_t begin, Py_ssize_t end, void* ctx)

cdef enum:
    WORTH_A_THREAD = 0x8000            # differences that take about 20 us
    FEW = 4                            # rows of both, below which most lanes would be empty

cdef const int* RECORDERS = count_recorders()

cdef body_fn BODIES[2][2]              # (forward, back); float, double
BODIES[0][0], BODIES[0][1] = wg_distances_f32, wg_distances_f64
BODIES[1][0], BODIES[1][1] = wg_distances_back_f32, wg_distances_back_f64

cdef struct DistancePlan:
    body_fn body
    Py_ssize_t units, grain
    bint large                         # several threads may share the units
    wg_distances job


def cross_distances(Tensor x1 not None, Tensor x2 not None, double p):
    """The p-norms [..., R1, R2] of the differences of each row of x1 [..., R1, M] and each of x2 [..., R2, M].

    The batches of both are of one shape, or one of them is a matrix.
    """
    cdef DistancePlan plan
    cdef wg_distances* job = &plan.job
    cdef Py_ssize_t shape[64]
    cdef Tensor x = x2, y = x1, out
    cdef int i, rank = max(x1.rank, x2.rank)
    if not rows_fit(job, x, y, p):
        return None
    for i in range(rank):
        shape[i] = x1.dims[i] if x1.rank == rank else x2.dims[i]
    shape[rank - 2], shape[rank - 1] = x1.dims[x1.rank - 2], x2.dims[x2.rank - 2]
    out = new_empty(x.code, rank, shape)
    if job.rows < WG_LANES and job.others > job.rows:      # the more rows in lanes
        x, y = x1, x2
        job.rows, job.others = job.others, job.rows
        job.x_batch, job.y_batch = job.y_batch, job.x_batch
        job.row_step, job.other_step = job.others, 1
    else:
        job.row_step, job.other_step = 1, job.rows
    job.is_pairs, job.batch = 0, job.rows * job.others
    run_distances(&plan, 0, None, x, y, out, None, out.count)
    return out


def pair_distances(Tensor x not None, double p):
    """The p-norms [R (R - 1) / 2] of the differences of all pairs of rows of x [R, M], as pdist orders them."""
    cdef DistancePlan plan
    cdef wg_distances* job = &plan.job
    cdef Py_ssize_t count
    cdef Tensor out
    if not rows_fit(job, x, x, p) or x.rank != 2:
        return None
    count = job.rows * (job.rows - 1) // 2
    out = new_empty(x.code, 1, &count)
    job.is_pairs, job.batch, job.row_step, job.other_step = 1, 0, 1, 0
    run_distances(&plan, 0, None, x, x, out, None, count)
    return out


def cross_distances_back(
    Tensor grad not None, Tensor x1 not None, Tensor x2 not None, double p, Tensor distances not None
):
    """The gradient of x1 (of its shape; of x2's batch where x1 is a matrix) from that of the distances."""
    cdef DistancePlan plan
    cdef wg_distances* job = &plan.job
    cdef Py_ssize_t shape[64]
    cdef int i, rank = max(x1.rank, x2.rank)
    cdef Tensor out
    if not rows_fit(job, x1, x2, p) or job.kind == WG_NORM_P or job.kind == WG_NORM_0:
        return None
    for i in range(rank):
        shape[i] = x1.dims[i] if x1.rank == rank else x2.dims[i]
    shape[rank - 2], shape[rank - 1] = job.rows, job.columns
    for t in (grad, distances):
        if not is_host_array(<Tensor> t, x1.code) or (<Tensor> t).rank != rank:
            return None
        for i in range(rank - 2):
            if (<Tensor> t).dims[i] != shape[i]:
                return None
        if (<Tensor> t).dims[rank - 2] != job.rows or (<Tensor> t).dims[rank - 1] != job.others:
            return None
    out = new_empty(x1.code, rank, shape)
    grad, distances = of_two_steps(grad), of_two_steps(distances)
    job.is_pairs = 0
    set_steps(grad, &job.grad_batch, &job.grad_row_step, &job.grad_other_step)
    set_steps(distances, &job.batch, &job.row_step, &job.other_step)
    run_distances(&plan, 1, grad, x1, x2, distances, out, distances.count)
    return out


def pair_distances_back(Tensor grad not None, Tensor x not None, double p, Tensor distances not None):
    """The gradient of x from that of pair_distances."""
    cdef DistancePlan plan
    cdef wg_distances* job = &plan.job
    cdef Py_ssize_t count
    cdef Tensor out
    if not rows_fit(job, x, x, p) or x.rank != 2 or job.kind == WG_NORM_P or job.kind == WG_NORM_0:
        return None
    count = job.rows * (job.rows - 1) // 2
    if not is_host_array(grad, x.code) or grad.rank != 1 or grad.count != count \
            or not is_host_array(distances, x.code) or distances.rank != 1 or distances.count != count:
        return None
    out = new_empty(x.code, 2, x.dims)
    job.is_pairs, job.batch, job.row_step, job.other_step = 1, 0, 1, 0
    job.grad_batch, job.grad_row_step, job.grad_other_step = 0, strides_of(grad)[0] // itemsize(x), 0
    run_distances(&plan, 1, grad, x, x, distances, out, 2 * count)
    return out


cdef inline Py_ssize_t itemsize(Tensor t) noexcept:
    return 8 if t.code == FLOAT64 else 4


cdef bint rows_fit(wg_distances* job, Tensor x, Tensor y, double p) noexcept:
    """Set the sizes. False where the kernels do not take them, or they do not fit to each other."""
    cdef Tensor of = x if x.rank > y.rank else y
    cdef int i
    if without_kernels() or x.code != FLOAT32 and x.code != FLOAT64 or not is_host_array(x, x.code) \
            or not is_host_array(y, x.code) or not x.count or not y.count or x.rank < 2 or y.rank < 2:
        return False
    if x.rank == y.rank:
        for i in range(x.rank - 2):
            if x.dims[i] != y.dims[i]:
                return False
    elif min(x.rank, y.rank) != 2:
        return False
    job.rows, job.others, job.columns = x.dims[x.rank - 2], y.dims[y.rank - 2], x.dims[x.rank - 1]
    if y.dims[y.rank - 1] != job.columns or job.rows < FEW and job.others < FEW:
        return False
    job.x_batch = job.rows * job.columns if x.rank == of.rank else 0
    job.y_batch = job.others * job.columns if y.rank == of.rank else 0
    job.p = p
    job.kind = WG_NORM_MAX if p == INFINITY else WG_NORM_0 if p == 0 else WG_NORM_1 if p == 1 else WG_NORM_2 \
        if p == 2 else WG_NORM_3 if p == 3 else WG_NORM_P
    job.grad_batch = job.grad_row_step = job.grad_other_step = 0
    return True


cdef Tensor of_two_steps(Tensor t):
    """A tensor whose batches are one after another, in memory."""
    return t if t.rank == 2 else row_major(t)


cdef void set_steps(Tensor t, Py_ssize_t* batch, Py_ssize_t* row, Py_ssize_t* other) noexcept:
    row[0], other[0] = strides_of(t)[t.rank - 2] // itemsize(t), strides_of(t)[t.rank - 1] // itemsize(t)
    batch[0] = t.dims[t.rank - 2] * t.dims[t.rank - 1]


cdef int run_distances(
    DistancePlan* plan, bint back, Tensor grad, Tensor x, Tensor y, Tensor distances, Tensor out, Py_ssize_t pairs
) except -1:
    """pairs: of all batches."""
    cdef wg_distances* job = &plan.job
    cdef Launch* made
    if not pairs:
        return 0
    x, y = row_major(x), row_major(y)
    x, y, distances = hold(x), hold(y), hold(distances)
    grad = None if grad is None else hold(grad)
    job.x, job.y, job.distances = x.data, y.data, distances.data
    job.grad, job.out = NULL if grad is None else grad.data, NULL if out is None else out.data
    job.blocks = (job.rows + WG_LANES - 1) // WG_LANES
    plan.body = BODIES[back][x.code == FLOAT64]
    plan.units = job.blocks * (1 if job.is_pairs else pairs // (job.rows * job.others))
    plan.large = pairs >= LARGE // job.columns
    plan.grain = WORTH_A_THREAD // max(job.columns * job.others, 1) // WG_LANES + 1
    in_pieces(plan.units, plan.grain, plan.body, job, plan.large)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        made = tell_kernel(run_distances_launch, plan, sizeof(DistancePlan))
        add_tensor(made, grad, OPERAND_READ)
        add_tensor(made, x, OPERAND_READ)
        add_tensor(made, y, OPERAND_READ)
        add_tensor(made, distances, OPERAND_READ if back else OPERAND_WRITTEN)
        add_tensor(made, out, OPERAND_WRITTEN)
    return 0


cdef int run_distances_launch(Launch* launch) noexcept nogil:
    cdef DistancePlan* plan = <DistancePlan*> launch.plan
    cdef wg_distances* job = &plan.job
    job.grad, job.x, job.y = launch.data[0], launch.data[1], launch.data[2]
    job.distances, job.out = launch.data[3], launch.data[4]
    if plan.large:
        parallel_for(plan.units, plan.grain, plan.body, job)
    else:
        plan.body(0, plan.units, job)
    return LAUNCH_DONE
