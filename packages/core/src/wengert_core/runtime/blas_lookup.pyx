"""The BLAS and LAPACK that NumPy is linked to, or the user has chosen: their routines by name, and how many threads
they take.

Nothing is linked here: routines are looked up behind the extension module of numpy.linalg, in which any build of NumPy
has its BLAS, under the names that NumPy's wheels (scipy-openblas), OpenBLAS and the reference implementation give them.
Where they are not found, or with WENGERT_KERNELS=python, whoever asks does without.

Note [Another BLAS]
    Where MKL is installed in the environment (the extra wengert[mkl]), its products and factorizations are used in
    place of those of NumPy's. WENGERT_BLAS names any other shared library (AOCL, BLIS with LAPACK, another OpenBLAS),
    or is "numpy" for NumPy's in any case. A library is opened with the first product or factorization, and tried on
    small matrices.

Note [One thread for small products]
    OpenBLAS shares a product of 64 x 64 matrices out already. Up to about 160 x 160 that gains nothing, and when
    another program has the second CPU, its threads wait for one another for milliseconds: 100 x 100 took 15 us alone,
    and from 15 to 12,000 shared. So smaller products are done by one thread, and with set_num_threads(1) all. A BLAS
    knows one number for the process: the first that enters keeps it, the last that leaves sets it back. MKL shares any
    product out on some processors (20 x 20 took 1 us on one thread, 40 on two), but has a number for each thread as
    well, which kernels/linalg/gemm.h sets around small products.
"""
import os
import sys
import warnings

import numpy as np


from wengert_core.runtime.config cimport ONLY_REFERENCES
from wengert_core.runtime.thread_pool import get_num_threads

cdef extern from "dlfcn.h" nogil:
    enum:
        RTLD_LAZY
    void* dlopen(const char* name, int flags)
    void* dlsym(void* library, const char* name)
    const char* dlerror()

cdef extern from *:
    """
    #include <pthread.h>
    static struct {
        pthread_mutex_t lock;
        int (*get)(void);
        void (*set)(int);
        int inside, kept;
    } wg_blas = {.lock = PTHREAD_MUTEX_INITIALIZER};
    static void wg_blas_enter(void) {
        if (wg_blas.set == NULL) return;
        pthread_mutex_lock(&wg_blas.lock);
        if (wg_blas.inside++ == 0 && (wg_blas.kept = wg_blas.get()) > 1) wg_blas.set(1);
        pthread_mutex_unlock(&wg_blas.lock);
    }
    static void wg_blas_leave(void) {
        if (wg_blas.set == NULL) return;
        pthread_mutex_lock(&wg_blas.lock);
        if (--wg_blas.inside == 0 && wg_blas.kept > 1) wg_blas.set(wg_blas.kept);
        pthread_mutex_unlock(&wg_blas.lock);
    }
    static int wg_blas_num(void) { return wg_blas.get == NULL ? 0 : wg_blas.get(); }
    static void wg_blas_after_fork(void) {
        wg_blas.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
        wg_blas.inside = 0;
    }
    static void wg_blas_threads(void *get, void *set) {
        if (get == NULL || set == NULL || pthread_atfork(NULL, NULL, wg_blas_after_fork) != 0) return;
        wg_blas.get = (int (*)(void))get;
        wg_blas.set = (void (*)(int))set;
    }
    """
    void wg_blas_enter() nogil
    void wg_blas_leave() nogil
    int wg_blas_num() nogil
    void wg_blas_threads(void* get, void* set) nogil

cdef void* LIBRARY = NULL
cdef void* OF_THIS_THREAD = NULL       # MKL's setting for the calling thread
cdef bint SEARCHED = False, CHOSEN = False
cdef str PATTERN = "", PROBLEM = ""    # of the names of routines; of a library that is of no use
cdef bint WIDE = False
cdef tuple NAMES = (("scipy_%s_64_", True), ("%s_64_", True), ("scipy_%s_", False), ("%s_", False))
cdef tuple THREADS = (("scipy_openblas_%s_num_threads64_", "get", "set"), ("openblas_%s_num_threads64_", "get", "set"),
                      ("scipy_openblas_%s_num_threads", "get", "set"), ("openblas_%s_num_threads", "get", "set"),
                      ("MKL_%s_Threads", "Get_Max", "Set_Num"))


cdef int search() except -1:
    """Find the library and how its names are made; once."""
    global LIBRARY, OF_THIS_THREAD, SEARCHED, CHOSEN
    SEARCHED = True
    module = getattr(np.linalg, "_umath_linalg", None)
    if ONLY_REFERENCES or module is None:
        return 0
    wanted = os.environ.get("WENGERT_BLAS", "")
    if not wanted:
        wanted = installed_mkl()
        CHOSEN = bool(wanted) and open_library(wanted)
    elif wanted != "numpy":
        CHOSEN = open_library(wanted)
        if not CHOSEN:
            warnings.warn(f"WENGERT_BLAS={wanted}: {PROBLEM}; NumPy's BLAS is used", RuntimeWarning, stacklevel=1)
    if not CHOSEN:
        open_library(module.__file__)                      # it is loaded already
    OF_THIS_THREAD = find_symbol("MKL_Set_Num_Threads_Local")
    for pattern, get, set in THREADS:
        if find_symbol(pattern % set) != NULL:
            wg_blas_threads(find_symbol(pattern % get), find_symbol(pattern % set))
            break
    return 0


cdef str installed_mkl():
    """MKL's library in this environment, where pip and conda put it; "" where there is none."""
    folder = os.path.join(sys.prefix, "lib")
    try:
        found = [name for name in os.listdir(folder) if name.startswith("libmkl_rt.so")]
    except OSError:
        found = []
    return os.path.join(folder, max(found)) if found else ""


cdef bint open_library(str path) except -1:
    """Open a library and see how it names its routines; False, and PROBLEM says why, when it is of no use."""
    global LIBRARY, PATTERN, WIDE, PROBLEM
    encoded = os.fsencode(path)
    LIBRARY = dlopen(<const char*> encoded, RTLD_LAZY)
    if LIBRARY == NULL:
        PROBLEM = f"it cannot be opened ({os.fsdecode(<bytes> dlerror())})"
        return False
    for pattern, wide in NAMES:
        if find_symbol(pattern % "dgemm") != NULL and find_symbol(pattern % "dpotrf") != NULL:
            PATTERN, WIDE = pattern, wide
            return True
    PROBLEM = "it has no dgemm and dpotrf under a name that is known"
    return False


cdef void* find_symbol(str name) except? NULL:
    if LIBRARY == NULL:
        return NULL
    encoded = name.encode()
    return dlsym(LIBRARY, <const char*> encoded)


cdef int start() except -1:
    if not SEARCHED:
        search()
    return 0


cdef void* routine(str name) except? NULL:
    start()
    return find_symbol(PATTERN % name) if PATTERN else NULL


cdef bint wide_integers() except -1:
    start()
    return WIDE


cdef bint is_chosen() except -1:
    start()
    return CHOSEN


cdef void* threads_of_this_thread() except? NULL:
    start()
    return OF_THIS_THREAD


cdef bint by_one_thread(Py_ssize_t work) except -1:
    return work <= FEW or get_num_threads() == 1


cdef void enter_one_thread() noexcept nogil:
    wg_blas_enter()


cdef void leave_one_thread() noexcept nogil:
    wg_blas_leave()


class OneThread:
    """A context in which BLAS uses the calling thread alone, for the whole process."""

    def __enter__(self):
        start()
        enter_one_thread()

    def __exit__(self, *failure):
        leave_one_thread()


def num_threads():
    """How many threads BLAS uses now; 0 where it cannot be told."""
    start()
    return wg_blas_num()
