"""The driver of sort, argsort, topk, kthvalue, mode and the medians along a dim: kernels/reduce/sort.h, line by line.

What the kernel does not take (a dimensionless or empty tensor, an argument out of range, WENGERT_KERNELS=python) goes
to the row's reference through dimwise.pyx, which has the error messages.
"""
from cpython.mem cimport PyMem_Calloc
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint32_t

from wengert_core.dispatch.arguments cimport int_slot
from wengert_core.dispatch.keep_alive cimport hold_if_large
from wengert_core.dispatch.op cimport Op, op_error
from wengert_core.drivers.kernel_launch cimport add_tensor, tell_kernel
from wengert_core.drivers.out_argument cimport finish_result
from wengert_core.drivers.reduce.dimwise cimport along_run, check_dtype, several
from wengert_core.drivers.reduce.reduce cimport wrapped_dim
from wengert_core.dtypes.dtypes cimport INT64, DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport row_major
from wengert_core.exchange.device_memory cimport runs_on_device
from wengert_core.exchange.restore_format cimport as_ordered
from wengert_core.runtime.config cimport ONLY_REFERENCES
from wengert_core.runtime.launches cimport (LAUNCH_DONE, LAUNCH_FAILED, OPERAND_READ, OPERAND_WRITTEN, Launch,
                                            tell_complete)
from wengert_core.runtime.state cimport WG_TELL
from wengert_core.runtime.thread_pool cimport parallel_for
from wengert_core.tensors.tensor cimport Tensor, new_empty

cdef extern from "wengert_core/kernels/reduce/sort.h" nogil:
    enum:
        WG_SORT
        WG_BEST_K
        WG_KTH
        WG_MEDIAN
        WG_NANMEDIAN
        WG_MODE
    ctypedef struct wg_ordering:
        int what, code, flip
        Py_ssize_t n, k, stride, side, block_stride, side_stride, kept, out_block, out_side
        const char* data
        char* values
        int64_t* indices
        int failed
    void wg_order_lines(Py_ssize_t begin, Py_ssize_t end, void* ctx)

cdef enum:
    WITHOUT_GIL = 0x1000               # elements from which on it is worth letting the GIL go
    SHARE = 0x2000                     # elements worth a thread of their own: 5 to 30 ns each
    LONGEST = 0x7fffffff               # elements of a line; places are kept in 32 bits

cdef struct Ordering:                  # Op.data of these ops
    int what
    int dim_slot
    int k_slot                         # or -1
    int flip_slot                      # descending, largest; or -1
    int keepdim_slot                   # or -1
    bint alone                         # one output: the places

cdef DTypeFacts* FACTS = dtype_facts()
cdef dict WHAT = {"sort": WG_SORT, "argsort": WG_SORT, "topk": WG_BEST_K, "kthvalue": WG_KTH, "median": WG_MEDIAN,
                  "nanmedian": WG_NANMEDIAN, "mode": WG_MODE}


cdef int slot_of(Op op, str name) except -2:
    return op.params.index(name) if name in op.params else -1


def configure(Op op):
    """Give an along op, by its name, this driver."""
    cdef Ordering* o
    if ONLY_REFERENCES:
        return
    o = <Ordering*> PyMem_Calloc(1, sizeof(Ordering))
    if o == NULL:
        raise MemoryError()
    o.what = WHAT[op.name]
    o.dim_slot, o.k_slot, o.keepdim_slot = slot_of(op, "dim"), slot_of(op, "k"), slot_of(op, "keepdim")
    o.flip_slot = slot_of(op, "largest" if o.what == WG_BEST_K else "descending")
    o.alone = op.name == "argsort"
    op.data = o
    op.run = order_run


cdef object order_run(Op op, PyObject** slots, uint32_t live):
    cdef Ordering* o = <Ordering*> op.data
    cdef wg_ordering job
    cdef Tensor t
    cdef int dim
    if not isinstance(<object> slots[0], Tensor):
        raise op_error(op, 0, "Tensor", slots[0])
    t = <Tensor> slots[0]
    t = hold_if_large(t)
    check_dtype(op, t.code)
    dim = wrapped_dim(<object> slots[o.dim_slot], t.rank)
    job.k = max(int_slot(op, slots, o.k_slot), -1) - (o.what == WG_KTH) if o.k_slot >= 0 else 0
    if t.rank == 0 or t.count == 0 or runs_on_device() or not fitting(o.what, job.k, t.dims[dim]):
        return along_run(op, slots, live)
    job.what, job.code = o.what, t.code
    job.flip = o.flip_slot >= 0 and bool(<object> slots[o.flip_slot])
    return sort_lines(op, slots, t, dim, &job, live)


cdef inline bint fitting(int what, Py_ssize_t k, Py_ssize_t n) noexcept:
    """Whether the kernel takes it."""
    if n > LONGEST or k < 0:
        return False
    return k < n if what == WG_KTH else 0 < k <= n if what == WG_BEST_K else True


cdef object sort_lines(Op op, PyObject** slots, Tensor given, int dim, wg_ordering* job, uint32_t live):
    """Run the kernel over all lines of a tensor, row-major or copied to be so, and give the outputs."""
    cdef Ordering* o = <Ordering*> op.data
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t lines
    cdef Tensor values = None, indices, t = row_major(given)
    cdef int rank = result_shape(t, dim, job, o.keepdim_slot >= 0 and not <object> slots[o.keepdim_slot], shape)
    indices = new_empty(INT64, rank, shape)
    job.indices, job.values = <int64_t*> indices.data, NULL
    if not o.alone:
        values = new_empty(t.code, rank, shape)
        job.values = values.data
    describe(t, dim, job)
    lines = t.count // job.n
    if t.count < WITHOUT_GIL:
        wg_order_lines(0, lines, job)
    else:
        with nogil:
            parallel_for(lines, 1 + SHARE // job.n, wg_order_lines, job)
    if job.failed:
        raise_failed(op.name, job.n)
    if live & WG_TELL:
        tell_ordering(job, lines, t, values, indices)
        tell_complete(<void*> op)
    if o.what == WG_SORT:
        indices = as_ordered(given, indices)
        values = None if values is None else as_ordered(given, values)
    if o.alone:
        return finish_result(op, slots, indices, INT64, live)
    return several(op, slots, [values, indices], live)


cdef int sort_whole(Tensor t, Tensor values, Tensor places) except -1:
    """Sort all elements of a row-major tensor: at most LONGEST, at least one."""
    cdef wg_ordering job
    job.what, job.code, job.flip, job.k = WG_SORT, t.code, False, 0
    job.n = job.kept = job.out_block = t.count
    job.stride = job.side_stride = FACTS.itemsize[t.code]
    job.side = job.out_side = 1
    job.block_stride = job.failed = 0
    job.data, job.values, job.indices = t.data, values.data, <int64_t*> places.data
    with nogil:
        wg_order_lines(0, 1, &job)
    if job.failed:
        raise_failed("sort", job.n)
    return 0


cdef int result_shape(Tensor t, int dim, wg_ordering* job, bint drop, Py_ssize_t* shape) noexcept:
    """The shape of the results; gives its rank."""
    cdef int i, rank = 0
    job.n = t.dims[dim]
    job.kept = job.n if job.what == WG_SORT else job.k if job.what == WG_BEST_K else 1
    for i in range(t.rank):
        if i == dim and drop:
            continue
        shape[rank] = job.kept if i == dim else t.dims[i]
        rank += 1
    return rank


cdef void describe(Tensor t, int dim, wg_ordering* job) noexcept:
    """Where the lines of a row-major tensor, and of its row-major results, are."""
    cdef int i
    job.side, job.failed, job.data = 1, 0, t.data
    for i in range(dim + 1, t.rank):
        job.side *= t.dims[i]
    job.side_stride = FACTS.itemsize[t.code]
    job.stride = job.side * job.side_stride
    job.block_stride = job.n * job.stride
    job.out_side, job.out_block = job.side, job.kept * job.side


cdef int raise_failed(str name, Py_ssize_t n) except -1:
    raise MemoryError(f"{name}: no memory to order lines of {n} elements")


# ---- launches

cdef struct OrderingPlan:
    wg_ordering job
    Py_ssize_t lines


cdef int run_launch(Launch* launch) noexcept nogil:
    cdef OrderingPlan* plan = <OrderingPlan*> launch.plan
    plan.job.data, plan.job.values, plan.job.indices = launch.data[0], launch.data[1], <int64_t*> launch.data[2]
    plan.job.failed = 0
    if plan.lines * plan.job.n < WITHOUT_GIL:
        wg_order_lines(0, plan.lines, &plan.job)
    else:
        parallel_for(plan.lines, 1 + SHARE // plan.job.n, wg_order_lines, &plan.job)
    return LAUNCH_FAILED if plan.job.failed else LAUNCH_DONE


cdef int fail_launch(Launch* launch) except -1:
    return raise_failed("sort", (<OrderingPlan*> launch.plan).job.n)


cdef int tell_ordering(wg_ordering* job, Py_ssize_t lines, Tensor t, Tensor values, Tensor indices) except -1:
    cdef OrderingPlan plan
    cdef Launch* made
    plan.job, plan.lines = job[0], lines
    made = tell_kernel(run_launch, &plan, sizeof(OrderingPlan))
    made.fail = fail_launch
    add_tensor(made, t, OPERAND_READ)
    add_tensor(made, values, OPERAND_WRITTEN)
    add_tensor(made, indices, OPERAND_WRITTEN)
    return 0
