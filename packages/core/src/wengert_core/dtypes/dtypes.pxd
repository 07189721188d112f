"""The number types: codes, C tables of their facts, and torch's promotion."""

from wengert_core.kernels.types cimport (DTypeCode, BOOL, UINT8, INT8, INT16, INT32, INT64, FLOAT16, BFLOAT16, FLOAT32,
                                         FLOAT64, COMPLEX64, COMPLEX128, UINT16, UINT32, UINT64, N_DTYPES)

cdef enum Category:                # torch's promotion looks at the category first
    CAT_BOOL = 0
    CAT_INT = 1
    CAT_FLOAT = 2
    CAT_COMPLEX = 3


cdef class dtype:
    cdef readonly int code         # DTypeCode
    cdef readonly int itemsize     # bytes
    cdef readonly str name         # without the prefix: "float32"
    cdef readonly int category     # Category


cdef struct DTypeFacts:
    int itemsize[N_DTYPES]         # bytes
    int category[N_DTYPES]         # Category
    int is_signed[N_DTYPES]        # 0 for bool and the unsigned integers
    int numpy_type[N_DTYPES]       # NumPy's type number; -1 for bfloat16, which NumPy itself lacks
    int promote[N_DTYPES][N_DTYPES]    # DTypeCode of the two together
    int real[N_DTYPES]             # the real type of a complex one, itself otherwise
    int default_float              # DTypeCode of the default dtype
    int default_complex

cdef DTypeFacts* dtype_facts() noexcept nogil
cdef dtype dtype_of(int code)
cdef int code_of(object spec) except -1       # from a dtype, a NumPy dtype, or float/int/bool/complex
