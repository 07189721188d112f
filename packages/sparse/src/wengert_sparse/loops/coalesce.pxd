"""coalesce in C: see coalesce.pyx."""
from wengert_core.extend cimport Tensor

cdef object coalesce_components(Tensor indices, Tensor values, const Py_ssize_t* sizes)
