# Nothing for Python: running one inner loop over n dims is reached by cimport, see strided_loop.pxd.
