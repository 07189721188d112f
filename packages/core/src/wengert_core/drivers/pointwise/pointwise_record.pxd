"""The records of pointwise operations: how an op, or a variant of it, is computed."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.pointwise.loop_lookup cimport Loop
from wengert_core.kernels.types cimport N_DTYPES
from wengert_core.tensors.tensor cimport Tensor

cdef enum:
    WITHOUT_GIL = 0x8000               # from this many elements on the GIL is released
    MOST_INPUTS = 6                    # of a row, numbers included
    MOST_OPERANDS = 4                  # inputs of a loop: tensors, and numbers that are read as such

cdef enum Promotion:
    PROMOTE_SAME = 0                   # computed and returned in the common dtype
    PROMOTE_FLOAT = 1                  # integers and bool become the default float first
    PROMOTE_COMPARE = 2                # computed in the common dtype, returns bool
    PROMOTE_LOGICAL = 3                # inputs become bool, returns bool
    PROMOTE_WHERE = 4                  # the first input is a bool mask and takes no part
    PROMOTE_TO_REAL = 5                # as SAME, but complex gives its real type (abs)
    PROMOTE_FLOAT_REAL = 6             # both FLOAT and TO_REAL (angle)
    PROMOTE_STRICT = 7                 # as SAME, but the inputs must have one dtype (lerp)

cdef enum Check:                       # what else an op looks at; from CHECK_EXPONENT on the values matter
    CHECK_NONE = 0
    CHECK_NO_BOOL = 1                  # sub: no bool among the inputs
    CHECK_TRUE_DIVISION = 2            # addcdiv: not two integer tensors
    CHECK_EXPONENT = 3                 # pow: no negative number as the exponent of integers
    CHECK_DIVISOR = 4                  # integer division: no zero in the last input
    CHECK_BOUND = 5                    # clamp: no number that the common dtype does not hold
    CHECK_FACTOR = 6                   # addcmul: nor the dtype that is computed in, float32 for 16 bits

cdef enum Narrow:                      # what is rounded to float16 or bfloat16 before the end, as in torch
    NARROW_NONE = 0
    NARROW_NUMBERS = 1                 # fmod, hardshrink: the numbers among the inputs
    NARROW_FIRST = 3                   # pow, xlogy: a number that is the first input
    NARROW_QUOTIENT = 2                # div to zero: the quotient of two tensors, before it is truncated

cdef struct Pointwise:                 # Op.data of the family; further ones for the values of a variant argument
    Loop loops[N_DTYPES]                     # by the common dtype
    int n_in                           # inputs of the loop: the first slots, at most 4; numbers have stride 0
    int n_promote                      # of them, those which decide the dtype
    int promotion                      # Promotion
    uint32_t accepts                   # a bit for each dtype code that the op takes, after promotion
    int alpha_slot                     # of add and sub: other is multiplied by it first; -1: none
    int check                          # Check
    int variant_slot                   # the argument whose value chooses among records; -1: none
    int identity                       # 1: a real input is its own result; 2: every input is
    bint bounds                        # clamp: None in slot 1 or 2 means no bound
    int narrow                         # Narrow
    PyObject* kernels                  # tuple of providers, see loops.resolve; owned
    PyObject* reference                # callable (xp, *inputs); owned
    PyObject* variants                 # dict from the argument's value to the address of a record; owned, or NULL


# ValueError for a row with more inputs than the arrays in pointwise.pyx and strided_loop.pyx have places for.
cdef int check_room(Op op, int n_in, kernels) except -1
# The names of a row's settings say what the record holds; it lives as long as the process.
cdef Pointwise* new_record(int n_in, str promotion, kernels, reference, check, narrow) except NULL
cdef int add_variants(Op op, Pointwise* p, int slot, dict variants) except -1
cdef Pointwise* choose_record(Op op, PyObject** slots) except NULL
