"""The BLAS and LAPACK that NumPy is linked to, or the user has chosen. See blas_lookup.pyx."""
cdef enum:
    FEW = 0x400000                     # multiplications up to which a product is best done by one thread of BLAS

cdef void* routine(str name) except? NULL          # by its Fortran name; NULL: not found
cdef bint wide_integers() except -1                # routines take integers of 64 bits
cdef bint is_chosen() except -1                    # it is the user's, not NumPy's
cdef int start() except -1                         # look for the library, unless it has been done
# int (*)(int): sets how many the calling thread's products take; NULL: there is none
cdef void* threads_of_this_thread() except? NULL
cdef bint by_one_thread(Py_ssize_t work) except -1  # so many multiplications are for the calling thread alone
# Products between these two run on the calling thread alone, where BLAS can be told so. Calls nest, from any threads.
cdef void enter_one_thread() noexcept nogil
cdef void leave_one_thread() noexcept nogil
