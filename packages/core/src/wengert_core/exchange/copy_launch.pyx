"""Launches of copies and fills: see copy_launch.pxd."""
from libc.stdlib cimport malloc
from libc.string cimport memcpy, memset

from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.kernels.pointwise.strided cimport (CopyPlan, cast_strided, copy_large, copy_strided, fill_large,
                                                     fill_strided, plan_copy)
from wengert_core.runtime.launches cimport (LAUNCH_COPY, LAUNCH_FILL, OPERAND_READ, OPERAND_WRITTEN, add_launch,
                                            add_strided, tell_move, tell_opaque)
from wengert_core.runtime.thread_pool cimport LARGE

cdef DTypeFacts* FACTS = dtype_facts()


cdef int run_copy(Launch* launch) noexcept nogil:
    cdef CopyLaunch* plan = <CopyLaunch*> launch.plan
    if plan.large:
        copy_large(launch.data[1], plan.target, plan.target_dtype, launch.data[0], plan.source, plan.source_dtype,
                   plan.shape, plan.ndim)
    elif plan.target_dtype == plan.source_dtype:
        copy_strided(launch.data[1], plan.target, launch.data[0], plan.source, plan.shape, plan.ndim,
                     FACTS.itemsize[plan.target_dtype])
    else:
        cast_strided(launch.data[1], plan.target, plan.target_dtype, launch.data[0], plan.source, plan.source_dtype,
                     plan.shape, plan.ndim)
    return 0


cdef int tell_copy(
    char* target, const Py_ssize_t* target_strides, int target_dtype, char* source, const Py_ssize_t* source_strides,
    int source_dtype, const Py_ssize_t* shape, int ndim, bint large
) except -1:
    cdef Py_ssize_t itemsize = FACTS.itemsize[target_dtype]
    cdef CopyPlan merged
    cdef CopyLaunch* plan
    cdef Launch* made
    if not plan_copy(&merged, target, target_strides, source, source_strides, shape, ndim, <int> itemsize):
        return 0
    if merged.ndim > MOST_COPY_DIMS:
        tell_opaque()
        return 0
    if not large and target_dtype == source_dtype and (
            merged.ndim == 0 or merged.ndim == 1 and merged.dst_strides[0] == merged.src_strides[0] == itemsize):
        return tell_move(merged.dst, merged.src, itemsize * (merged.shape[0] if merged.ndim else 1))
    plan = <CopyLaunch*> malloc(sizeof(CopyLaunch))
    if plan == NULL:
        raise MemoryError()
    plan.ndim, plan.large, plan.target_dtype, plan.source_dtype = merged.ndim, large, target_dtype, source_dtype
    memcpy(plan.shape, merged.shape, merged.ndim * sizeof(Py_ssize_t))
    memcpy(plan.target, merged.dst_strides, merged.ndim * sizeof(Py_ssize_t))
    memcpy(plan.source, merged.src_strides, merged.ndim * sizeof(Py_ssize_t))
    made = add_launch(run_copy, LAUNCH_COPY, plan)
    add_strided(made, merged.src, merged.ndim, plan.shape, plan.source, FACTS.itemsize[source_dtype], OPERAND_READ)
    add_strided(made, merged.dst, merged.ndim, plan.shape, plan.target, itemsize, OPERAND_WRITTEN)
    return 0


cdef int run_fill(Launch* launch) noexcept nogil:
    cdef FillPlan* plan = <FillPlan*> launch.plan
    if plan.large:
        fill_large(launch.data[0], plan.strides, plan.shape, plan.ndim, plan.dtype, plan.number)
    else:
        fill_strided(launch.data[0], plan.strides, plan.shape, plan.ndim, <int> FACTS.itemsize[plan.dtype],
                     plan.number)
    return 0


cdef int tell_fill(
    char* target, const Py_ssize_t* strides, const Py_ssize_t* shape, int ndim, int dtype, const char* number
) except -1:
    cdef FillPlan* plan
    cdef Py_ssize_t count = 1
    cdef int i
    for i in range(ndim):
        count *= shape[i]
    if count == 0:
        return 0
    if ndim > MOST_COPY_DIMS:
        tell_opaque()
        return 0
    plan = <FillPlan*> malloc(sizeof(FillPlan))
    if plan == NULL:
        raise MemoryError()
    plan.ndim, plan.dtype, plan.large = ndim, dtype, count >= LARGE
    memcpy(plan.shape, shape, ndim * sizeof(Py_ssize_t))
    memcpy(plan.strides, strides, ndim * sizeof(Py_ssize_t))
    memcpy(plan.number, number, FACTS.itemsize[dtype])
    add_strided(add_launch(run_fill, LAUNCH_FILL, plan), target, ndim, shape, strides, FACTS.itemsize[dtype],
                OPERAND_WRITTEN)
    return 0


cdef int tell_zeros(Tensor t) except -1:
    cdef char number[16]
    cdef Py_ssize_t stride = FACTS.itemsize[t.code]
    memset(number, 0, sizeof(number))
    return tell_fill(t.data, &stride, &t.count, 1, t.code, number)
