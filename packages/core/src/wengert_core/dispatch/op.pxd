"""Op: a row of an operator table, callable from C and from Python, as a function and as a method.

Note [How an op runs]
    A call binds its arguments to *slots*, one for each parameter of the schema, in the schema's order, defaults filled
    in (borrowed references). The family's driver ``run`` works on the slots, unless somebody else takes the call
    (dispatcher.pxd); ``call1`` and ``call2`` are its shortcuts for
    one and two positional arguments. Whatever follows a kernel (the engine's recording) gets the same slots.
"""
from cpython.ref cimport PyObject
from libc.stdint cimport uint8_t, uint32_t

from wengert_core.tensors.tensor cimport Tensor


cdef enum:
    MAX_SLOTS = 16

cdef enum ParamKind:                   # what an argument may be
    K_TENSOR = 0
    K_TENSOR_OR_NUMBER = 1             # "Any": a tensor, an array or a number
    K_NUMBER = 2
    K_INT = 3
    K_INTS = 4                         # an int or a sequence of ints
    K_BOOL = 5
    K_FLOAT = 6
    K_DTYPE = 7
    K_STR = 8
    K_TENSORS = 9                      # a sequence of tensors
    K_OBJECT = 10                      # checked by the driver
    K_OPTIONAL = 64                    # flag: None is fine
    K_VARARGS = 128                    # flag: the remaining positional arguments may stand in place of a sequence

cdef enum OpFlags:
    OP_INPLACE = 1                     # writes into slot 0 and returns it
    OP_VIEW = 2                        # outputs are views of slot 0
    OP_MULTI_VIEW = 4                  # ... several of them
    OP_NO_RECORD = 8                   # never differentiable: outputs are bool or integer


ctypedef object (*run_fn)(Op op, PyObject** slots, uint32_t live)      # live: Note [What is live] in dispatcher.pxd
ctypedef object (*call1_fn)(Op op, PyObject* a)
ctypedef object (*call2_fn)(Op op, PyObject* a, PyObject* b)


cdef class Op:
    cdef void* vectorcall             # CPython's entry; its offset is told to the type
    cdef call1_fn call1               # NULL: bind and run
    cdef call2_fn call2
    cdef run_fn run                   # the family's driver; who has slots calls dispatch
    cdef PyObject* derivative         # the engine's record of this op's formula, owned; NULL: not asked for yet
    cdef void* data                   # the family's C record, owned by the family, lives as long as the process
    cdef uint32_t flags               # OpFlags
    cdef int n_params
    cdef int n_positional             # those before "*" in the schema
    cdef int out_slot                 # slot of out=, or -1
    cdef uint32_t always              # bits that are live where the modes have them, whatever the arguments are
    cdef int n_watched
    cdef uint8_t watched[16]          # slots whose tensors decide who takes part in a call
    cdef uint8_t kinds[16]            # ParamKind
    cdef PyObject* names[16]          # interned str, owned
    cdef PyObject* defaults[16]       # owned; NULL: required
    cdef readonly str name            # "mul", "mul_"
    cdef readonly str schema
    cdef readonly str family
    cdef readonly str doc             # first line of the documentation
    cdef public str owner             # the table the op belongs to: where its formula is looked for
    cdef readonly object reference    # callable(xp, *arrays, **params), or None
    cdef readonly object impl         # Python-level part of a driver, or None
    cdef readonly object params       # tuple of parameter names
    cdef readonly object outputs      # tuple of output names; ("result",) by default
    cdef readonly object options      # the row's keywords, for whoever reads tables
    cdef readonly Op out_of_place     # of an in-place op: the op it is a variant of
    cdef public str public_name       # the row's name in its table: "bmm", "linalg.svd"; "" until it is in one
    cdef public str documentation     # the package that has its entry, "": none (op_docs, Note [Documentation is data])


cdef object call_bound(Op op, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames)     # as a call from Python
cdef object op_error(Op op, int slot, str expected, PyObject* got)
cdef Op find_op(str name)
