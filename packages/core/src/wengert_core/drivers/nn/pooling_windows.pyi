# Nothing for Python: reached by cimport, see pooling_windows.pxd.
