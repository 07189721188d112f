"""Large kernels on several threads. Note [Worker threads] in workers.h.

Note [The same result from any number of threads]
    A kernel is cut into units, and pieces are whole units. Units depend on shapes alone: stretches of UNIT elements, so that a
    vectorised loop groups its elements as it would in one call; whole rows; reductions of a fixed length whose results are
    reduced once more. How many threads there are decides who computes a unit, never what it is.
"""

cdef enum:
    # Elements from which on a kernel goes to the pool at all; drivers release the GIL from here on.
    LARGE = 1 << 15
    # Elements worth waking a thread for.
    GRAIN = 1 << 15
    UNIT = 1024                        # elements of a stretch that is cut: a multiple of every vector's length
    ENOUGH = 64                        # units to share out evenly

ctypedef void (*body_fn)(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil

# body on pieces of 0 .. n which together are all of it; pieces are of at least ``grain``. Returns the number of threads
# asked. Call without the GIL. From inside a body, or while another thread's job runs, all is done by the caller.
cdef int parallel_for(Py_ssize_t n, Py_ssize_t grain, body_fn body, void* ctx) noexcept nogil

# The dim to cut: the first with ENOUGH units, else the one with most.
cdef int dim_to_cut(int ndim, const Py_ssize_t* units) noexcept nogil
