# Nothing for Python: reached by cimport, see outer.pxd.
