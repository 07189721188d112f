# Nothing for Python: Python numbers as operands are reached by cimport, see scalars.pxd.
