"""Python values that C can read without running anybody's code.

Note [Values first, memory after]
    ``__index__``, ``__float__`` and the methods of a sequence run code, which may resize or free the tensor that a call
    is about. So they are called once, while a call's arguments are bound (op.pyx, ``plain_slot``), and what drivers
    find in their slots is an exact int, float, complex or bool, a tuple, a tensor, a NumPy number or array. Reading
    those runs nothing. Whatever else takes Python values (x[...], tensor()) reads them in the same way before it looks
    at memory.
"""
from cpython.ref cimport PyObject

cdef enum:
    MOST_ITEMS = 0x10000000            # of a sequence that is no list: its length may be a lie

cdef bint is_plain_number(PyObject* value) noexcept   # an exact int, float, complex or bool
cdef bint is_plain_ints(PyObject* value) noexcept     # an exact int, or a tuple of them
cdef tuple items_of(object value, Py_ssize_t most)    # of a sequence, read once
cdef Py_ssize_t length_of(object value) except -1     # of a sequence; ValueError for more than MOST_ITEMS
cdef tuple all_items(object value)                    # of a sequence of that length
cdef object plain_int(object value)                   # an exact int; None where the value is no integer
cdef object plain_ints(object value)                  # an exact int, or a tuple whose integers are exact ints
cdef object plain_number(object value)                # an exact number, or what is no number as it is
cdef object plain_float(object value)                 # the same; also of what has __float__ alone
cdef bint begins_with_bool(PyObject* value) noexcept  # a list or tuple of sizes or dims: torch looks at its first alone
