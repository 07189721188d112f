# Nothing for Python: pointwise operations by their references are reached by cimport, see pointwise_references.pxd.
