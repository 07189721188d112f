# Part of tensor.pyx: tensors on another one's storage, views and aliases, and the geometry they have.

cdef inline void share_storage(Tensor new, Tensor t) noexcept:
    Py_XINCREF(t.storage)
    new.storage = t.storage
    new.data = t.data


cdef int copy_geometry(Tensor new, Tensor t) except -1:
    new.code = t.code
    set_ndim(new, t.rank)
    new.count = t.count
    new.device = t.device
    memcpy(new.dims, t.dims, 2 * t.rank * sizeof(Py_ssize_t))
    return 0


cdef void set_contiguity(Tensor t) noexcept:
    """Set or clear TF_CONTIGUOUS from sizes and strides. Strides of sizes 0 and 1 do not matter."""
    cdef int i
    cdef Py_ssize_t step = FACTS.itemsize[t.code]
    t.flags |= TF_CONTIGUOUS
    if t.count == 0:
        return
    for i in range(t.rank - 1, -1, -1):
        if t.dims[i] != 1:
            if t.dims[t.rank + i] != step:
                t.flags &= ~(<uint32_t> TF_CONTIGUOUS)
                return
            step *= t.dims[i]


cdef Tensor new_view(Tensor t, int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides, char* data):
    """A tensor on ``t``'s storage with another geometry (strides in bytes). Its base is t's base, or t itself."""
    cdef Tensor v = blank_tensor()
    cdef int i
    cdef Py_ssize_t n = 1
    cdef bint overflow = False
    cdef PyObject* base = t.base if t.base != NULL else <PyObject*> t
    v.code = t.code
    v.rank = ndim
    v.device = t.device
    if ndim > 2:
        set_ndim(v, ndim)
    for i in range(ndim):
        v.dims[i] = shape[i]
        v.dims[ndim + i] = strides[i]
        overflow |= mul_overflows(n, shape[i], &n)
    v.count = numel(ndim, shape) if overflow else n
    share_storage(v, t)
    v.data = data
    set_contiguity(v)
    v.flags |= t.flags & (TF_INFERENCE | WG_FOREIGN)
    v.attr_version = version_of(t)
    if t.flags & TF_INFERENCE:         # nobody keeps track of what is written to its memory
        return v
    v.flags |= TF_VIEW
    if not (<Tensor> base).flags & WG_GRAD:
        v.flags |= WG_ASK
    Py_XINCREF(base)
    v.base = base
    return v


cdef Tensor alias(Tensor t):
    """The same memory and version counter, without history, base or gradient: what detach() gives."""
    cdef Tensor new = blank_tensor()
    new.rank = 0
    copy_geometry(new, t)
    new.flags |= t.flags & (TF_CONTIGUOUS | TF_INFERENCE)
    if t.device:
        new.flags |= WG_FOREIGN
    share_storage(new, t)
    return new


cdef Tensor alias_fresh_version(Tensor t):
    """The same memory with a version counter of its own: what ``x.data`` gives."""
    cdef Tensor new = alias(t)
    cdef Storage old = storage_of(t)
    cdef bint borrowed = old.owner != NULL and isinstance(<object> old.owner, Storage)
    if not is_strided(t):
        replace_storage(new, foreign_storage(NULL, 0, old.owner))
        return new
    cdef Storage own = foreign_storage(old.data, old.nbytes, old.owner if borrowed else t.storage)    # no chains
    own.readonly, own.birth, own.pool = old.readonly, old.birth, old.pool
    replace_storage(new, own)
    return new


cdef int replace_storage(Tensor t, Storage own) except -1:
    """Let a tensor that nobody else has seen have another storage of the same contents."""
    Py_INCREF(own)
    wengert_clear_ref(&t.storage)
    t.storage = <PyObject*> own
    return 0


cdef Tensor alias_components(Tensor t):
    """The detached tensor of one of another layout: the same version counter, and components which writes to either
    replace for it alone, as in PyTorch."""
    cdef Tensor new = alias(t)
    cdef Storage own = foreign_storage(NULL, 0, storage_of(t).owner)
    own.birth = storage_of(t).birth
    link_versions(t.storage, <PyObject*> own)
    replace_storage(new, own)
    return new


cdef int swap_contents(Tensor t, Tensor other) except -1:
    """Let ``t`` take over other's memory and geometry; t keeps its identity, flags of autograd and gradient."""
    if t is other:
        return 0
    copy_geometry(t, other)
    cdef PyObject* old = t.storage
    share_storage(t, other)
    Py_XDECREF(old)
    t.flags = (t.flags & ~(<uint32_t> TF_CONTIGUOUS)) | (other.flags & TF_CONTIGUOUS)
    if t.device:
        t.flags |= WG_FOREIGN
    elif not t.flags & WG_BATCHED:
        t.flags &= ~(<uint32_t> WG_FOREIGN)
    return 0


cdef object shape_tuple(Tensor t):
    cdef int i
    if t.rank == 1:
        return (t.dims[0],)
    return tuple([t.dims[i] for i in range(t.rank)])


cdef Py_ssize_t shape_overlap(Tensor t) noexcept:
    """1 when a size above 1 has stride 0: elements share memory (as expand makes them)."""
    cdef int i
    for i in range(t.rank):
        if t.dims[i] > 1 and t.dims[t.rank + i] == 0:
            return t.count > 0 and is_strided(t)
    return 0


# ---- layouts: Note [Layouts have device numbers] in devices/layout.py

cdef uint16_t HOMES[65536]             # by device number: 0, or 1 + the number of the device that has the components


cdef bint is_strided(Tensor t) noexcept:
    """Whether a tensor's elements are in memory of its own, at its strides."""
    return HOMES[t.device] == 0


cdef unsigned int home_device(unsigned int device_number) noexcept:
    """The number of the device that a tensor with this device number computes on."""
    return HOMES[device_number] - 1 if HOMES[device_number] else device_number


def set_home(unsigned int device_number, unsigned int home):
    """Say that a device number is that of a layout, whose components are on the device ``home``."""
    if not 0 < device_number < 65535 or home > 65533:
        raise RuntimeError(f"no more layouts can be used: got the device number {device_number}, at most 65534 fit")
    HOMES[device_number] = <uint16_t> (home + 1)


def is_strided_tensor(Tensor t):
    """Whether a tensor's layout is ``strided``."""
    return is_strided(t)


def device_number_of(Tensor t):
    """A tensor's number in the device table."""
    return t.device


def home_of(Tensor t):
    """The number of the device that a tensor, or what it consists of, is on."""
    return home_device(t.device)


def mark_pool(Tensor memory not None):
    """Mark a tensor's memory as a pool of tensors that users take for separate ones: pickles have only a tensor's own.

    TypeError for a tensor whose layout has no strides.
    """
    if not is_strided(memory):
        raise TypeError(f"mark_pool() takes a tensor with strides, got one with layout {memory.layout}")
    storage_of(memory).pool = 1
