"""Watch: writes that the recording of a body may not do. See watch.pyx."""
from cpython.ref cimport PyObject

from wengert_core.extend cimport Op
from wengert_replay.recording.tracing cimport Recording

cdef int check_write(Recording recording, Op op, PyObject** slots) except -1
cdef int check_generator(Recording recording, Op op, PyObject** slots) except -1
cdef list written_tensors(Op op, PyObject** slots)
cdef int tell_before_write(Recording recording, Op op, PyObject** slots) except -1
cdef int keep_before_write(Recording recording, Op op, PyObject** slots) except -1
cdef int stop_loop(Recording recording, str why) except -1     # raise NoLoop
