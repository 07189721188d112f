"""Walking an index along one dim: gather, scatter, scatter_add."""
from wengert_core.tensors.tensor cimport Tensor

cdef enum WalkKind:
    WALK_READ = 0                      # other = t[index]
    WALK_WRITE = 1                     # t[index] = other
    WALK_ADD = 2                       # t[index] += other
    WALK_PRODUCT = 3                   # t[index] *= other
    WALK_LARGEST = 4                   # t[index] = the larger of it and other
    WALK_SMALLEST = 5

# index: int64, of other's shape, or 1-d and repeated along all dims but ``dim``. other: as many dims as t; where its
# strides are 0 an element is repeated; of the tensor ``source``, or None and a number. Bounds have been checked
# (check_bounds).
cdef int walk_along(int what, Tensor t, int dim, Tensor index, Tensor source, char* other, const Py_ssize_t* shape,
                    const Py_ssize_t* other_strides) except -1
cdef int check_bounds(str message, object error, Tensor index, int dim, Py_ssize_t size, bint negative) except -1
cdef Tensor as_vector(Tensor t)
cdef Tensor as_index(Tensor index, str message)
cdef Tensor as_index_or_empty(Tensor index, str message)
