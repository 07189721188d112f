"""Providers of inner loops, in order: a loop of our own, NumPy's loop fetched by pointer, the row's reference.

NumPy's ``PyUFuncObject`` is a public C struct which holds one inner loop for each dtype, SIMD-dispatched. A fetched
loop is used only after it has agreed with NumPy's own call on three elements. ``WENGERT_KERNELS=python`` uses
references only. Source: NumPy C API, "ufuncobject.h". float16 and bfloat16 are computed in float32, as in torch, and
rounded once.
"""

import numpy as np
from libc.string cimport memcmp, memcpy, memset

from wengert_core.dtypes.dtypes cimport BFLOAT16, CAT_COMPLEX, FLOAT16, FLOAT32, DTypeFacts, dtype_facts, N_DTYPES
from wengert_core.dtypes.dtypes import NUMPY_NAMES as _NUMPY_NAMES
from wengert_core.kernels.pointwise.pointwise cimport Pointwise as OwnLoop
from wengert_core.kernels.pointwise.pointwise cimport describe_pointwise
from wengert_core.kernels.types cimport loop_t, npy_intp
from wengert_core.runtime.config cimport ONLY_REFERENCES
from wengert_core.runtime.user_warnings import warn_user

cdef extern from "numpy/arrayobject.h":
    pass

cdef extern from "numpy/ufuncobject.h":
    ctypedef struct PyUFuncObject:
        int nin
        int nout
        int nargs
        loop_t* functions
        void** data
        int ntypes
        const char* types

cdef DTypeFacts* FACTS = dtype_facts()
cdef tuple NUMPY_TESTED = (2, 5)       # the newest NumPy whose loops were tried


def numpy_is_known():
    """True when this NumPy is one whose loops were tried; otherwise references are used, and it is said once."""
    version = tuple(int(part) for part in np.__version__.split(".")[:2])
    if (2, 0) <= version <= NUMPY_TESTED:
        return True
    warn_user(f"wengert has not been tried with the inner loops of NumPy {np.__version__}: it calls NumPy the slow way",
              RuntimeWarning)
    return False


# The loops that take about a quarter of a nanosecond an element and more, by their names here and in NumPy: worth
# several threads earlier than the others.
cdef frozenset SLOW = frozenset("""
    acos acosh angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan atan2 atanh
    binary_cross_entropy cos cosh celu digamma elu elu_backward erf erfc erfinv exp exp2 expm1 float_power
    floor_divide fmod gelu gelu_backward gelu_tanh gelu_tanh_backward hypot lgamma log log10 log1p log2 log_sigmoid
    log_sigmoid_backward logaddexp logit mish mish_backward pow power remainder sigmoid silu silu_backward sin sinc sinh
    softplus softplus_backward tan tanh xlogy
""".split())

cdef enum:
    MOST_INPUTS = 4                    # of a fetched loop

cdef bint USE_NUMPY_LOOPS = not ONLY_REFERENCES and numpy_is_known()


cdef int dtype_of_numpy(int number) noexcept:
    """Our code of a NumPy type number; -1 when there is none."""
    cdef int code
    for code in range(N_DTYPES):
        if FACTS.numpy_type[code] == number:
            return code
    return -1


cdef bint fetch(Loop* loop, object ufunc, int code, int n_in):
    """Find ufunc's loop whose inputs are all ``code``; True when there is one and it passes the self-test."""
    cdef PyUFuncObject* u = <PyUFuncObject*> <void*> ufunc
    cdef int i, k, number = FACTS.numpy_type[code]
    cdef const char* row
    if not isinstance(ufunc, np.ufunc) or ufunc.signature is not None or u.nin != n_in or u.nout != 1 \
            or n_in > MOST_INPUTS:
        return False                   # a signature: its loops read further dimensions
    for i in range(u.ntypes):
        row = u.types + i * u.nargs
        for k in range(n_in):
            if row[k] != number:
                break
        else:
            if u.functions[i] == NULL or dtype_of_numpy(row[n_in]) < 0:
                return False
            loop.fn = u.functions[i]
            loop.data = u.data[i]
            loop.compute = code
            loop.out = loop.result = dtype_of_numpy(row[n_in])
            return agrees(loop, ufunc, n_in)
    return False


cdef bint agrees(Loop* loop, object ufunc, int n_in):
    """The loop's answer on three elements is the ufunc's."""
    cdef char inputs[MOST_INPUTS * 48]
    cdef char result[48]
    cdef char* args[MOST_INPUTS + 1]
    cdef npy_intp strides[MOST_INPUTS + 1]
    cdef npy_intp n = 3
    cdef int k
    cdef bytes raw
    dtype = np.dtype(_NUMPY_NAMES[loop.compute])
    arrays = [np.array([1, 2, 1 + k], dtype=dtype) for k in range(n_in)]
    memset(result, 0, sizeof(result))
    for k in range(n_in):
        raw = arrays[k].tobytes()
        memcpy(inputs + 48 * k, <const char*> raw, 3 * dtype.itemsize)
        args[k] = inputs + 48 * k
        strides[k] = dtype.itemsize
    out_dtype = np.dtype(_NUMPY_NAMES[loop.out])
    args[n_in] = result
    strides[n_in] = out_dtype.itemsize
    loop.fn(args, &n, strides, loop.data)
    with np.errstate(all="ignore"):
        expected = ufunc(*arrays)
    raw = expected.tobytes()
    return expected.dtype == out_dtype and memcmp(result, <const char*> raw, 3 * out_dtype.itemsize) == 0


cdef int resolve(Loop* loop, object kernels, int code, int n_in, int out, int first) except -1:
    """Fill ``loop`` at once, so that no other thread finds it half filled: looking for kernels runs Python."""
    cdef Loop made
    memset(&made, 0, sizeof(Loop))
    find_loop(&made, kernels, code, n_in, out, first)
    loop[0] = made
    return 0


cdef int find_loop(Loop* loop, object kernels, int code, int n_in, int out, int first) except -1:
    """Fill ``loop`` for inputs of dtype ``code``. kernels: names of our own kernels or NumPy ufuncs, best first;
    (kernel, category): not for dtypes below that category; (kernel, category, last): nor above the last; (kernel,
    category, last, size): nor for those of fewer bytes.

    out, first: dtype of our own kernels' output and first input, -1: the same as the other inputs'.
    """
    cdef int compute = FLOAT32 if code == FLOAT16 or code == BFLOAT16 else code
    cdef bytes name
    cdef OwnLoop found
    loop.state = LOOP_REFERENCE
    loop.slow = False
    loop.compute = compute
    loop.first = compute if first < 0 else first
    loop.out = compute if out < 0 else out
    loop.result = code if out < 0 else out
    if ONLY_REFERENCES:
        return 0
    for kernel in kernels:
        if isinstance(kernel, tuple):
            kernel, least, most, size = (*kernel, CAT_COMPLEX, 0)[:4] if len(kernel) == 2 else (*kernel, 0)[:4]
            if not least <= FACTS.category[code] <= most or FACTS.itemsize[code] < size:
                continue
        if isinstance(kernel, str):
            name = kernel.encode()
            if describe_pointwise(name, compute, &found) and found.nin + found.nparams == n_in \
                    and found.out == loop.out:
                loop.fn, loop.data, loop.n_params = found.loop, NULL, found.nparams
                loop.state = LOOP_NATIVE
                loop.slow = kernel in SLOW
                break
        elif USE_NUMPY_LOOPS and fetch(loop, kernel, compute, n_in):
            loop.state = LOOP_NATIVE
            loop.slow = kernel.__name__ in SLOW
            loop.result = code if loop.out == compute else loop.out
            break
    return 0
