"""Launches of products of matrices. Note [Launches] in runtime/launches.pxd"""
from wengert_core.drivers.linalg.product cimport Product
from wengert_core.kernels.types cimport loop_t, npy_intp
from wengert_core.tensors.tensor cimport Tensor

cdef struct ProductPlan:               # plan of LAUNCH_PRODUCT. Note [What the loop gets] in gemm.pyx
    loop_t fn
    void* loop_data
    npy_intp sizes[4]
    npy_intp steps[9]
    int code                           # DTypeCode of all three

cdef struct AddRowPlan:                # plan of LAUNCH_ADD_ROW: a row is added to each row of a contiguous matrix
    Py_ssize_t m
    Py_ssize_t n
    int code                           # FLOAT32 or FLOAT64

cdef int tell_product(Product* p, Tensor a, Tensor b, Tensor out) except -1     # that has been run
cdef int tell_row(Tensor matrix, Tensor row, Py_ssize_t m, Py_ssize_t n) except -1
cdef void add_row_to(char* matrix, char* row, Py_ssize_t m, Py_ssize_t n, int code) noexcept nogil
