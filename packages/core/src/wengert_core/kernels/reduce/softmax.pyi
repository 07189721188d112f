# Nothing for Python: softmax kernels is reached by cimport, see softmax.pxd.
