"""The strided tensors that a sparse tensor consists of, and sparse tensors of them."""
from importlib import import_module

from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_SET_ITEM

from wengert_core.extend cimport INT64, Tensor, alias, is_plain, is_strided, new_of_layout, tensor_components

from wengert_core.extend import Size, components_of

from wengert_sparse.layouts import SPARSE_COO
from wengert_sparse.parts import Coo, CompressedParts

cdef extern from "Python.h":
    ctypedef object (*allocate_fn)(PyTypeObject* kind, Py_ssize_t items)
    ctypedef struct type_struct "PyTypeObject":
        allocate_fn tp_alloc

cdef object COO_PLUGIN = None     # both are set by plugin.py, whose import needs this module
cdef object COMPRESSED_PLUGIN = None
cdef object COO = Coo
cdef object SIZE = Size
cdef unsigned int COO_ON_CPU = 0   # the device number of layout sparse_coo on the CPU; 0: it has none yet


def connect(coo, compressed):
    """Say which plugins make tensors."""
    global COO_PLUGIN, COMPRESSED_PLUGIN
    COO_PLUGIN, COMPRESSED_PLUGIN = coo, compressed


cdef object plugin_of(bint coo):
    """The plugin that makes tensors of a layout, loaded now if it was not."""
    if COO_PLUGIN is None:
        import_module("wengert_sparse.plugin")
    return COO_PLUGIN if coo else COMPRESSED_PLUGIN


# ---- reading


cdef bint is_coo_tensor(Tensor t):
    if t.device == COO_ON_CPU and COO_ON_CPU != 0:
        return True
    return not is_strided(t) and type(tensor_components(t)) is COO


def is_coo(value):
    """Whether something is a tensor of layout ``sparse_coo``."""
    return isinstance(value, Tensor) and is_coo_tensor(<Tensor> value)


def coo_of(Tensor tensor not None):
    """The components of a tensor of layout ``sparse_coo``."""
    return tensor_components(tensor) if tensor.device == COO_ON_CPU and COO_ON_CPU != 0 else components_of(tensor)


def parts_of_compressed(Tensor tensor not None):
    """The components of a tensor of a compressed layout."""
    return components_of(tensor)


# ---- making


cdef object new_coo_parts(Tensor indices, Tensor values, bint coalesced):
    """A Coo, made without a call."""
    parts = (<type_struct*> COO).tp_alloc(<PyTypeObject*> COO, 3)
    flag = coalesced or values.dims[0] < 2
    Py_INCREF(indices)
    PyTuple_SET_ITEM(parts, 0, indices)
    Py_INCREF(values)
    PyTuple_SET_ITEM(parts, 1, values)
    Py_INCREF(flag)
    PyTuple_SET_ITEM(parts, 2, flag)
    return parts


cdef Tensor new_coo(Tensor indices, Tensor values, int ndim, const Py_ssize_t* shape, bint coalesced):
    global COO_ON_CPU
    cdef Tensor made
    parts = new_coo_parts(indices, values, coalesced)
    if values.device == 0 and COO_ON_CPU != 0:
        return new_of_layout(COO_ON_CPU, ndim, shape, values.code, parts)
    made = plugin_of(True).tensor(SPARSE_COO, [shape[i] for i in range(ndim)], (<object> values).dtype, parts, values)
    if values.device == 0:
        COO_ON_CPU = made.device
    return made


cdef Tensor new_coo_like(Tensor like, Tensor indices, Tensor values, bint coalesced):
    return new_coo(indices, values, like.rank, like.dims, coalesced)


cdef bint fit(Tensor indices, Tensor values, int ndim, const Py_ssize_t* shape) noexcept:
    """Whether components have the shapes that a tensor's needs."""
    cdef Py_ssize_t sparse_dim, d
    if indices.rank != 2 or indices.code != INT64 or values.rank < 1 or indices.dims[1] != values.dims[0]:
        return False
    sparse_dim = indices.dims[0]
    if sparse_dim + values.rank - 1 != ndim:
        return False
    for d in range(ndim):
        if shape[d] < 0 or (d >= sparse_dim and shape[d] != values.dims[d - sparse_dim + 1]):
            return False
    return True


def make_coo(Tensor indices not None, Tensor values not None, size, bint coalesced):
    """A tensor of layout ``sparse_coo``, without history. RuntimeError for components of other shapes than it needs;
    the indices are not looked at.
    """
    cdef Py_ssize_t shape[65]
    cdef Py_ssize_t n
    cdef int ndim = 0
    for n in size:
        if ndim < 65:
            shape[ndim] = n
            ndim += 1
    if not fit(indices, values, ndim, shape):
        raise RuntimeError(f"a tensor of layout sparse_coo of size {list(size)} needs indices (S, N) of int64 and "
                           f"values (N, *sizes of the dense dims), got indices of shape "
                           f"{list((<object> indices).shape)} and dtype {(<object> indices).dtype}, and values of "
                           f"shape {list((<object> values).shape)}")
    return new_coo(indices, values, ndim, shape, coalesced)


def make_coo_if_plain(indices, values, size):
    """The tensor that ``sparse_coo_tensor`` makes of strided tensors and a size that fit each other; None for other
    arguments, and where the call has to be seen.
    """
    cdef Py_ssize_t shape[65]
    cdef int ndim = 0
    if type(indices) is not Tensor or type(values) is not Tensor or type(size) not in (tuple, SIZE):
        return None
    for n in <tuple> size:
        if type(n) is not int or ndim == 65:
            return None
        shape[ndim] = n
        ndim += 1
    if not (is_plain(<Tensor> indices) and is_plain(<Tensor> values) and is_strided(<Tensor> indices)
            and is_strided(<Tensor> values) and (<Tensor> indices).device == (<Tensor> values).device
            and fit(<Tensor> indices, <Tensor> values, ndim, shape)):
        return None
    return new_coo(alias(<Tensor> indices), alias(<Tensor> values), ndim, shape, False)


def values_if_plain(self):
    """The values of a coalesced tensor of layout ``sparse_coo``; None for others, and where the call has to be seen."""
    if not isinstance(self, Tensor) or not is_coo_tensor(<Tensor> self) or not is_plain(<Tensor> self):
        return None
    _, values, coalesced = tensor_components(<Tensor> self)
    return alias(<Tensor?> values) if coalesced else None


def make_compressed(kind, Tensor compressed not None, Tensor plain not None, Tensor values not None, size):
    """A tensor of a compressed layout, without history; the components are not looked at."""
    return from_parts(kind, CompressedParts(compressed, plain, values), size)


def from_parts(kind, parts, size):
    """A tensor of a compressed layout with these components."""
    return plugin_of(False).tensor(kind, size, parts.values.dtype, parts, parts.values)


def replace_parts(tensor, parts, size=None):
    """Let a tensor have other components; with a size also that, which raises the version."""
    plugin_of(type(parts) is COO).replace(tensor, parts, size, raise_version=size is not None)
