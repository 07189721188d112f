"""The loops of pooling ops."""
from wengert_core.drivers.nn.pooling_windows cimport Kind, Pool

# Planes of p.source into p.target, both float32 or float64. work: elements that are looked at.
cdef int run(Pool* p, Kind kind, int code, Py_ssize_t work, bint held) except -1
