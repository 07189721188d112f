"""PythonCall: a Python function that a replay calls. See python_calls.pyx."""
from wengert_replay.recording.calls cimport Call
from wengert_replay.recording.tracing cimport Recording


cdef class PythonCall(Call):
    cdef readonly object function
    cdef object structure              # of the arguments
    cdef list kept                     # arguments without tensors, by number or name: Note [Lists and dicts]
    cdef bint is_plain                 # they are tensors, each another one
    cdef list tensors                  # in the arguments: weak references, OutsideView, and tensors on captured memory
    cdef readonly list outside         # the weak references: to those from outside
    cdef list shared                   # for each tensor of the result whether it was there before
    cdef readonly list owner           # holds the memory of the others, when there is a program
    cdef object result                 # the structure of the result
    cdef object plain                  # the function with floats in place of its result's tensors; None

    cdef list take_numbers(self, result)
    cdef tuple with_kept(self, tuple args, dict kwargs)

cdef object call_python(Recording recording, object function, tuple args, dict kwargs)
cdef int forget_calls() except -1
