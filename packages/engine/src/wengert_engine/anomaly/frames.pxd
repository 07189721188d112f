"""Frames: the calls of Python that run in this thread, as CPython has them, from the innermost to the outermost."""
from cpython.ref cimport Py_XDECREF, Py_XINCREF, PyObject

cdef extern from "Python.h":
    ctypedef struct Frame "PyFrameObject"
    ctypedef struct Code "PyCodeObject"
    Frame* PyEval_GetFrame() noexcept                          # borrowed
    Frame* PyFrame_GetBack(Frame* frame) noexcept
    Code* PyFrame_GetCode(Frame* frame) noexcept
    int frame_instruction "PyFrame_GetLasti"(Frame* frame) noexcept
    int PyCode_Addr2Line(Code* code, int offset) noexcept


cdef inline Frame* innermost_frame() noexcept:                 # new reference; NULL: nothing runs
    cdef Frame* frame = PyEval_GetFrame()
    Py_XINCREF(<PyObject*> frame)
    return frame

cdef inline Frame* outer_frame(Frame* frame) noexcept:         # new reference, in place of the one to ``frame``; NULL
    cdef Frame* outer = PyFrame_GetBack(frame)
    Py_XDECREF(<PyObject*> frame)
    return outer

cdef inline PyObject* frame_code(Frame* frame) noexcept:       # borrowed: the frame has it
    cdef PyObject* code = <PyObject*> PyFrame_GetCode(frame)
    Py_XDECREF(code)
    return code

cdef inline int line_at(PyObject* code, int instruction) noexcept:     # the line of an instruction of a code object
    return PyCode_Addr2Line(<Code*> code, instruction)
