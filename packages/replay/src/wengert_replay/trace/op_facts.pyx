"""Facts of operations and their arguments that decide how an operation is recorded."""
from cpython.ref cimport PyObject

from wengert_core.extend cimport OP_INPLACE, Op, Tensor, itemsize_of

# Families whose operations refuse arguments by their values, and words in the names of others.
cdef frozenset BY_VALUES = frozenset(("array", "staged", "random", "class_loss"))
cdef tuple WORDS_BY_VALUES = ("index", "gather", "scatter", "take", "put", "masked", "linalg", "nonzero")
cdef tuple PLAIN_FACTORIES = ("zeros", "ones", "full", "eye", "arange", "range", "linspace", "logspace", "empty", "tri",
                              "new_", "scalar_tensor")


cdef bint writes_to_argument(Op op, PyObject** slots) noexcept:
    """Whether an operation is in place, or called with out=."""
    return op.flags & OP_INPLACE != 0 \
        or (op.out_slot >= 0 and slots[op.out_slot] != NULL and slots[op.out_slot] != <PyObject*> None)


cdef bint depends_on_values(Op op):
    """Whether an operation may refuse arguments by what is in them, not by dtypes and shapes alone."""
    return op.family in BY_VALUES or any([word in op.name for word in WORDS_BY_VALUES])


cdef bint gives_values(Op op):
    """Whether a factory's arguments give its values: numbers, not arrays."""
    return op.name.startswith(PLAIN_FACTORIES) or op.name.endswith("_like")


cdef bint are_views_of(list outputs, list arguments):
    """Whether each output lies in the storage of an argument."""
    cdef Tensor t
    storages = {<size_t> (<Tensor> one).storage for one in arguments}
    for t in outputs:
        if <size_t> t.storage not in storages:
            return False
    return len(outputs) > 0


cdef Py_ssize_t bytes_of(list tensors):
    cdef Py_ssize_t n = 0
    for t in tensors:
        n += (<Tensor> t).count * itemsize_of(<Tensor> t)
    return n
