"""How many threads a large kernel is spread over, and doing so. Note [Worker threads] in thread_pool.h.

Small operations, recording and backward never start a thread; the first large kernel does.

>>> from wengert_core import get_num_threads, set_num_threads
>>> before = get_num_threads()
>>> set_num_threads(1)                 # everything on the thread that calls
>>> get_num_threads()
1
>>> set_num_threads(before)
"""
import os
import warnings
from numbers import Integral

cdef extern from "wengert_core/runtime/thread_pool.h" nogil:
    int wg_parallel_for(Py_ssize_t n, Py_ssize_t grain, body_fn body, void* ctx)
    int wg_wanted_threads()
    void wg_want_threads(int n)

cdef enum:
    LARGEST_INT = 0x7fffffff


cdef int parallel_for(Py_ssize_t n, Py_ssize_t grain, body_fn body, void* ctx) noexcept nogil:
    return wg_parallel_for(n, grain, body, ctx)


cdef int dim_to_split(int ndim, const Py_ssize_t* units) noexcept nogil:
    cdef int d, most = 0
    for d in range(ndim):
        if units[d] >= ENOUGH:
            return d
        if units[d] > units[most]:
            most = d
    return most


def get_num_threads():
    """How many threads a large kernel may use, the calling one included.

    At first as many as the process may use CPUs, or what the environment variable WENGERT_NUM_THREADS, or
    OMP_NUM_THREADS, says.

    >>> from wengert_core import get_num_threads
    >>> get_num_threads() >= 1
    True
    """
    return wg_wanted_threads()


def set_num_threads(n, /):
    """Let large kernels use ``n`` threads, the calling one included; 1: none but that.

    For all threads of the process, from the next kernel on. Results do not depend on it. Matrix products are BLAS's: 1
    keeps those on the calling thread, too; how many more they may take is set where BLAS reads it
    (OPENBLAS_NUM_THREADS). RuntimeError for what is no int or less than 1, ValueError for more than a C int holds.

    >>> from wengert_core import get_num_threads, set_num_threads
    >>> before = get_num_threads()
    >>> set_num_threads(2)
    >>> get_num_threads()
    2
    >>> set_num_threads(0)
    Traceback (most recent call last):
        ...
    RuntimeError: set_num_threads expects a positive integer, but got 0
    >>> set_num_threads(before)
    """
    if isinstance(n, bool) or not isinstance(n, Integral):
        raise RuntimeError(f"set_num_threads expects an int, but got {type(n).__name__}")
    number = int(n)
    if not -LARGEST_INT - 1 <= number <= LARGEST_INT:
        raise ValueError(f"Overflow when unpacking long: set_num_threads got {number}, the most is {LARGEST_INT}")
    if number < 1:
        raise RuntimeError(f"set_num_threads expects a positive integer, but got {number}")
    wg_want_threads(<int> number)


cdef bint is_number(str text):
    """Whether a text is a whole number that int() reads: it refuses thousands of digits."""
    return text.isdecimal() and len(text) < 20


def default_threads():
    """WENGERT_NUM_THREADS; else the number of CPUs that the process may use, at most OMP_NUM_THREADS.

    A number of OpenMP's that is none, and one above the CPUs, counts as not there, as in torch.
    """
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    asked = os.environ.get("WENGERT_NUM_THREADS", "").strip()
    if not asked:
        of_openmp = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
        return min(int(of_openmp), cpus) if is_number(of_openmp) and int(of_openmp) else cpus
    if is_number(asked) and 1 <= int(asked) <= LARGEST_INT:
        return int(asked)
    warnings.warn(f"WENGERT_NUM_THREADS is {asked!r}, not a number of threads from 1 on; wengert uses {cpus}, "
                  "the CPUs that it may use", RuntimeWarning, stacklevel=2)
    return cpus


wg_want_threads(<int> default_threads())
