# Nothing for Python: reading dims, sizes and indices from an op's slots is reached by cimport, see arguments.pxd.
