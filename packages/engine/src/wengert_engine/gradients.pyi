# Nothing for Python: reached by cimport, see gradients.pxd.
