"""The vmaps that are running in a thread: see level_stack.pyx."""


cdef class Levels:
    cdef list sizes
    cdef list modes                    # of randomness
    cdef list serials
    cdef list before                   # the levels that they were opened in
    cdef list transforms               # how many transforms that compute gradients run inside of each, before the next
    cdef int current


cdef Levels levels()
cdef int go_to(Levels here, int level) except -1     # let operations run in an outer level, or in none (0)
