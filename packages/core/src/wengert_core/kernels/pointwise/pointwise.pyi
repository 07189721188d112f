# Nothing for Python: pointwise loops is reached by cimport, see pointwise.pxd.
