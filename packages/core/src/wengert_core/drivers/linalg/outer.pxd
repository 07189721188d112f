"""Products of matrices with one multiplication for each element: a column and a row."""
from wengert_core.tensors.tensor cimport Tensor

# out = a @ b for a of one column, as multiply() of gemm.pxd; False: nothing was done, another loop is to be taken.
cdef bint outer_product(Tensor a, Tensor b, bint transposed, Tensor out) except -1
