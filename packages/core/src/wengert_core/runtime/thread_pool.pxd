"""Large kernels on several threads. Note [Worker threads] in thread_pool.h.

Note [The same result from any number of threads]
    A kernel is cut into units, and pieces are whole units. Units depend on shapes alone: stretches of UNIT elements, so
    that a vectorised loop groups its elements as it would in one call; whole rows; reductions of a fixed length whose
    results are reduced once more. How many threads there are decides who computes a unit, never what it is.
"""

cdef enum:
    LARGE = 0x8000                    # elements from which on a driver releases the GIL and asks the pool
    # Elements worth a thread of their own. Asking costs the caller 2.5 us whether a worker comes or not, and one that
    # sleeps comes after about 5 us (2 CPUs of a virtual machine; exp of 2**18 float32 76 us alone, 42 us with a
    # worker). So a share is what takes one thread about 20 us: 0.13 to 0.3 ns an element for adding, copying and
    # converting in and out of the second-level cache, 0.28 for exp of float32, 1.1 for sin of float64, 1.9 for softmax,
    # 0.035 for sum.
    GRAIN = 0x20000                   # moved through memory
    GRAIN_SLOW = 0x10000              # computed: Loop.slow
    GRAIN_ROWS = 0x4000               # normalized
    GRAIN_SUM = 0x40000               # reduced
    UNIT = 1024                       # elements of a stretch that is cut: a multiple of what any kernel takes at a time
    ENOUGH = 64                       # units to share out evenly

ctypedef void (*body_fn)(Py_ssize_t begin, Py_ssize_t end, void* ctx) noexcept nogil

# body on pieces of 0 .. n which together are all of it; pieces are of at least ``grain``. Returns the number of threads
# asked. Needs no GIL. From inside a body, or while another thread's job runs, all is done by the caller.
cdef int parallel_for(Py_ssize_t n, Py_ssize_t grain, body_fn body, void* ctx) noexcept nogil

# The dim to cut: the first with ENOUGH units, else the one with most.
cdef int dim_to_split(int ndim, const Py_ssize_t* units) noexcept nogil
