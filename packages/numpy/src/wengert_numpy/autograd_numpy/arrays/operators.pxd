"""Results of operators as arrays, for attributes.pyx."""
from wengert_numpy.autograd_numpy.arrays.shortcuts cimport Shortcut

cdef object array_of(object result)                             # a tensor as an array; what is none as it is
# The result of a function's shortcut, an array where level is 0, to which asking is set back; None where it has none.
cdef object shortcut_result(Shortcut quick, tuple args, dict kwargs, unsigned int level)
