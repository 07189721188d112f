# Nothing for Python: reached by cimport, see column_major.pxd.
