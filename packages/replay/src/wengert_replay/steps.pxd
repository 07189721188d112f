"""Steps: the operations of a program. See steps.pyx."""
from wengert_core.extend cimport Op


cdef class Step:
    """An operation that was recorded."""
    cdef readonly Op op
    cdef readonly object code          # code object of the user's line, or None
    cdef int instruction               # where in it
    cdef readonly tuple inputs         # names of values, other arguments as they are
    cdef readonly tuple outputs        # (name, dtype, shape) of each
    cdef readonly str way              # "launches", "view", "store", "call"


cdef class Call:
    """An operation whose driver is called at each replay."""
    cdef readonly Op op
    cdef readonly list arguments       # one for each slot: captured memory in place of tensors
    cdef readonly list outputs         # tensors on the captured memory of the results
    cdef readonly list memory          # all tensors that this call has on captured memory
    cdef readonly bint writes          # in place, or to out=
    cdef readonly Step step


cdef int find_line(Step step) except -1
