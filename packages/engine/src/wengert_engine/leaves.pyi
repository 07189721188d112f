# Nothing for Python: reached by cimport, see leaves.pxd.
