# Nothing for Python: what kernels hold is reached by cimport, see keep_alive.pxd.
