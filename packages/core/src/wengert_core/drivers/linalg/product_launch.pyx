"""Launches of products of matrices: see product_launch.pxd."""
from libc.stdlib cimport malloc
from libc.string cimport memcpy

from wengert_core.drivers.kernel_launch cimport tell_kernel
from wengert_core.drivers.linalg.product cimport MOST_BATCH_DIMS, PRODUCT_BY_LOOP, BatchDim, run_product
from wengert_core.dtypes.dtypes cimport FLOAT32, DTypeFacts, dtype_facts
from wengert_core.runtime.launches cimport (LAUNCH_ADD_ROW, LAUNCH_PRODUCT, OPERAND_READ, OPERAND_UPDATED,
                                            OPERAND_WRITTEN, Launch, add_launch, add_operand, add_strided)

cdef extern from "wengert_core/kernels/linalg/rows.h" nogil:
    void wg_add_row_f32(char* to, const char* row, Py_ssize_t m, Py_ssize_t n)
    void wg_add_row_f64(char* to, const char* row, Py_ssize_t m, Py_ssize_t n)

cdef DTypeFacts* FACTS = dtype_facts()


cdef int run_simple(Launch* launch) noexcept nogil:
    cdef ProductPlan* plan = <ProductPlan*> launch.plan
    cdef char* args[3]
    cdef npy_intp sizes[4]
    cdef npy_intp steps[9]
    memcpy(args, launch.data, sizeof(args))
    memcpy(sizes, plan.sizes, sizeof(sizes))
    memcpy(steps, plan.steps, sizeof(steps))
    plan.fn(args, sizes, steps, plan.loop_data)
    return 0


cdef int run_large(Launch* launch) noexcept nogil:
    run_product(<Product*> launch.plan, launch.data[0], launch.data[1], launch.data[2])
    return 0


cdef int tell_product(Product* p, Tensor a, Tensor b, Tensor out) except -1:
    cdef Py_ssize_t unused = (MOST_BATCH_DIMS - p.n_batch) * <Py_ssize_t> sizeof(BatchDim)
    cdef ProductPlan plan
    cdef Launch* made
    if p.way == PRODUCT_BY_LOOP and p.n_batch <= 1 and not p.alone:
        plan.fn, plan.loop_data, plan.code = p.fn, p.data, p.code
        memcpy(plan.sizes, p.sizes, sizeof(plan.sizes))
        memcpy(plan.steps, p.steps, sizeof(plan.steps))
        made = tell_kernel(run_simple, &plan, sizeof(ProductPlan))
        made.kind = LAUNCH_PRODUCT
    else:
        made = tell_kernel(run_large, p, <Py_ssize_t> sizeof(Product) - unused)
    add_side(made, a.data, p, 0, p.sizes[1], p.steps[3], p.sizes[2], p.steps[4], OPERAND_READ)
    add_side(made, b.data, p, 1, p.sizes[2], p.steps[5], p.sizes[3], p.steps[6], OPERAND_READ)
    add_side(made, out.data, p, 2, p.sizes[1], p.steps[7], p.sizes[3], p.steps[8], OPERAND_WRITTEN)
    return 0


cdef void add_side(
    Launch* launch, char* data, Product* p, int side, Py_ssize_t rows, Py_ssize_t down, Py_ssize_t columns,
    Py_ssize_t along, int role
) noexcept:
    cdef Py_ssize_t shape[MOST_BATCH_DIMS + 2]
    cdef Py_ssize_t strides[MOST_BATCH_DIMS + 2]
    cdef int i, n = p.n_batch
    for i in range(n):
        shape[i], strides[i] = p.batch[i].size, p.batch[i].moves[side]
    shape[n], shape[n + 1] = rows, columns
    strides[n], strides[n + 1] = down, along
    add_strided(launch, data, n + 2, shape, strides, FACTS.itemsize[p.code], role)


# ---- a row added to each row

cdef void add_row_to(char* matrix, char* row, Py_ssize_t m, Py_ssize_t n, int code) noexcept nogil:
    if code == FLOAT32:
        wg_add_row_f32(matrix, row, m, n)
    else:
        wg_add_row_f64(matrix, row, m, n)


cdef int run_row(Launch* launch) noexcept nogil:
    cdef AddRowPlan* plan = <AddRowPlan*> launch.plan
    add_row_to(launch.data[1], launch.data[0], plan.m, plan.n, plan.code)
    return 0


cdef int tell_row(Tensor matrix, Tensor row, Py_ssize_t m, Py_ssize_t n) except -1:
    cdef AddRowPlan* plan = <AddRowPlan*> malloc(sizeof(AddRowPlan))
    cdef Launch* made
    if plan == NULL:
        raise MemoryError()
    plan.m, plan.n, plan.code = m, n, matrix.code
    made = add_launch(run_row, LAUNCH_ADD_ROW, plan)
    add_operand(made, row.data, 0, n * FACTS.itemsize[matrix.code], OPERAND_READ)
    add_operand(made, matrix.data, 0, m * n * FACTS.itemsize[matrix.code], OPERAND_UPDATED)
    return 0
