# Nothing for Python: gather and scatter is reached by cimport, see index.pxd.
