"""Launches of products of matrices: see product_launch.pxd."""
from libc.stdlib cimport malloc
from libc.string cimport memcpy

from wengert_core.dtypes.dtypes cimport FLOAT32, DTypeFacts, dtype_facts
from wengert_core.runtime.launches cimport (LAUNCH_ADD_ROW, LAUNCH_PRODUCT, OPERAND_READ, OPERAND_UPDATED,
                                            OPERAND_WRITTEN, Launch, add_launch, add_operand, add_strided)

cdef DTypeFacts* FACTS = dtype_facts()


cdef int run_product(Launch* launch) noexcept nogil:
    cdef ProductPlan* plan = <ProductPlan*> launch.plan
    cdef char* args[3]
    cdef npy_intp sizes[4]
    cdef npy_intp steps[9]
    memcpy(args, launch.data, sizeof(args))
    memcpy(sizes, plan.sizes, sizeof(sizes))
    memcpy(steps, plan.steps, sizeof(steps))
    plan.fn(args, sizes, steps, plan.loop_data)
    return 0


cdef int tell_product(
    loop_t fn, void* data, Tensor a, Tensor b, Tensor out, const npy_intp* sizes, const npy_intp* steps
) except -1:
    cdef ProductPlan* plan = <ProductPlan*> malloc(sizeof(ProductPlan))
    cdef Py_ssize_t itemsize = FACTS.itemsize[out.code]
    cdef Launch* made
    if plan == NULL:
        raise MemoryError()
    plan.fn, plan.loop_data, plan.code = fn, data, out.code
    memcpy(plan.sizes, sizes, sizeof(plan.sizes))
    memcpy(plan.steps, steps, sizeof(plan.steps))
    made = add_launch(run_product, LAUNCH_PRODUCT, plan)
    add_side(made, a.data, sizes[0], steps[0], sizes[1], steps[3], sizes[2], steps[4], itemsize, OPERAND_READ)
    add_side(made, b.data, sizes[0], steps[1], sizes[2], steps[5], sizes[3], steps[6], itemsize, OPERAND_READ)
    add_side(made, out.data, sizes[0], steps[2], sizes[1], steps[7], sizes[3], steps[8], itemsize, OPERAND_WRITTEN)
    return 0


cdef void add_side(
    Launch* launch, char* data, Py_ssize_t n_batch, Py_ssize_t batch, Py_ssize_t rows, Py_ssize_t down,
    Py_ssize_t columns, Py_ssize_t along, Py_ssize_t itemsize, int role
) noexcept:
    cdef Py_ssize_t shape[3]
    cdef Py_ssize_t strides[3]
    shape[0], shape[1], shape[2] = n_batch, rows, columns
    strides[0], strides[1], strides[2] = batch, down, along
    add_strided(launch, data, 3, shape, strides, itemsize, role)


# ---- a row added to each row

ctypedef fused real_t:
    float
    double


cdef void add_row_of(real_t* matrix, real_t* row, Py_ssize_t m, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i, k
    for i in range(m):
        for k in range(n):
            matrix[i * n + k] += row[k]


cdef void add_row_to(char* matrix, char* row, Py_ssize_t m, Py_ssize_t n, int code) noexcept nogil:
    if code == FLOAT32:
        add_row_of(<float*> matrix, <float*> row, m, n)
    else:
        add_row_of(<double*> matrix, <double*> row, m, n)


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
