"""Methods of compiled classes that refuse another ``self``."""


cdef class Method:
    cdef void* vectorcall              # CPython's entry; its offset is told to the type
    cdef readonly object function
    cdef readonly str name
    cdef readonly type owner
    cdef void* call                    # what calls the function
    cdef bint is_asked                 # a tensor of a subclass among the arguments is asked first
    cdef bint in_words                 # an error in Python's inner words becomes one that names the method
