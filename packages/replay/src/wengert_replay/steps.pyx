"""Steps: the operations of a program, as they are printed and called, and the lines that called them."""
cimport cython
from cpython.ref cimport Py_INCREF, PyObject

import os

cdef extern from "Python.h":
    ctypedef struct PyFrameObject
    ctypedef struct PyCodeObject
    PyFrameObject* PyEval_GetFrame() noexcept                   # borrowed
    PyFrameObject* PyFrame_GetBack(PyFrameObject* frame) noexcept
    PyCodeObject* PyFrame_GetCode(PyFrameObject* frame) noexcept
    int PyFrame_GetLasti(PyFrameObject* frame) noexcept
    int PyCode_Addr2Line(PyCodeObject* code, int offset) noexcept
    void Py_XDECREF(void* o) noexcept

cdef dict OURS = {}                    # by the address of a code object: whether its file is one of wengert's
cdef str HERE = os.sep + "wengert_"


@cython.no_gc                          # it is in no cycle, and a program has thousands
@cython.binding(False)
cdef class Step:
    """An operation that was recorded."""

    @property
    def line(self):
        """The place in the program that called it: "file:line"; "" where no Python code did."""
        if self.code is None:
            return ""
        return f"{self.code.co_filename}:{PyCode_Addr2Line(<PyCodeObject*> <PyObject*> self.code, self.instruction)}"


@cython.binding(False)
cdef class Call:
    """An operation whose driver is called at each replay."""


cdef int find_line(Step step) except -1:
    """Note the innermost line of a program that is not wengert's own."""
    cdef PyFrameObject* frame = PyEval_GetFrame()
    cdef PyFrameObject* back
    cdef PyCodeObject* code
    cdef bint ours
    if frame == NULL:
        return 0
    Py_INCREF(<object> <PyObject*> frame)
    while frame != NULL:
        code = PyFrame_GetCode(frame)
        key = <size_t> code
        if key not in OURS:
            name = (<object> <PyObject*> code).co_filename
            OURS[key] = HERE in name and f"{os.sep}tests{os.sep}" not in name
        ours = OURS[key]
        if not ours:
            step.code, step.instruction = <object> <PyObject*> code, PyFrame_GetLasti(frame)
            Py_XDECREF(code)
            Py_XDECREF(frame)
            return 0
        Py_XDECREF(code)
        back = PyFrame_GetBack(frame)
        Py_XDECREF(frame)
        frame = back
    return 0
