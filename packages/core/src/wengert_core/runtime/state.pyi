# Nothing for Python: thread-local modes are reached by cimport, see state.pxd.
