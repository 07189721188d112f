"""Names in a function's code, and objects that are looked into. See kinds.pyx."""

cdef tuple names_of(code)
cdef bint is_ours(thing)
cdef bint is_standard(thing)
cdef bint is_library(module)
cdef tuple attributes_of(value)
cdef dict dict_of_tensor(value)


cdef class Kind:
    cdef object reference              # to the class, weak
    cdef bint looked_into              # objects of it: those of users, and of wengert's modules, optimizers and loaders
    cdef bint is_optim                 # an optimizer or a scheduler of wengert, which a replay steps
    cdef bint is_scheduler             # of a user's own, whose step each replay calls
    cdef bint may_change               # by a function: none of optimizers, which a replay steps, or of Python's library
    cdef int tells                     # what ``kind_of_value`` says
    cdef tuple methods                 # functions in it
    cdef tuple names                   # of these; "" for one that a library may call, whose class has it as well
    cdef tuple data                    # (class, name) of its other attributes
    cdef tuple slots                   # names


cdef Kind kind_of(cls)
