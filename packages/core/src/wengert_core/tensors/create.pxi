# Part of tensor.pyx: new tensors, in memory of their own or on memory that somebody else owns.

cdef Py_ssize_t check_numel(int ndim, const Py_ssize_t* shape, int itemsize) except -1:
    """Elements of a shape; RuntimeError for a negative size or when the bytes do not fit into 63 bits."""
    cdef Py_ssize_t n = 1, limit = (<Py_ssize_t> 1 << 62) // itemsize
    cdef int i
    cdef bint empty = False
    for i in range(ndim):
        if shape[i] < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {shape[i]}: "
                               f"{[shape[k] for k in range(ndim)]}")
        empty = empty or shape[i] == 0
    if empty:
        n = itemsize
        for i in range(ndim - 1, -1, -1):
            if shape[i] > 1 and mul_overflows(n, shape[i], &n):
                raise RuntimeError("Stride calculation overflowed: a tensor of sizes "
                                   f"{[shape[k] for k in range(ndim)]} has no elements, "
                                   "and strides of more than 2**63 - 1 bytes")
        return 0
    for i in range(ndim):
        if n > limit // shape[i]:
            raise RuntimeError(f"Storage size calculation overflowed with sizes={[shape[k] for k in range(ndim)]}: at "
                               f"most {limit} elements of {itemsize} bytes can be made")
        n *= shape[i]
    return n


cdef inline void fill_contiguous(Tensor t, const Py_ssize_t* shape, Py_ssize_t itemsize) noexcept:
    cdef int i, ndim = t.rank
    cdef Py_ssize_t step = itemsize
    for i in range(ndim - 1, -1, -1):
        t.dims[i] = shape[i]
        t.dims[ndim + i] = step
        if shape[i] > 1:
            step *= shape[i]
    t.flags |= TF_CONTIGUOUS


cdef Tensor new_empty(int dtype, int ndim, const Py_ssize_t* shape):
    """A contiguous tensor with undefined contents. In inference mode it is an inference tensor."""
    cdef Py_ssize_t itemsize = FACTS.itemsize[dtype]
    cdef Py_ssize_t n = 1
    if thread_state().modes & (WG_INFER | WG_ON_DEVICE | WG_GUARD):
        return special_empty(dtype, ndim, shape)
    if ndim == 1 and 0 <= shape[0] < 1 << 30:
        n = shape[0]
    elif ndim > 64:
        raise RuntimeError(f"a tensor has at most 64 dimensions, got {ndim}")
    elif ndim:
        n = check_numel(ndim, shape, itemsize)
    cdef Tensor t = blank_tensor()
    t.code = dtype
    t.rank = ndim
    if ndim > 2:
        set_ndim(t, ndim)
    t.count = n
    fill_contiguous(t, shape, itemsize)
    cdef Storage s = new_storage(n * itemsize)
    t.data = s.data
    Py_INCREF(s)
    t.storage = <PyObject*> s
    return t


cdef Tensor special_empty(int dtype, int ndim, const Py_ssize_t* shape):
    """new_empty in inference mode, inside of a transform, or for another device."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    cdef Py_ssize_t nbytes, address
    cdef Tensor t
    cdef Storage s
    state.modes = modes & ~(<unsigned int> (WG_INFER | WG_ON_DEVICE | WG_GUARD))
    try:
        if modes & WG_ON_DEVICE:
            nbytes = check_numel(ndim, shape, FACTS.itemsize[dtype]) * FACTS.itemsize[dtype]
            if ndim > 64:
                raise RuntimeError(f"a tensor has at most 64 dimensions, got {ndim}")
            t = blank_tensor()
            t.code = dtype
            set_ndim(t, ndim)
            t.count = nbytes // FACTS.itemsize[dtype]
            fill_contiguous(t, shape, FACTS.itemsize[dtype])
            t.device = state.device_number
            t.flags |= WG_FOREIGN
            owner, address = ALLOCATE(t.device, nbytes)
            s = foreign_storage(<char*> address, nbytes, <PyObject*> owner)
            t.data = s.data
            Py_INCREF(s)
            t.storage = <PyObject*> s
        else:
            t = new_empty(dtype, ndim, shape)
    finally:
        state.modes = modes
    if modes & WG_INFER:
        t.flags |= TF_INFERENCE
    if modes & WG_GUARD:
        storage_of(t).birth = state.transform
    return t


cdef Tensor new_empty_at(int device, int dtype, int ndim, const Py_ssize_t* shape):
    """new_empty in the memory of the device with that number."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes, device_number = state.device_number
    if device:
        state.modes, state.device_number = modes | WG_ON_DEVICE, device
    else:
        state.modes = modes & ~(<unsigned int> WG_ON_DEVICE)
    try:
        return new_empty(dtype, ndim, shape)
    finally:
        state.modes, state.device_number = modes, device_number


cdef Tensor new_like(Tensor t, int dtype):
    return new_empty(dtype, t.rank, t.dims)


cdef Tensor new_on_memory(int dtype, int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides, char* data,
                          char* start, Py_ssize_t nbytes, object owner):
    """A tensor on memory [start, start + nbytes) that ``owner`` keeps alive; data: the first element."""
    cdef Tensor t = blank_tensor()
    cdef int i
    t.code = dtype
    set_ndim(t, ndim)
    t.count = numel(ndim, shape)
    for i in range(ndim):
        t.dims[i] = shape[i]
        t.dims[ndim + i] = strides[i]
    cdef Storage s = foreign_storage(start, nbytes, <PyObject*> owner)
    Py_INCREF(s)
    t.storage = <PyObject*> s
    t.data = data
    set_contiguity(t)
    if thread_state().modes & (WG_INFER | WG_GUARD):
        s.birth = thread_state().transform
        t.flags |= TF_INFERENCE if thread_state().modes & WG_INFER else 0
    return t
