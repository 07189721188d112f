"""NumPy's functions in their most frequent form, for operators.pyx."""


cdef class Shortcut:
    cdef object op

    cdef object run(self, tuple args, dict kwargs)


cdef tuple functions_with_shortcut()
cdef Shortcut find_shortcut(object function)                    # None where a function has none
cdef object run_shortcut(Shortcut quick, tuple args, dict kwargs)
