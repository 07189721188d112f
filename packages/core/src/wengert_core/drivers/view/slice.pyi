# Nothing for Python: views of a part are reached by cimport, see slice.pxd.
