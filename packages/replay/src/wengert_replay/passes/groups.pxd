"""Groups: launches that run block by block. See groups.pyx."""
from wengert_core.extend cimport Launch
from wengert_replay.passes.schedule cimport Schedule

cdef enum:
    LEAST_ELEMENTS = 4096              # of launches that are worth a group
    MOST_MEMBERS = 32                  # of a group

cdef int form_groups(Schedule schedule) except -1
cdef Py_ssize_t elements_of(Launch* launch) noexcept      # that a member of a group walks over; 0: it is none
cdef Py_ssize_t columns_of_member(Launch* launch) noexcept        # of one that works row by row; 0
# Bytes of an operand from element to element; 0: it has not one for each.
cdef Py_ssize_t step_of_member(Launch* launch, int k) noexcept
cdef int kind_of_member(Launch* launch) noexcept              # MemberKind
cdef Py_ssize_t columns_of_sums(Launch* launch) noexcept      # of a matrix whose rows or columns a member sums; 0
cdef bint cuts_evenly(Py_ssize_t columns) noexcept nogil
