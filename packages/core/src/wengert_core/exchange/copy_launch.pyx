"""Launches of copies and fills: see copy_launch.pxd."""
from libc.stdlib cimport malloc
from libc.string cimport memcpy

from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.kernels.pointwise.strided cimport cast_strided, copy_large, copy_strided, fill_strided
from wengert_core.runtime.launches cimport (LAUNCH_COPY, LAUNCH_FILL, OPERAND_READ, OPERAND_WRITTEN, add_launch,
                                            add_strided, tell_opaque)

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
    cdef CopyLaunch* plan
    cdef Launch* made
    if ndim > MOST_COPY_DIMS:
        tell_opaque()
        return 0
    plan = <CopyLaunch*> malloc(sizeof(CopyLaunch))
    if plan == NULL:
        raise MemoryError()
    plan.ndim, plan.large, plan.target_dtype, plan.source_dtype = ndim, large, target_dtype, source_dtype
    memcpy(plan.shape, shape, ndim * sizeof(Py_ssize_t))
    memcpy(plan.target, target_strides, ndim * sizeof(Py_ssize_t))
    memcpy(plan.source, source_strides, ndim * sizeof(Py_ssize_t))
    made = add_launch(run_copy, LAUNCH_COPY, plan)
    add_strided(made, source, ndim, shape, source_strides, FACTS.itemsize[source_dtype], OPERAND_READ)
    add_strided(made, target, ndim, shape, target_strides, FACTS.itemsize[target_dtype], OPERAND_WRITTEN)
    return 0


cdef int run_fill(Launch* launch) noexcept nogil:
    cdef FillPlan* plan = <FillPlan*> launch.plan
    fill_strided(launch.data[0], plan.strides, plan.shape, plan.ndim, plan.itemsize, plan.number)
    return 0


cdef int tell_fill(
    char* target, const Py_ssize_t* strides, const Py_ssize_t* shape, int ndim, int itemsize, const char* number
) except -1:
    cdef FillPlan* plan
    if ndim > MOST_COPY_DIMS:
        tell_opaque()
        return 0
    plan = <FillPlan*> malloc(sizeof(FillPlan))
    if plan == NULL:
        raise MemoryError()
    plan.ndim, plan.itemsize = ndim, itemsize
    memcpy(plan.shape, shape, ndim * sizeof(Py_ssize_t))
    memcpy(plan.strides, strides, ndim * sizeof(Py_ssize_t))
    memcpy(plan.number, number, itemsize)
    add_strided(add_launch(run_fill, LAUNCH_FILL, plan), target, ndim, shape, strides, itemsize, OPERAND_WRITTEN)
    return 0
