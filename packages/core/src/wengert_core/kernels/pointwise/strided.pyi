# Nothing for Python: copy, cast and fill of strided buffers is reached by cimport, see strided.pxd.
