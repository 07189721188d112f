"""The dot product of long vectors on several threads. dot.pyx."""
from wengert_core.kernels.types cimport loop_t, npy_intp

cdef enum:
    DOT_UNIT = 0x2000                  # elements of a unit: below what OpenBLAS gives threads of its own (10,000)

# target[0] = the sum of a[i] * b[i], of dtype ``code``: float32, float64, complex64 or complex128. fn: NumPy's matmul
# loop for it (Note [What the loop gets] in gemm.pyx). n is positive.
cdef void dot_in_units(
    loop_t fn, void* data, int code, char* a, npy_intp a_step, char* b, npy_intp b_step, Py_ssize_t n, char* target
) noexcept nogil
