"""Plans: what a replay does with arguments, results and gradients. See plans.pyx."""
from wengert_core.extend cimport Tensor
from wengert_replay.memory cimport Memory


cdef class InputPlan:
    cdef char* block                   # where the program has the elements
    cdef Py_ssize_t low                # bytes from a tensor's first element to the first in memory
    cdef Py_ssize_t nbytes
    cdef readonly bint written
    cdef readonly unsigned int versions    # that a run adds


cdef class ResultPlan:
    cdef char* data                    # in the program's memory
    cdef Py_ssize_t low
    cdef Py_ssize_t high
    cdef Tensor like                   # its geometry, without memory
    cdef unsigned int version
    cdef bint requires_grad
    cdef object grad_fn                # a node that has nothing to compute; or None
    cdef unsigned int output_nr

    cdef Tensor make(self)


cdef class LeafPlan:
    cdef readonly Tensor leaf          # or None: an argument
    cdef readonly int input            # its number; -1: none
    cdef readonly bint had_grad        # before a run
    cdef size_t grad_storage           # the address of that gradient's Storage where the program uses it; 0
    cdef readonly bint changes         # a run replaces the gradient
    cdef readonly object grad          # ResultPlan, a tensor, or None

    cdef Tensor leaf_of(self, list inputs)

    cdef bint fits(self, list inputs)
    cdef int assign(self, list inputs) except -1
