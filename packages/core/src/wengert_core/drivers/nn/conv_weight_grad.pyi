# Nothing for Python: reached by cimport, see conv_weight_grad.pxd.
