"""What a function's code names, and which objects are looked into. See python_state.pyx."""

cdef tuple names_of(code)
cdef bint is_ours(thing)
cdef tuple kind_of(cls)
