# Nothing for Python: reductions is reached by cimport, see reduce.pxd.
