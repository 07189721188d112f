"""Products of matrices on strided tensors. Note [What the loop gets] in gemm.pyx."""
from wengert_core.tensors.tensor cimport Tensor

cdef bint has_product(int code)                        # whether a loop for this dtype is there; else: references
cdef int computing_code(int code) noexcept             # float16 and bfloat16 are computed in float32
# out = a @ b, with b's last two dims swapped where transposed. A vector is a row as ``a`` and a column as ``b``; dims
# in front broadcast. Shapes fit, inputs have one dtype, out has computing_code of it or the dtype itself, and shares no
# memory with them.
cdef int multiply(Tensor a, Tensor b, bint transposed, Tensor out) except -1
cdef bint add_row(Tensor matrix, Tensor row) except -1  # matrix += row for the plainest case; False: nothing was done
