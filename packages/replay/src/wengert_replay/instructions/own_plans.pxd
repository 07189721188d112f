"""Plans of launches that are instructions. See own_plans.pyx."""
from wengert_core.extend cimport Launch

cdef struct OwnPlan:
    void* plan                         # owned
    Py_ssize_t nbytes                  # by which it is compared


cdef class OwnPlans:
    cdef OwnPlan* items                # owned: of known bytes
    cdef readonly Py_ssize_t n
    cdef void** others                 # owned, and what they name
    cdef readonly Py_ssize_t n_others
    cdef readonly Py_ssize_t nbytes    # of those whose bytes are known, and of this

    cdef int shrink(self) except -1
    cdef void* take(self, Launch* launch) except? NULL     # a launch's plan; return it, or an equal one
