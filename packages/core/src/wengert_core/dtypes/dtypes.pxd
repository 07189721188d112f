"""The twelve number types: codes, C tables of their facts, and torch's promotion."""

from wengert_core.kernels.types cimport (DTypeCode, BOOL, UINT8, INT8, INT16, INT32, INT64, FLOAT16, BFLOAT16, FLOAT32,
                                         FLOAT64, COMPLEX64, COMPLEX128, N_DTYPES)

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
    int itemsize[12]               # bytes
    int category[12]               # Category
    int numpy_type[12]             # NumPy's type number; -1 for bfloat16, which NumPy itself lacks
    int promote[12][12]            # DTypeCode of the two together
    int real[12]                   # the real type of a complex one, itself otherwise
    int default_float              # DTypeCode of the default dtype
    int default_complex

cdef DTypeFacts* dtype_facts() noexcept nogil
cdef dtype dtype_of(int code)
cdef int code_of(object spec) except -1       # from a dtype, a NumPy dtype, or float/int/bool/complex
