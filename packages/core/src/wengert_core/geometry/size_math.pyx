"""Products and ends of geometries, checked. Note [Sizes are multiplied here] in size_math.pxd.

>>> from wengert_core.geometry.size_math import checked_numel
>>> checked_numel((3, 4))
12
>>> checked_numel((2**40, 2**40))
Traceback (most recent call last):
    ...
RuntimeError: Storage size calculation overflowed with sizes=[1099511627776, 1099511627776]: elements of 1 bytes
"""


cdef list list_of_sizes(int n, const Py_ssize_t* numbers):
    return [numbers[i] for i in range(n)]


cdef Py_ssize_t numel(int ndim, const Py_ssize_t* shape) except -1:
    cdef Py_ssize_t n = 1
    cdef bint overflow = False, empty = False
    cdef int i
    for i in range(ndim):
        empty = empty or shape[i] == 0
        overflow = overflow or mul_overflows(n, shape[i], &n)
    if empty:
        return 0
    if overflow or n < 0:
        raise RuntimeError("numel: integer multiplication overflow: "
                           f"sizes {list_of_sizes(ndim, shape)} have more than 2**63 - 1 elements")
    return n


cdef Py_ssize_t extent(
    int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides, Py_ssize_t offset, int itemsize
) except -1:
    cdef Py_ssize_t end = 1, span
    cdef bint overflow = add_overflows(offset, 1, &end)
    cdef int i
    for i in range(ndim):
        if shape[i] == 0:
            return 0
        overflow = overflow or mul_overflows(shape[i] - 1, strides[i], &span) or add_overflows(end, span, &end)
    if overflow or mul_overflows(end, itemsize, &end):
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list_of_sizes(ndim, shape)} and "
                           f"strides={list_of_sizes(ndim, strides)}: with storage offset {offset} and elements of "
                           f"{itemsize} "
                           "bytes they end beyond 2**63 - 1 bytes")
    return end


cdef Py_ssize_t mul_add(str op, Py_ssize_t a, Py_ssize_t b, Py_ssize_t c) except? -1:
    cdef Py_ssize_t n
    if mul_overflows(a, b, &n) or add_overflows(n, c, &n):
        product = f"{b}" if a == 1 else f"{a} * {b}"
        raise RuntimeError(f"{op}: a size overflows: {product}{f' + {c}' if c else ''} is more than 2**63 - 1")
    return n


def checked_numel(sizes, itemsize=1):
    """Return the product of sizes; RuntimeError when that many elements of ``itemsize`` bytes cannot be addressed.

    sizes: integers, none negative. For functions written in Python, before they make arrays of such sizes.
    """
    n = 1
    for size in sizes:
        n *= size
    if n * itemsize >= 1 << 62:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(sizes)}: elements of {itemsize} "
                           "bytes")
    return n
