# Part of tensor.pyx: sizes as a Size, and the only element as a Python number.

cdef object size_of(Tensor t):
    return wengert_tuple_of(<PyTypeObject*> Size, (shape_tuple(t),), NULL)       # Size itself looks at each item


cdef int refuse_batched(Tensor t) except -1:
    """RuntimeError: a batched tensor is no number."""
    raise RuntimeError("vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling "
                       ".item() on a Tensor, please try to rewrite what you're doing with other operations. The "
                       f"tensor's shape is {list(shape_tuple(t))} in a batch (see docs/errors/vmap)")


cdef inline object number_in(Tensor t):
    """The only element."""
    if RECORDERS[0] and thread_state().modes & WG_TELL and t.device == 0:
        tell_read(t.data, FACTS.itemsize[t.code])
    return load_number(t.data, t.code) if t.device == 0 else FETCH(t)


cdef object warned_number(Tensor t):
    """single_number, with torch's warning for a tensor whose history the number leaves behind."""
    if t.flags & WG_BATCHED:
        refuse_batched(t)
    if t.flags & WG_GRAD:
        warn_user("Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
                  "Consider using tensor.detach() first.")
    if t.count != 1:
        raise ValueError("only one element tensors can be converted to Python scalars: this one has shape "
                         f"{list(shape_tuple(t))}")
    return number_in(t)


cdef object real_number(Tensor t, str kind):
    """warned_number of a tensor that must not have an imaginary part."""
    number = warned_number(t)
    if isinstance(number, complex):
        if number.imag != 0:
            raise RuntimeError(f"value cannot be converted to type {kind} without overflow: {number!r}; "
                               "take .real or .abs() first")
        return number.real
    return number


cdef object item_of(Tensor t):
    """item() of a tensor that may be of a subclass."""
    return answer_of("item", (t,)) if operand_has_override(<PyObject*> t) else single_number(t)


cdef object single_number(Tensor t):
    if t.flags & WG_BATCHED:
        refuse_batched(t)
    if t.count != 1:
        raise RuntimeError(f"a Tensor with {t.count} elements cannot be converted to Scalar: its shape is "
                           f"{list(shape_tuple(t))}; use .tolist(), or index it first")
    return number_in(t)
