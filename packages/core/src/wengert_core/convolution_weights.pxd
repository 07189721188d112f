"""The gradient of a convolution's weight. See convolution_weights.pyx."""
from wengert_core.convolution_tables cimport Geometry
from wengert_core.tensor cimport Tensor

cdef int weight_gradient(Geometry* g, Tensor x, Tensor y, Tensor out) except -1      # as convolve
