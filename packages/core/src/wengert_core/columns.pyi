# Nothing for Python: reached by cimport, see columns.pxd.
