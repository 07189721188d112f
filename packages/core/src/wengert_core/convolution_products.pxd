"""Convolutions and their transposes. See convolution_products.pyx."""
from wengert_core.convolution_tables cimport Geometry
from wengert_core.tensor cimport Tensor

# bias: None or [channels of the result]. All are contiguous and of one dtype, float32 or float64.
cdef int convolve(Geometry* g, Tensor x, Tensor w, Tensor bias, Tensor out) except -1
cdef int transpose(Geometry* g, Tensor y, Tensor w, Tensor bias, Tensor out) except -1
