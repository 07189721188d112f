"""Kernels that the machine of a stream computes itself. See kernels.pyx."""
from wengert_core.extend cimport PointwisePlan

cdef enum Arithmetic:                  # in the order of WG_BINARY and of the unary names in programs/machine.h
    ARITHMETIC_NONE = -1
    ARITHMETIC_ADD = 0
    ARITHMETIC_SUB = 1
    ARITHMETIC_MUL = 2
    ARITHMETIC_DIV = 3
    ARITHMETIC_NEG = 4
    ARITHMETIC_SQRT = 5
    ARITHMETIC_SQUARE = 6
    N_ARITHMETIC = 7

cdef int arithmetic_of(PointwisePlan* plan) noexcept nogil       # of a plan whose loop computes float32 or float64
