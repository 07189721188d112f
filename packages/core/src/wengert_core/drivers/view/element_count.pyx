"""``Tensor.size``: an int that is called as the method. Note [An int that is a method] in element_count.h

>>> from wengert_core import zeros
>>> t = zeros(3, 4)
>>> t.size, t.size + 1, t.size(), t.size(0)
(12, 13, torch.Size([3, 4]), 3)
"""
cimport cython
from cpython.object cimport PyTypeObject
from cpython.ref cimport PyObject

from wengert_core.binding.checked_methods cimport Method
from wengert_core.geometry.size_math cimport bytes_between
from wengert_core.tensors.tensor cimport Tensor

cdef extern from "wengert_core/runtime/pyobject.h":
    void wengert_set_vectorcall(PyTypeObject* t, Py_ssize_t offset, void* get) noexcept

cdef extern from "wengert_core/drivers/view/element_count.h":
    object wengert_count_type()
    PyObject* wengert_count_new(PyTypeObject* t, Py_ssize_t count, PyObject* method, PyObject* instance) noexcept

ElementCount = wengert_count_type()
"""The type of ``Tensor.size``: the number of elements, called the method."""
cdef PyTypeObject* COUNT = <PyTypeObject*> ElementCount


@cython.binding(False)
cdef class CountMethod(Method):
    """A method of Tensor that, where it is not called, is the number of elements."""

    def __get__(self, instance, owner):
        raise NotImplementedError        # count_get takes its place


cdef PyObject* count_get(PyObject* method, PyObject* instance, PyObject* owner) noexcept:
    """Return the number of elements of a tensor; of the class, the method."""
    if instance == NULL or instance == <PyObject*> None:
        return new_reference(method)
    return wengert_count_new(COUNT, (<Tensor> instance).count, method, instance)


cdef extern from "Python.h":
    PyObject* new_reference "Py_NewRef"(PyObject* o) noexcept


cdef Py_ssize_t vectorcall_offset():
    cdef CountMethod probe = CountMethod(len, "probe", object)
    return bytes_between(<PyObject*> probe, &probe.vectorcall)


wengert_set_vectorcall(<PyTypeObject*> CountMethod, vectorcall_offset(), <void*> count_get)
