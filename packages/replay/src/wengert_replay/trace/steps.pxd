"""Steps: what a program does, as C arrays. See steps.pyx."""
cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.extend cimport Op, Tensor
from wengert_replay.trace.lines cimport Lines
from wengert_replay.trace.packed cimport (NUMBER_MASK, TAG_CONSTANT, TAG_INPUT, TAG_LIST, TAG_OUTSIDE, TAG_RESULT,
                                          TAG_SHIFT, TAG_SLICE, TAG_TUPLE, TAG_UNKNOWN, PackedSteps, Row)
from wengert_replay.trace.tables cimport Table, Words

cdef enum Way:                         # how a step is replayed
    WAY_LAUNCHES = 0
    WAY_VIEW = 1                       # there is nothing to do
    WAY_STORE = 2                      # bytes are written
    WAY_CALL = 3                       # the operation's driver is called
    WAY_GUARD = 4                      # bytes are compared
    WAY_PYTHON = 5                     # a Python function is called
    WAY_ERROR = 6                      # the operation's driver is called, and must raise an error

cdef enum PseudoNumber:                # the first numbers of operations: PSEUDO_OPS in values.py
    PSEUDO_COPY = 0
    PSEUDO_FILL = 1
    PSEUDO_STORE = 2
    PSEUDO_VIEW = 3
    PSEUDO_GUARD = 4
    PSEUDO_LAUNCH = 5


@cython.final
cdef class Steps:
    cdef PackedSteps rows
    cdef Py_ssize_t n                  # of them
    cdef dict late_types               # by the number of a result: its type, where that was not known at first
    cdef Words input_types             # by the number of an argument
    cdef Words outside_types
    cdef list outside_references       # weak ones, by the number of an outside value
    cdef readonly list outside_places  # (address of the Storage, address of the first byte) by the same number
    cdef readonly list constants
    cdef readonly list ops             # by number: PseudoOp or Op
    cdef readonly Lines lines
    cdef readonly dict contents        # by the number of a step: bytes of a result that its arguments may not give
    cdef Words types                   # where each begins in ``geometry``; type 0 is unknown
    cdef Py_ssize_t* geometry          # owned; for each type: dtype code, rank, sizes, strides in bytes
    cdef Py_ssize_t n_geometry
    cdef Py_ssize_t geometry_room
    # Only while it is written.
    cdef Table op_numbers              # by an operation's address
    cdef Table constant_numbers        # by bits and kind
    cdef dict tuple_numbers            # of tuples of ints, and of bytes
    cdef Table type_numbers            # by a hash and a count
    cdef Py_ssize_t scalar_types[32]   # by dtype code: the type without dims; 0: none yet

    cdef Words* row(self, int number) noexcept
    cdef void free_tables(self) noexcept
    cdef uint32_t op_number(self, Op op) except? 0xFFFFFFFF
    cdef uint32_t function_number(self, str name) except? 0xFFFFFFFF
    cdef uint32_t add_op(self, op) except? 0xFFFFFFFF
    cdef uint32_t type_of(self, Tensor t) except? 0xFFFFFFFF
    cdef uint32_t type_number(self, int code, int rank, const Py_ssize_t* dims) except? 0xFFFFFFFF
    cdef uint32_t layout_type(
        self, int dtype, int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides
    ) except? 0xFFFFFFFF
    cdef uint32_t constant(self, PyObject* value) except? 0xFFFFFFFF
    cdef uint32_t add_constant(self, value) except? 0xFFFFFFFF
    cdef uint32_t shared_constant(self, value) except? 0xFFFFFFFF
    cdef uint32_t bytes_constant(self, const char* data, Py_ssize_t nbytes) except? 0xFFFFFFFF
    cdef int add_record(self, uint32_t op, uint32_t given, uint32_t line, int way, Words* words) except -1
    cdef uint32_t add_result(self, uint32_t type_number) except? 0xFFFFFFFF
    cdef int set_type(self, uint32_t number, uint32_t type_number) except -1      # of a result
    cdef uint32_t type_of_result(self, Row* row, uint32_t number) except? 0xFFFFFFFF
    cdef uint32_t type_of_word(self, uint32_t word) except? 0xFFFFFFFF
    cdef object value_of_word(self, uint32_t word)
    cdef object decode(self, Row* row, Py_ssize_t* at)
    cdef object arguments_of(self, Py_ssize_t number, bint only_given)
    cdef object step_at(self, Py_ssize_t number)
    cdef int shrink(self) except -1


cdef class Step:
    """A step, made when somebody looks."""
    cdef readonly Steps steps
    cdef readonly Py_ssize_t number
    cdef Row row(self) noexcept
