# Nothing for Python: reached by cimport, see convolution_weights.pxd.
