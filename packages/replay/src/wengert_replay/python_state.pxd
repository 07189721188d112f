"""Names in a function's code, and objects that are looked into. See python_state.pyx."""

cdef tuple names_of(code)
cdef bint is_ours(thing)
cdef tuple kind_of(cls)
