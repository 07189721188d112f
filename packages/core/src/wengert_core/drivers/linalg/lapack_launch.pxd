"""Jobs of LAPACK, run eagerly and by launches. Note [Launches] in runtime/launches.pxd"""
from wengert_core.drivers.linalg.lapack cimport wg_factoring
from wengert_core.runtime.thread_pool cimport body_fn

cdef struct Factoring:                 # a job, and how it is run
    wg_factoring* job
    body_fn body
    Py_ssize_t count                   # matrices
    Py_ssize_t work                    # multiplications for each
    bint alone                         # products are the calling thread's alone

cdef void run_factoring(Factoring* f) noexcept nogil
cdef int check_failure(str name, wg_factoring* job) except -1      # raises what a job's ``failed`` stands for
# reads, writes: the tensors that the job's pointers lead to
cdef int tell_factoring(Factoring* f, tuple reads, tuple writes) except -1
