"""Tensors of other layouts than strided: made of components, which are read and replaced."""
from importlib import import_module

from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject

from wengert_core.dispatch.hooks cimport hooks
from wengert_core.dtypes.dtypes cimport code_of
from wengert_core.geometry.size_math cimport mul_overflows
from wengert_core.runtime.state cimport WG_FOREIGN
from wengert_core.tensors.tensor cimport (TF_CONTIGUOUS, Storage, Tensor, bump_version, copy_geometry, home_device,
                                          is_strided, new_on_memory, shape_tuple, storage_of)


cdef object tensor_components(Tensor t):
    cdef Storage s = storage_of(t)
    while s.owner != NULL and isinstance(<object> s.owner, Storage):
        s = <Storage> s.owner
    return <object> s.owner if s.owner != NULL else None


cdef Tensor new_of_layout(unsigned int device_number, int ndim, const Py_ssize_t* shape, int dtype, object components):
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t count = 1
    cdef int i
    cdef Tensor t
    if ndim > 64:
        raise RuntimeError(f"a tensor has at most 64 dimensions, got {ndim}")
    for i in range(ndim):
        strides[i] = 0
        if mul_overflows(count, shape[i], &count):
            sizes = [shape[k] for k in range(ndim)]
            raise RuntimeError(f"numel: integer multiplication overflow: a tensor of sizes {sizes} has more than "
                               "2**63 - 1 elements")
    t = new_on_memory(dtype, ndim, shape, strides, NULL, NULL, 0, components)
    t.device = device_number
    t.flags = (t.flags | WG_FOREIGN) & ~(<unsigned int> TF_CONTIGUOUS)
    return t


cdef Tensor make_tensor(unsigned int device_number, tuple shape, int code, object components):
    cdef Py_ssize_t sizes[64]
    cdef int i, rank = <int> min(len(shape), 65)
    for i in range(min(rank, 64)):
        sizes[i] = shape[i]
    return new_of_layout(device_number, rank, sizes, code, components)


def connect_operations():
    """Let operations on tensors of other layouts be run by their plugins, from the first such tensor on."""
    if hooks().run_on_layout == NULL:
        import_module("wengert_core.backends.run_on_layout")


def make(device_number, tuple shape, dtype, components):
    """A tensor of a layout, by its device number, without history."""
    connect_operations()
    return make_tensor(device_number, shape, code_of(dtype), components)


def known_number(dict numbers, kind, Tensor like not None):
    """The device number of a layout on the device of a tensor; None where it has none yet."""
    return numbers.get(kind) if home_device(like.device) == 0 else numbers.get((kind, home_device(like.device)))


def components_of(Tensor t not None):
    """The components of a tensor of another layout than strided. TypeError for a strided tensor."""
    if is_strided(t):
        raise TypeError(f"components_of: expected a tensor of another layout than torch.strided, got a strided one of "
                        f"shape {list(shape_tuple(t))}")
    return tensor_components(t)


cdef int replace_components(Tensor t, object components) except -1:
    """Put other components in place of a tensor's, in the Storage that its aliases have in common."""
    cdef Storage s = storage_of(t)
    cdef PyObject* old = s.owner
    Py_INCREF(components)
    s.owner = <PyObject*> components
    Py_XDECREF(old)
    return 0


cdef int take_over(Tensor t, Tensor result) except -1:
    """Give a tensor the components of a result that nobody else has: a write to all of it."""
    replace_components(t, tensor_components(result))
    return copy_geometry(t, result)


def set_components(Tensor t not None, components, tuple shape, bint raise_version):
    """Let a tensor have other components, and another shape."""
    cdef Tensor result
    if is_strided(t):
        raise TypeError("set_components: expected a tensor of another layout than torch.strided, got a strided one of "
                        f"shape {list(shape_tuple(t))}")
    result = make_tensor(t.device, shape, t.code, components)
    take_over(t, result)
    if raise_version:
        bump_version(t)
