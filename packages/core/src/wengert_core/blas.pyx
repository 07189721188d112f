"""The BLAS and LAPACK that NumPy is linked to: their routines by name, and how many threads they take.

Nothing is linked here: routines are looked up behind the extension module of numpy.linalg, in which any build of NumPy has its BLAS,
under the names that NumPy's wheels (scipy-openblas), OpenBLAS and the reference implementation give them. Where they are not found,
or with WENGERT_KERNELS=python, whoever asks does without.

Note [One thread for small products]
    OpenBLAS shares a product of 64 x 64 matrices out already. Up to about 160 x 160 that gains nothing, and when another program
    has the second CPU, its threads wait for one another for milliseconds: 100 x 100 took 15 us alone, and from 15 to 12,000 shared.
    So smaller products are done by one thread. OpenBLAS knows one number for the process: the first that enters keeps it, the last
    that leaves sets it back.
"""
import numpy as np

from wengert_core.reduction cimport only_references

cdef extern from "dlfcn.h" nogil:
    enum:
        RTLD_LAZY
    void* dlopen(const char* name, int flags)
    void* dlsym(void* library, const char* name)

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
cdef bint SEARCHED = False
cdef str PATTERN = ""                  # of the names of routines
cdef bint WIDE = False
cdef tuple NAMES = (("scipy_%s_64_", True), ("%s_64_", True), ("scipy_%s_", False), ("%s_", False))
cdef tuple THREADS = ("scipy_openblas_%s_num_threads64_", "openblas_%s_num_threads64_", "scipy_openblas_%s_num_threads",
                      "openblas_%s_num_threads")


cdef int search() except -1:
    """Find the library and how its names are made; once."""
    global LIBRARY, SEARCHED, PATTERN, WIDE
    SEARCHED = True
    module = getattr(np.linalg, "_umath_linalg", None)
    if only_references() or module is None:
        return 0
    path = module.__file__.encode()
    LIBRARY = dlopen(<const char*> path, RTLD_LAZY)        # it is loaded already
    for pattern, wide in NAMES:
        if named(pattern % "dpotrf") != NULL:
            PATTERN, WIDE = pattern, wide
            break
    for pattern in THREADS:
        if named(pattern % "set") != NULL:
            wg_blas_threads(named(pattern % "get"), named(pattern % "set"))
            break
    return 0


cdef void* named(str name) except? NULL:
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
    return named(PATTERN % name) if PATTERN else NULL


cdef bint wide_integers() except -1:
    start()
    return WIDE


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
