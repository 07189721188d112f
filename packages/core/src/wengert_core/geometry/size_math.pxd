"""Arithmetic on sizes, strides and offsets: all of it that users' numbers reach goes through here.

Note [Sizes are multiplied here]
    A size that wraps around is a tensor of the wrong number of elements, and a write beyond its memory. ``numel``
    multiplies sizes, ``extent`` says where a geometry ends in memory; both raise what torch raises. Code that only
    asks, or that has an error of its own, uses ``mul_overflows`` and ``add_overflows``.

Note [A difference of pointers is taken here]
    In the checked build Cython makes integers of both sides of a difference to look for overflow: of pointers these are
    the addresses, and the difference counts bytes whatever the pointers point at. There gcc refuses a difference of
    pointers, of whatever type, outside of a function without this check: ``bytes_between``.
"""
cimport cython

cdef extern from "wengert_core/geometry/size_math.h" nogil:
    bint mul_overflows "wengert_mul_overflows"(Py_ssize_t a, Py_ssize_t b, Py_ssize_t* product) noexcept
    bint add_overflows "wengert_add_overflows"(Py_ssize_t a, Py_ssize_t b, Py_ssize_t* sum) noexcept

# the product of the sizes, 0 if one of them is 0; RuntimeError when it does not fit
cdef Py_ssize_t numel(int ndim, const Py_ssize_t* shape) except -1
# bytes from the start of a storage to the end of its last element; strides and offset in elements, none negative
cdef Py_ssize_t extent(
    int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides, Py_ssize_t offset, int itemsize
) except -1
# the stride of n steps of ``stride``; where that does not fit the dim has one element, and any stride will do
cdef inline Py_ssize_t step_sizes(Py_ssize_t stride, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t product
    return stride if mul_overflows(stride, n, &product) else product

# a * b + c for a size; RuntimeError that names the op when it does not fit
cdef Py_ssize_t mul_add(str op, Py_ssize_t a, Py_ssize_t b, Py_ssize_t c) except? -1


@cython.overflowcheck(False)           # Note [A difference of pointers is taken here]
cdef inline Py_ssize_t bytes_between(const void* low, const void* high) noexcept nogil:
    return <const char*> high - <const char*> low
