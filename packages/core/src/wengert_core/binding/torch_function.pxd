"""Dispatch to tensor subclasses before calls. Note [Tensors of subclasses are asked first] is in torch_function.pyx."""
from cpython.ref cimport PyObject


cdef extern from "wengert_core/binding/torch_function.h":
    # not 0 once there has been a tensor of a subclass, or a mode, that is asked; other packages ask subclasses()
    unsigned int wengert_subclasses
    object wengert_owned(PyObject* o)  # an object whose reference is given up

cdef unsigned int* subclasses() noexcept nogil
cdef void note_subclass() noexcept  # there is one now
cdef void set_tensor_type(PyObject* tensor_type) noexcept
cdef bint is_tensor_type(PyObject* kind) noexcept
# Whether one of n values is to be asked, or an item of one.
cdef bint may_override(PyObject* const* args, Py_ssize_t n) noexcept
# The answer to a call, or to the access of an attribute; NULL without an exception: nobody is asked.
cdef PyObject* call_override(PyObject* func, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) except? NULL
cdef PyObject* call_attribute_override(PyObject* self, PyObject* name, const char* what, PyObject* value) noexcept
# Ask nobody in this thread from here on; returns what to give to restore().
cdef unsigned int is_disabled() noexcept nogil
cdef void restore(unsigned int off) noexcept nogil
# Ask no tensors; returns what to give to restore().
cdef unsigned int disable_tensors() noexcept nogil
