"""Launches of pointwise loops: see pointwise_launch.pxd."""
from libc.stdlib cimport malloc
from libc.string cimport memcpy, memset

from wengert_core.drivers.pointwise.strided_loop cimport merge_dims, run_large_loop, run_over
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.kernels.types cimport npy_intp
from wengert_core.runtime.launches cimport (LAUNCH_POINTWISE, OPERAND_CONSTANT, OPERAND_READ, OPERAND_WRITTEN, Launch,
                                            add_launch, add_operand, add_strided, tell_complete, tell_opaque)

cdef DTypeFacts* FACTS = dtype_facts()


cdef int run_plain(Launch* launch) noexcept nogil:
    """One call of the kernel."""
    cdef PointwisePlan* plan = <PointwisePlan*> launch.plan
    cdef char* args[5]
    cdef npy_intp steps[5]
    cdef npy_intp n = plan.shape[0]
    cdef int k
    for k in range(plan.n_in + 1):
        args[k], steps[k] = launch.data[k], plan.strides[k][0]
    plan.loop.fn(args, &n, steps, plan.loop.data)
    return 0


cdef int run_nested(Launch* launch) noexcept nogil:
    cdef PointwisePlan* plan = <PointwisePlan*> launch.plan
    cdef Operand operands[5]
    cdef Py_ssize_t shape[MOST_POINTWISE_DIMS]
    cdef int k
    for k in range(plan.n_in + 1):
        operands[k].data, operands[k].dtype = launch.data[k], plan.dtypes[k]
        memcpy(operands[k].strides, plan.strides[k], plan.ndim * sizeof(Py_ssize_t))
    memcpy(shape, plan.shape, plan.ndim * sizeof(Py_ssize_t))
    if plan.large:
        run_large_loop(&plan.loop, plan.n_in, operands, plan.ndim, shape)
    else:
        run_over(&plan.loop, plan.n_in, operands, plan.ndim, shape, True)
    return 0


cdef bint is_plain(PointwisePlan* plan) noexcept:
    cdef int k
    if plan.ndim > 1 or plan.large or plan.dtypes[plan.n_in] != plan.loop.out:
        return False
    for k in range(plan.n_in):
        if plan.dtypes[k] != (plan.loop.compute if k else plan.loop.first):
            return False
    return True


cdef PointwisePlan* plan_of(
    Loop* loop, int n_in, Operand* operands, int ndim, const Py_ssize_t* shape, bint large
) except NULL:
    cdef PointwisePlan* plan = <PointwisePlan*> malloc(sizeof(PointwisePlan))
    cdef int k
    if plan == NULL:
        raise MemoryError()
    memset(plan, 0, sizeof(PointwisePlan))
    plan.loop, plan.n_in, plan.ndim, plan.large = loop[0], n_in, ndim, large
    if loop.n_params:
        memcpy(plan.params, loop.data, loop.n_params * sizeof(double))
        plan.loop.data = plan.params
    plan.shape[0] = 1
    memcpy(plan.shape, shape, ndim * sizeof(Py_ssize_t))
    for k in range(n_in + 1):
        plan.dtypes[k] = operands[k].dtype
        memcpy(plan.strides[k], operands[k].strides, ndim * sizeof(Py_ssize_t))
    plan.plain = is_plain(plan)
    return plan


cdef int run_as_launch(
    Op op, Loop* loop, int n_in, Operand* operands, int ndim, Py_ssize_t* shape, unsigned int constants, bint large
) except -1:
    cdef PointwisePlan* plan
    cdef Launch* launch
    cdef int k
    ndim = merge_dims(n_in + 1, operands, ndim, shape)
    if ndim > MOST_POINTWISE_DIMS or n_in > 4:
        tell_opaque()
        run_over(loop, n_in, operands, ndim, shape, True)
        return 0
    plan = plan_of(loop, n_in, operands, ndim, shape, large)
    launch = add_launch(run_plain if plan.plain else run_nested, LAUNCH_POINTWISE, plan)
    for k in range(n_in + 1):
        if constants >> k & 1:
            memcpy(plan.numbers[k], operands[k].data, FACTS.itemsize[operands[k].dtype])
            add_operand(launch, <char*> plan.numbers[k], 0, 16, OPERAND_CONSTANT)
        else:
            add_strided(launch, operands[k].data, ndim, shape, operands[k].strides, FACTS.itemsize[operands[k].dtype],
                        OPERAND_READ if k < n_in else OPERAND_WRITTEN)
    if large:
        with nogil:
            launch.run(launch)
    else:
        launch.run(launch)
    tell_complete(<void*> op)
    return 0
