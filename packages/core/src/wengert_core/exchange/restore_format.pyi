# Nothing for Python: reached by cimport, see restore_format.pxd.
