"""Kernels that the machine of a stream computes itself: IEEE's operations, whose bits do not depend on who computes.

A launch says which loop it calls, not which operation: its loop is compared with the loops of these.
"""
import numpy as np

from wengert_core.extend cimport FLOAT32, FLOAT64, LOOP_NATIVE, Loop, resolve

cdef Loop LOOPS[2][N_ARITHMETIC]       # of float32, float64

PROVIDERS = ([np.add], [np.subtract], [np.multiply], [np.divide], [np.negative], [np.sqrt], ["square", np.square])


def find_loops():
    """Ask for the loops that an eager call finds."""
    cdef int code, k
    for k in range(N_ARITHMETIC):
        for code in (FLOAT32, FLOAT64):
            resolve(&LOOPS[code == FLOAT64][k], PROVIDERS[k], code, 2 if k <= ARITHMETIC_DIV else 1, -1, -1)


find_loops()


cdef int arithmetic_of(PointwisePlan* plan) noexcept nogil:
    cdef int k
    cdef Loop* own = &plan.loop
    cdef Loop* loops
    if own.compute != FLOAT32 and own.compute != FLOAT64 or own.first != own.compute or own.out != own.compute \
            or own.n_params:
        return ARITHMETIC_NONE
    loops = LOOPS[own.compute == FLOAT64]
    for k in range(N_ARITHMETIC):
        if loops[k].state == LOOP_NATIVE and loops[k].fn == own.fn and loops[k].data == own.data:
            return k
    return ARITHMETIC_NONE
