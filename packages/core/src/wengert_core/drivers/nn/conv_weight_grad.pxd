"""The gradient of a convolution's weight. See conv_weight_grad.pyx."""
from wengert_core.drivers.nn.conv_plan cimport Geometry
from wengert_core.tensors.tensor cimport Tensor

cdef int weight_gradient(Geometry* g, Tensor x, Tensor y, Tensor out) except -1      # as convolve
