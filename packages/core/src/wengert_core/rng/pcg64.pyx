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
from libc.float cimport DBL_MAX
from libc.math cimport fabs, isfinite
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport malloc

from wengert_core.dtypes.dtypes cimport (BFLOAT16, BOOL, CAT_COMPLEX, FLOAT16, FLOAT32, FLOAT64, INT64, DTypeFacts,
                                         dtype_facts)
from wengert_core.exchange.device_memory cimport runs_on_device
from wengert_core.geometry.size_math cimport bytes_between
from wengert_core.runtime.config cimport ONLY_REFERENCES
from wengert_core.runtime.launches cimport (LAUNCH_DONE, LAUNCH_KERNEL, OPERAND_UPDATED, OPERAND_WRITTEN, Launch,
                                            add_launch, add_operand, count_recorders, tell_opaque, tell_outside)
from wengert_core.runtime.state cimport WG_TELL, thread_state
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
    void wg_move_unit_f32(float* out, Py_ssize_t n, float span, float low, float high)
    void wg_move_unit_f64(double* out, Py_ssize_t n, double span, double low, double high)
    void wg_fill_chance_8(wg_pcg* pcg, uint8_t* out, Py_ssize_t n, double p, uint64_t one)
    void wg_fill_chance_16(wg_pcg* pcg, uint16_t* out, Py_ssize_t n, double p, uint64_t one)
    void wg_fill_chance_32(wg_pcg* pcg, uint32_t* out, Py_ssize_t n, double p, uint64_t one)
    void wg_fill_chance_64(wg_pcg* pcg, uint64_t* out, Py_ssize_t n, double p, uint64_t one)
    void wg_fill_places(wg_pcg* pcg, const double* ends, Py_ssize_t n, int64_t* out, Py_ssize_t draws)

cdef enum:
    WITHOUT_GIL = 0x8000               # from this many numbers on the GIL is released
    FARTHEST_WORDS = 128               # bytes from the beginning of a state to its words, in one piece of memory

ctypedef struct BitGenerator:          # the beginning of NumPy's bitgen_t
    void* state

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()
cdef double LARGEST_F32 = 3.4028234663852886e38
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

cdef enum DrawKind:
    DRAW_UNIT = 0
    DRAW_UNIFORM = 1                   # from first to second
    DRAW_NORMAL = 2                    # around first, of the deviation second
    DRAW_WHOLE = 3                     # from low to last
    DRAW_ORDER = 4
    DRAW_CHANCE = 5                    # 1 with the probability first

cdef struct Draw:
    DrawKind kind
    int code                           # of the tensor
    Py_ssize_t n
    double first, second
    int64_t low, last
    Py_ssize_t words                   # where the words of the state begin, from its first byte on
    void* lock                         # the bit generator's, which the state's holder has


cdef void fill(Draw* d, wg_pcg* pcg, char* data) noexcept nogil:
    cdef float span = <float> (d.second - d.first)
    if d.kind <= DRAW_UNIFORM:
        if d.code == FLOAT32:
            wg_fill_unit_f32(pcg, <float*> data, d.n)
        else:
            wg_fill_unit_f64(pcg, <double*> data, d.n)
        if d.kind == DRAW_UNIFORM and d.code == FLOAT32:
            wg_move_unit_f32(<float*> data, d.n, span, <float> d.first, <float> d.second)
        elif d.kind == DRAW_UNIFORM:
            wg_move_unit_f64(<double*> data, d.n, d.second - d.first, d.first, d.second)
    elif d.kind == DRAW_NORMAL:
        if d.code == FLOAT32:
            wg_fill_normal_f32(pcg, <float*> data, d.n, d.first, d.second)
        else:
            wg_fill_normal_f64(pcg, <double*> data, d.n, d.first, d.second)
    elif d.kind == DRAW_WHOLE:
        wg_fill_whole(pcg, <int64_t*> data, d.n, d.low, d.last)
    elif d.kind == DRAW_ORDER:
        wg_fill_order(pcg, <int64_t*> data, d.n)
    else:
        fill_chance(d, pcg, data)


cdef void fill_chance(Draw* d, wg_pcg* pcg, char* data) noexcept nogil:
    """1 is an integer of the tensor's size, or the bits of a float."""
    cdef int itemsize = FACTS.itemsize[d.code]
    cdef uint64_t one = 1
    if d.code == FLOAT16:
        one = 0x3C00
    elif d.code == BFLOAT16:
        one = 0x3F80
    elif d.code == FLOAT32:
        one = 0x3F800000
    elif d.code == FLOAT64:
        one = 0x3FF0000000000000
    if itemsize == 1:
        wg_fill_chance_8(pcg, <uint8_t*> data, d.n, d.first, one)
    elif itemsize == 2:
        wg_fill_chance_16(pcg, <uint16_t*> data, d.n, d.first, one)
    elif itemsize == 4:
        wg_fill_chance_32(pcg, <uint32_t*> data, d.n, d.first, one)
    else:
        wg_fill_chance_64(pcg, <uint64_t*> data, d.n, d.first, one)


cdef bint run_draw(Draw* d, object bits, Tensor t) except -1:
    """Draw into a tensor; False, and nothing done, where NumPy has to."""
    cdef wg_pcg* pcg = known_state(bits)
    if pcg == NULL or not fits(t):
        return False
    d.code, d.n = t.code, t.count
    lock = bits.lock
    with lock:
        if d.n < WITHOUT_GIL:
            fill(d, pcg, t.data)
        else:
            with nogil:
                fill(d, pcg, t.data)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        d.lock = <void*> lock
        tell_draw(d, bits, pcg, t)
    return True


def unit(rng, Tensor t, low=0, high=1):
    """Fill a contiguous tensor with numbers uniform in [low, high); False, and nothing done, where NumPy has to."""
    cdef Draw d
    if t.code != FLOAT32 and t.code != FLOAT64:
        return False
    d.kind, d.first, d.second = DRAW_UNIT, low, high
    if d.first != 0 or d.second != 1:
        d.kind = DRAW_UNIFORM
        if not are_bounds(d.first, d.second, LARGEST_F32 if t.code == FLOAT32 else DBL_MAX):
            return False
    return run_draw(&d, rng.bit_generator, t)


cdef bint are_bounds(double low, double high, double largest) noexcept:
    """Whether samplers.uniform takes the bounds."""
    return fabs(low) <= largest and fabs(high) <= largest and low <= high and high - low <= largest


def normal(rng, Tensor t, mean=0, std=1):
    """Fill a contiguous tensor with normal numbers; False, and nothing done, where NumPy has to, or it cannot be."""
    cdef Draw d
    if not std >= 0:
        return False
    d.kind, d.first, d.second = DRAW_NORMAL, mean, std
    return (t.code == FLOAT32 or t.code == FLOAT64) and run_draw(&d, rng.bit_generator, t)


def whole(rng, Tensor t, low, most):
    """Fill a contiguous int64 tensor with whole numbers from low to most; False, nothing done, where NumPy has to."""
    cdef Draw d
    d.kind, d.low, d.last = DRAW_WHOLE, low, most
    return t.code == INT64 and d.low <= d.last and run_draw(&d, rng.bit_generator, t)


def order(rng, Tensor t):
    """Fill a contiguous int64 tensor with 0, 1, 2, ... in random order; False, and nothing done, where NumPy has to."""
    cdef Draw d
    d.kind = DRAW_ORDER
    return t.code == INT64 and run_draw(&d, rng.bit_generator, t)


def choose(rng, Tensor t, p=0.5):
    """Fill a contiguous tensor with 1 with probability p, else 0; False, and nothing done, where NumPy has to."""
    cdef Draw d
    if isinstance(p, Tensor) or not 0 <= p <= 1 or FACTS.category[t.code] == CAT_COMPLEX:
        return False
    d.kind, d.first = DRAW_CHANCE, p
    return run_draw(&d, rng.bit_generator, t)


# ---- launches. Note [Launches that draw]

cdef int tell_draw(Draw* d, object bits, wg_pcg* pcg, Tensor t) except -1:
    cdef Py_ssize_t words = bytes_between(pcg, pcg.words)
    cdef Draw* own
    cdef Launch* made
    if not 0 < words <= FARTHEST_WORDS:
        tell_opaque()
        return 0
    tell_outside(<char*> pcg, words + sizeof(wg_pcg_words), bits)
    own = <Draw*> malloc(sizeof(Draw))
    if own == NULL:
        raise MemoryError()
    own[0] = d[0]
    own.words = words
    made = add_launch(run_draw_launch, LAUNCH_KERNEL, own)
    add_operand(made, <char*> pcg, 0, words + sizeof(wg_pcg_words), OPERAND_UPDATED)
    add_operand(made, t.data, 0, d.n * FACTS.itemsize[d.code], OPERAND_WRITTEN)
    return 0


cdef int run_draw_launch(Launch* launch) noexcept nogil:
    cdef Draw* d = <Draw*> launch.plan
    cdef wg_pcg* pcg = <wg_pcg*> launch.data[0]
    cdef wg_pcg own                    # on the words of this memory
    own.words = <wg_pcg_words*> (launch.data[0] + d.words)
    hold_lock(d.lock, True)
    own.has_half, own.half = pcg.has_half, pcg.half
    fill(d, &own, launch.data[1])
    pcg.has_half, pcg.half = own.has_half, own.half
    hold_lock(d.lock, False)
    return LAUNCH_DONE


cdef void hold_lock(void* lock, bint acquires) noexcept with gil:
    if acquires:
        (<object> lock).acquire()
    else:
        (<object> lock).release()


cdef bint is_draw_into(Launch* launch, Tensor t) noexcept:
    return launch.run == run_draw_launch and launch.data[1] == t.data


# ---- arrays, for samplers

def normals(rng, tuple shape, dtype, mean, std):
    """An array of normal numbers in float32 or float64; None where NumPy has to."""
    cdef Draw d
    d.kind, d.first, d.second, d.code = DRAW_NORMAL, mean, std, FLOAT32 if dtype is np.float32 else FLOAT64
    return drawn_array(&d, rng.bit_generator, shape, dtype)


def chance(rng, tuple shape, p):
    """An array of truth values that are True with probability p; None where NumPy has to."""
    cdef Draw d
    d.kind, d.first, d.code = DRAW_CHANCE, p, BOOL
    return drawn_array(&d, rng.bit_generator, shape, np.bool_)


cdef object drawn_array(Draw* d, object bits, tuple shape, object dtype):
    cdef wg_pcg* pcg = known_state(bits)
    if pcg == NULL:
        return None
    cdef cnp.ndarray out = np.empty(shape, dtype)
    cdef char* data = cnp.PyArray_BYTES(out)
    d.n = cnp.PyArray_SIZE(out)
    with bits.lock:
        if d.n < WITHOUT_GIL:
            fill(d, pcg, data)
        else:
            with nogil:
                fill(d, pcg, data)
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
