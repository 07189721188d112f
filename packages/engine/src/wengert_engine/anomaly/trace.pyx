"""Places in a program where ops were recorded: see trace.pxd. Lines are looked up and files read only when shown."""
cimport cython
from cpython.object cimport PyTypeObject

from wengert_core.runtime.pyobject cimport not_made_by_hand
from cpython.mem cimport PyMem_Free, PyMem_Realloc
from cpython.ref cimport Py_XDECREF, Py_XINCREF, PyObject

from wengert_engine.anomaly.frames cimport (Frame, frame_code, frame_instruction, innermost_frame, line_at,
                                            outer_frame)


@cython.binding(False)
cdef class Trace:
    """The stack of calls that recorded something."""

    def __dealloc__(self):
        cdef int i
        for i in range(self.n):
            Py_XDECREF(self.codes[i])
        PyMem_Free(self.codes)
        PyMem_Free(self.offsets)

    def frames(self):
        """A ``traceback.StackSummary``, the outermost call first."""
        cdef int i
        import traceback
        found = traceback.StackSummary()
        for i in range(self.n - 1, -1, -1):
            code = <object> self.codes[i]
            found.append(traceback.FrameSummary(code.co_filename, line_at(self.codes[i], self.offsets[i]),
                                                code.co_name))
        return found

    def lines(self):
        """What a traceback would print: a list of strings."""
        return self.frames().format()

    @property
    def parent_node(self):
        """The node whose derivative was being recorded; None in a forward pass."""
        return self.parent


cdef int make_room(Trace trace, int room) except -1:
    cdef void* codes = PyMem_Realloc(trace.codes, room * sizeof(PyObject*))
    if codes != NULL:
        trace.codes = <PyObject**> codes
    cdef void* offsets = PyMem_Realloc(trace.offsets, room * sizeof(int))
    if offsets != NULL:
        trace.offsets = <int*> offsets
    if codes == NULL or offsets == NULL:
        raise MemoryError()
    return 0


cdef Trace capture():
    """The stack as it is now."""
    cdef Trace trace = Trace.__new__(Trace)
    cdef Frame* frame = innermost_frame()
    cdef int room = 0
    try:
        while frame != NULL:
            if trace.n == room:
                room = 16 if room == 0 else 2 * room
                make_room(trace, room)
            trace.codes[trace.n] = frame_code(frame)
            Py_XINCREF(trace.codes[trace.n])
            trace.offsets[trace.n] = frame_instruction(frame)
            trace.n += 1
            frame = outer_frame(frame)
    finally:
        Py_XDECREF(<PyObject*> frame)
    return trace


not_made_by_hand(<PyTypeObject*> Trace)
