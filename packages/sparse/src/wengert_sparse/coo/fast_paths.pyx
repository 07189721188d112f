"""Kernels for the operands of most calls: two tensors of one shape, a number, components on the CPU.

Each returns None for any others, which pointwise.py, products.py and convert.py compute or refuse. The only errors here
are those of indices outside of the size, which constructors look for only when they are asked to.
"""
from wengert_core.extend cimport INT64, Tensor, is_plain, is_strided, new_empty, same_shape, tensor_components

from wengert_core import add as _add

from wengert_sparse.components cimport is_coo_tensor, new_coo_like
from wengert_sparse.loops.coalesce cimport coalesce_components
from wengert_sparse.loops.dense cimport add_to_dense, gather_from_dense
from wengert_sparse.loops.loops cimport are_components, fit_shape, is_on_cpu
from wengert_sparse.loops.merge cimport add_coalesced, equal_indices
from wengert_sparse.loops.products cimport elements_times_dense

cdef object ADD = _add


cdef int raise_outside(str name, Tensor t) except -1:
    raise RuntimeError(f"{name}: an index is outside of the size {list((<object> t).shape)}: construct the sparse "
                       "tensor with check_invariants=True to see which")


def add(self, other, alpha):
    """self + alpha * other: of two sparse tensors with the same indices, or both coalesced."""
    cdef Tensor a, b, x, y
    if not (isinstance(self, Tensor) and isinstance(other, Tensor) and type(alpha) in (int, float)
            and is_coo_tensor(<Tensor> self) and is_coo_tensor(<Tensor> other)
            and same_shape(<Tensor> self, <Tensor> other)):
        return None
    a, x, first = tensor_components(<Tensor> self)
    b, y, second = tensor_components(<Tensor> other)
    if equal_indices(a, b):
        values = x + y if alpha == 1 else ADD(x, y, alpha=alpha)
        return new_coo_like(<Tensor> self, a, <Tensor?> values, first and second)
    return add_coalesced(<Tensor> self, <Tensor> other, alpha) if first and second else None


def mul(self, other):
    """self * other: a number, or a sparse tensor with the same indices, each once."""
    cdef Tensor a, b, x, y
    if not isinstance(self, Tensor) or not is_coo_tensor(<Tensor> self):
        return None
    a, x, first = tensor_components(<Tensor> self)
    if type(other) in (float, int):
        return new_coo_like(<Tensor> self, a, <Tensor?> (x * other), first)
    if not first or not isinstance(other, Tensor) or not is_coo_tensor(<Tensor> other):
        return None
    b, y, second = tensor_components(<Tensor> other)
    if not second or not same_shape(<Tensor> self, <Tensor> other) or not equal_indices(a, b):
        return None
    return new_coo_like(<Tensor> self, a, <Tensor?> (x * y), True)


def mm(self, mat2):
    """The product of a sparse matrix and a dense one."""
    cdef Tensor indices, values
    if not (isinstance(self, Tensor) and isinstance(mat2, Tensor) and is_coo_tensor(<Tensor> self)
            and is_strided(<Tensor> mat2) and (<Tensor> self).rank == 2 and (<Tensor> mat2).rank == 2
            and (<Tensor> self).dims[1] == (<Tensor> mat2).dims[0]):
        return None
    indices, values, _ = tensor_components(<Tensor> self)
    return elements_times_dense(indices, values, <Tensor> mat2, (<Tensor> self).dims[0], False)


def to_dense(Tensor self not None):
    """The strided tensor of the same elements, those of one index added."""
    cdef Tensor indices, values, dense
    if not is_coo_tensor(self):
        return None
    indices, values, _ = tensor_components(self)
    if not are_components(indices, values) or not fit_shape(self, indices, values):
        return None
    dense = new_empty(values.code, self.rank, self.dims)
    if not add_to_dense(dense, indices, values):
        raise_outside("to_dense", self)
    return dense


def coalesce_if_plain(self):
    """A coalesced tensor; None as well where the call has to be seen."""
    cdef Tensor indices, values
    if not isinstance(self, Tensor) or not is_coo_tensor(<Tensor> self) or not is_plain(<Tensor> self):
        return None
    indices, values, coalesced = tensor_components(<Tensor> self)
    if coalesced:
        return self
    if not fit_shape(<Tensor> self, indices, values):
        return None
    parts = coalesce_components(indices, values, (<Tensor> self).dims)
    return None if parts is None else new_coo_like(<Tensor> self, <Tensor?> parts[0], <Tensor?> parts[1], True)


def to_dense_if_plain(self):
    """``to_dense``; None as well where the call has to be seen."""
    return to_dense(<Tensor> self) if isinstance(self, Tensor) and is_plain(<Tensor> self) else None


def values_at(Tensor tensor not None, Tensor indices not None):
    """The values (N, ...) of a strided tensor at indices (S, N)."""
    cdef Py_ssize_t shape[65]
    cdef Tensor values
    cdef int i, sparse_dim
    if not (is_on_cpu(tensor) and is_on_cpu(indices) and indices.code == INT64 and indices.rank == 2
            and indices.dims[0] <= tensor.rank):
        return None
    sparse_dim = <int> indices.dims[0]
    shape[0] = indices.dims[1]
    for i in range(sparse_dim, tensor.rank):
        shape[i - sparse_dim + 1] = tensor.dims[i]
    values = new_empty(tensor.code, tensor.rank - sparse_dim + 1, shape)
    if not gather_from_dense(tensor, indices, values):
        raise_outside("sparse_mask", tensor)
    return values
