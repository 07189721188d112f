"""Convolutions and their transposes. See conv_gemm.pyx."""
from wengert_core.drivers.nn.conv_plan cimport Geometry
from wengert_core.tensors.tensor cimport Tensor

# bias: None or [channels of the result]. All are contiguous and of one dtype, float32 or float64.
cdef int convolve(Geometry* g, Tensor x, Tensor w, Tensor bias, Tensor out) except -1
cdef int transpose(Geometry* g, Tensor y, Tensor w, Tensor bias, Tensor out) except -1
