"""Launches of pointwise loops: see pointwise_launch.pxd."""
cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from wengert_core.drivers.pointwise.strided_loop cimport merge_dims, run_large_loop, run_over
from wengert_core.dtypes.dtypes cimport FLOAT32, FLOAT64, DTypeFacts, dtype_facts
from wengert_core.kernels.pointwise.casts cimport cast
from wengert_core.kernels.types cimport npy_intp
from wengert_core.runtime.launches cimport (LAUNCH_KERNEL, LAUNCH_POINTWISE, OPERAND_CONSTANT, OPERAND_READ,
                                            OPERAND_WRITTEN, Launch, add_launch, add_operand, add_strided,
                                            share_plan, tell_complete, tell_opaque)

cdef enum:
    MOST_OPERANDS = 5                  # of PointwisePlan

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


cdef bint has_own_dtypes(Loop* loop, int n_in, Operand* operands) noexcept:
    """Whether no operand is converted."""
    cdef int k
    for k in range(n_in):
        if operands[k].dtype != (loop.compute if k else loop.first):
            return False
    return operands[n_in].dtype == loop.out


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
    plan.plain = ndim <= 1 and not large and has_own_dtypes(loop, n_in, operands)
    return plan


cdef struct ParamPlan:                 # a PointwisePlan whose parameters are read when it runs
    PointwisePlan pointwise
    int codes[4]                       # DTypeCode of each; -1: it is as in the plan


cdef bint is_readable_param(PyObject* value) noexcept:
    """Whether a parameter is a tensor that a launch reads."""
    return isinstance(<object> value, Tensor) and (<Tensor> value).rank == 0 and not (<Tensor> value).device \
        and ((<Tensor> value).code == FLOAT32 or (<Tensor> value).code == FLOAT64)


cdef void read_param(int code, char* data, double* param) noexcept nogil:
    cast(code, FLOAT64)(data, 0, <char*> param, 0, 1)


cdef int run_with_params(Launch* launch) noexcept nogil:
    cdef ParamPlan* plan = <ParamPlan*> launch.plan
    cdef int i, k = plan.pointwise.n_in + 1
    for i in range(plan.pointwise.loop.n_params):
        if plan.codes[i] >= 0:
            read_param(plan.codes[i], launch.data[k], &plan.pointwise.params[i])
            k += 1
    return run_nested(launch)


cdef int add_params(Launch* launch, PyObject** params) except -1:
    """Let a launch read those of its parameters that are tensors."""
    cdef PointwisePlan* plan = <PointwisePlan*> launch.plan
    cdef ParamPlan* own
    cdef Tensor t
    cdef int i
    cdef bint some = False
    for i in range(plan.loop.n_params):
        some = some or is_readable_param(params[i])
    if not some:
        return 0
    own = <ParamPlan*> malloc(sizeof(ParamPlan))
    if own == NULL:
        raise MemoryError()
    own.pointwise = plan[0]
    own.pointwise.loop.data = own.pointwise.params
    for i in range(plan.n_in):
        if launch.role[i] == OPERAND_CONSTANT:
            launch.data[i] = <char*> own.pointwise.numbers[i]
    for i in range(plan.loop.n_params):
        own.codes[i] = -1
        if is_readable_param(params[i]):
            t = <Tensor> params[i]
            own.codes[i] = t.code
            add_operand(launch, t.data, 0, FACTS.itemsize[t.code], OPERAND_READ)
    free(plan)
    launch.plan, launch.run, launch.kind = own, run_with_params, LAUNCH_KERNEL
    return 0


# ---- plans of one call of a kernel: tens of thousands in a program, of which a few differ

cdef enum:
    N_RECENT = 64                      # as six bits count

cdef PointwisePlan* RECENT[N_RECENT]    # shared plans, by what they are of; the GIL protects it


@cython.overflowcheck(False)           # the product wraps
cdef inline PointwisePlan** recent_plan(Loop* loop, Py_ssize_t count, npy_intp stride, uint64_t number) noexcept:
    """The place where the plan of such a call was put last."""
    cdef uint64_t key = <size_t> loop.fn ^ (<size_t> loop.data << 7) ^ (<uint64_t> count << 14) \
        ^ (<uint64_t> stride << 28) ^ number
    return &RECENT[(key * <uint64_t> 0x9e3779b97f4a7c15) >> 58]


cdef inline bint is_plan_of(
    const PointwisePlan* plan, Loop* loop, int n_in, char** args, const npy_intp* strides, int ndim, Py_ssize_t count,
    unsigned int constants
) noexcept:
    """Whether a plan is what ``plain_plan`` would make."""
    cdef const uint64_t* number
    cdef int k
    if memcmp(&plan.loop, loop, sizeof(Loop)) != 0 or plan.n_in != n_in or plan.shape[0] != count \
            or plan.ndim != ndim:
        return False
    for k in range(n_in + 1):
        if plan.ndim and plan.strides[k][0] != strides[k]:
            return False
    for k in range(n_in):
        number = <const uint64_t*> plan.numbers[k]
        if constants >> k & 1:
            if memcmp(number, args[k], FACTS.itemsize[plan.dtypes[k]]) != 0:
                return False
        elif number[0] or number[1]:
            return False
    return True


cdef PointwisePlan* plain_plan(
    Loop* loop, int n_in, char** args, const npy_intp* strides, int ndim, Py_ssize_t count, unsigned int constants
) except NULL:
    """A plan that is one call of the kernel, along one dim at most. args: looked at where they are numbers."""
    cdef PointwisePlan own
    # Without the strides that nobody reads.
    cdef size_t nbytes = sizeof(PointwisePlan) - ((MOST_OPERANDS - n_in) * MOST_POINTWISE_DIMS - 1) * sizeof(Py_ssize_t)
    cdef PointwisePlan* plan
    cdef PointwisePlan** recent
    cdef uint64_t number = 0
    cdef int k
    for k in range(n_in):
        if constants >> k & 1:
            memcpy(&number, args[k], min(FACTS.itemsize[loop.compute if k else loop.first], 8))
    recent = recent_plan(loop, count, strides[0] if ndim else 0, number)
    if recent[0] != NULL and is_plan_of(recent[0], loop, n_in, args, strides, ndim, count, constants):
        return recent[0]
    memset(&own, 0, sizeof(PointwisePlan))
    own.loop, own.n_in, own.ndim, own.plain, own.shape[0] = loop[0], n_in, ndim, True, count
    for k in range(n_in + 1):
        own.dtypes[k] = loop.out if k == n_in else loop.compute if k else loop.first
        if own.ndim:
            own.strides[k][0] = strides[k]
        if constants >> k & 1:
            memcpy(own.numbers[k], args[k], FACTS.itemsize[own.dtypes[k]])
    plan = <PointwisePlan*> share_plan(&own, nbytes)
    if plan != NULL:
        recent[0] = plan
        return plan
    plan = <PointwisePlan*> malloc(nbytes)
    if plan == NULL:
        raise MemoryError()
    memcpy(plan, &own, nbytes)
    return plan


cdef int run_as_launch(
    Op op, Loop* loop, int n_in, Operand* operands, int ndim, Py_ssize_t* shape, unsigned int constants, bint large,
    PyObject** params
) except -1:
    cdef PointwisePlan* plan
    cdef Launch* launch
    cdef npy_intp strides[5]
    cdef int k
    ndim = merge_dims(n_in + 1, operands, ndim, shape)
    if ndim > MOST_POINTWISE_DIMS or n_in > 4:
        tell_opaque()
        run_over(loop, n_in, operands, ndim, shape, True)
        return 0
    if ndim <= 1 and not large and not constants and not loop.n_params and has_own_dtypes(loop, n_in, operands):
        for k in range(n_in + 1):
            strides[k] = operands[k].strides[0] if ndim else 0
        plan = plain_plan(loop, n_in, NULL, strides, ndim, shape[0] if ndim else 1, 0)
    else:
        plan = plan_of(loop, n_in, operands, ndim, shape, large)
    launch = add_launch(run_plain if plan.plain else run_nested, LAUNCH_POINTWISE, plan)
    for k in range(n_in + 1):
        if constants >> k & 1:
            memcpy(plan.numbers[k], operands[k].data, FACTS.itemsize[operands[k].dtype])
            add_operand(launch, <char*> plan.numbers[k], 0, 16, OPERAND_CONSTANT)
        else:
            add_strided(launch, operands[k].data, ndim, shape, operands[k].strides, FACTS.itemsize[operands[k].dtype],
                        OPERAND_READ if k < n_in else OPERAND_WRITTEN)
    if loop.n_params:
        add_params(launch, params)
    if large:
        with nogil:
            launch.run(launch)
    else:
        launch.run(launch)
    tell_complete(<void*> op)
    return 0


cdef int tell_direct(
    Op op, Loop* loop, int n_in, char** args, const npy_intp* strides, Tensor out, unsigned int constants
) except -1:
    cdef PointwisePlan* plan = plain_plan(loop, n_in, args, strides, out.rank != 0, out.count, constants)
    cdef Launch* launch = add_launch(run_plain, LAUNCH_POINTWISE, plan)
    cdef int k
    for k in range(n_in + 1):
        if constants >> k & 1:
            add_operand(launch, <char*> plan.numbers[k], 0, 16, OPERAND_CONSTANT)
        else:
            add_operand(launch, args[k], 0, out.count * FACTS.itemsize[plan.dtypes[k]],
                        OPERAND_READ if k < n_in else OPERAND_WRITTEN)
    tell_complete(<void*> op)
    return 0
