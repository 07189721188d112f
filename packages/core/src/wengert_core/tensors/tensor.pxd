"""Tensor and Storage: the structs, and what other modules may do with them.

Note [Who owns a tensor's fields]
    ``Tensor`` frees and traverses its fields itself (lifetime.pxi patches the type's slots), so they are raw pointers:
    a new tensor costs a pop from a freelist. A tensor is known to the garbage collector only from the moment it can
    reference something that could lead back to it (a grad_fn, a base, a gradient, an attribute): ``track``.
Note [Version counters]
    The counter lives in Storage. Views share it because they share the Storage; ``x.data`` and ``x.detach()`` differ in
    that the first has a Storage of its own (same memory, owned by the parent Storage) and so a counter of its own.
    After ``x.data = y`` the counter stays that of x and its views, which look into two memories then: their Storages
    are linked, and a write to one of them raises the version of all.
"""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t, uint8_t, uint16_t

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o) noexcept


cdef enum:    # Tensor.flags beside the bits of runtime/state.h; 1 << 20 is TF_CUT of the engine's graph/node.pxd
    TF_CONTIGUOUS = 64                 # row-major without gaps
    TF_VIEW = 128                      # has a base: grad_fn may have to be made anew, see engine
    TF_RETAINS_GRAD = 512
    TF_INFERENCE = 1024                # made in inference mode
    TF_META_SHIFT = 12                 # 3 bits: how a view came to be (ViewOrigin)
    TF_META_MASK = 0x7000
    TF_SUBCLASS = 0x8000

cdef enum ViewOrigin:
    VIEW_DEFAULT = 0
    VIEW_NO_GRAD = 1                   # made under no_grad
    VIEW_MULTI = 2                     # one of several outputs of one op (split, unbind, chunk)
    VIEW_CUSTOM = 3                    # made inside a custom Function
    VIEW_INFERENCE = 4                 # made under inference mode
    VIEW_NO_GRAD_MULTI = 5


cdef class Storage:
    cdef char* data                # first byte; NULL when nothing is allocated
    cdef Py_ssize_t nbytes         # usable bytes
    cdef PyObject* owner           # keeps foreign memory alive (an array, a capsule, a Storage); owned; NULL: ours
    cdef uint32_t version          # raised by every in-place operation
    cdef uint8_t bin               # allocator's size class, FOREIGN_BIN for foreign memory
    cdef uint8_t readonly          # 1: writing was warned about
    cdef uint8_t pool              # 1: a pool of memory for tensors that users take for separate ones
    cdef uint8_t reserved
    cdef uint32_t birth            # the number of the transform of wengert.func that it was made in; 0: in none
    cdef PyObject* linked          # the next of a ring of storages that have one version counter; borrowed; NULL: alone


cdef struct TensorExtra:               # what few tensors need; all owned unless said
    PyObject* grad                     # Tensor or NULL
    PyObject* accumulate               # the leaf's AccumulateGrad; BORROWED, cleared by it when it goes
    PyObject* hooks                    # engine's list of tensor hooks for a leaf, or NULL
    PyObject* post_hooks               # post-accumulate hooks, or NULL
    PyObject* tangent                  # forward-mode tangent (reserved)
    PyObject* name                     # str or NULL


cdef class Tensor:
    cdef object __weakref__
    cdef dict __dict__
    cdef char* data                    # first element
    cdef PyObject* storage             # Storage, owned
    cdef PyObject* base                # Tensor this is a view of (never itself a view), owned; or NULL
    cdef PyObject* grad_fn             # engine's Node, owned; or NULL
    cdef TensorExtra* extra            # owned; or NULL
    cdef Py_ssize_t count              # elements
    cdef Py_ssize_t* dims              # rank sizes, then rank strides in BYTES
    cdef Py_ssize_t dims_inline[4]     # where dims lives for up to two dimensions
    cdef uint32_t flags                # WG_* of runtime/state.h and TF_*
    cdef uint32_t output_nr            # which output of grad_fn this is
    cdef uint8_t code                  # DTypeCode
    cdef uint8_t rank                  # dimensions
    cdef uint16_t device               # index into the device table; 0 is the CPU
    cdef uint32_t attr_version         # the storage's version when grad_fn was set (views)


ctypedef Tensor (*array_operand_fn)(object array, bint may_copy)

cdef void set_array_operand(array_operand_fn function) noexcept
cdef Tensor new_empty(int dtype, int ndim, const Py_ssize_t* shape)
cdef Tensor new_empty_at(int device, int dtype, int ndim, const Py_ssize_t* shape)     # in a device's memory
cdef Tensor new_like(Tensor t, int dtype)                       # contiguous, t's shape
cdef Tensor new_view(Tensor t, int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides, char* data)
cdef Tensor new_on_memory(int dtype, int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides, char* data,
                          char* start, Py_ssize_t nbytes, object owner)
cdef Tensor subclass_result(Tensor t, object cls)               # of a subclass, with all of t, which nobody else has
cdef Tensor alias(Tensor t)                                     # same storage, no history
cdef Tensor alias_components(Tensor t)                          # of another layout: what detach() gives
cdef Tensor alias_fresh_version(Tensor t)                       # same memory, a version counter of its own: x.data
# t takes over other's memory and geometry (set_, .data =)
cdef int swap_contents(Tensor t, Tensor other) except -1
cdef int copy_geometry(Tensor new, Tensor t) except -1          # dtype, sizes, strides and device, not the memory
cdef TensorExtra* extra_of(Tensor t) except NULL                # makes it when absent
cdef void track(Tensor t) noexcept
cdef void set_contiguity(Tensor t) noexcept
cdef Py_ssize_t check_numel(int ndim, const Py_ssize_t* shape, int itemsize) except -1
cdef object shape_tuple(Tensor t)
# Note [Layouts have device numbers] in devices/layout.py
cdef bint is_strided(Tensor t) noexcept                            # False: of another layout, with components
cdef unsigned int home_device(unsigned int device_number) noexcept  # that of the components; else the number itself
# Note [Version counters]
cdef void link_versions(PyObject* storage, PyObject* other) noexcept
cdef void propagate_version(PyObject* storage) noexcept            # to those that it is linked with
# 1 when two elements may share memory (expanded)
cdef Py_ssize_t shape_overlap(Tensor t) noexcept


cdef inline Py_ssize_t* strides_of(Tensor t) noexcept:
    return t.dims + t.rank

cdef inline Storage storage_of(Tensor t):
    return <Storage> t.storage

cdef inline uint32_t version_of(Tensor t) noexcept:
    return (<Storage> t.storage).version

cdef inline void forget_writes(Tensor t) noexcept:
    """Of a result that nobody has seen yet: how it was computed does not count."""
    if Py_REFCNT(t.storage) == 1:
        (<Storage> t.storage).version = 0

cdef inline void bump_version(Tensor t) noexcept:
    (<Storage> t.storage).version += 1
    if (<Storage> t.storage).linked != NULL:
        propagate_version(t.storage)

cdef inline bint same_shape(Tensor a, Tensor b) noexcept:
    cdef int i
    if a.rank != b.rank:
        return False
    for i in range(a.rank):
        if a.dims[i] != b.dims[i]:
            return False
    return True
