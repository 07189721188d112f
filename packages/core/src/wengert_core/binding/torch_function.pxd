"""Dispatch to tensor subclasses before calls. Note [Tensors of subclasses are asked first] is in torch_function.pyx."""
from cpython.ref cimport PyObject


cdef extern from "wengert_core/binding/torch_function.h":
    unsigned int wengert_subclasses    # not 0 once there has been a tensor of a subclass, or a mode, that is asked; other packages ask subclasses()
    object wengert_owned(PyObject* o)  # an object whose reference is given up

cdef unsigned int* subclasses() noexcept nogil
cdef void note_subclass() noexcept                       # there is one now
cdef void set_tensor_type(PyObject* tensor_type) noexcept
cdef bint is_tensor_type(PyObject* kind) noexcept
cdef bint asks(PyObject* const* args, Py_ssize_t n) noexcept                  # whether one of n values is to be asked, or an item of one
cdef PyObject* asked(PyObject* func, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) except? NULL    # NULL, no exception: nobody is
cdef PyObject* attribute_asked(PyObject* self, PyObject* name, const char* what, PyObject* value) noexcept       # the same of an attribute
cdef unsigned int switched_off() noexcept nogil          # nobody is asked in this thread from here on; what to give to restore()
cdef void restore(unsigned int off) noexcept nogil
