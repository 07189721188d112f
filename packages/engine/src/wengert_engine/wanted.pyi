# Nothing for Python: reached by cimport, see wanted.pxd.
