"""Copy, cast and fill of n-dimensional strided buffers.

A plan drops dims of size 1, makes the output's strides positive, orders dims by them and merges neighbors that walk
both buffers in one stride. Then an odometer runs over all but the last two dims, and a 2-d kernel over those.
"""
from wengert_core.kernels.pointwise.casts cimport cast, itemsize_of
from wengert_core.kernels.types cimport cast_fn, npy_intp
from wengert_core.runtime.thread_pool cimport GRAIN, UNIT, dim_to_split, parallel_for

cdef extern from "wengert_core/kernels/pointwise/strided.h" nogil:
    copy2d_fn wg_find_copy2d(int itemsize)


cdef inline npy_intp magnitude(npy_intp stride) noexcept nogil:
    return stride if stride >= 0 else -stride


cdef void insert_dim(CopyPlan *plan, npy_intp size, npy_intp dst_stride, npy_intp src_stride) noexcept nogil:
    """Keep dims by falling stride of the output; among equals (an output of stride 0) by the source's."""
    cdef int at = plan.ndim
    while at > 0 and (plan.dst_strides[at - 1] < dst_stride or (
            plan.dst_strides[at - 1] == dst_stride and magnitude(plan.src_strides[at - 1]) < magnitude(src_stride))):
        plan.shape[at] = plan.shape[at - 1]
        plan.dst_strides[at] = plan.dst_strides[at - 1]
        plan.src_strides[at] = plan.src_strides[at - 1]
        at -= 1
    plan.shape[at] = size
    plan.dst_strides[at] = dst_stride
    plan.src_strides[at] = src_stride
    plan.ndim += 1


cdef void coalesce(CopyPlan *plan) noexcept nogil:
    """Merge each dim into the one before it where both buffers allow."""
    cdef int dim, last = 0
    for dim in range(1, plan.ndim):
        if (plan.dst_strides[last] == plan.dst_strides[dim] * plan.shape[dim]
                and plan.src_strides[last] == plan.src_strides[dim] * plan.shape[dim]):
            plan.shape[last] *= plan.shape[dim]
        else:
            last += 1
            plan.shape[last] = plan.shape[dim]
        plan.dst_strides[last] = plan.dst_strides[dim]
        plan.src_strides[last] = plan.src_strides[dim]
    if plan.ndim > 0:
        plan.ndim = last + 1


cdef void choose_transpose(CopyPlan *plan, int itemsize) noexcept nogil:
    """Move a dim along which the source is contiguous next to the last, if the last is not contiguous in the source."""
    cdef int dim, last = plan.ndim - 1
    if last < 2 or plan.src_strides[last] == itemsize:
        return
    for dim in range(last - 1):
        if plan.src_strides[dim] == itemsize:
            move_before_last(plan, dim)
            return


cdef void move_before_last(CopyPlan *plan, int dim) noexcept nogil:
    cdef npy_intp size = plan.shape[dim], dst_stride = plan.dst_strides[dim], src_stride = plan.src_strides[dim]
    cdef int at
    for at in range(dim, plan.ndim - 2):
        plan.shape[at] = plan.shape[at + 1]
        plan.dst_strides[at] = plan.dst_strides[at + 1]
        plan.src_strides[at] = plan.src_strides[at + 1]
    plan.shape[plan.ndim - 2] = size
    plan.dst_strides[plan.ndim - 2] = dst_stride
    plan.src_strides[plan.ndim - 2] = src_stride


cdef bint plan_copy(CopyPlan *plan, char *dst, const npy_intp *dst_strides, char *src, const npy_intp *src_strides,
                    const npy_intp *shape, int ndim, int itemsize) noexcept nogil:
    cdef int dim
    cdef npy_intp dst_stride, src_stride
    plan.ndim = 0
    plan.dst = dst
    plan.src = src
    for dim in range(ndim):
        if shape[dim] == 0:
            return False
        if shape[dim] == 1:
            continue
        dst_stride = dst_strides[dim]
        src_stride = src_strides[dim]
        if dst_stride < 0:
            plan.dst += dst_stride * (shape[dim] - 1)
            plan.src += src_stride * (shape[dim] - 1)
            dst_stride = -dst_stride
            src_stride = -src_stride
        insert_dim(plan, shape[dim], dst_stride, src_stride)
    coalesce(plan)
    choose_transpose(plan, itemsize)
    return True


cdef bint advance(CopyPlan *plan, npy_intp *index, int n_outer, char **dst, char **src) noexcept nogil:
    """Step the odometer over the first n_outer dims; False after the last position."""
    cdef int dim = n_outer - 1
    while dim >= 0:
        index[dim] += 1
        dst[0] += plan.dst_strides[dim]
        src[0] += plan.src_strides[dim]
        if index[dim] < plan.shape[dim]:
            return True
        dst[0] -= plan.dst_strides[dim] * plan.shape[dim]
        src[0] -= plan.src_strides[dim] * plan.shape[dim]
        index[dim] = 0
        dim -= 1
    return False


cdef void copy_strided(char *dst, const npy_intp *dst_strides, char *src, const npy_intp *src_strides,
                       const npy_intp *shape, int ndim, int itemsize) noexcept nogil:
    cdef CopyPlan plan
    if plan_copy(&plan, dst, dst_strides, src, src_strides, shape, ndim, itemsize):
        run_copy(&plan, itemsize)


cdef void run_copy(CopyPlan *plan, int itemsize) noexcept nogil:
    cdef npy_intp index[MAX_DIMS]
    cdef copy2d_fn copy = wg_find_copy2d(itemsize)
    cdef int dim, n_outer
    cdef npy_intp n0 = 1, n1 = 1, s0 = 0, s1 = itemsize, d0 = 0, d1 = itemsize
    n_outer = plan.ndim - 2 if plan.ndim > 2 else 0
    if plan.ndim > 0:
        n1, s1, d1 = plan.shape[plan.ndim - 1], plan.src_strides[plan.ndim - 1], plan.dst_strides[plan.ndim - 1]
    if plan.ndim > 1:
        n0, s0, d0 = plan.shape[plan.ndim - 2], plan.src_strides[plan.ndim - 2], plan.dst_strides[plan.ndim - 2]
    for dim in range(n_outer):
        index[dim] = 0
    while True:
        copy(plan.src, s0, s1, plan.dst, d0, d1, n0, n1)
        if not advance(plan, index, n_outer, &plan.dst, &plan.src):
            return


cdef void cast_strided(char *dst, const npy_intp *dst_strides, int dst_dtype,
                       char *src, const npy_intp *src_strides, int src_dtype,
                       const npy_intp *shape, int ndim) noexcept nogil:
    cdef CopyPlan plan
    if src_dtype == dst_dtype:
        copy_strided(dst, dst_strides, src, src_strides, shape, ndim, itemsize_of(dst_dtype))
    elif plan_cast(&plan, dst, dst_strides, src, src_strides, shape, ndim):
        run_cast(&plan, dst_dtype, src_dtype)


cdef bint plan_cast(CopyPlan *plan, char *dst, const npy_intp *dst_strides, char *src, const npy_intp *src_strides,
                    const npy_intp *shape, int ndim) noexcept nogil:
    cdef int inner
    if not plan_copy(plan, dst, dst_strides, src, src_strides, shape, ndim, 0):
        return False
    inner = plan.ndim - 1
    if inner > 0 and plan.shape[inner] < 8 and plan.shape[inner - 1] > plan.shape[inner]:
        swap_last_two(plan)
    return True


cdef void run_cast(CopyPlan *plan, int dst_dtype, int src_dtype) noexcept nogil:
    cdef npy_intp index[MAX_DIMS]
    cdef cast_fn convert = cast(src_dtype, dst_dtype)
    cdef int dim, inner = plan.ndim - 1
    cdef npy_intp n = 1, src_stride = 0, dst_stride = 0
    if inner >= 0:
        n, src_stride, dst_stride = plan.shape[inner], plan.src_strides[inner], plan.dst_strides[inner]
    for dim in range(inner):
        index[dim] = 0
    while True:
        convert(plan.src, src_stride, plan.dst, dst_stride, n)
        if not advance(plan, index, inner, &plan.dst, &plan.src):
            return


cdef void swap_last_two(CopyPlan *plan) noexcept nogil:
    """Put the longer of the last two dims inside, where a call covers more of it."""
    cdef int a = plan.ndim - 1, b = plan.ndim - 2
    plan.shape[a], plan.shape[b] = plan.shape[b], plan.shape[a]
    plan.dst_strides[a], plan.dst_strides[b] = plan.dst_strides[b], plan.dst_strides[a]
    plan.src_strides[a], plan.src_strides[b] = plan.src_strides[b], plan.src_strides[a]


cdef void fill_strided(char *dst, const npy_intp *dst_strides, const npy_intp *shape, int ndim, int itemsize,
                       char *value) noexcept nogil:
    cdef npy_intp no_strides[MAX_DIMS]
    cdef int dim
    for dim in range(ndim):
        no_strides[dim] = 0
    copy_strided(dst, dst_strides, value, no_strides, shape, ndim, itemsize)


# ---- on several threads

cdef struct Job:
    CopyPlan plan
    int dim                            # which is cut
    npy_intp unit                      # size of a unit along dim
    int dst_dtype
    int src_dtype
    int itemsize                       # 0: a cast


cdef void copy_large(char *dst, const npy_intp *dst_strides, int dst_dtype,
                     char *src, const npy_intp *src_strides, int src_dtype,
                     const npy_intp *shape, int ndim) noexcept nogil:
    cdef Job job
    cdef npy_intp units[MAX_DIMS]
    cdef npy_intp count = 1
    cdef int dim, last
    job.dst_dtype, job.src_dtype = dst_dtype, src_dtype
    job.itemsize = itemsize_of(dst_dtype) if src_dtype == dst_dtype else 0
    if job.itemsize:
        if not plan_copy(&job.plan, dst, dst_strides, src, src_strides, shape, ndim, job.itemsize):
            return
    elif not plan_cast(&job.plan, dst, dst_strides, src, src_strides, shape, ndim):
        return
    last = job.plan.ndim - 1
    if last < 0:
        run_cut(&job, &job.plan)
        return
    for dim in range(job.plan.ndim):
        units[dim] = job.plan.shape[dim]
        count *= units[dim]
    units[last] = (units[last] + UNIT - 1) // UNIT
    job.dim = dim_to_split(job.plan.ndim, units)
    job.unit = UNIT if job.dim == last else 1
    parallel_for(units[job.dim], GRAIN * units[job.dim] // count, copy_units, &job)


cdef void fill_large(
    char *dst, const npy_intp *dst_strides, const npy_intp *shape, int ndim, int dtype, char *value
) noexcept nogil:
    cdef npy_intp no_strides[MAX_DIMS]
    cdef int dim
    for dim in range(ndim):
        no_strides[dim] = 0
    copy_large(dst, dst_strides, dtype, value, no_strides, dtype, shape, ndim)


cdef void copy_units(Py_ssize_t begin, Py_ssize_t end, void *ctx) noexcept nogil:
    cdef Job *job = <Job *>ctx
    cdef CopyPlan plan = job.plan
    cdef npy_intp first = begin * job.unit
    plan.shape[job.dim] = min(end * job.unit, plan.shape[job.dim]) - first
    plan.dst += first * plan.dst_strides[job.dim]
    plan.src += first * plan.src_strides[job.dim]
    run_cut(job, &plan)


cdef void run_cut(Job *job, CopyPlan *plan) noexcept nogil:
    if job.itemsize:
        run_copy(plan, job.itemsize)
    else:
        run_cast(plan, job.dst_dtype, job.src_dtype)
