# Part of tensor.pyx: instances of subclasses of Tensor.

cdef object LAST_SUBCLASS = Tensor     # that has been checked


def as_subclass(Tensor t, cls):
    """A tensor of the subclass ``cls`` which shares ``t``'s memory and version counter, without history."""
    cdef Tensor new = object_of(cls)
    copy_geometry(new, t)
    new.flags = (t.flags & (WG_TENSOR_ALWAYS | TF_CONTIGUOUS | TF_INFERENCE | WG_FOREIGN)) | TF_SUBCLASS
    share_storage(new, t)
    return new


def move_to_subclass(Tensor t not None, cls):
    """A tensor of the subclass ``cls`` that gets all of ``t``, a tensor which nobody else has: memory, history,
    tangent, batch.
    """
    return subclass_result(t, cls)


cdef Tensor subclass_result(Tensor t, cls):
    cdef Tensor new = object_of(cls)
    copy_geometry(new, t)
    share_storage(new, t)
    new.base, new.grad_fn, new.extra = t.base, t.grad_fn, t.extra
    new.output_nr, new.attr_version, new.flags = t.output_nr, t.attr_version, t.flags | TF_SUBCLASS
    t.base = t.grad_fn = NULL
    t.extra = NULL
    t.flags &= WG_TENSOR_ALWAYS | TF_CONTIGUOUS | TF_INFERENCE | WG_FOREIGN
    return new


cdef Tensor object_of(cls):
    """A tensor of a subclass, which has nothing yet."""
    global LAST_SUBCLASS
    if cls is not LAST_SUBCLASS:
        check_subclass(cls)
        LAST_SUBCLASS = cls
    cdef PyObject* o = wengert_tp_alloc(<PyObject*> cls)
    cdef Tensor new = wengert_owned(o)
    new.dims = new.dims_inline
    return new


cdef int check_subclass(cls) except -1:
    """TypeError for what is no subclass of Tensor; note one that is asked."""
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {type(cls).__name__}): as_subclass() takes a subclass of Tensor")
    if not issubclass(cls, Tensor):
        from wengert_core.messages.short_repr import short_repr
        raise TypeError(f"as_subclass: expected a subclass of Tensor, got {short_repr(cls)}")
    if cls is not Tensor and getattr(cls, "__torch_function__", None) is not _disabled_torch_function_impl:
        note_subclass()
    return 0
