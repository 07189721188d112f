"""JointProgram: a program that stops where its function has returned, and goes on with gradients. See joint.pyx."""
from wengert_replay.history.residuals cimport PartsBehind, ResidualMemory, Residuals
from wengert_replay.programs.program cimport Program


cdef class JointProgram(Program):
    cdef readonly Py_ssize_t n_inputs      # arguments; the gradients of results follow them
    cdef readonly Py_ssize_t n_results     # of the function; the gradients of its inputs follow them
    cdef ResidualMemory residuals          # None: there are no gradients
    cdef PartsBehind parts                 # while it is made
    cdef char* behind                      # the row behind the return point
    cdef list read_later                   # tensors from outside that gradients are computed with, and no node saves
    cdef readonly Py_ssize_t reruns        # runs for a backward whose residuals were gone
    cdef list held                         # tensors from outside, during a run

    cdef list collect_from(self, Py_ssize_t first, Py_ssize_t last, list inputs)
    cdef int enter_run(self) except -1
    cdef int leave_run(self) except -1
    cdef bint run_through(self, list inputs) except -1
    cdef Residuals note_run(self)
    cdef int run_forward(self, list inputs) except -1         # Outcome
    cdef list run_backward(self, Residuals residuals, list grads)
