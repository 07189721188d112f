"""Products of sparse and dense matrices: see products.pyx."""
from wengert_core.extend cimport Tensor

cpdef Tensor elements_times_dense(Tensor indices, Tensor values, Tensor dense, Py_ssize_t n_rows, bint transposed=*)
