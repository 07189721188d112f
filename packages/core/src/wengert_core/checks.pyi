# Nothing for Python: what pointwise operations refuse is reached by cimport, see checks.pxd.
