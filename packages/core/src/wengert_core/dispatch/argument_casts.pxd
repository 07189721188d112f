"""Casts of arguments before a call runs: autocast's mechanism. Note [Casts before calls] is in argument_casts.pyx."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport Op

ctypedef void (*switch_fn)(bint on) noexcept

cdef object run_cast(Op op, PyObject** slots)                  # an op of a thread whose WG_CAST is on
# what casts the arguments of an op or function there; None: nothing
cdef object cast_for(PyObject* function)
# the values, cast; TypeError where it gave something else
cdef object cast_values(object name, object cast, list values)
cdef bint switch_off() noexcept                                # let what follows be left alone; whether it was on
cdef void switch_back() noexcept                               # as the thread's casts say
cdef void set_functions_hook(switch_fn hook) noexcept          # what is told whether some thread has casts
