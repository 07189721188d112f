# Part of tensor.pyx: a Tensor from the freelist to the freelist, and how the garbage collector sees it.

cdef PyObject* TENSORS[WENGERT_FREELIST_SIZE]
cdef int N_TENSORS = 0


cdef Tensor blank_tensor():
    """Return a tensor of exactly this type with empty fields, untracked by the collector; the caller sets the rest."""
    cdef PyObject* o = wengert_take(TENSORS, &N_TENSORS, <PyTypeObject*> Tensor)
    wengert_null_slot(o, WENGERT_DICT_OFFSET(<PyTypeObject*> Tensor))
    wengert_null_slot(o, WENGERT_WEAK_OFFSET(<PyTypeObject*> Tensor))
    cdef Tensor t = <Tensor> o
    Py_DECREF(o)
    t.storage = NULL
    t.base = NULL
    t.grad_fn = NULL
    t.extra = NULL
    t.dims = t.dims_inline
    t.flags = WG_TENSOR_ALWAYS
    t.output_nr = 0
    t.device = 0
    t.attr_version = 0
    return t


cdef int set_ndim(Tensor t, int ndim) except -1:
    """Give ``t`` room for ndim sizes and strides; what it had is lost."""
    if t.dims != t.dims_inline:
        PyMem_Free(t.dims)
        t.dims = t.dims_inline
    t.rank = ndim
    if ndim > 2:
        if ndim > 64:
            t.rank = 0
            raise RuntimeError(f"a tensor has at most 64 dimensions, got {ndim}")
        t.dims = <Py_ssize_t*> PyMem_Malloc(2 * ndim * sizeof(Py_ssize_t))
        if t.dims == NULL:
            t.dims = t.dims_inline
            t.rank = 0
            raise MemoryError()
    return 0


cdef void free_extra(PyObject* o) noexcept:
    cdef TensorExtra* extra = (<Tensor> o).extra
    if extra != NULL:
        (<Tensor> o).extra = NULL
        Py_XDECREF(extra.grad)
        Py_XDECREF(extra.hooks)
        Py_XDECREF(extra.post_hooks)
        Py_XDECREF(extra.tangent)
        Py_XDECREF(extra.name)
        PyMem_Free(extra)


cdef int tensor_clear(PyObject* o) noexcept:
    wengert_clear_ref(&(<Tensor> o).grad_fn)
    wengert_clear_ref(&(<Tensor> o).base)
    if (<Tensor> o).extra != NULL and (<Tensor> o).extra.accumulate == NULL:
        free_extra(o)
    elif (<Tensor> o).extra != NULL:
        wengert_clear_ref(&(<Tensor> o).extra.grad)
        wengert_clear_ref(&(<Tensor> o).extra.hooks)
        wengert_clear_ref(&(<Tensor> o).extra.post_hooks)
        wengert_clear_ref(&(<Tensor> o).extra.tangent)
    wengert_clear_ref(wengert_dict_slot(o, <PyTypeObject*> Tensor))
    return 0


cdef int tensor_traverse(PyObject* o, visitproc visit, void* arg) noexcept:
    cdef PyObject* parts[7]
    cdef TensorExtra* extra = (<Tensor> o).extra
    cdef int i, n = 3, code
    parts[0] = (<Tensor> o).grad_fn
    parts[1] = (<Tensor> o).base
    parts[2] = wengert_dict_slot(o, <PyTypeObject*> Tensor)[0]
    if extra != NULL:
        parts[3], parts[4], parts[5], parts[6] = extra.grad, extra.hooks, extra.post_hooks, extra.tangent
        n = 7
    for i in range(n):
        if parts[i] != NULL:
            code = visit(parts[i], arg)
            if code:
                return code
    return 0


cdef void tensor_dealloc(PyObject* o) noexcept:
    # Only borrowed casts here, as in storage_dealloc.
    PyObject_GC_UnTrack(o)
    wengert_clear_weakrefs(o, <PyTypeObject*> Tensor)
    wengert_clear_ref(&(<Tensor> o).grad_fn)
    wengert_clear_ref(&(<Tensor> o).base)
    free_extra(o)
    wengert_clear_ref(wengert_dict_slot(o, <PyTypeObject*> Tensor))
    wengert_clear_ref(&(<Tensor> o).storage)
    if (<Tensor> o).dims != (<Tensor> o).dims_inline:
        PyMem_Free((<Tensor> o).dims)
    wengert_keep(TENSORS, &N_TENSORS, <PyTypeObject*> Tensor, o)


cdef void track(Tensor t) noexcept:
    if not PyObject_GC_IsTracked(<PyObject*> t):
        PyObject_GC_Track(<PyObject*> t)


cdef TensorExtra* extra_of(Tensor t) except NULL:
    if t.extra == NULL:
        t.extra = <TensorExtra*> PyMem_Malloc(sizeof(TensorExtra))
        if t.extra == NULL:
            raise MemoryError()
        memset(t.extra, 0, sizeof(TensorExtra))
        track(t)
    return t.extra


wengert_set_dealloc(<PyTypeObject*> Tensor, <destructor> tensor_dealloc)
wengert_set_gc(<PyTypeObject*> Tensor, <traverseproc> tensor_traverse, <inquiry> tensor_clear)
