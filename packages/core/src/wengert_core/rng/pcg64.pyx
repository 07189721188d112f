"""Random numbers drawn in C from the state of a NumPy generator, which is PCG64.

Note [NumPy's state]
    A NumPy generator gives the address of its state in a capsule, which its C interface documents; what lies there for
    PCG64 it does not. So the first generator is compared with what its ``state`` says in Python. Where they differ,
    with another bit generator and with WENGERT_KERNELS=python, functions here return False or None, and
    core/rng/samplers.py draws with NumPy: the same numbers, but for the rounding of normal ones. The generator's lock
    is held meanwhile: NumPy draws without the GIL.
"""

import numpy as np

cimport numpy as cnp
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid
from libc.math cimport isfinite
from libc.stdint cimport int64_t, uint32_t, uint64_t

from wengert_core.dtypes.dtypes cimport FLOAT32, FLOAT64, INT64
from wengert_core.exchange.device_memory cimport runs_on_device
from wengert_core.runtime.config cimport ONLY_REFERENCES
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor

cnp.import_array()

cdef extern from "wengert_core/rng/pcg64.h" nogil:
    ctypedef struct wg_pcg_words:
        uint64_t state_low, state_high, step_low, step_high
    ctypedef struct wg_pcg:
        wg_pcg_words* words
        int has_half
        uint32_t half
    void wg_seed(wg_pcg_words* words, uint64_t seed)
    void wg_fill_unit_f32(wg_pcg* pcg, float* out, Py_ssize_t n)
    void wg_fill_unit_f64(wg_pcg* pcg, double* out, Py_ssize_t n)
    void wg_fill_normal_f32(wg_pcg* pcg, float* out, Py_ssize_t n, double mean, double std)
    void wg_fill_normal_f64(wg_pcg* pcg, double* out, Py_ssize_t n, double mean, double std)
    void wg_fill_whole(wg_pcg* pcg, int64_t* out, Py_ssize_t n, int64_t low, int64_t last)
    void wg_fill_order(wg_pcg* pcg, int64_t* out, Py_ssize_t n)
    void wg_fill_chance(wg_pcg* pcg, unsigned char* out, Py_ssize_t n, double p)
    void wg_fill_places(wg_pcg* pcg, const double* ends, Py_ssize_t n, int64_t* out, Py_ssize_t draws)

cdef enum:
    WITHOUT_GIL = 0x8000               # from this many numbers on the GIL is released

ctypedef struct BitGenerator:          # the beginning of NumPy's bitgen_t
    void* state

cdef int KNOWN = -1                    # whether the state is where it is expected; -1: not looked at yet
cdef object PCG64 = None               # NumPy's class


cdef wg_pcg* state_of(object bit_generator) except? NULL:
    capsule = bit_generator.capsule
    if not PyCapsule_IsValid(capsule, "BitGenerator"):
        return NULL
    return <wg_pcg*> (<BitGenerator*> PyCapsule_GetPointer(capsule, "BitGenerator")).state


cdef bint look(object bit_generator) except -1:
    """Whether the state in memory is what Python is told. Note [NumPy's state]"""
    cdef wg_pcg* pcg = state_of(bit_generator)
    told = bit_generator.state
    if pcg == NULL or told["bit_generator"] != "PCG64":
        return False
    state, step = told["state"]["state"], told["state"]["inc"]
    return (pcg.words.state_low | <object> pcg.words.state_high << 64 == state
            and pcg.words.step_low | <object> pcg.words.step_high << 64 == step
            and pcg.has_half == told["has_uint32"] and pcg.half == told["uinteger"])


cdef wg_pcg* known_state(object bit_generator) except? NULL:
    """The state to draw from; NULL where only NumPy can."""
    global KNOWN, PCG64
    if ONLY_REFERENCES:
        return NULL
    if KNOWN < 0:
        PCG64 = np.random.PCG64
        KNOWN = look(PCG64(7))
    if not KNOWN or type(bit_generator) is not PCG64:
        return NULL
    return state_of(bit_generator)


cdef bint fits(Tensor t) noexcept:
    return t.flags & TF_CONTIGUOUS != 0 and not t.device and not runs_on_device()


# ---- into a tensor whose values nobody has seen

def unit(rng, Tensor t, low=0, high=1):
    """Fill a contiguous tensor with numbers uniform in [0, 1); False, and nothing done, where NumPy has to."""
    if low != 0 or high != 1:
        return False
    bits = rng.bit_generator
    cdef wg_pcg* pcg = known_state(bits)
    if pcg == NULL or not fits(t) or (t.code != FLOAT32 and t.code != FLOAT64):
        return False
    with bits.lock:
        if t.count < WITHOUT_GIL:
            fill_unit(pcg, t.code, t.data, t.count)
        else:
            with nogil:
                fill_unit(pcg, t.code, t.data, t.count)
    return True


cdef void fill_unit(wg_pcg* pcg, int code, char* data, Py_ssize_t n) noexcept nogil:
    if code == FLOAT32:
        wg_fill_unit_f32(pcg, <float*> data, n)
    else:
        wg_fill_unit_f64(pcg, <double*> data, n)


def normal(rng, Tensor t, mean=0, std=1):
    """Fill a contiguous tensor with normal numbers; False, and nothing done, where NumPy has to, or it cannot be."""
    if not std >= 0:
        return False
    cdef double at = mean, scale = std
    bits = rng.bit_generator
    cdef wg_pcg* pcg = known_state(bits)
    if pcg == NULL or not fits(t) or (t.code != FLOAT32 and t.code != FLOAT64):
        return False
    with bits.lock:
        fill_normal(pcg, t.code, t.data, t.count, at, scale)
    return True


cdef int fill_normal(wg_pcg* pcg, int code, char* data, Py_ssize_t n, double mean, double std) except -1:
    if n < WITHOUT_GIL:
        fill_normal_now(pcg, code, data, n, mean, std)
    else:
        with nogil:
            fill_normal_now(pcg, code, data, n, mean, std)
    return 0


cdef void fill_normal_now(wg_pcg* pcg, int code, char* data, Py_ssize_t n, double mean, double std) noexcept nogil:
    if code == FLOAT32:
        wg_fill_normal_f32(pcg, <float*> data, n, mean, std)
    else:
        wg_fill_normal_f64(pcg, <double*> data, n, mean, std)


def whole(rng, Tensor t, low, most):
    """Fill a contiguous int64 tensor with whole numbers from low to most; False, nothing done, where NumPy has to."""
    cdef int64_t least = low, last = most
    bits = rng.bit_generator
    cdef wg_pcg* pcg = known_state(bits)
    if pcg == NULL or not fits(t) or t.code != INT64 or last < least:
        return False
    with bits.lock:
        if t.count < WITHOUT_GIL:
            wg_fill_whole(pcg, <int64_t*> t.data, t.count, least, last)
        else:
            with nogil:
                wg_fill_whole(pcg, <int64_t*> t.data, t.count, least, last)
    return True


def order(rng, Tensor t):
    """Fill a contiguous int64 tensor with 0, 1, 2, ... in random order; False, and nothing done, where NumPy has to."""
    bits = rng.bit_generator
    cdef wg_pcg* pcg = known_state(bits)
    if pcg == NULL or not fits(t) or t.code != INT64:
        return False
    with bits.lock:
        if t.count < WITHOUT_GIL:
            wg_fill_order(pcg, <int64_t*> t.data, t.count)
        else:
            with nogil:
                wg_fill_order(pcg, <int64_t*> t.data, t.count)
    return True


# ---- arrays, for samplers

def normals(rng, tuple shape, dtype, mean, std):
    """An array of normal numbers in float32 or float64; None where NumPy has to."""
    cdef double at = mean, scale = std
    cdef int code = FLOAT32 if dtype is np.float32 else FLOAT64
    bits = rng.bit_generator
    cdef wg_pcg* pcg = known_state(bits)
    if pcg == NULL:
        return None
    cdef cnp.ndarray out = np.empty(shape, dtype)
    with bits.lock:
        fill_normal(pcg, code, cnp.PyArray_BYTES(out), cnp.PyArray_SIZE(out), at, scale)
    return out


def chance(rng, tuple shape, p):
    """An array of truth values that are True with probability p; None where NumPy has to."""
    cdef double probability = p
    bits = rng.bit_generator
    cdef wg_pcg* pcg = known_state(bits)
    if pcg == NULL:
        return None
    cdef cnp.ndarray out = np.empty(shape, np.bool_)
    cdef unsigned char* data = <unsigned char*> cnp.PyArray_BYTES(out)
    cdef Py_ssize_t n = cnp.PyArray_SIZE(out)
    with bits.lock, nogil:
        wg_fill_chance(pcg, data, n, probability)
    return out


def are_weights(cnp.ndarray[double, ndim=2, mode="c"] weights, bint summed):
    """Return whether each row can be drawn from: no weight is negative, their sum is finite and not 0.

    summed: the weights become their running sums.
    """
    cdef double* row = <double*> cnp.PyArray_BYTES(weights)
    cdef Py_ssize_t n_rows = weights.shape[0], n = weights.shape[1], _i, k
    cdef double total
    cdef bint good = True
    with nogil:
        for _i in range(n_rows):
            total = 0
            for k in range(n):
                good = good and row[k] >= 0
                total += row[k]
                if summed:
                    row[k] = total
            good = good and total > 0 and isfinite(total)
            row += n
    return good


def draw_positions(rng, cnp.ndarray[double, ndim=2, mode="c"] ends, Py_ssize_t draws):
    """draws places of each row of weights, with replacement, by their running sums ends; None where NumPy has to."""
    cdef Py_ssize_t n_rows = ends.shape[0], n = ends.shape[1], i
    bits = rng.bit_generator
    cdef wg_pcg* pcg = known_state(bits)
    if pcg == NULL:
        return None
    cdef cnp.ndarray out = np.empty((n_rows, draws), np.int64)
    cdef double* at = <double*> cnp.PyArray_BYTES(ends)
    cdef int64_t* to = <int64_t*> cnp.PyArray_BYTES(out)
    with bits.lock, nogil:
        for i in range(n_rows):
            wg_fill_places(pcg, at + i * n, n, to + i * draws, draws)
    return out


# ---- seeds

def seed(rng, value):
    """Start a NumPy generator with PCG64 again from a seed of 64 bits."""
    cdef uint64_t number = value
    cdef wg_pcg_words words
    bits = rng.bit_generator
    cdef wg_pcg* pcg = known_state(bits)
    wg_seed(&words, number)
    if pcg != NULL:
        with bits.lock:
            pcg.words[0], pcg.has_half, pcg.half = words, 0, 0
        return
    bits.state = {
        "bit_generator": "PCG64",
        "state": {
            "state": words.state_low | <object> words.state_high << 64,
            "inc": words.step_low | <object> words.step_high << 64,
        },
        "has_uint32": 0,
        "uinteger": 0,
    }
