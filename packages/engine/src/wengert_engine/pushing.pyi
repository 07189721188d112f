# Nothing for Python: forward.pyx reaches this by cimport, see pushing.pxd.
