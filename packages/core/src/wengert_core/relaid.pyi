# Nothing for Python: reached by cimport, see relaid.pxd.
