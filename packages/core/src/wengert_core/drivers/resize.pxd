"""A tensor's sizes changed in its own memory: resize_, and out= of another shape."""
from wengert_core.tensors.tensor cimport Storage, Tensor

cdef int resize_to(Tensor t, int ndim, const Py_ssize_t* shape) except -1      # row-major from t's first element on
cdef object owner_in_chain(Storage storage)                                   # it, or the Storage that owns it
